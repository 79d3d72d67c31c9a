package emit

import (
	"github.com/cutile-go/cutile/tileir"
)

// bits is the width of the elements.
func (s *scope) bits() int64 { return int64(8 * s.t.Size()) }

func absInt(s *scope, x []*tileir.Value) *tileir.Value {
	if !s.t.IsSigned() {
		return x[0]
	}
	return s.AbsI(x[0])
}

func (s *scope) equal(x *tileir.Value, n int64) *tileir.Value {
	return s.CmpI(x, s.int(x, n), tileir.CompareEqual, tileir.Signed)
}

// divisor makes a divisor for which Tile IR defines the quotient: 1 in place of 0 and, for elements with a sign, of -1.
func (s *scope) divisor(y *tileir.Value) (safe, zero, minus *tileir.Value) {
	zero = s.equal(y, 0)
	safe = s.Select(zero, s.int(y, 1), y)
	if s.t.IsSigned() {
		minus = s.equal(y, -1)
		safe = s.Select(minus, s.int(y, 1), safe)
	}
	return safe, zero, minus
}

func divInt(s *scope, x []*tileir.Value) *tileir.Value {
	safe, zero, minus := s.divisor(x[1])
	q := s.DivI(x[0], safe, signOf(s.t))
	if minus != nil {
		q = s.Select(minus, s.NegI(x[0]), q)
	}
	return s.Select(zero, s.int(x[0], -1), q)
}

func remInt(s *scope, x []*tileir.Value) *tileir.Value {
	safe, zero, _ := s.divisor(x[1])
	return s.Select(zero, x[0], s.RemI(x[0], safe, signOf(s.t)))
}

// modFunc is the remainder with the sign of the divisor.
func modFunc(s *scope, x []*tileir.Value) *tileir.Value {
	r := s.call("rem", x...)
	if !s.t.IsFloat() && !s.t.IsSigned() {
		return r
	}
	zero := s.int(r, 0)
	if s.t.IsFloat() {
		zero = s.float(r, 0)
	}
	differ := s.XOrI(s.test(tileir.CompareLessThan, r, zero), s.test(tileir.CompareLessThan, x[1], zero))
	moved := s.AndI(differ, s.test(tileir.CompareNotEqual, r, zero))
	if !s.t.IsFloat() {
		moved = s.AndI(moved, s.test(tileir.CompareNotEqual, x[1], zero))
	}
	return s.Select(moved, s.call("add", r, x[1]), r)
}

func signFunc(s *scope, x []*tileir.Value) *tileir.Value {
	zero, one, minus := s.int(x[0], 0), s.int(x[0], 1), s.int(x[0], -1)
	if s.t.IsFloat() {
		zero, one, minus = x[0], s.float(x[0], 1), s.float(x[0], -1) // keeps -0 and NaN
	}
	compare := s.int(x[0], 0)
	if s.t.IsFloat() {
		compare = s.float(x[0], 0)
	}
	out := s.Select(s.test(tileir.CompareGreaterThan, x[0], compare), one, zero)
	if s.t.IsSigned() {
		out = s.Select(s.test(tileir.CompareLessThan, x[0], compare), minus, out)
	}
	return out
}

// powInt raises to a power by squaring.
func powInt(s *scope, x []*tileir.Value) *tileir.Value {
	one := s.int(x[0], 1)
	power, base, n := one, x[0], x[1]
	for i := range s.bits() {
		odd := s.CmpI(s.AndI(n, one), one, tileir.CompareEqual, tileir.Signed)
		power = s.Select(odd, s.MulI(power, base), power)
		if i < s.bits()-1 {
			base, n = s.MulI(base, base), s.ShRI(n, one, tileir.Unsigned)
		}
	}
	if !s.t.IsSigned() {
		return power
	}
	// 1/x^n is 1 for x = 1, 1 or -1 for x = -1, else 0, for x = 0 as the quotient by zero, -1.
	odd := s.equal(s.AndI(x[1], one), 1)
	minus := s.Select(odd, s.int(one, -1), one)
	inverse := s.Select(s.equal(x[0], 1), one, s.Select(s.equal(x[0], -1), minus, s.Select(s.equal(x[0], 0), s.int(one, -1), s.int(one, 0))))
	return s.Select(s.test(tileir.CompareLessThan, x[1], s.int(one, 0)), inverse, power)
}

// shifted makes a shift that gives what is left of a number when the distance is the width or more.
func shifted(f func(s *scope, x, n *tileir.Value) *tileir.Value, sign bool) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value {
		last := s.int(x[1], s.bits()-1)
		far := s.CmpI(x[1], last, tileir.CompareGreaterThan, tileir.Unsigned)
		out := f(s, x[0], s.Select(far, last, x[1]))
		if sign {
			return out
		}
		return s.Select(far, s.int(x[0], 0), out)
	}
}

// popcount counts bits in pairs, then in groups of 4 and 8, and adds up the bytes.
func popcount(s *scope, x []*tileir.Value) *tileir.Value {
	v := x[0]
	mask := func(b uint64) *tileir.Value { return s.int(v, int64(b*0x0101010101010101)) }
	right := func(v *tileir.Value, n int64) *tileir.Value { return s.ShRI(v, s.int(v, n), tileir.Unsigned) }
	v = s.SubI(v, s.AndI(right(v, 1), mask(0x55)))
	v = s.AddI(s.AndI(v, mask(0x33)), s.AndI(right(v, 2), mask(0x33)))
	v = s.AndI(s.AddI(v, right(v, 4)), mask(0x0f))
	for n := int64(8); n < s.bits(); n *= 2 {
		v = s.AddI(v, right(v, n))
	}
	return s.AndI(v, s.int(v, 2*s.bits()-1))
}

// clz counts the zeros before the first one: the bits that are not set after all below the first are.
func clz(s *scope, x []*tileir.Value) *tileir.Value {
	v := x[0]
	for n := int64(1); n < s.bits(); n *= 2 {
		v = s.OrI(v, s.ShRI(v, s.int(v, n), tileir.Unsigned))
	}
	return popcount(s, []*tileir.Value{s.not(v)})
}

// mulHigh is the upper half of the product. Tile IR has that of numbers without a sign.
func mulHigh(s *scope, x []*tileir.Value) *tileir.Value {
	high := s.MulhiI(x[0], x[1])
	if !s.t.IsSigned() {
		return high
	}
	zero := s.int(high, 0)
	for i := range 2 {
		high = s.SubI(high, s.Select(s.test(tileir.CompareLessThan, x[i], zero), x[1-i], zero))
	}
	return high
}
