package threads

import (
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// shared are the matrix instructions that read factors from shared memory, with the greatest n, by the architectures that alone have them
// (PTX ISA, sections "Asynchronous Warpgroup Level Matrix Instructions" and "TensorCore 5th Generation Family Instructions"). Where there are
// two heights, the greater one is faster.
var shared = []struct {
	kind     ir.UnitKind
	m        []int
	archs    []string
	integers []string // those of archs that have it for integers
}{
	{ir.WarpGroup, []int{64}, []string{"sm_90a"}, []string{"sm_90a"}},
	{ir.TensorMem, []int{128, 64}, []string{"sm_100a", "sm_103a"}, []string{"sm_100a"}},
}

// factors are what these instructions multiply, and how much of it along k.
var factors = []ir.Unit{
	{K: 16, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}, {K: 16, A: tileir.BF16, B: tileir.BF16, Acc: tileir.F32},
	{K: 8, A: tileir.TF32, B: tileir.TF32, Acc: tileir.F32}, {K: 32, A: tileir.I8, B: tileir.I8, Acc: tileir.I32},
	{K: 32, A: tileir.F8E4M3FN, B: tileir.F8E4M3FN, Acc: tileir.F32}, {K: 32, A: tileir.F8E5M2, B: tileir.F8E5M2, Acc: tileir.F32},
	{K: 32, A: tileir.F8E4M3FN, B: tileir.F8E5M2, Acc: tileir.F32}, {K: 32, A: tileir.F8E5M2, B: tileir.F8E4M3FN, Acc: tileir.F32},
}

// scaled are what those in tensor memory multiply with factors of blocks, of 128 rows (PTX ISA, section "Block Scaling").
var scaled = []ir.Unit{
	{K: 32, A: tileir.F8E4M3FN, B: tileir.F8E4M3FN, Acc: tileir.F32, Run: 32, Scale: tileir.F8E8M0FNU},
	{K: 32, A: tileir.F8E5M2, B: tileir.F8E5M2, Acc: tileir.F32, Run: 32, Scale: tileir.F8E8M0FNU},
	{K: 32, A: tileir.F4E2M1FN, B: tileir.F4E2M1FN, Acc: tileir.F32, Run: 16, Scale: tileir.F8E8M0FNU},
	{K: 32, A: tileir.F4E2M1FN, B: tileir.F4E2M1FN, Acc: tileir.F32, Run: 8, Scale: tileir.F8E8M0FNU},
	{K: 32, A: tileir.F4E2M1FN, B: tileir.F4E2M1FN, Acc: tileir.F32, Run: 8, Scale: tileir.F8E4M3FN},
}

// units are the matrix instructions of warps, the ones with the longest k first, with the compute capability that brought them, or the
// architectures that alone have them (PTX ISA, section "Warp Level Matrix Multiply-Accumulate Instructions").
var units = []struct {
	unit  ir.Unit
	since int
	only  []string
}{
	{ir.Unit{M: 16, N: 8, K: 16, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}, 80, nil},
	{ir.Unit{M: 16, N: 8, K: 16, A: tileir.BF16, B: tileir.BF16, Acc: tileir.F32}, 80, nil},
	{ir.Unit{M: 16, N: 8, K: 8, A: tileir.F16, B: tileir.F16, Acc: tileir.F32}, 75, nil},
	{ir.Unit{M: 16, N: 8, K: 8, A: tileir.BF16, B: tileir.BF16, Acc: tileir.F32}, 80, nil},
	{ir.Unit{M: 16, N: 8, K: 8, A: tileir.TF32, B: tileir.TF32, Acc: tileir.F32}, 80, nil},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.I8, B: tileir.I8, Acc: tileir.I32}, 80, nil},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E4M3FN, B: tileir.F8E4M3FN, Acc: tileir.F32}, 89, nil},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E5M2, B: tileir.F8E5M2, Acc: tileir.F32}, 89, nil},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E4M3FN, B: tileir.F8E5M2, Acc: tileir.F32}, 89, nil},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E5M2, B: tileir.F8E4M3FN, Acc: tileir.F32}, 89, nil},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E4M3FN, B: tileir.F8E4M3FN, Acc: tileir.F32, Run: 32, Scale: tileir.F8E8M0FNU}, 120, mx},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F8E5M2, B: tileir.F8E5M2, Acc: tileir.F32, Run: 32, Scale: tileir.F8E8M0FNU}, 120, mx},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F4E2M1FN, B: tileir.F4E2M1FN, Acc: tileir.F32, Run: 16, Scale: tileir.F8E8M0FNU}, 120, mx},
	{ir.Unit{M: 16, N: 8, K: 32, A: tileir.F4E2M1FN, B: tileir.F4E2M1FN, Acc: tileir.F32, Run: 8, Scale: tileir.F8E4M3FN}, 120, mx},
}

// mx are the architectures whose warps multiply elements with factors of blocks.
var mx = []string{"sm_120a", "sm_121a"}

// targetOf is what the plan has to know of an architecture.
func targetOf(a simt.Arch, o Options) plan.Target {
	t := plan.Target{Block: Block, Async: a.SM >= 80, Boxes: a.SM >= 90 && o.Tensors, Stores: a.SM >= 90 && o.Tensors, Shared: a.Shared}
	if o.Apart {
		t.Facts.Apart = func(_, _ int) bool { return true }
	}
	for _, row := range shared {
		for _, u := range factors {
			archs := row.archs
			if !u.A.IsFloat() {
				archs = row.integers
			}
			for _, m := range row.m {
				if u.Kind, u.M, u.N = row.kind, m, 256; slices.Contains(archs, a.Name) {
					t.Units = append(t.Units, u)
				}
			}
		}
	}
	for _, u := range scaled {
		if u.Kind, u.M, u.N = ir.TensorMem, 128, 256; slices.Contains(shared[1].archs, a.Name) {
			t.Units = append(t.Units, u)
		}
	}
	for _, u := range units {
		if a.SM >= u.since && (u.only == nil || slices.Contains(u.only, a.Name)) {
			t.Units = append(t.Units, u.unit)
		}
	}
	if o.Exact {
		t.Units = slices.DeleteFunc(t.Units, func(u ir.Unit) bool { return u.A.IsFloat() })
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
