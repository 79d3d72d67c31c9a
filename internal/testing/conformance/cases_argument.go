package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// arguments are the cases of how tensors come: strided, transposed, sliced, repeated, of extent 1, empty, and with 64-bit
// extents.
func arguments() []Case {
	return slices.Concat(
		views[float32](inst("copy2", "F32T2[D4, D8]"), inst("copy3", "F32T3[D2, D4, D8]")),
		views[uint8](inst("copy2", "U8T2[D4, D8]"), inst("copy3", "U8T3[D2, D4, D8]")),
		views[float64](inst("copy2", "F64T2[D4, D8]"), inst("copy3", "F64T3[D2, D4, D8]")),
		views[dtype.Float16](inst("copy2", "F16T2[D16, D16]"), inst("copy3", "F16T3[D1, D16, D16]")),
		extremes(), specials(),
	)
}

// viewed are ways to see a tensor of rank 3, by the rank of the result. Repeated ones can only be read.
var viewed = []struct {
	name   string
	rank   int
	repeat bool
	see    func(a *Array) *Array
}{
	{"plain", 3, false, func(a *Array) *Array { return a }},
	{"T", 3, false, (*Array).t},
	{"permuted", 3, false, func(a *Array) *Array { return a.permuted(2, 0, 1) }},
	{"reversed", 3, false, func(a *Array) *Array { return a.permuted(2, 1, 0) }},
	{"sliced", 3, false, func(a *Array) *Array { return a.narrowed(0, 1, 4).narrowed(1, 2, 17).narrowed(2, 3, 30) }},
	{"aligned", 3, false, func(a *Array) *Array { return a.narrowed(1, 0, 16).narrowed(2, 16, 32) }},
	{"first", 2, false, func(a *Array) *Array { return a.selected(0, 1) }},
	{"middle", 2, false, func(a *Array) *Array { return a.selected(1, 5) }},
	{"last", 2, false, func(a *Array) *Array { return a.selected(2, 7) }},
	{"lastT", 2, false, func(a *Array) *Array { return a.selected(2, 7).t() }},
	{"flat", 2, false, func(a *Array) *Array { return a.reshaped(20, 5*32).narrowed(1, 5, 66) }},
	{"row", 2, true, func(a *Array) *Array { return a.selected(0, 1).narrowed(0, 3, 4).broadcasted(9, 32) }},
	{"column", 2, true, func(a *Array) *Array { return a.selected(0, 1).narrowed(1, 3, 4).broadcasted(20, 19) }},
	{"lead", 3, true, func(a *Array) *Array { return a.selected(0, 1).broadcasted(3, 20, 32) }},
	{"scalar", 2, true, func(a *Array) *Array {
		return a.narrowed(0, 1, 2).narrowed(1, 2, 3).narrowed(2, 5, 6).reshaped(1, 1).broadcasted(5, 9)
	}},
	{"ones", 3, false, func(a *Array) *Array { return a.narrowed(0, 1, 2).narrowed(1, 2, 3).narrowed(2, 5, 6) }},
}

func views[E dtype.Elem](rank2, rank3 any) (all []Case) {
	kernels := map[int]any{2: rank2, 3: rank3}
	whole := func(r *rand.Rand) *Array { return arr(random[E](r, 5*20*32), 5, 20, 32) }
	for _, v := range viewed {
		all = append(all, Case{Name: label[E]("argument/in/" + v.name), Kernel: kernels[v.rank], Setup: func(r *rand.Rand) Setup {
			x := v.see(whole(r))
			z := blank[E](x.View.Shape...)
			return Setup{Args: []any{x, z}, Want: []Want{exactly(z, values[E](x))}}
		}})
		if v.repeat {
			continue
		}
		all = append(all, Case{Name: label[E]("argument/out/" + v.name), Kernel: kernels[v.rank], Setup: func(r *rand.Rand) Setup {
			z := v.see(whole(r))
			x := random[E](r, z.View.Len())
			return Setup{Args: []any{arr(x, z.View.Shape...), z}, Want: []Want{exactly(z, x)}}
		}})
	}
	return all
}

// extremes have extents of 1 and 0, and 64-bit extents.
func extremes() (all []Case) {
	for _, shape := range [][]int{{1, 1}, {1, 33}, {33, 1}, {4, 8}, {0, 8}, {4, 0}, {0, 0}} {
		all = append(all, Case{Name: fmt.Sprintf("argument/extent/%dx%d", shape[0], shape[1]), Kernel: inst("copy2", "F32T2[D4, D8]"), Setup: func(r *rand.Rand) Setup {
			x := random[float32](r, product(shape))
			z := blank[float32](shape...)
			return Setup{Args: []any{arr(x, shape...), z}, Want: []Want{exactly(z, x)}}
		}})
	}
	all = append(all, Case{Name: "argument/empty/in", Kernel: addEmpty, Setup: func(r *rand.Rand) Setup {
		x := random[float32](r, 21)
		z := blank[float32](21)
		return Setup{Args: []any{arr(x), arr([]float32{}), z}, Want: []Want{exactly(z, x)}}
	}})
	wide := func(name string, c Case) Case {
		c.Name, c.Wide = "argument/wide/"+name, true
		return c
	}
	all = append(all,
		wide("copy2", copying[float32](inst("copy2", "F32T2[D4, D8]"), 9, 21)),
		wide("copy4", copying[int8](inst("copy4", "I8T4[D2, D2, D4, D4]"), 3, 5, 9, 7)),
		wide("gemm", gemmExact[dtype.Float16, float32](inst("gemm", "dtype.Float16", "float32", "D16", "D16", "D16"), 0, 33, 35, 40)),
		wide("T", moved[float32]("021", inst("permute021", "D2", "D4", "D8"), []int{3, 5, 9}, 0, 2, 1)),
		Case{Name: "argument/wide/stride", Kernel: inst("copy2", "F32T2[D4, D8]"), Setup: func(r *rand.Rand) Setup {
			x := random[float32](r, 21) // along an extent of 1 a stride may be any number
			a := arr(x, 1, 21)
			a.View.Strides[0] = 1 << 40
			z := blank[float32](1, 21)
			return Setup{Args: []any{a, z}, Want: []Want{exactly(z, x)}}
		}},
		Case{Name: "argument/wide/extent", Kernel: inst("copy2", "U8T2[D1, D8]"), Setup: func(r *rand.Rand) Setup {
			x := random[uint8](r, 21) // five thousand million rows that are one
			a := arr(x, 1, 21)
			a.View = strided.View{Shape: []int{5_000_000_000, 21}, Strides: []int{0, 1}}
			z := blank[uint8](3, 21)
			return Setup{Args: []any{a, z}, Want: []Want{exactly(z, slices.Concat(x, x, x))}}
		}},
	)
	return all
}

// specials are folds and products of numbers that are none.
func specials() []Case {
	nan, inf := math.NaN(), math.Inf(1)
	return []Case{
		{Name: "fold/special", Kernel: inst("fold1", "F32T2[D1, D4]", "F32T2[D1, D1]", "I32T2[D1, D1]"), Setup: func(*rand.Rand) Setup {
			lines := [][]float64{{1, nan, 3, 2}, {nan, nan, -1, -2}, {inf, 1, inf, 2}, {-inf, 5, -inf, 5}, {0, math.Copysign(0, -1), 0, 0}, {-inf, -inf, -3, -inf}}
			sum, prod := []float64{nan, nan, inf, -inf, 0, -inf}, []float64{nan, nan, inf, inf, 0, inf}
			most, least := []float64{nan, nan, inf, 5, 0, -3}, []float64{nan, nan, 1, -inf, math.Copysign(0, -1), -inf}
			var x []float32
			for _, l := range lines {
				x = append(x, mapped(fromF64[float32], l)...)
			}
			s := Setup{Args: []any{arr(x, len(lines), 4)}}
			for _, w := range [][]float64{sum, prod, most, least} {
				z := blank[float32](len(lines), 1)
				s.Args, s.Want = append(s.Args, z), append(s.Want, Want{Array: z, Near: w, Tol: make([]float64, len(w))}) // zeros of any sign
			}
			first, last := blank[int32](len(lines), 1), blank[int32](len(lines), 1)
			s.Args = append(s.Args, first, last)
			s.Want = append(s.Want, exactly(first, []int32{2, 2, 0, 1, 0, 2}), exactly(last, []int32{0, 3, 1, 0, 0, 0}))
			return s
		}},
	}
}
