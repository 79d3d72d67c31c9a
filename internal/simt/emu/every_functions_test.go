package emu_test

import (
	"math"
	"math/rand/v2"
	"strings"
)

// functionsOf are the functions that PTX approximates.
var functionsOf = map[string]func(float64) float64{
	"rcp": func(x float64) float64 { return 1 / x }, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "sqrt": math.Sqrt,
	"sin": math.Sin, "cos": math.Cos, "lg2": math.Log2, "ex2": math.Exp2, "tanh": math.Tanh,
}

func realRoot(_ string, v []float64) real {
	if v[0] > 0 && finite(v[0]) {
		return real{x: exactFloat(0).SetPrec(400).Sqrt(exactFloat(v[0]))}
	}
	return exactly(math.Sqrt(v[0])) // -0 has itself as its root
}

// roots judges the functions of one float.
func roots(o *opcode) judge {
	typ := o.last()
	if o.has("approx") {
		return approximations(o, typ)
	}
	m := o.manner(typ)
	f := map[string]func(mode string, v []float64) real{
		"sqrt": realRoot,
		"rcp":  func(mode string, v []float64) real { return realQuotient(mode, []float64{1, v[0]}) },
	}[o.head]
	if f == nil {
		return judge{}
	}
	return judge{same: orAnyNaN(typ), want: func(v []uint64) uint64 { return m.out(f(m.mode, []float64{m.in(v[0])})) }}
}

// approximations judges the functions that PTX leaves some error.
func approximations(o *opcode, typ string) judge {
	m, f := o.manner(typ), functionsOf[o.head]
	j := judge{want: inHalves(typ, func(v []uint64) uint64 { return m.out(exactly(f(m.in(v[0])))) }), same: nearly(typ, m.ftz)}
	if o.head == "sin" || o.head == "cos" {
		j.tune = func(rng *rand.Rand, v []uint64) { // the error has a limit in one period only
			if x := math.Abs(m.decode(v[0])); x > math.Pi && x-x == 0 {
				v[0] = m.put(exactly((rng.Float64()-0.5)*6), "", false)
			}
		}
	}
	return j
}

// approximateDivision judges div.approx and div.full, which promise two last digits where the divisor is no extreme.
func approximateDivision(o *opcode, typ string) judge {
	m := o.manner(typ)
	return judge{
		want: func(v []uint64) uint64 { return m.out(realQuotient("", []float64{m.in(v[0]), m.in(v[1])})) },
		same: nearly(typ, m.ftz),
		tune: func(rng *rand.Rand, v []uint64) {
			if y := math.Abs(m.decode(v[1])); y != 0 && y < 0x1p-126 || y > 0x1p126 && y-y == 0 {
				v[1] = m.put(exactly(rng.Float64()-0.5), "", false)
			}
		},
	}
}

// nearly compares results with an error of two last digits. With .ftz, f64 has the digits of its upper word alone, and zeros
// below. Without, PTX names no error; CUDA's rsqrt of doubles, which is the instruction, has one of one last digit.
func nearly(typ string, ftz bool) func(got, want uint64) bool {
	element, pair := strings.CutSuffix(typ, "x2")
	l := encodings[element]
	limit, zeros := 2.0, uint64(0)
	if element == "f64" && ftz {
		limit, zeros = 1<<33, 1<<32-1
	}
	one := func(got, want uint64) bool {
		a, b := l.decode(got), l.decode(want)
		if a != a || b != b {
			return a != a && b != b && (l.nan == 0 || got == want)
		}
		if a == 0 || b == 0 || !finite(a, b) {
			return got == want
		}
		distance := math.Abs(float64(int64(got - want))) // of numbers with the same sign
		return (got^want)&l.sign() == 0 && distance <= limit && got&zeros == 0
	}
	if pair {
		return func(got, want uint64) bool { return one(got&0xffff, want&0xffff) && one(got>>16, want>>16) }
	}
	return one
}
