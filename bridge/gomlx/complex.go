package gomlx

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// This file has the functions of complex numbers, a+bi, as pairs of arrays of their parts. Formulas avoid squares where they would
// overflow although the result does not. (W. Kahan, Branch cuts for complex elementary functions, 1987.)

func addComplex(x, y pair) pair { return pair{graph.Add(x.re, y.re), graph.Add(x.im, y.im)} }
func subComplex(x, y pair) pair { return pair{graph.Sub(x.re, y.re), graph.Sub(x.im, y.im)} }
func negComplex(x pair) pair    { return pair{graph.Neg(x.re), graph.Neg(x.im)} }
func mulComplex(x, y pair) pair { return bilinear(graph.Mul, x, y) }

// bilinear extends a product of real arrays to complex ones.
func bilinear(f binaryFunc, x, y pair) pair {
	return pair{graph.Sub(f(x.re, y.re), f(x.im, y.im)), graph.Add(f(x.re, y.im), f(x.im, y.re))}
}

// divComplex divides by the greater part of y first. (R. L. Smith, Algorithm 116: Complex division, 1962.)
func divComplex(x, y pair) pair {
	swap := graph.Less(graph.Abs(y.re), graph.Abs(y.im))
	c, d := graph.Where(swap, y.im, y.re), graph.Where(swap, y.re, y.im)
	ratio := graph.Where(graph.Equal(c, number(c, 0)), number(c, 0), graph.Div(d, c))
	scale := graph.Add(c, graph.Mul(d, ratio))
	re := graph.Where(swap, graph.Add(graph.Mul(x.re, ratio), x.im), graph.Add(x.re, graph.Mul(x.im, ratio)))
	im := graph.Where(swap, graph.Sub(graph.Mul(x.im, ratio), x.re), graph.Sub(x.im, graph.Mul(x.re, ratio)))
	return pair{graph.Div(re, scale), graph.Div(im, scale)}
}

func reciprocal(x pair) pair { return divComplex(pair{number(x.re, 1), number(x.re, 0)}, x) }

// modulus returns √(a²+b²).
func modulus(x pair) *graph.Value {
	a, b := graph.Abs(x.re), graph.Abs(x.im)
	most, least := graph.Max(a, b), graph.Min(a, b)
	infinite := graph.Or(graph.IsInf(x.re), graph.IsInf(x.im))
	ratio := graph.Where(graph.Equal(most, number(most, 0)), number(most, 0), graph.Div(least, most))
	m := graph.Mul(most, graph.Sqrt(graph.Add(number(most, 1), graph.Mul(ratio, ratio))))
	return graph.Where(infinite, graph.Max(graph.Where(graph.IsInf(x.re), a, number(a, 0)), graph.Where(graph.IsInf(x.im), b, number(b, 0))), m)
}

// polar returns r·(cos φ + i·sin φ), a real number where φ is 0.
func polar(r, angle *graph.Value) pair {
	return pair{graph.Mul(r, graph.Cos(angle)), graph.Where(graph.Equal(angle, number(angle, 0)), angle, graph.Mul(r, graph.Sin(angle)))}
}

func expComplex(x pair) pair { return polar(graph.Exp(x.re), x.im) }

// expm1Complex returns e^a·cos b - 1 = expm1(a)·cos b - 2·sin²(b/2) as the real part.
func expm1Complex(x pair) pair {
	half := graph.Sin(graph.Mul(x.im, number(x.im, 0.5)))
	re := graph.Sub(graph.Mul(graph.Expm1(x.re), graph.Cos(x.im)), graph.Mul(number(half, 2), graph.Mul(half, half)))
	return pair{re, expComplex(x).im}
}

func logComplex(x pair) pair {
	return pair{graph.Log(modulus(x)), graph.Atan2(x.im, x.re)}
}

// log1pComplex returns log1p(a·(2+a) + b²)/2 as the real part, which is exact near 0, but where squares are large log|1+x|.
func log1pComplex(x pair) pair {
	one := pair{graph.Add(x.re, number(x.re, 1)), x.im}
	square := graph.Add(graph.Mul(x.re, graph.Add(x.re, number(x.re, 2))), graph.Mul(x.im, x.im))
	near := graph.Mul(graph.Log1p(square), number(square, 0.5))
	small := graph.Less(graph.Max(graph.Abs(x.re), graph.Abs(x.im)), number(x.re, 4))
	far := logComplex(one)
	return pair{graph.Where(small, near, far.re), far.im}
}

// sqrtComplex returns t + b/(2t)·i with t = √((|a|+|x|)/2), with the parts swapped for negative a.
func sqrtComplex(x pair) pair {
	a, b := graph.Abs(x.re), graph.Abs(x.im)
	half := number(a, 0.5)
	t := graph.Sqrt(graph.Add(graph.Mul(a, half), graph.Mul(modulus(x), half)))
	zero := graph.Equal(t, number(t, 0))
	other := graph.Where(zero, number(t, 0), graph.Div(graph.Mul(b, half), t))
	right := graph.GreaterEqual(x.re, number(x.re, 0))
	re, im := graph.Where(right, t, other), graph.Where(right, other, t)
	return pair{re, graph.Where(negative(x.im), graph.Neg(im), im)}
}

// negative tells the sign, also of a zero.
func negative(x *graph.Value) *graph.Value {
	to := map[dtype.Type]dtype.Type{dtype.F32: dtype.I32, dtype.F64: dtype.I64}[x.DType()]
	if x.Err() != nil {
		return x
	}
	i := graph.Bitcast(x, to)
	return graph.Less(i, number(i, 0))
}

func sinComplex(x pair) pair {
	return pair{graph.Mul(graph.Sin(x.re), graph.Cosh(x.im)), graph.Mul(graph.Cos(x.re), graph.Sinh(x.im))}
}

func cosComplex(x pair) pair {
	return pair{graph.Mul(graph.Cos(x.re), graph.Cosh(x.im)), graph.Neg(graph.Mul(graph.Sin(x.re), graph.Sinh(x.im)))}
}

// tanhComplex returns (tanh a·(1+tan²b) + i·tan b·sech²a) / (1 + tanh²a·tan²b).
func tanhComplex(x pair) pair {
	th, tn := graph.Tanh(x.re), graph.Tan(x.im)
	sech := graph.Div(number(th, 1), graph.Cosh(x.re))
	one := number(th, 1)
	square := graph.Mul(tn, tn)
	scale := graph.Add(one, graph.Mul(graph.Mul(th, th), square))
	re := graph.Mul(th, graph.Add(one, square))
	im := graph.Mul(tn, graph.Mul(sech, sech))
	return pair{graph.Div(re, scale), graph.Div(im, scale)}
}

func logisticComplex(x pair) pair {
	e := expComplex(negComplex(x))
	return reciprocal(pair{graph.Add(e.re, number(e.re, 1)), e.im})
}

// signComplex returns x/|x|, and zero for zero.
func signComplex(x pair) pair {
	m := modulus(x)
	m = graph.Where(graph.Equal(m, number(m, 0)), number(m, 1), m)
	return pair{graph.Div(x.re, m), graph.Div(x.im, m)}
}

// powComplex returns e^(y·log x); a power of zero is 1 if the exponent is zero, else zero.
func powComplex(x, y pair) pair {
	p := expComplex(mulComplex(y, logComplex(x)))
	isZero := func(z pair) *graph.Value {
		zero := number(z.re, 0)
		return graph.And(graph.Equal(z.re, zero), graph.Equal(z.im, zero))
	}
	base, exponent := isZero(x), isZero(y)
	zero := number(p.re, 0)
	unit := graph.Where(exponent, number(p.re, 1), zero)
	return pair{graph.Where(base, unit, p.re), graph.Where(base, zero, p.im)}
}
