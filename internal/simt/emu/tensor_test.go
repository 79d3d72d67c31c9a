package emu_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// swizzled gives where a row's piece of 16 bytes lies, in shared memory that begins with the pattern: rows of w bytes.
func swizzled(row, piece, w int) int {
	switch w {
	case 128:
		piece ^= row % 8
	case 64:
		piece ^= row / 2 % 4
	case 32:
		piece ^= row / 4 % 2
	}
	return row*w + 16*piece
}

// Boxes of a matrix of 16-bit numbers, at and beyond its edges, with every swizzle.
func TestTensorLoad(t *testing.T) {
	const rows, cols, pitch = 21, 50, 56
	in := make([]byte, rows*pitch*2)
	for i := range in {
		in[i] = byte(i*37 + i>>8)
	}
	for _, w := range []int{0, 32, 64, 128} {
		row := w
		if w == 0 {
			row = 48
		}
		m := &emu.TensorMap{Type: "f16", Rank: 2, Addr: start, Dims: [5]uint64{cols, rows}, Strides: [5]uint64{0, pitch * 2},
			Box: [5]uint32{uint32(row / 2), 16}, Swizzle: w}
		raw, err := m.Encode()
		must(t, err)
		for _, at := range [][2]int{{0, 0}, {8, 3}, {40, 10}, {-5, -2}, {60, 0}, {30, 20}} {
			size := row * 16
			b, i, bar := bulkKernel(2, int64(size))
			b.Params = append(b.Params, simt.Param{Name: "map", Type: "b8", Bytes: 128, Align: 64})
			data := b.Value(simt.B32, "add.u32", bar, simt.I(1024))
			only(b, i, 0, func() {
				b.Emit("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", nil, simt.At(data.Reg, 0),
					tensorMap(b, "map"), simt.V(mov(b, int64(at[0])), mov(b, int64(at[1]))), simt.At(bar.Reg, 0))
			})
			tryWait(b, bar, simt.I(0))
			n := mov(b, 0)
			top := b.NewLabel()
			b.Place(top)
			v := b.Value(simt.B16, "ld.shared.b16", simt.At(b.Value(simt.B32, "add.u32", data, n).Reg, 0))
			b.Emit("st.global.b16", nil, simt.At(slot(b, param(b, 1), n, 1), 0), v)
			b.Emit("add.u32", []simt.Operand{n}, n, simt.I(2))
			b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, simt.I(int64(size))).Reg, true, top)
			out := make([]byte, size)
			l := emu.Launch{Shared: 1024 + size, Args: []uint64{start, start + gap, 0}, Bytes: map[int][]byte{2: raw}, Races: true}
			must(t, launch(b, l, in, out))
			for r := range 16 {
				for c := range row / 2 {
					var want [2]byte
					if y, x := at[1]+r, at[0]+c; y >= 0 && y < rows && x >= 0 && x < cols {
						copy(want[:], in[2*(y*pitch+x):])
					}
					off := r*row + 2*c
					if w > 0 {
						off = swizzled(r, c/8, w) + c%8*2
					}
					if got := out[off : off+2]; !bytes.Equal(got, want[:]) {
						t.Fatalf("swizzle %d, box at %v, row %d, column %d: % x, want % x", w, at, r, c, got, want)
					}
				}
			}
		}
	}
}

// A box of a tensor of rank 3 with steps goes back to another place, as it is or added to what is there.
func TestTensorStore(t *testing.T) {
	const n = 8 // extents 8, 8, 8 of 32-bit numbers
	for _, op := range []string{"", "add", "max"} {
		in, out := words(n*n*n, func(i int) uint32 { return uint32(i) }), words(n*n*n, func(i int) uint32 { return uint32(1000 - 3*i) })
		old := bytes.Clone(out)
		encode := func(addr uint64, steps bool) []byte {
			m := &emu.TensorMap{Type: "s32", Rank: 3, Addr: addr, Dims: [5]uint64{n, n, n}, Strides: [5]uint64{0, 4 * n, 4 * n * n}, Box: [5]uint32{4, 3, 2}}
			if steps {
				m.Box, m.Steps = [5]uint32{4, 6, 2}, [5]uint32{1, 2, 1}
			}
			raw, err := m.Encode()
			must(t, err)
			back, err := emu.DecodeTensorMap(raw)
			must(t, err)
			if *back != *m {
				t.Fatalf("%+v, not %+v", back, m)
			}
			return raw
		}
		const size = 4 * 4 * 3 * 2
		b, i, bar := bulkKernel(2, size)
		b.Params = append(b.Params, simt.Param{Name: "from", Type: "b8", Bytes: 128, Align: 64}, simt.Param{Name: "to", Type: "b8", Bytes: 128, Align: 64})
		data := b.Value(simt.B32, "add.u32", bar, simt.I(128)).Reg
		only(b, i, 0, func() {
			b.Emit("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes", nil, simt.At(data, 0), tensorMap(b, "from"),
				simt.V(mov(b, 4), mov(b, 1), mov(b, 2)), simt.At(bar.Reg, 0))
		})
		tryWait(b, bar, simt.I(0))
		only(b, i, 0, func() {
			name := "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group"
			if op != "" {
				name = "cp.reduce.async.bulk.tensor.3d.global.shared::cta." + op + ".bulk_group"
			}
			b.Emit(name, nil, tensorMap(b, "to"), simt.V(mov(b, -2), mov(b, 0), mov(b, 7)), simt.At(data, 0))
			b.Emit("cp.async.bulk.commit_group", nil)
			b.Emit("cp.async.bulk.wait_group", nil, simt.I(0))
		})
		l := emu.Launch{Shared: 512, Args: []uint64{start, start + gap, 0, 0}, Bytes: map[int][]byte{2: encode(start, true), 3: encode(start+gap,
			false)}, Races: true}
		must(t, launch(b, l, in, out))
		for z := range n {
			for y := range n {
				for x := range n {
					at := (z*n+y)*n + x
					want := word(old, at)
					if x < 2 && y < 3 && z == 7 { // of the box, the rest is outside
						v := word(in, (2*n+1+2*y)*n+4+x+2)
						switch op {
						case "":
							want = v
						case "add":
							want += v
						case "max":
							want = uint32(max(int32(want), int32(v)))
						}
					}
					if word(out, at) != want {
						t.Fatalf("%q at %d,%d,%d: %d, want %d", op, x, y, z, word(out, at), want)
					}
				}
			}
		}
	}
}

func TestTensorMapCheck(t *testing.T) {
	good := emu.TensorMap{Type: "f16", Rank: 2, Addr: 64, Dims: [5]uint64{64, 64}, Strides: [5]uint64{0, 128}, Box: [5]uint32{64, 8}, Swizzle: 128}
	must(t, good.Check())
	for want, change := range map[string]func(m *emu.TensorMap){
		"the address 0x48 is not a multiple of 16":              func(m *emu.TensorMap) { m.Addr = 72 },
		"the rank is 1 to 5, not 6":                             func(m *emu.TensorMap) { m.Rank = 6 },
		"the stride 100 of dimension 1":                         func(m *emu.TensorMap) { m.Strides[1] = 100 },
		"the extent 300 in dimension 1: 1 to 256 are allowed":   func(m *emu.TensorMap) { m.Box[1] = 300 },
		"a row of the box has 18 bytes":                         func(m *emu.TensorMap) { m.Box[0] = 9 },
		"a row of the box has 128 bytes, more than the 64 that": func(m *emu.TensorMap) { m.Swizzle = 64 },
		`not "s8"`: func(m *emu.TensorMap) { m.Type = "s8" },
	} {
		m := good
		change(&m)
		if err := m.Check(); err == nil || !bytes.Contains([]byte(fmt.Sprint(err)), []byte(want)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
