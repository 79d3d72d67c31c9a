package atom

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cutile-go/cutile/internal/layout"
)

// tensorCore is the types of tcgen05.mma of one kind, with their numbers in instruction descriptors.
type tensorCore struct {
	kind   string
	n      []int // sizes of N
	major  bool  // operands may also have M or N side by side
	types  [][3]Elem
	number map[Elem]uint32
	target Target
}

// Every multiplication takes 32 bytes of a row.
var tensorCores = []tensorCore{
	{"f16", steps(16, 16, 256), true, [][3]Elem{{F16, F16, F32}, {F16, F16, F16}, {BF16, BF16, F32}}, map[Elem]uint32{F16: 0, BF16: 1}, blackwell},
	{"tf32", steps(16, 16, 256), false, [][3]Elem{{TF32, TF32, F32}}, map[Elem]uint32{TF32: 2}, blackwell},
	{"f8f6f4", steps(16, 16, 256), false, append(bytes(F32, E4M3, E5M2), bytes(F16, E4M3, E5M2)...), map[Elem]uint32{E4M3: 0, E5M2: 1}, blackwell},
	{"i8", steps(16, 16, 256), false, bytes(S32, S8, U8), map[Elem]uint32{U8: 0, S8: 1}, Target{First: 100, Last: 100, Specific: true}},
}

// blackwell are the GPUs with tensor memory.
var blackwell = Target{First: 100, Last: 103, Specific: true}

// TensorMma chooses an instruction of tcgen05; M is always 128, and K follows from the elements.
type TensorMma struct {
	N              int
	A, B, C        Elem
	AMajor, BMajor Major
}

// Tcgen05 is the instruction with which a thread multiplies a tile of A by a tile of B, both in shared memory. C and D are in
// tensor memory, where a row has a lane and a column of 32 bits for each element.
func Tcgen05(t TensorMma) (Mma, error) {
	types := [3]Elem{t.A, t.B, t.C}
	i := slices.IndexFunc(tensorCores, func(g tensorCore) bool { return slices.Contains(g.types, types) })
	operands := []any{t.N, t.A, t.B, t.C}
	switch {
	case i < 0:
		return Mma{}, refusef("tcgen05", operands, "there is no instruction that multiplies %v by %v and accumulates in %v", t.A, t.B, t.C)
	case !slices.Contains(tensorCores[i].n, t.N):
		return Mma{}, refusef("tcgen05", operands, "N must be one of %v", tensorCores[i].n)
	case t.AMajor|t.BMajor != MajorK && !tensorCores[i].major:
		return Mma{}, refusef("tcgen05", operands, "operands in shared memory are K-major unless their elements have 16 bits")
	}
	return t.mma(tensorCores[i]), nil
}

func (t TensorMma) mma(g tensorCore) Mma {
	const m = 128
	k := 256 / t.A.Bits()
	tile := func(rows, columns int) layout.Layout {
		return lay(fmt.Sprintf("(1,(%d,%d)):(0,(1,%[1]d))", rows, columns))
	}
	accumulator := map[Elem]uint32{F16: 0, F32: 1, S32: 2}
	return Mma{
		Name: fmt.Sprintf("SM100_%dx%dx%d_%s_SS", m, t.N, k, upper(t.C, t.A, t.B)), PTX: "tcgen05.mma.cta_group::1.kind::" + g.kind,
		Shape: [3]int{m, t.N, k}, Elem: [3]Elem{t.A, t.B, t.C}, Threads: lay("1:0"),
		TV:     [3]layout.Layout{tile(m, k), tile(t.N, k), tile(m, t.N)},
		Shared: [3]bool{true, true, false}, Major: [2]Major{t.AMajor, t.BMajor}, Target: g.target, Tensor: true,
		Descriptor: accumulator[t.C]<<4 | g.number[t.A]<<7 | g.number[t.B]<<10 | uint32(t.AMajor)<<15 | uint32(t.BMajor)<<16 |
			uint32(t.N)>>3<<17 | m>>4<<24,
	}
}

// TensorMmas gives every instruction of tcgen05 for operands that are K-major.
func TensorMmas() iter.Seq[Mma] {
	return func(yield func(Mma) bool) {
		for _, g := range tensorCores {
			for _, t := range g.types {
				for _, n := range g.n {
					if !yield(TensorMma{N: n, A: t[0], B: t[1], C: t[2]}.mma(g)) {
						return
					}
				}
			}
		}
	}
}
