package conformance

import (
	"math/rand/v2"

	"github.com/cutile-go/cutile/dtype"
)

// numbers are the cases of operators that every number has, one table entry an element type.
func numbers() []Case {
	var all []Case
	all = append(all, floatOperators[dtype.Float16](inst("arith", "F16T1[D16]"), inst("divide", "F16T1[D16]"), inst("signs", "F16T1[D16]"))...)
	all = append(all, floatOperators[dtype.BFloat16](inst("arith", "BF16T1[D16]"), inst("divide", "BF16T1[D16]"), inst("signs", "BF16T1[D16]"))...)
	all = append(all, floatOperators[float32](inst("arith", "F32T1[D16]"), inst("divide", "F32T1[D16]"), inst("signs", "F32T1[D16]"))...)
	all = append(all, floatOperators[float64](inst("arith", "F64T1[D16]"), inst("divide", "F64T1[D16]"), inst("signs", "F64T1[D16]"))...)
	all = append(all, intOperators[int8](inst("arith", "I8T1[D16]"), inst("divide", "I8T1[D16]"), inst("signs", "I8T1[D16]"))...)
	all = append(all, intOperators[int16](inst("arith", "I16T1[D16]"), inst("divide", "I16T1[D16]"), inst("signs", "I16T1[D16]"))...)
	all = append(all, intOperators[int32](inst("arith", "I32T1[D16]"), inst("divide", "I32T1[D16]"), inst("signs", "I32T1[D16]"))...)
	all = append(all, intOperators[int64](inst("arith", "I64T1[D16]"), inst("divide", "I64T1[D16]"), inst("signs", "I64T1[D16]"))...)
	all = append(all, intOperators[uint8](inst("arith", "U8T1[D16]"), inst("divide", "U8T1[D16]"), inst("signs", "U8T1[D16]"))...)
	all = append(all, intOperators[uint16](inst("arith", "U16T1[D16]"), inst("divide", "U16T1[D16]"), inst("signs", "U16T1[D16]"))...)
	all = append(all, intOperators[uint32](inst("arith", "U32T1[D16]"), inst("divide", "U32T1[D16]"), inst("signs", "U32T1[D16]"))...)
	all = append(all, intOperators[uint64](inst("arith", "U64T1[D16]"), inst("divide", "U64T1[D16]"), inst("signs", "U64T1[D16]"))...)
	all = append(all, comparisons[dtype.Float16](inst("compare", "F16T1[D16]"), inst("masks", "F16T1[D16]"), inst("assigns", "F16T1[D16]"))...)
	all = append(all, comparisons[dtype.BFloat16](inst("compare", "BF16T1[D16]"), inst("masks", "BF16T1[D16]"), inst("assigns", "BF16T1[D16]"))...)
	all = append(all, comparisons[float32](inst("compare", "F32T1[D16]"), inst("masks", "F32T1[D16]"), inst("assigns", "F32T1[D16]"))...)
	all = append(all, comparisons[float64](inst("compare", "F64T1[D16]"), inst("masks", "F64T1[D16]"), inst("assigns", "F64T1[D16]"))...)
	all = append(all, comparisons[int8](inst("compare", "I8T1[D16]"), inst("masks", "I8T1[D16]"), inst("assigns", "I8T1[D16]"))...)
	all = append(all, comparisons[int16](inst("compare", "I16T1[D16]"), inst("masks", "I16T1[D16]"), inst("assigns", "I16T1[D16]"))...)
	all = append(all, comparisons[int32](inst("compare", "I32T1[D16]"), inst("masks", "I32T1[D16]"), inst("assigns", "I32T1[D16]"))...)
	all = append(all, comparisons[int64](inst("compare", "I64T1[D16]"), inst("masks", "I64T1[D16]"), inst("assigns", "I64T1[D16]"))...)
	all = append(all, comparisons[uint8](inst("compare", "U8T1[D16]"), inst("masks", "U8T1[D16]"), inst("assigns", "U8T1[D16]"))...)
	all = append(all, comparisons[uint16](inst("compare", "U16T1[D16]"), inst("masks", "U16T1[D16]"), inst("assigns", "U16T1[D16]"))...)
	all = append(all, comparisons[uint32](inst("compare", "U32T1[D16]"), inst("masks", "U32T1[D16]"), inst("assigns", "U32T1[D16]"))...)
	all = append(all, comparisons[uint64](inst("compare", "U64T1[D16]"), inst("masks", "U64T1[D16]"), inst("assigns", "U64T1[D16]"))...)
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
	x, y = pairs[E](r, 45)
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
