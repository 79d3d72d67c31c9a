package emu_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// shorts has all numbers of the short floats, by code, as the OCP Microscaling Formats Specification lists them.
var shorts = map[string][]float64{
	"e2m1": withSigns(0, 0.5, 1, 1.5, 2, 3, 4, 6),
	"e2m3": withSigns(append(steps(0, 0.125, 8), append(steps(1, 0.125, 8), append(steps(2, 0.25, 8), steps(4, 0.5, 8)...)...)...)...),
	"e3m2": withSigns(0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625, 0.75, 0.875, 1, 1.25, 1.5, 1.75,
		2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28),
}

// steps are n numbers from the first on.
func steps(first, step float64, n int) (all []float64) {
	for i := range n {
		all = append(all, first+step*float64(i))
	}
	return all
}

// withSigns adds the negative numbers, whose codes follow.
func withSigns(positive ...float64) []float64 {
	all := positive
	for _, v := range positive {
		all = append(all, math.Copysign(v, -1))
	}
	return all
}

// codeOf draws the code of a number, moderate where the type has a wide range, as it lies in the bits of an element.
func codeOf(rng *rand.Rand, typ string, inByte bool) (bits uint64, value float64) {
	if list := shorts[typ]; list != nil {
		i := rng.IntN(len(list))
		if bits = uint64(i); typ == "e2m1" && inByte {
			bits <<= 2
		}
		return bits, list[i]
	}
	l := encodings[typ]
	bits = uint64(l.bias()-2+rng.IntN(5))<<l.man | uint64(rng.IntN(1<<l.man)) | uint64(rng.IntN(2))<<7
	return bits, l.decode(bits)
}

// factorOf draws a factor.
func factorOf(rng *rand.Rand, typ string) (bits uint64, value float64) {
	if typ == "ue8m0" {
		n := rng.IntN(9) - 4
		return uint64(127 + n), math.Ldexp(1, n)
	}
	bits = uint64(rng.IntN(0x7f-0x20) + 0x20) // e4m3 without a sign
	return bits, encodings["e4m3"].decode(bits)
}

// mmaKind is a form under test: random matrices with the exact result.
type mmaKind struct {
	op, typeA, typeB, acc, scale string
	k, factors                   int
	selectors                    [4]int // byte and lanes of A, byte and lane of B
	inRegisters                  bool   // the selectors

	a, b, c, sums [][]float64
	ra, rb, rc    [][]uint64
	sa, sb        [32]uint64
}

// draw makes matrices and what registers hold. Factors stand in the bytes that are chosen, and anything in the others.
func (m *mmaKind) draw(rng *rand.Rand) {
	bits, inByte := 8, strings.Contains(m.op, "f8f6f4")
	if !inByte {
		bits = 4
	}
	at := fragments[fmt.Sprintf("m16n8k%d %d", m.k, bits)]
	matrix := func(rows, cols int, typ string, place place, n int) (values [][]float64, regs [][]uint64) {
		for range rows {
			values = append(values, make([]float64, cols))
		}
		for range n {
			regs = append(regs, make([]uint64, 32))
		}
		per := 32 / bits
		for r := range regs {
			for l := range 32 {
				for e := range per {
					row, col := place(l, r*per+e)
					code, v := codeOf(rng, typ, inByte)
					regs[r][l] |= code << (e * bits)
					values[row][col] = v
				}
			}
		}
		return values, regs
	}
	m.a, m.ra = matrix(16, m.k, m.typeA, at[0], 16*m.k*bits/1024)
	m.b, m.rb = matrix(m.k, 8, m.typeB, at[1], 8*m.k*bits/1024)
	ints := make([][]int, 16)
	m.c = nil
	for i := range ints {
		var row []float64
		for range 8 {
			v := rng.IntN(2001) - 1000
			ints[i], row = append(ints[i], v), append(row, float64(v))
		}
		m.c = append(m.c, row)
	}
	m.rc = registers(ints, m.acc, accumulators)
	fa, fb := m.drawFactors(rng)
	m.sums = nil
	for i := range 16 {
		var row []float64
		for j := range 8 {
			sum := exactFloat(m.c[i][j])
			for x := range m.k {
				block := 0
				if m.factors > 0 {
					block = x / (m.k / m.factors)
				}
				p := exactFloat(m.a[i][x])
				p.Mul(p, exactFloat(m.b[x][j])).Mul(p, exactFloat(fa[i][block])).Mul(p, exactFloat(fb[j][block]))
				sum.Add(sum, p)
			}
			row = append(row, nearestOf(m.acc, sum))
		}
		m.sums = append(m.sums, row)
	}
}

// nearestOf rounds to f32 or f16.
func nearestOf(typ string, sum *big.Float) float64 {
	l := encodings[typ]
	return l.decode(l.put(real{x: sum}, "", false))
}

// drawFactors gives the factors of the rows of A and the columns of B, by block.
func (m *mmaKind) drawFactors(rng *rand.Rand) (a, b [16][4]float64) {
	for i := range 16 {
		a[i], b[i] = [4]float64{1, 1, 1, 1}, [4]float64{1, 1, 1, 1}
	}
	if m.factors == 0 {
		return a, b
	}
	for l := range 32 {
		m.sa[l], m.sb[l] = uint64(rng.Uint32()), uint64(rng.Uint32())
		if m.scale == "ue4m3" {
			m.sa[l], m.sb[l] = m.sa[l]&0x7f7f7f7f, m.sb[l]&0x7f7f7f7f
		}
		put := func(word *uint64, first int, to *[4]float64) {
			for f := range m.factors {
				bits, v := factorOf(rng, m.scale)
				shift := 8 * (first + f)
				*word, to[f] = *word&^(0xff<<shift)|bits<<shift, v
			}
		}
		quad, lane := l/4, l%4
		if lane/2 == m.selectors[1] { // the pair of lanes has the rows of the upper and the lower half
			put(&m.sa[l], m.selectors[0], &a[quad+8*(lane%2)])
		}
		if lane == m.selectors[3] {
			put(&m.sb[l], m.selectors[2], &b[quad])
		}
	}
	return a, b
}

// run gives the accumulators' registers.
func (m *mmaKind) run(t *testing.T) [][]uint64 {
	t.Helper()
	b := kernel(32, 6)
	i := tid(b)
	var vs []simt.Operand
	var buffers [][]byte
	load := func(regs [][]uint64) (rs []simt.Operand) {
		var data []uint64
		for r := range regs {
			rs = append(rs, b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, len(buffers)), i, 8), int64(256*r))))
			data = append(data, regs[r]...)
		}
		buffers = append(buffers, longs(data))
		return rs
	}
	for _, regs := range [][][]uint64{m.ra, m.rb, m.rc} {
		vs = append(vs, simt.V(load(regs)...))
	}
	sa, sb := load([][]uint64{m.sa[:]})[0], load([][]uint64{m.sb[:]})[0]
	if m.factors > 0 {
		var s [4]simt.Operand
		for k, v := range m.selectors {
			if s[k] = simt.I(int64(v)); m.inRegisters {
				s[k] = b.Value(simt.B16, "mov.b16", s[k])
			}
		}
		vs = append(vs, sa, simt.V(s[0], s[1]), sb, simt.V(s[2], s[3]))
	}
	form, ok := simt.FormOf(m.op)
	if !ok {
		t.Fatalf("there is no %s", m.op)
	}
	b.Emit(m.op, []simt.Operand{vs[2]}, vs...)
	for r, v := range vs[2].Vec {
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 5), i, 8), int64(256*r)), v)
	}
	b.Emit("exit", nil)
	must(t, simt.VerifyArch(&simt.Module{Kernels: []*simt.Func{b.Func}}, targetWith(&form.Sigs[0])))
	out := make([]byte, 256*len(m.rc))
	must(t, launch(b, emu.Launch{}, append(buffers, out)...))
	var got [][]uint64
	for r := range m.rc {
		var one []uint64
		for l := range 32 {
			one = append(one, long(out, 32*r+l))
		}
		got = append(got, one)
	}
	return got
}

// judge compares the elements of D with the exact sums, rounded once.
func (m *mmaKind) judge(t *testing.T, rng *rand.Rand) {
	t.Helper()
	m.draw(rng)
	got := m.run(t)
	bits, per := 32, 1
	if m.acc == "f16" {
		bits, per = 16, 2
	}
	for r := range got {
		for l := range 32 {
			for e := range per {
				row, col := accumulators(l, r*per+e)
				if v := encodings[m.acc].decode(got[r][l] >> (e * bits) & (1<<bits - 1)); v != m.sums[row][col] {
					t.Fatalf("%s, %v: row %d, column %d is %g, want %g", m.op, m.selectors, row, col, v, m.sums[row][col])
				}
			}
		}
	}
}

// TestMMAKinds multiplies matrices of all pairs of short floats, with sums of both types, without factors and with factors of
// blocks, which every byte and lane that the instruction can name has.
func TestMMAKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	all := []string{"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"}
	for _, a := range all {
		for _, b := range all {
			for _, acc := range []string{"f32", "f16"} {
				m := &mmaKind{op: fmt.Sprintf("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.%s.%s.%s.%s", acc, a, b, acc), typeA: a, typeB: b, acc: acc, k: 32}
				m.judge(t, rng)
			}
			for _, vec := range []string{"", ".scale_vec::1X"} {
				m := &mmaKind{op: fmt.Sprintf("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale%s.f32.%s.%s.f32.ue8m0", vec, a, b),
					typeA: a, typeB: b, acc: "f32", scale: "ue8m0", k: 32, factors: 1, inRegisters: vec == ""}
				m.selectors = [4]int{rng.IntN(4), rng.IntN(2), rng.IntN(4), rng.IntN(4)}
				m.judge(t, rng)
			}
		}
	}
	for _, c := range []struct {
		kind, scale string
		factors     int
	}{
		{"mxf4.block_scale", "ue8m0", 2}, {"mxf4.block_scale.scale_vec::2X", "ue8m0", 2}, {"mxf4nvf4.block_scale.scale_vec::2X", "ue8m0", 2},
		{"mxf4nvf4.block_scale.scale_vec::4X", "ue8m0", 4}, {"mxf4nvf4.block_scale.scale_vec::4X", "ue4m3", 4},
	} {
		for i := range 32 {
			m := &mmaKind{op: fmt.Sprintf("mma.sync.aligned.m16n8k64.row.col.kind::%s.f32.e2m1.e2m1.f32.%s", c.kind, c.scale),
				typeA: "e2m1", typeB: "e2m1", acc: "f32", scale: c.scale, k: 64, factors: c.factors, inRegisters: i%2 == 1}
			m.selectors = [4]int{i % (4 / c.factors) * c.factors, i / 2 % 2, i / 4 % (4 / c.factors) * c.factors, i / 8}
			m.judge(t, rng)
		}
	}
}

// TestMMASelectors: bytes and lanes that no factors are in, and lanes that do not agree, are mistakes.
func TestMMASelectors(t *testing.T) {
	const mma = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, {%r0, %r1}, {%r0, %r1, %r2, %r3}, %r4, {%h0, %h1}, %r5, {0, 3};"
	for _, c := range []struct{ body, want string }{
		{"mov.b16 %h0, 2; mov.b16 %h1, 1;" + mma, ""},
		{"mov.b16 %h0, 1; mov.b16 %h1, 1;" + mma, "there are no 2 factors from byte 1 of lane 1 on"},
		{"mov.b16 %h0, 4; mov.b16 %h1, 0;" + mma, "there are no 2 factors from byte 4 of lane 0 on"},
		{"mov.b16 %h0, 0; mov.b16 %h1, 2;" + mma, "there are no 2 factors from byte 0 of lane 2 on"},
		{"mov.b16 %h0, 0; cvt.u16.u32 %h1, %t;" + mma, "the lanes choose different factors"},
	} {
		err := runText(text(t, "32", "", c.body), emu.Launch{}, make([]byte, 256))
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}
