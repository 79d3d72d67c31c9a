package emu_test

import (
	"math"
	"math/rand/v2"
	"strings"
)

// manner is what modifiers do to the operands and results of floats.
type manner struct {
	encoding
	mode           string
	ftz, sat, relu bool
}

// manner takes the modifiers that all instructions of floats share.
func (o *opcode) manner(typ string) manner {
	return manner{
		encoding: encodings[strings.TrimSuffix(typ, "x2")], mode: o.take("rn", "rz", "rm", "rp"),
		ftz: o.has("ftz"), sat: o.has("sat"), relu: o.has("relu"),
	}
}

// in reads an operand.
func (m manner) in(x uint64) float64 {
	if m.ftz {
		x = m.flush(x)
	}
	return m.decode(x)
}

// out writes a result. NaN saturates to 0, and stays with .relu; a negative zero is no result of either, as min and max
// of PTX, too, order it below the positive one.
func (m manner) out(r real) uint64 {
	x := m.put(r, m.mode, false)
	if m.ftz {
		x = m.flush(x)
	}
	switch v := m.decode(x); {
	case m.sat && !(v > 0), m.relu && v <= 0:
		return 0
	case m.sat && v > 1:
		return m.put(exactly(1), "", false)
	}
	return x
}

// sums judges add, sub, mul, div, mad and fma of all types.
func sums(o *opcode) judge {
	typ := o.last()
	if !isFloat(typ) {
		return integerSums(o, typ)
	}
	if o.take("approx", "full") != "" {
		return approximateDivision(o, typ)
	}
	m := o.manner(typ)
	f := map[string]func(mode string, v []float64) real{
		"add": realSum, "sub": realDifference, "mul": realProduct, "div": realQuotient, "fma": realFMA,
	}[o.head]
	if f == nil {
		return judge{}
	}
	j := judge{same: orAnyNaN(typ)}
	j.want = inHalves(typ, func(v []uint64) uint64 {
		var a []float64
		for _, x := range v {
			a = append(a, m.in(x))
		}
		return m.out(f(m.mode, a))
	})
	if o.head == "fma" {
		j.tune = func(rng *rand.Rand, v []uint64) { cancel(rng, typ, m, v) }
	}
	return j
}

// orAnyNaN compares results of float64 as numbers: PTX says which NaN results have of the shorter types only.
func orAnyNaN(typ string) func(got, want uint64) bool {
	if typ == "f64" {
		return sameNaN(typ)
	}
	return nil
}

// cancel makes the third operand of a third of the threads nearly the opposite of the product, or of its last digits.
func cancel(rng *rand.Rand, typ string, m manner, v []uint64) {
	if rng.IntN(3) > 0 {
		return
	}
	scale := []float64{1, -1, 2, 1 << 8, math.Ldexp(1, m.man), math.Ldexp(-1, m.man+1)}[rng.IntN(6)]
	v[2] = inHalves(typ, func(v []uint64) uint64 {
		a, b := m.decode(v[0]), m.decode(v[1])
		if !finite(a, b) {
			return v[2]
		}
		r := realProduct("", []float64{a, -b})
		r.x.Mul(r.x, exactFloat(scale))
		return m.put(r, "", true)
	})(v)
}

// cancelled is the sign of a sum that is zero although its terms are not: minus if it is rounded down.
func cancelled(mode string) bool { return mode == "rm" }

func realSum(mode string, v []float64) real {
	a, b := v[0], v[1]
	if !finite(a, b) {
		return real{other: a + b}
	}
	r := real{x: exactFloat(0).Add(exactFloat(a), exactFloat(b)), negative: cancelled(mode)}
	if a == 0 && b == 0 && math.Signbit(a) == math.Signbit(b) {
		r.negative = math.Signbit(a)
	}
	return r
}

func realDifference(mode string, v []float64) real { return realSum(mode, []float64{v[0], -v[1]}) }

func realProduct(_ string, v []float64) real {
	a, b := v[0], v[1]
	if !finite(a, b) {
		return real{other: a * b}
	}
	return real{x: exactFloat(0).Mul(exactFloat(a), exactFloat(b)), negative: math.Signbit(a) != math.Signbit(b)}
}

// realQuotient has 5000 digits: enough to know on which side of any number with fewer digits, or of a middle, it lies.
func realQuotient(_ string, v []float64) real {
	a, b := v[0], v[1]
	switch negative := math.Signbit(a) != math.Signbit(b); {
	case finite(a, b) && b != 0:
		return real{x: exactFloat(0).Quo(exactFloat(a), exactFloat(b)), negative: negative}
	case finite(a) && math.IsInf(b, 0):
		return real{x: exactFloat(0), negative: negative}
	}
	return real{other: a / b}
}

func realFMA(mode string, v []float64) real {
	a, b, c := v[0], v[1], v[2]
	if !finite(a, b, c) {
		return real{other: math.FMA(a, b, c)}
	}
	r := realProduct(mode, v)
	zero := r.x.Sign() == 0 && c == 0 && r.negative == math.Signbit(c)
	r.x.Add(r.x, exactFloat(c))
	if !zero {
		r.negative = cancelled(mode)
	}
	return r
}

// signsOf judges abs and neg. PTX leaves open which NaN they make of one.
func signsOf(o *opcode) judge {
	typ := o.last()
	if !isFloat(typ) {
		return integerSums(o, typ)
	}
	m := o.manner(typ)
	return judge{same: sameNaN(typ), want: inHalves(typ, func(v []uint64) uint64 {
		x := m.in(v[0])
		if o.head == "neg" || math.Signbit(x) {
			x = -x
		}
		return m.put(exactly(x), "", false)
	})}
}

// extremesOf judges min and max: -0 is less than 0; a NaN loses, or wins with .NaN.
func extremesOf(o *opcode) judge {
	typ := o.last()
	if !isFloat(typ) {
		return integerSums(o, typ)
	}
	m, nan := o.manner(typ), o.has("NaN")
	xorsign := o.has("xorsign") && o.has("abs")
	return judge{same: orAnyNaN(typ), want: inHalves(typ, func(v []uint64) uint64 {
		a, b := m.in(v[0]), m.in(v[1])
		if xorsign {
			a, b = math.Abs(a), math.Abs(b)
		}
		var r float64
		switch {
		case a != a && b != b, nan && (a != a || b != b):
			r = math.NaN()
		case a != a:
			r = b
		case b != b:
			r = a
		case o.head == "min":
			r = math.Min(a, b)
		default:
			r = math.Max(a, b)
		}
		if xorsign && r == r {
			r = math.Copysign(r, 1)
			if (v[0]^v[1])&m.sign() != 0 {
				r = -r
			}
		}
		return m.put(exactly(r), "", false)
	})}
}
