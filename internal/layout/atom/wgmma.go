package atom

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/layout"
)

// warpGroup is the types of wgmma that have one K and one rule for N.
type warpGroup struct {
	k     int
	n     []int // sizes of N
	major bool  // operands in shared memory may also have M or N side by side
	types [][3]Elem
}

var warpGroups = []warpGroup{
	{16, steps(8, 8, 256), true, [][3]Elem{{F16, F16, F32}, {F16, F16, F16}, {BF16, BF16, F32}}},
	{8, steps(8, 8, 256), false, [][3]Elem{{TF32, TF32, F32}}},
	{32, steps(8, 8, 256), false, append(bytes(F32, E4M3, E5M2), bytes(F16, E4M3, E5M2)...)},
	{32, append([]int{8, 16, 24}, steps(32, 16, 256)...), false, bytes(S32, S8, U8)},
}

// steps counts from first to last.
func steps(first, by, last int) (ns []int) {
	for n := first; n <= last; n += by {
		ns = append(ns, n)
	}
	return ns
}

// WarpGroupMma chooses an instruction of wgmma; M is always 64, and K follows from the elements.
type WarpGroupMma struct {
	N              int
	A, B, C        Elem
	ARegs          bool // A is in registers; else in shared memory, where B always is
	AMajor, BMajor Major
}

// Wgmma is the instruction of a warp group that multiplies a tile of A by a tile of B in shared memory.
func Wgmma(w WarpGroupMma) (Mma, error) {
	i := slices.IndexFunc(warpGroups, func(g warpGroup) bool { return slices.Contains(g.types, w.types()) })
	operands := []any{w.N, w.A, w.B, w.C}
	switch {
	case i < 0:
		return Mma{}, refusef("wgmma", operands, "there is no instruction that multiplies %v by %v and accumulates in %v", w.A, w.B, w.C)
	case !slices.Contains(warpGroups[i].n, w.N):
		return Mma{}, refusef("wgmma", operands, "N must be one of %v", warpGroups[i].n)
	case w.AMajor|w.BMajor != MajorK && !warpGroups[i].major:
		return Mma{}, refusef("wgmma", operands, "operands in shared memory are K-major unless their elements have 16 bits")
	case w.ARegs && w.AMajor != MajorK:
		return Mma{}, refusef("wgmma", operands, "A in registers is K-major")
	}
	return w.mma(warpGroups[i]), nil
}

func (w WarpGroupMma) types() [3]Elem { return [3]Elem{w.A, w.B, w.C} }

func (w WarpGroupMma) mma(g warpGroup) Mma {
	k := g.k
	where, a := "SS", fmt.Sprintf("(128,(64,%d)):(0,(1,64))", k)
	if w.ARegs {
		where, a = "RS", registersA(32/w.A.Bits())
	}
	if !g.major {
		where += "_TN" // both operands are K-major
	}
	return Mma{
		Name:  fmt.Sprintf("SM90_64x%dx%d_%s_%s", w.N, k, upper(w.C, w.A, w.B), where),
		PTX:   fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n%dk%d.%v.%v.%v", w.N, k, w.C, w.A, w.B),
		Shape: [3]int{64, w.N, k}, Elem: w.types(), Threads: lay("128:1"),
		TV:     [3]layout.Layout{lay(a), lay(fmt.Sprintf("(128,(%d,%d)):(0,(1,%[1]d))", w.N, k)), accumulators(w.N)},
		Shared: [3]bool{!w.ARegs, true, false}, Major: [2]Major{w.AMajor, w.BMajor},
		Target: Target{First: 90, Last: 90, Specific: true},
	}
}

// registersA is the fragment of A of which a register holds n neighbours along K: each of four warps has 16 rows, which
// it holds as in mma.sync.
func registersA(n int) string {
	if n == 1 {
		return "((4,8,4),(2,2)):((64,1,16),(8,256))"
	}
	return fmt.Sprintf("((4,8,4),(%d,2,2)):((%d,1,16),(64,8,%d))", n, 64*n, 256*n)
}

// accumulators is the fragment of C: that of mma.sync in each of four warps, again for every 8 columns.
func accumulators(n int) layout.Layout {
	if n == 8 {
		return lay("((4,8,4),(2,2)):((128,1,16),(64,8))")
	}
	return lay(fmt.Sprintf("((4,8,4),(2,2,%d)):((128,1,16),(64,8,512))", n/8))
}

// wgmmas gives every instruction for operands that are K-major.
func wgmmas(yield func(Mma) bool) {
	for _, g := range warpGroups {
		for _, t := range g.types {
			for _, n := range g.n {
				for _, regs := range []bool{false, true} {
					if !yield(WarpGroupMma{N: n, A: t[0], B: t[1], C: t[2], ARegs: regs}.mma(g)) {
						return
					}
				}
			}
		}
	}
}
