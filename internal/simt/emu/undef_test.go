package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// TestUndef: registers that undef writes have a value that shows, in the lanes that come by alone.
func TestUndef(t *testing.T) {
	b := kernel(32, 1)
	i, base := tid(b), param(b, 0)
	p := b.Value(simt.Pred, "setp.lt.u32", i, simt.I(8))
	q := b.Value(simt.Pred, "mov.pred", simt.I(1))
	h := b.Value(simt.B16, "mov.b16", simt.I(1))
	r := b.Value(simt.B32, "mov.b32", simt.I(1))
	d := b.Value(simt.B64, "mov.b64", simt.I(1))
	skip := b.NewLabel()
	b.BranchIf(p.Reg, true, skip)
	b.Emit(simt.OpUndef, []simt.Operand{q, h, r, d})
	b.Place(skip)
	out := slot(b, base, i, 32)
	b.Emit("st.global.b64", nil, simt.At(out, 0), d)
	b.Emit("st.global.b32", nil, simt.At(out, 8), r)
	b.Emit("st.global.b16", nil, simt.At(out, 16), h)
	b.Emit("st.global.b32", nil, simt.At(out, 24), flagOf(b, q))
	b.Emit("exit", nil)
	must(t, simt.Verify(&simt.Module{Kernels: []*simt.Func{b.Func}}, "sm_75"))
	mem := make([]byte, 32*32)
	must(t, launch(b, emu.Launch{}, mem))
	for lane := range 32 {
		want := [4]uint64{1, 1, 1, 1}
		if lane >= 8 {
			want = [4]uint64{0xBAD0BEEFBAD0BEEF, 0xBAD0BEEF, 0xBEEF, 0}
		}
		for k := range want {
			if got := long(mem, 4*lane+k); got != want[k] {
				t.Errorf("lane %d, register %d: %#x, want %#x", lane, k, got, want[k])
			}
		}
	}
}
