package atom

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
)

// family is the instructions of mma.sync that have one shape and one set of fragments.
type family struct {
	shape  [3]int
	tv     [3]string // of A, B, C
	target int
	types  [][3]Elem // of A, B, C
}

// The fragments: groups of four threads have a row of A and C and a column of B, 32 bits of neighbours along K (two
// elements along N for C) at a time. What a thread has beyond that lies 8 rows below, then further along K.
var families = []family{
	{[3]int{16, 8, 8}, [3]string{"((4,8),(2,2)):((32,1),(16,8))", "((4,8),2):((16,1),8)", tvC}, 75,
		[][3]Elem{{F16, F16, F32}, {F16, F16, F16}}},
	{[3]int{16, 8, 8}, [3]string{"((4,8),(2,2)):((32,1),(16,8))", "((4,8),2):((16,1),8)", tvC}, 80,
		[][3]Elem{{BF16, BF16, F32}}},
	{[3]int{16, 8, 16}, [3]string{"((4,8),(2,2,2)):((32,1),(16,8,128))", "((4,8),(2,2)):((16,1),(8,64))", tvC}, 80,
		[][3]Elem{{F16, F16, F32}, {F16, F16, F16}, {BF16, BF16, F32}}},
	{[3]int{16, 8, 4}, [3]string{"((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)", tvC}, 80,
		[][3]Elem{{TF32, TF32, F32}}},
	{[3]int{16, 8, 8}, [3]string{"((4,8),(2,2)):((16,1),(8,64))", "((4,8),2):((8,1),32)", tvC}, 80,
		[][3]Elem{{TF32, TF32, F32}}},
	{[3]int{16, 8, 16}, [3]string{"((4,8),(4,2)):((64,1),(16,8))", "((4,8),4):((32,1),8)", tvC}, 80, bytes(S32, S8, U8)},
	{[3]int{16, 8, 32}, [3]string{tvA32, tvB32, tvC}, 80, bytes(S32, S8, U8)},
	{[3]int{16, 8, 32}, [3]string{tvA32, tvB32, tvC}, 89, bytes(F32, E4M3, E5M2)},
	{[3]int{8, 8, 4}, [3]string{"((4,8),1):((8,1),0)", "((4,8),1):((8,1),0)", "((4,8),2):((16,1),8)"}, 80,
		[][3]Elem{{F64, F64, F64}}},
}

const (
	tvC   = "((4,8),(2,2)):((32,1),(16,8))"
	tvA32 = "((4,8),(4,2,2)):((64,1),(16,8,256))"
	tvB32 = "((4,8),(4,2)):((32,1),(8,128))"
)

// bytes pairs two types of 8 bits in all four ways.
func bytes(acc, x, y Elem) [][3]Elem {
	return [][3]Elem{{x, x, acc}, {x, y, acc}, {y, x, acc}, {y, y, acc}}
}

// fmas are the instructions of one thread.
var fmas = []struct {
	elem   Elem
	ptx    string
	target int
}{
	{F16, "fma.rn.f16", 53},
	{F32, "fma.rn.f32", 20},
	{F64, "fma.rn.f64", 20},
}

// Mmas gives every instruction that the tables hold.
func Mmas() iter.Seq[Mma] {
	return func(yield func(Mma) bool) {
		for _, r := range fmas {
			if m, err := UniversalFMA(r.elem); err == nil && !yield(m) {
				return
			}
		}
		for _, f := range families {
			for _, t := range f.types {
				if !yield(f.mma(t)) {
					return
				}
			}
		}
		wgmmas(yield)
	}
}

// UniversalFMA multiplies one element of A by one of B in one thread.
func UniversalFMA(e Elem) (Mma, error) {
	for _, r := range fmas {
		if r.elem == e {
			one := lay("(1,1):(0,0)")
			return Mma{
				Name: "UniversalFMA", PTX: r.ptx, Shape: [3]int{1, 1, 1}, Elem: [3]Elem{e, e, e},
				Threads: lay("1:0"), TV: [3]layout.Layout{one, one, one}, Target: Target{First: r.target},
			}, nil
		}
	}
	return Mma{}, refusef("universal fma", []any{e}, "the elements are f16, f32 or f64")
}

// MmaSync is the instruction of a warp that multiplies tiles of a shape with elements a and b and adds elements c.
func MmaSync(m, n, k int, a, b, c Elem) (Mma, error) {
	shape, types := [3]int{m, n, k}, [3]Elem{a, b, c}
	var shapes []string
	for _, f := range families {
		if !slices.Contains(f.types, types) {
			continue
		}
		if f.shape == shape {
			return f.mma(types), nil
		}
		shapes = append(shapes, layout.Of(f.shape[:]...).String())
	}
	operands := []any{layout.Of(m, n, k), a, b, c}
	if len(shapes) == 0 {
		return Mma{}, refusef("mma.sync", operands, "there is no instruction that multiplies %v by %v and accumulates in %v", a, b, c)
	}
	return Mma{}, refusef("mma.sync", operands, "the shapes for these elements are %s", strings.Join(shapes, " and "))
}

func (f family) mma(t [3]Elem) Mma {
	m, n, k := f.shape[0], f.shape[1], f.shape[2]
	a, b, c := t[0], t[1], t[2]
	r := Mma{
		Name:  fmt.Sprintf("SM%d_%dx%dx%d_%s_TN", f.target, m, n, k, upper(c, a, b, c)),
		PTX:   fmt.Sprintf("mma.sync.aligned.m%dn%dk%d.row.col.%v.%v.%v.%v", m, n, k, c, a, b, c),
		Shape: f.shape, Elem: t, Threads: lay("32:1"), Target: Target{First: f.target},
	}
	for o, text := range f.tv {
		r.TV[o] = lay(text)
	}
	return r
}

// upper writes types as CuTe's names do.
func upper(types ...Elem) string {
	var b strings.Builder
	for _, t := range types {
		b.WriteString(strings.ToUpper(string(t)))
	}
	return b.String()
}
