package emu_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// TestLoadShort: rows of 16 elements of 4 or 6 bits, of which the bytes behind have no value, become bytes.
func TestLoadShort(t *testing.T) {
	for _, c := range []struct {
		from string
		bits int
	}{{"b4x16_p64", 4}, {"b6x16_p32", 6}} {
		for _, n := range []int{1, 2, 4} {
			element := func(row, col int) int { return (7*row + 5*col + row*col) & (1<<c.bits - 1) }
			in := make([]byte, 32*16)
			for row := range 32 {
				for col := range 16 {
					for k := range c.bits { // bit by bit
						at := col*c.bits + k
						in[16*row+at/8] |= byte(element(row, col)>>k&1) << (at % 8)
					}
				}
			}
			b := kernel(32, 2)
			i := tid(b)
			// The rows lie in shared memory backwards, each without its last bytes.
			place := b.Value(simt.B32, "mad.lo.u32", b.Value(simt.B32, "sub.u32", simt.I(31), i), simt.I(16), simt.I(0))
			for word := range c.bits / 2 {
				v := b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, 0), i, 16), int64(4*word)))
				b.Emit("st.shared.b32", nil, simt.At(place.Reg, int64(4*word)), v)
			}
			b.Emit("bar.sync", nil, simt.I(0))
			var rs []simt.Operand
			for range n {
				rs = append(rs, simt.R(b.NewReg(simt.B32)))
			}
			line(b, 7)
			b.Emit(fmt.Sprintf("ldmatrix.sync.aligned.m8n16.x%d.shared.b8x16.%s", n, c.from), []simt.Operand{simt.V(rs...)}, simt.At(place.Reg, 0))
			for k, r := range rs {
				b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 1), i, 4), int64(128*k)), r)
			}
			b.Emit("exit", nil)
			must(t, simt.Verify(&simt.Module{Kernels: []*simt.Func{b.Func}}, "sm_120a"))
			out := make([]byte, 128*n)
			must(t, launch(b, emu.Launch{Shared: 512, Races: true}, in, out))
			for k := range n {
				for l := range 32 {
					for e := range 4 {
						if got, want := int(out[128*k+4*l+e]), element(8*k+l/4, l%4*4+e); got != want {
							t.Fatalf("x%d, %s: matrix %d, lane %d, element %d is %#x, want %#x", n, c.from, k, l, e, got, want)
						}
					}
				}
			}
			b.Body[2].Src[2] = simt.I(8) // now rows begin 8 bytes later
			wantError(t, launch(b, emu.Launch{Shared: 512 + 8}, in, out), 7, "is not a multiple of 16")
		}
	}
}

// TestMoveMatrix transposes a matrix of 8 by 8, whose element in row r and column c is 8r+c.
func TestMoveMatrix(t *testing.T) {
	in := words(32, func(l int) uint32 { return uint32(2*l+1)<<16 | uint32(2*l) })
	got := collect(t, in, func(b *simt.Builder, _, v simt.Operand) []simt.Operand {
		return []simt.Operand{b.Value(simt.B32, "movmatrix.sync.aligned.m8n8.trans.b16", v)}
	})
	for l := range 32 {
		row, col := l/4, l%4*2
		if want := uint32(8*(col+1)+row)<<16 | uint32(8*col+row); got[0][l] != want {
			t.Errorf("lane %d: %#x, want %#x", l, got[0][l], want)
		}
	}
}

func TestLoadMatrix(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			b := kernel(32, 2)
			i := tid(b)
			// The rows lie in shared memory backwards: row r at 16*(31-r).
			place := b.Value(simt.B32, "mad.lo.u32", b.Value(simt.B32, "sub.u32", simt.I(31), i), simt.I(16), simt.I(0))
			var row []simt.Operand
			for range 4 {
				row = append(row, simt.R(b.NewReg(simt.B32)))
			}
			b.Emit("ld.global.v4.b32", []simt.Operand{simt.V(row...)}, simt.At(slot(b, param(b, 0), i, 16), 0))
			b.Emit("st.shared.v4.b32", nil, simt.At(place.Reg, 0), simt.V(row...))
			b.Emit("bar.sync", nil, simt.I(0))
			var rs []simt.Operand
			for range n {
				rs = append(rs, simt.R(b.NewReg(simt.B32)))
			}
			suffix := fmt.Sprintf(".sync.aligned.m8n8.x%d%s.shared.b16", n, trans)
			b.Emit("ldmatrix"+suffix, []simt.Operand{simt.V(rs...)}, simt.At(place.Reg, 0))
			for k, r := range rs {
				b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 1), i, 4), int64(128*k)), r)
			}
			// And back, to where it was, for the second half of the result.
			b.Emit("bar.sync", nil, simt.I(0))
			b.Emit("stmatrix"+suffix, nil, simt.At(place.Reg, 0), simt.V(rs...))
			b.Emit("bar.sync", nil, simt.I(0))
			b.Emit("ld.shared.v4.b32", []simt.Operand{simt.V(row...)}, simt.At(place.Reg, 0))
			b.Emit("st.global.v4.b32", nil, simt.At(slot(b, param(b, 1), i, 16), 512), simt.V(row...))
			in := words(128, func(i int) uint32 { return uint32(2*i+1)<<16 | uint32(2*i) }) // element e of row r: 8r+e
			out := make([]byte, 1024)
			must(t, launch(b, emu.Launch{Shared: 512, Races: true}, in, out))
			for k := range n {
				for l := range 32 {
					want := uint32(0)
					for e := range 2 {
						r, c := l/4, l%4*2+e
						if trans != "" {
							r, c = c, r
						}
						want |= uint32(8*(8*k+r)+c) << (16 * e)
					}
					if got := word(out, 32*k+l); got != want {
						t.Fatalf("x%d%s: matrix %d, lane %d: %#x, want %#x", n, trans, k, l, got, want)
					}
				}
			}
			for i := range 128 {
				if word(out, 128+i) != word(in, i) {
					t.Fatalf("stmatrix x%d%s: word %d is %#x", n, trans, i, word(out, 128+i))
				}
			}
		}
	}
}
