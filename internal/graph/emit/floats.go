package emit

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// inFloat32 computes a function of short floats in float32.
func inFloat32(f function) function {
	return func(s *scope, x []*tileir.Value) *tileir.Value {
		if s.t != dtype.F16 && s.t != dtype.BF16 {
			return f(s, x)
		}
		wide := &scope{s.Builder, dtype.F32}
		return s.FToF(f(wide, []*tileir.Value{s.FToF(x[0], tileir.F32)}), irElem(s.t))
	}
}

func (s *scope) add(x, y *tileir.Value) *tileir.Value {
	return s.AddF(x, y, tileir.RoundingNearestEven)
}
func (s *scope) sub(x, y *tileir.Value) *tileir.Value {
	return s.SubF(x, y, tileir.RoundingNearestEven)
}
func (s *scope) mul(x, y *tileir.Value) *tileir.Value {
	return s.MulF(x, y, tileir.RoundingNearestEven)
}
func (s *scope) div(x, y *tileir.Value) *tileir.Value {
	return s.DivF(x, y, tileir.RoundingNearestEven)
}
func (s *scope) sqrt(x *tileir.Value) *tileir.Value { return s.Sqrt(x, tileir.RoundingNearestEven) }

// fma is x·y + z, rounded once.
func (s *scope) fma(x, y, z *tileir.Value) *tileir.Value {
	return s.Fma(x, y, z, tileir.RoundingNearestEven)
}

// signed gives x the sign of y.
func (s *scope) signed(x, y *tileir.Value) *tileir.Value {
	return s.Select(s.test(tileir.CompareLessThan, y, s.float(y, 0)), s.NegF(x), x)
}

// expm1 corrects e^x - 1 by what was lost in e^x. (W. Kahan; N. Higham, Accuracy and Stability of Numerical Algorithms, 1.14.1.)
func expm1(s *scope, x []*tileir.Value) *tileir.Value {
	if s.t == dtype.F16 || s.t == dtype.BF16 {
		return inFloat32(expm1)(s, x)
	}
	one := s.float(x[0], 1)
	u := s.Exp(x[0])
	less := s.sub(u, one)
	better := s.div(s.mul(less, x[0]), s.Log(u))
	out := s.Select(s.test(tileir.CompareEqual, u, one), x[0], better)
	plain := s.OrI(s.test(tileir.CompareGreaterThan, s.AbsF(x[0]), s.float(u, 1)), s.test(tileir.CompareEqual, less, s.float(u, -1)))
	return s.Select(plain, less, out)
}

// log1p corrects log(1+x) by what was lost in 1+x. (The same.)
func log1p(s *scope, x []*tileir.Value) *tileir.Value {
	if s.t == dtype.F16 || s.t == dtype.BF16 {
		return inFloat32(log1p)(s, x)
	}
	one := s.float(x[0], 1)
	u := s.add(one, x[0])
	better := s.div(s.mul(s.Log(u), x[0]), s.sub(u, one))
	out := s.Select(s.test(tileir.CompareEqual, u, one), x[0], better)
	return s.Select(s.test(tileir.CompareEqual, u, s.float(u, math.Inf(1))), u, out)
}

func atan(s *scope, x []*tileir.Value) *tileir.Value { return s.Atan2(x[0], s.float(x[0], 1)) }

// other is √(1-x²), the other coordinate of a point of the unit circle.
func (s *scope) other(x *tileir.Value) *tileir.Value {
	one := s.float(x, 1)
	return s.sqrt(s.mul(s.sub(one, x), s.add(one, x)))
}

func asin(s *scope, x []*tileir.Value) *tileir.Value { return s.Atan2(x[0], s.other(x[0])) }
func acos(s *scope, x []*tileir.Value) *tileir.Value { return s.Atan2(s.other(x[0]), x[0]) }

func asinh(s *scope, x []*tileir.Value) *tileir.Value {
	if s.t == dtype.F16 || s.t == dtype.BF16 {
		return inFloat32(asinh)(s, x)
	}
	one, a := s.float(x[0], 1), s.AbsF(x[0])
	square := s.mul(a, a)
	small := s.call("log1p", s.add(a, s.div(square, s.add(one, s.sqrt(s.add(square, one))))))
	large := s.add(s.Log(a), s.float(a, math.Ln2)) // where the square overflows
	return s.signed(s.Select(s.test(tileir.CompareGreaterThan, a, s.float(a, 1e9)), large, small), x[0])
}

func acosh(s *scope, x []*tileir.Value) *tileir.Value {
	if s.t == dtype.F16 || s.t == dtype.BF16 {
		return inFloat32(acosh)(s, x)
	}
	t := s.sub(x[0], s.float(x[0], 1))
	small := s.call("log1p", s.add(t, s.sqrt(s.mul(t, s.add(t, s.float(t, 2))))))
	large := s.add(s.Log(x[0]), s.float(t, math.Ln2))
	return s.Select(s.test(tileir.CompareGreaterThan, x[0], s.float(t, 1e9)), large, small)
}

func atanh(s *scope, x []*tileir.Value) *tileir.Value {
	if s.t == dtype.F16 || s.t == dtype.BF16 {
		return inFloat32(atanh)(s, x)
	}
	a := s.AbsF(x[0])
	twice := s.add(a, a)
	return s.signed(s.mul(s.float(a, 0.5), s.call("log1p", s.div(twice, s.sub(s.float(a, 1), a)))), x[0])
}

func logistic(s *scope, x []*tileir.Value) *tileir.Value {
	if s.t == dtype.F16 || s.t == dtype.BF16 {
		return inFloat32(logistic)(s, x)
	}
	one := s.float(x[0], 1)
	e := s.Exp(s.NegF(s.AbsF(x[0]))) // does not overflow
	above := s.test(tileir.CompareGreaterThanOrEqual, x[0], s.float(x[0], 0))
	return s.div(s.Select(above, one, e), s.add(one, e))
}

func trunc(s *scope, x []*tileir.Value) *tileir.Value {
	return s.Select(s.test(tileir.CompareLessThan, x[0], s.float(x[0], 0)), s.Ceil(x[0]), s.Floor(x[0]))
}

// roundEven rounds to the nearest integer, to the even one of two.
func roundEven(s *scope, x []*tileir.Value) *tileir.Value {
	half, two := s.float(x[0], 0.5), s.float(x[0], 2)
	down := s.Floor(x[0])
	rest := s.sub(x[0], down)
	odd := s.test(tileir.CompareNotEqual, s.mul(two, s.Floor(s.mul(down, half))), down)
	up := s.OrI(s.test(tileir.CompareGreaterThan, rest, half), s.AndI(s.test(tileir.CompareEqual, rest, half), odd))
	out := s.Select(up, s.Ceil(x[0]), down)
	whole := s.test(tileir.CompareEqual, down, x[0]) // also infinities, whose rest is NaN, and -0
	return s.Select(whole, x[0], out)
}

// roundAway rounds to the nearest integer, of two to the one farther from zero.
func roundAway(s *scope, x []*tileir.Value) *tileir.Value {
	a := s.AbsF(x[0])
	down := s.Floor(a)
	up := s.test(tileir.CompareGreaterThanOrEqual, s.sub(a, down), s.float(a, 0.5))
	out := s.signed(s.Select(up, s.add(down, s.float(a, 1)), down), x[0])
	return s.Select(s.test(tileir.CompareEqual, down, a), x[0], out)
}

func isInf(s *scope, x []*tileir.Value) *tileir.Value {
	return s.test(tileir.CompareEqual, s.AbsF(x[0]), s.float(x[0], math.Inf(1)))
}
