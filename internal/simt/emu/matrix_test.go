package emu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// small is how small integers, which every sum holds exactly, are written in a type.
func small(ty string, v int) uint64 {
	switch ty {
	case "f16":
		return uint64(dtype.Float16FromFloat32(float32(v)))
	case "bf16":
		return uint64(dtype.BFloat16FromFloat32(float32(v)))
	case "f32", "tf32":
		return uint64(math.Float32bits(float32(v)))
	case "e4m3":
		return uint64(dtype.Float8E4M3FNFromFloat32(float32(v)))
	case "e5m2":
		return uint64(dtype.Float8E5M2FromFloat32(float32(v)))
	case "f64":
		return math.Float64bits(float64(v))
	case "s32":
		return uint64(uint32(v))
	}
	return uint64(uint8(v))
}

var elementBits = map[string]int{"f16": 16, "bf16": 16, "f32": 32, "tf32": 32, "e4m3": 8, "e5m2": 8, "f64": 64, "s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4}

// place is the row and the column of element i of a lane's fragment, as the tables of the PTX ISA say it.
type place func(lane, i int) (row, col int)

// fragments has for each shape and width of the elements of A where the elements of A, B and C are.
var fragments = map[string][3]place{
	"m16n8k16 16": {
		func(l, i int) (int, int) {
			row := l / 4
			if i == 2 || i == 3 || i == 6 || i == 7 {
				row += 8
			}
			col := l%4*2 + i&1
			if i >= 4 {
				col += 8
			}
			return row, col
		},
		func(l, i int) (int, int) {
			row := l%4*2 + i&1
			if i >= 2 {
				row += 8
			}
			return row, l / 4
		}, accumulators},
	"m16n8k8 16": {
		func(l, i int) (int, int) {
			row := l / 4
			if i >= 2 {
				row += 8
			}
			return row, l%4*2 + i&1
		},
		func(l, i int) (int, int) { return l%4*2 + i, l / 4 }, accumulators},
	"m16n8k4 32": {
		func(l, i int) (int, int) { return l/4 + 8*i, l % 4 },
		func(l, i int) (int, int) { return l % 4, l / 4 }, accumulators},
	"m16n8k8 32": {
		func(l, i int) (int, int) {
			row, col := l/4, l%4
			if i == 1 || i == 3 {
				row += 8
			}
			if i >= 2 {
				col += 4
			}
			return row, col
		},
		func(l, i int) (int, int) { return l%4 + 4*i, l / 4 }, accumulators},
	"m8n8k16 8": {
		func(l, i int) (int, int) { return l / 4, l%4*4 + i },
		func(l, i int) (int, int) { return l%4*4 + i, l / 4 },
		func(l, i int) (int, int) { return l / 4, l%4*2 + i }},
	"m16n8k16 8": {
		func(l, i int) (int, int) {
			row := l / 4
			if i >= 4 {
				row += 8
			}
			return row, l%4*4 + i&3
		},
		func(l, i int) (int, int) { return l%4*4 + i, l / 4 }, accumulators},
	"m16n8k32 8": {
		func(l, i int) (int, int) {
			row := l / 4
			if i >= 4 && i < 8 || i >= 12 {
				row += 8
			}
			col := l%4*4 + i&3
			if i >= 8 {
				col += 16
			}
			return row, col
		},
		func(l, i int) (int, int) {
			row := l%4*4 + i&3
			if i >= 4 {
				row += 16
			}
			return row, l / 4
		}, accumulators},
	"m8n8k32 4": {
		func(l, i int) (int, int) { return l / 4, l%4*8 + i },
		func(l, i int) (int, int) { return l%4*8 + i, l / 4 },
		func(l, i int) (int, int) { return l / 4, l%4*2 + i }},
	"m16n8k32 4": {
		func(l, i int) (int, int) {
			row := l / 4
			if i >= 8 {
				row += 8
			}
			return row, l%4*8 + i&7
		},
		func(l, i int) (int, int) { return l%4*8 + i, l / 4 }, accumulators},
	"m16n8k64 4": {
		func(l, i int) (int, int) {
			row := l / 4
			if i >= 8 && i < 16 || i >= 24 {
				row += 8
			}
			col := l%4*8 + i&7
			if i >= 16 {
				col += 32
			}
			return row, col
		},
		func(l, i int) (int, int) {
			row := l%4*8 + i&7
			if i >= 8 {
				row += 32
			}
			return row, l / 4
		}, accumulators},
	"m8n8k4 64": {
		func(l, _ int) (int, int) { return l / 4, l % 4 },
		func(l, _ int) (int, int) { return l % 4, l / 4 },
		func(l, i int) (int, int) { return l / 4, l%4*2 + i }},
	"m16n8k4 64": {
		func(l, i int) (int, int) { return l/4 + 8*i, l % 4 },
		func(l, _ int) (int, int) { return l % 4, l / 4 }, accumulators},
	"m16n8k8 64": {
		func(l, i int) (int, int) { return l/4 + 8*(i%2), l%4 + 4*(i/2) },
		func(l, i int) (int, int) { return l%4 + 4*i, l / 4 }, accumulators},
	"m16n8k16 64": {
		func(l, i int) (int, int) { return l/4 + 8*(i%2), l%4 + 4*(i/2) },
		func(l, i int) (int, int) { return l%4 + 4*i, l / 4 }, accumulators},
}

func accumulators(l, i int) (row, col int) {
	row = l / 4
	if i >= 2 {
		row += 8
	}
	return row, l%4*2 + i&1
}

func TestMMA(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for _, c := range []struct{ shape, d, a, b string }{
		{"m16n8k16", "f32", "f16", "f16"}, {"m16n8k16", "f32", "bf16", "bf16"}, {"m16n8k16", "f16", "f16", "f16"}, {"m16n8k8", "f32", "f16", "f16"},
		{"m16n8k8", "f16", "f16", "f16"}, {"m16n8k8", "f32", "bf16", "bf16"}, {"m16n8k8", "f32", "tf32", "tf32"}, {"m16n8k4", "f32", "tf32", "tf32"},
		{"m16n8k32", "s32", "s8", "s8"}, {"m16n8k32", "s32", "u8", "s8"}, {"m16n8k16", "s32", "s8", "u8"}, {"m8n8k16", "s32", "s8", "s8"},
		{"m16n8k32", "f32", "e4m3", "e5m2"}, {"m8n8k4", "f64", "f64", "f64"}, {"m16n8k4", "f64", "f64", "f64"}, {"m16n8k8", "f64", "f64", "f64"},
		{"m16n8k16", "f64", "f64", "f64"}, {"m8n8k32", "s32", "s4", "u4"}, {"m16n8k32", "s32", "u4", "s4"}, {"m16n8k64", "s32", "s4", "s4"},
		{"m16n8k64", "s32", "u4", "u4"}, {"m16n8k16", "f32", "e5m2", "e4m3"}, {"m16n8k16", "f16", "e4m3", "e4m3"}, {"m16n8k32", "f16", "e5m2", "e5m2"},
	} {
		var m, n, k int
		fmt.Sscanf(c.shape, "m%dn%dk%d", &m, &n, &k)
		value := func(ty string) func() int {
			if ty[0] == 'u' {
				return func() int { return rng.IntN(8) }
			}
			return func() int { return rng.IntN(9) - 4 }
		}
		fill := func(rows, cols int, f func() int) (x [][]int) {
			for range rows {
				var row []int
				for range cols {
					row = append(row, f())
				}
				x = append(x, row)
			}
			return x
		}
		a, b, acc := fill(m, k, value(c.a)), fill(k, n, value(c.b)), fill(m, n, value("s"))
		at := fragments[fmt.Sprintf("%s %d", c.shape, elementBits[c.a])]
		ra, rb, rc := registers(a, c.a, at[0]), registers(b, c.b, at[1]), registers(acc, c.d, at[2])
		op := fmt.Sprintf("mma.sync.aligned.%s.row.col.%s.%s.%s.%s", c.shape, c.d, c.a, c.b, c.d)
		got := runMMA(t, op, elementBits[c.d], elementBits[c.a], ra, rb, rc)
		for i := range acc {
			for j := range acc[i] {
				for x := range k {
					acc[i][j] += a[i][x] * b[x][j]
				}
			}
		}
		want := registers(acc, c.d, at[2])
		for r := range want {
			for l := range 32 {
				if got[r][l] != want[r][l] {
					t.Fatalf("%s: register %d of lane %d is %#x, want %#x", op, r, l, got[r][l], want[r][l])
				}
			}
		}
	}
}

// registers spreads a matrix over the lanes: by register and lane.
func registers(x [][]int, ty string, at place) [][]uint64 {
	bits := elementBits[ty]
	per := max(32/bits, 1)
	count := len(x) * len(x[0]) / 32 / per
	regs := make([][]uint64, count)
	for r := range regs {
		regs[r] = make([]uint64, 32)
		for l := range 32 {
			for e := range per {
				row, col := at(l, r*per+e)
				regs[r][l] |= small(ty, x[row][col]) & (1<<bits - 1) << (e * bits)
			}
		}
	}
	return regs
}

// runMMA runs one instruction on registers, with the result in the registers of C.
func runMMA(t *testing.T, op string, dBits, aBits int, operands ...[][]uint64) [][]uint64 {
	t.Helper()
	b := kernel(32, len(operands)+1)
	i := tid(b)
	var vs []simt.Operand
	var buffers [][]byte
	for k, regs := range operands {
		class := simt.B32
		if k < 2 && aBits == 64 || k == 2 && dBits == 64 {
			class = simt.B64
		}
		var rs []simt.Operand
		var data []uint64
		for r := range regs {
			rs = append(rs, b.Value(class, fmt.Sprintf("ld.global.b%d", class.Bits()), simt.At(slot(b, param(b, k), i, 8), int64(256*r))))
			data = append(data, regs[r]...)
		}
		vs = append(vs, simt.V(rs...))
		buffers = append(buffers, longs(data))
	}
	b.Emit(op, []simt.Operand{vs[2]}, vs...)
	for r, v := range vs[2].Vec {
		b.Emit(fmt.Sprintf("st.global.b%d", max(dBits, 32)), nil, simt.At(slot(b, param(b, 3), i, 8), int64(256*r)), v)
	}
	out := make([]byte, 256*len(operands[2]))
	must(t, launch(b, emu.Launch{}, append(buffers, out)...))
	var got [][]uint64
	for r := range operands[2] {
		var one []uint64
		for l := range 32 {
			one = append(one, long(out, 32*r+l))
		}
		got = append(got, one)
	}
	return got
}
