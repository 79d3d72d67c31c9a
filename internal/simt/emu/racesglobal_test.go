package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// TestGlobalRaces: accesses to global memory that nothing orders are reported, of threads of one block and of two blocks;
// twins that are ordered are not.
func TestGlobalRaces(t *testing.T) {
	const op = "ld.global.b32"
	store := func(b *simt.Builder, n int, at simt.Reg, v simt.Operand) {
		line(b, n)
		b.Emit("st.global.b32", nil, simt.At(at, 0), v)
	}
	load := func(b *simt.Builder, n int, at simt.Reg) {
		line(b, n)
		b.Value(simt.B32, op, simt.At(at, 0))
	}
	add := func(b *simt.Builder, how string, at simt.Reg) simt.Operand {
		return b.Value(simt.B32, "atom."+how+".global.add.u32", simt.At(at, 0), simt.I(1))
	}
	// ticket stores a word, takes a number from a counter, and whoever gets the last one reads the words of all.
	ticket := func(b *simt.Builder, block simt.Operand, at, counter simt.Reg, how string) {
		only(b, tid(b), 0, func() {
			store(b, 20, slot(b, at, block, 4), block)
			line(b, 22)
			n := add(b, how, counter)
			skip := b.NewLabel()
			b.BranchIf(b.Value(simt.Pred, "setp.ne.u32", n, simt.I(1)).Reg, true, skip)
			load(b, 21, at)
			line(b, 23)
			b.Value(simt.B32, op, simt.At(at, 4))
			b.Place(skip)
		})
	}
	for _, c := range []struct {
		name  string
		build func(b *simt.Builder, i, block simt.Operand, at, counter simt.Reg)
		line  int // 0 for no race
		want  []string
	}{
		{"a word of two warps", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) {
			only(b, block, 0, func() {
				store(b, 20, slot(b, at, i, 4), i)
				load(b, 21, slot(b, at, b.Value(simt.B32, "xor.b32", i, simt.I(32)), 4))
			})
		}, 20, []string{"thread (32,0,0): data race in global memory at byte 128 of b0: this write, and the read by thread (0,0,0) at k.go:21:1: nothing orders them"}},
		{"a word of two warps, with a barrier", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) {
			only(b, block, 0, func() {
				store(b, 20, slot(b, at, i, 4), i)
				b.Emit("bar.sync", nil, simt.I(0))
				load(b, 21, slot(b, at, b.Value(simt.B32, "xor.b32", i, simt.I(32)), 4))
			})
		}, 0, nil},
		{"a word of two blocks", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) {
			only(b, i, 0, func() { store(b, 20, at, i) })
		}, 20, []string{"data race in global memory at byte 0 of b0: this write, and the write by block (", "at k.go:20:1: nothing orders them"}},
		{"barriers of another block", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) {
			only(b, block, 0, func() { // its threads learn of each other, which says nothing of those of the next block
				for range 5 {
					b.Emit("bar.sync", nil, simt.I(0))
				}
			})
			only(b, block, 1, func() {
				store(b, 20, slot(b, at, i, 4), i)
				load(b, 21, slot(b, at, b.Value(simt.B32, "xor.b32", i, simt.I(32)), 4))
			})
		}, 20, []string{"and the read by thread (0,0,0) at k.go:21:1: nothing orders them"}},
		{"a word each", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) {
			only(b, i, 0, func() { store(b, 20, slot(b, at, block, 4), i) })
		}, 0, nil},
		{"atomics", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) { line(b, 20); add(b, "relaxed.gpu", at) }, 0, nil},
		{"atomics of a block", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) { line(b, 20); add(b, "relaxed.cta", at) }, 20,
			[]string{"data race in global memory at byte 0 of b0: this write, and the write by block ("}},
		{"atomics and a read", func(b *simt.Builder, i, block simt.Operand, at, _ simt.Reg) {
			only(b, i, 0, func() { line(b, 20); add(b, "relaxed.gpu", at); load(b, 20, at) })
		}, 20, []string{"data race in global memory at byte 0 of b0"}},
		{"a ticket", func(b *simt.Builder, i, block simt.Operand, at, counter simt.Reg) {
			ticket(b, block, at, counter, "acq_rel.gpu")
		}, 0, nil},
		{"a relaxed ticket", func(b *simt.Builder, i, block simt.Operand, at, counter simt.Reg) {
			ticket(b, block, at, counter, "relaxed.gpu")
		}, -1, []string{"data race in global memory at byte ", " of b0: this read, and the write by block ("}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := kernel(64, 2)
			i, block := tid(b), b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x"))
			c.build(b, i, block, param(b, 0), param(b, 1))
			b.Emit("ret", nil)
			run := func(races bool) error {
				return launch(b, emu.Launch{Grid: [3]int{2, 1, 1}, Races: races, Workers: 1}, make([]byte, 256), make([]byte, 4))
			}
			must(t, run(false))
			err := run(true)
			switch e, ok := err.(*emu.Error); {
			case c.line == 0:
				must(t, err)
			case c.line < 0 && ok:
				wantError(t, err, e.Pos.Line, c.want...)
			default:
				wantError(t, err, c.line, c.want...)
			}
		})
	}
}
