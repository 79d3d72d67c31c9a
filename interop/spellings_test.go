package interop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/interop"
)

// spellings are instructions as ptxas takes them, with the order of modifiers that the PTX ISA has.
var spellings = []struct{ written, canonical string }{
	{"atom.add.relaxed.gpu.s32 v, [x], one", "atom.relaxed.gpu.add.s32 v, [x], one"},
	{"atom.add.gpu.acq_rel.s32 v, [x], one", "atom.acq_rel.gpu.add.s32 v, [x], one"},
	{"atom.exch.acquire.cta.b32 v, [x], i", "atom.acquire.cta.exch.b32 v, [x], i"},
	{"atom.add.acquire.gpu.u32 v, [x], i", "atom.acquire.gpu.add.u32 v, [x], i"},
	{"atom.cas.global.sys.release.b32 v, [x], i, one", "atom.release.sys.global.cas.b32 v, [x], i, one"},
	{"atom.s32.global.max v, [x], i", "atom.global.max.s32 v, [x], i"},
	{"red.add.release.gpu.s32 [x], i", "red.release.gpu.add.s32 [x], i"},
	{"red.global.or.gpu.relaxed.b32 [x], i", "red.relaxed.gpu.global.or.b32 [x], i"},
	{"st.gpu.release.u32 [mine], i", "st.release.gpu.u32 [mine], i"},
	{"st.u32.global.cta.relaxed [mine], i", "st.relaxed.cta.global.u32 [mine], i"},
	{"ld.gpu.acquire.u32 v, [mine]", "ld.acquire.gpu.u32 v, [mine]"},
	{"ld.v2.global.sys.relaxed.s32 {v, i}, [x+8]", "ld.relaxed.sys.global.v2.s32 {v, i}, [x+8]"},
	{"fence.gpu.sc", "fence.sc.gpu"},
	{"fence.cta.acq_rel", "fence.acq_rel.cta"},
	{"prefetch.L1.global [x]", "prefetch.global.L1 [x]"},
	{"vote.ballot.sync.b32 v, p, -1", "vote.sync.ballot.b32 v, p, -1"},
	{"shfl.bfly.sync.b32 v, i, 3, 31, -1", "shfl.sync.bfly.b32 v, i, 3, 31, -1"},
	{"redux.add.sync.s32 v, i, -1", "redux.sync.add.s32 v, i, -1"},
	{"match.sync.any.b32 v, one, -1", "match.any.sync.b32 v, one, -1"},
}

// TestSpellings: a kernel whose instructions have their modifiers in another order does what it does in the PTX ISA's.
func TestSpellings(t *testing.T) {
	dev := onCPU(t)
	run := func(instr string) []int32 {
		t.Helper()
		m, err := interop.LoadModule(t.Context(), dev, fmt.Appendf(nil, `.version 8.3 .target sm_90 .address_size 64
.visible .entry k(.param .u64 cell, .param .u64 out) .reqntid 32 {
	.reg .b64 x, mine; .reg .b32 i, one, v; .reg .pred p;
	ld.param.u64 x, [cell]; ld.param.u64 mine, [out];
	mov.u32 i, %%tid.x; mov.u32 one, 1; mov.u32 v, 7;
	mad.wide.u32 mine, i, 8, mine;
	setp.gt.u32 p, i, 11;
	%s;
	st.global.u32 [mine+4], v;
	ret;
}`, instr))
		if err != nil {
			t.Errorf("%s: %v", instr, err)
			return nil
		}
		cell, err := cutile.FromSlice(dev, []int32{40, 41, 42, 43}, 4)
		need(t, err)
		out, err := cutile.FromSlice(dev, make([]int32, 64), 64)
		need(t, err)
		need(t, kernel(t, m, "k").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}, cell, out))
		all := append(elements(t, cell), elements(t, out)...)
		need(t, m.Close())
		return all
	}
	idle := run("mov.u32 v, v")
	for _, s := range spellings {
		got, want := run(s.written), run(s.canonical)
		if !slices.Equal(got, want) {
			t.Errorf("%s gives %d, %s %d", s.written, got, s.canonical, want)
		}
		if head, _, _ := strings.Cut(s.written, "."); slices.Equal(want, idle) != (head == "fence" || head == "prefetch") {
			t.Errorf("%s gives %d", s.canonical, want)
		}
	}
}
