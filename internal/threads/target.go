package threads

import (
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// units are the matrix instructions of warp groups, with the greatest n, which only one architecture has, and those of warps, the ones with
// the longest k first, with the compute capability that brought them (PTX ISA, sections "Asynchronous Warpgroup Level Matrix Instructions" and
// "Warp Level Matrix Multiply-Accumulate Instructions").
var units = []struct {
	unit  ir.Unit
	since int
	only  string
}{
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 16, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}, 90, "sm_90a"},
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 16, A: tileir.BF16, B: tileir.BF16, Acc: tileir.F32}, 90, "sm_90a"},
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 8, A: tileir.TF32, B: tileir.TF32, Acc: tileir.F32}, 90, "sm_90a"},
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 32, A: tileir.I8, B: tileir.I8, Acc: tileir.I32}, 90, "sm_90a"},
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 32, A: tileir.F8E4M3FN, B: tileir.F8E4M3FN, Acc: tileir.F32}, 90, "sm_90a"},
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 32, A: tileir.F8E5M2, B: tileir.F8E5M2, Acc: tileir.F32}, 90, "sm_90a"},
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 32, A: tileir.F8E4M3FN, B: tileir.F8E5M2, Acc: tileir.F32}, 90, "sm_90a"},
	{ir.Unit{Kind: ir.WarpGroup, M: 64, N: 256, K: 32, A: tileir.F8E5M2, B: tileir.F8E4M3FN, Acc: tileir.F32}, 90, "sm_90a"},
	{ir.Unit{M: 16, N: 8, K: 16, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}, 80, ""},
	{ir.Unit{M: 16, N: 8, K: 16, A: tileir.BF16, B: tileir.BF16, Acc: tileir.F32}, 80, ""},
	{ir.Unit{M: 16, N: 8, K: 8, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}, 75, ""},
	{ir.Unit{M: 16, N: 8, K: 8, A: tileir.BF16, B: tileir.BF16, Acc: tileir.F32}, 80, ""},
	{ir.Unit{M: 16, N: 8, K: 8, A: tileir.TF32, B: tileir.TF32, Acc: tileir.F32}, 80, ""},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.I8, B: tileir.I8, Acc: tileir.I32}, 80, ""},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E4M3FN, B: tileir.F8E4M3FN, Acc: tileir.F32}, 89, ""},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E5M2, B: tileir.F8E5M2, Acc: tileir.F32}, 89, ""},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E4M3FN, B: tileir.F8E5M2, Acc: tileir.F32}, 89, ""},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E5M2, B: tileir.F8E4M3FN, Acc: tileir.F32}, 89, ""},
}

// targetOf is what the plan has to know of an architecture.
func targetOf(a simt.Arch, o Options) plan.Target {
	t := plan.Target{Block: Block, Async: a.SM >= 80, Shared: a.Shared}
	if o.Apart {
		t.Facts.Apart = func(_, _ int) bool { return true }
	}
	for _, u := range units {
		if a.SM >= u.since && (u.only == "" || u.only == a.Name) && !(o.Exact && u.unit.A.IsFloat()) {
			t.Units = append(t.Units, u.unit)
		}
	}
	return t
}

// Targets lists the architectures that [PTX] takes.
func Targets() []string {
	var names []string
	for _, a := range simt.Targets() {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}
