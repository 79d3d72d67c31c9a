package conformance

import (
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// numbers are the cases of operators that every number has, one table entry an element type.
func numbers() []Case {
	var all []Case
	all = append(all, floatOperators[dtype.Float16](arith[tile.F16T1[tile.D16]], divide[tile.F16T1[tile.D16]], signs[tile.F16T1[tile.D16]])...)
	all = append(all, floatOperators[dtype.BFloat16](arith[tile.BF16T1[tile.D16]], divide[tile.BF16T1[tile.D16]], signs[tile.BF16T1[tile.D16]])...)
	all = append(all, floatOperators[float32](arith[tile.F32T1[tile.D16]], divide[tile.F32T1[tile.D16]], signs[tile.F32T1[tile.D16]])...)
	all = append(all, floatOperators[float64](arith[tile.F64T1[tile.D16]], divide[tile.F64T1[tile.D16]], signs[tile.F64T1[tile.D16]])...)
	all = append(all, intOperators[int8](arith[tile.I8T1[tile.D16]], divide[tile.I8T1[tile.D16]], signs[tile.I8T1[tile.D16]])...)
	all = append(all, intOperators[int16](arith[tile.I16T1[tile.D16]], divide[tile.I16T1[tile.D16]], signs[tile.I16T1[tile.D16]])...)
	all = append(all, intOperators[int32](arith[tile.I32T1[tile.D16]], divide[tile.I32T1[tile.D16]], signs[tile.I32T1[tile.D16]])...)
	all = append(all, intOperators[int64](arith[tile.I64T1[tile.D16]], divide[tile.I64T1[tile.D16]], signs[tile.I64T1[tile.D16]])...)
	all = append(all, intOperators[uint8](arith[tile.U8T1[tile.D16]], divide[tile.U8T1[tile.D16]], signs[tile.U8T1[tile.D16]])...)
	all = append(all, intOperators[uint16](arith[tile.U16T1[tile.D16]], divide[tile.U16T1[tile.D16]], signs[tile.U16T1[tile.D16]])...)
	all = append(all, intOperators[uint32](arith[tile.U32T1[tile.D16]], divide[tile.U32T1[tile.D16]], signs[tile.U32T1[tile.D16]])...)
	all = append(all, intOperators[uint64](arith[tile.U64T1[tile.D16]], divide[tile.U64T1[tile.D16]], signs[tile.U64T1[tile.D16]])...)
	all = append(all, comparisons[dtype.Float16](compare[tile.F16T1[tile.D16]], masks[tile.F16T1[tile.D16]], assigns[tile.F16T1[tile.D16]])...)
	all = append(all, comparisons[dtype.BFloat16](compare[tile.BF16T1[tile.D16]], masks[tile.BF16T1[tile.D16]], assigns[tile.BF16T1[tile.D16]])...)
	all = append(all, comparisons[float32](compare[tile.F32T1[tile.D16]], masks[tile.F32T1[tile.D16]], assigns[tile.F32T1[tile.D16]])...)
	all = append(all, comparisons[float64](compare[tile.F64T1[tile.D16]], masks[tile.F64T1[tile.D16]], assigns[tile.F64T1[tile.D16]])...)
	all = append(all, comparisons[int8](compare[tile.I8T1[tile.D16]], masks[tile.I8T1[tile.D16]], assigns[tile.I8T1[tile.D16]])...)
	all = append(all, comparisons[int16](compare[tile.I16T1[tile.D16]], masks[tile.I16T1[tile.D16]], assigns[tile.I16T1[tile.D16]])...)
	all = append(all, comparisons[int32](compare[tile.I32T1[tile.D16]], masks[tile.I32T1[tile.D16]], assigns[tile.I32T1[tile.D16]])...)
	all = append(all, comparisons[int64](compare[tile.I64T1[tile.D16]], masks[tile.I64T1[tile.D16]], assigns[tile.I64T1[tile.D16]])...)
	all = append(all, comparisons[uint8](compare[tile.U8T1[tile.D16]], masks[tile.U8T1[tile.D16]], assigns[tile.U8T1[tile.D16]])...)
	all = append(all, comparisons[uint16](compare[tile.U16T1[tile.D16]], masks[tile.U16T1[tile.D16]], assigns[tile.U16T1[tile.D16]])...)
	all = append(all, comparisons[uint32](compare[tile.U32T1[tile.D16]], masks[tile.U32T1[tile.D16]], assigns[tile.U32T1[tile.D16]])...)
	all = append(all, comparisons[uint64](compare[tile.U64T1[tile.D16]], masks[tile.U64T1[tile.D16]], assigns[tile.U64T1[tile.D16]])...)
	return all
}

// label is a case's name with its element type.
func label[E dtype.Elem](what string) string { return what + "/" + dtype.Of[E]().String() }

// exact2 is the case of a kernel over two inputs and one output for each function, which gives its elements exactly.
func exact2[E dtype.Elem](name string, kernel any, data func(r *rand.Rand) (x, y []E), want ...func(x, y E) E) Case {
	return Case{Name: label[E](name), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x, y := data(r)
		s := Setup{Args: []any{arr(x), arr(y)}}
		for _, f := range want {
			z := blank[E](len(x))
			s.Args = append(s.Args, z)
			s.Want = append(s.Want, exactly(z, mapped2(f, x, y)))
		}
		return s
	}}
}

// exact1 is exact2 for one input.
func exact1[E dtype.Elem](name string, kernel any, data func(r *rand.Rand) []E, want ...func(x E) E) Case {
	return Case{Name: label[E](name), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := data(r)
		s := Setup{Args: []any{arr(x)}}
		for _, f := range want {
			z := blank[E](len(x))
			s.Args = append(s.Args, z)
			s.Want = append(s.Want, exactly(z, mapped(f, x)))
		}
		return s
	}}
}

// once rounds the float64 result of an operation once more. For the operations that use it float64 has bits enough that
// the two roundings give what one would.
func once[E floatElem](f func(x, y float64) float64) func(x, y E) E {
	return func(x, y E) E { return fromF64[E](f(toF64(x), toF64(y))) }
}

func floatOperators[E floatElem](arith, divide, signs any) []Case {
	data := func(r *rand.Rand) (x, y []E) { return pairs[E](r, 45) }
	return []Case{
		exact2("operator/arith", arith, data,
			once[E](func(x, y float64) float64 { return x + y }),
			once[E](func(x, y float64) float64 { return x - y }),
			once[E](func(x, y float64) float64 { return x * y })),
		exact2("operator/divide", divide, data, once[E](func(x, y float64) float64 { return x / y })),
		exact2("operator/signs", signs, data,
			once[E](func(x, _ float64) float64 { return -x }),
			once[E](func(x, y float64) float64 { return max(x, y) }), once[E](func(x, y float64) float64 { return min(x, y) }),
			once[E](func(x, _ float64) float64 { return x })),
	}
}

// divisors gives pairs whose quotient is defined: no zero divides, nor -1 the least number. They fill whole tiles, as the
// padding of a partial one would divide by zero.
func divisors[E intElem](r *rand.Rand) (x, y []E) {
	x, y = pairs[E](r, 48)
	for i := range y {
		if minus := E(0) - 1; y[i] == 0 || y[i] == minus && x[i] == -x[i] {
			y[i] = 3
		}
	}
	return x, y
}

func intOperators[E intElem](arith, divide, signs any) []Case {
	data := func(r *rand.Rand) (x, y []E) { return pairs[E](r, 45) }
	return []Case{
		exact2("operator/arith", arith, data,
			func(x, y E) E { return x + y }, func(x, y E) E { return x - y }, func(x, y E) E { return x * y }),
		exact2("operator/divide", divide, divisors[E], func(x, y E) E { return x / y }),
		exact2("operator/signs", signs, data,
			func(x, _ E) E { return -x }, func(x, y E) E { return max(x, y) }, func(x, y E) E { return min(x, y) },
			func(x, _ E) E { return x }),
	}
}

// flags sums bits, the first for the first condition.
func flags[E dtype.Elem](conditions ...bool) E {
	sum := 0
	for i, c := range conditions {
		if c {
			sum += 1 << i
		}
	}
	return fromF64[E](float64(sum))
}

// order compares numbers of any element type: large 64-bit integers too.
func order[E dtype.Elem](x, y E) (less, equal bool) {
	switch x := any(x).(type) {
	case int64:
		return x < any(y).(int64), x == any(y).(int64)
	case uint64:
		return x < any(y).(uint64), x == any(y).(uint64)
	}
	return toF64(x) < toF64(y), toF64(x) == toF64(y)
}

func comparisons[E dtype.Elem](compare, masks, assigns any) []Case {
	data := func(r *rand.Rand) (x, y []E) { return pairs[E](r, 45) }
	positive := func(x E) bool { less, _ := order(fromF64[E](0), x); return less }
	return []Case{
		exact2("operator/compare", compare, data, func(x, y E) E {
			less, equal := order(x, y)
			more, _ := order(y, x)
			return flags[E](less, less || equal, more, more || equal, equal, !equal)
		}),
		exact2("operator/masks", masks, data, func(x, y E) E {
			p, q := positive(x), positive(y)
			return flags[E](p && q, p || q, !p, p == q, p != q, !(p && !q) || q)
		}),
		exact2("operator/assigns", assigns, // small whole numbers, so that floats are exact, too
			func(r *rand.Rand) (x, y []E) { return small[E](r, 37, 0, 7), small[E](r, 37, 0, 9) },
			func(x, y E) E { return fromF64[E]((toF64(x)+toF64(y))*3 - toF64(x) + 1) },
			func(x, y E) E { return wrapped[E](2 * (7 - int64(toF64(x)) - 1)) }),
	}
}

// wrapped is the whole number v as an E, integers modulo their range.
func wrapped[E dtype.Elem](v int64) E {
	if dtype.Of[E]().IsFloat() {
		return fromF64[E](float64(v))
	}
	return fromBits[E](uint64(v))
}
