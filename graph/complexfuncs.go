package graph

// Exp returns e to the power of x.
func (x Complex) Exp() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	return Rect(Exp(x.Re), x.Im)
}

// Expm1 returns e to the power of x, less 1, which is exact near 0: its real part is expm1(a)·cos b - 2·sin²(b/2).
func (x Complex) Expm1() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	half := Sin(Mul(x.Im, like(x.Im, 0.5)))
	re := Sub(Mul(Expm1(x.Re), Cos(x.Im)), Mul(like(half, 2), Mul(half, half)))
	return Complex{re, x.Exp().Im}
}

// Log returns the natural logarithm of x.
func (x Complex) Log() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{Log(x.Abs()), x.Phase()}
}

// Log1p returns the natural logarithm of 1 + x. Its real part is log1p(a·(2 + a) + b²)/2, which is exact near 0, but log|1 + x|
// where squares are large.
func (x Complex) Log1p() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	square := Add(Mul(x.Re, Add(x.Re, like(x.Re, 2))), Mul(x.Im, x.Im))
	near := Mul(Log1p(square), like(square, 0.5))
	small := Less(Max(Abs(x.Re), Abs(x.Im)), like(x.Re, 4))
	far := Complex{Add(x.Re, like(x.Re, 1)), x.Im}.Log()
	return Complex{Where(small, near, far.Re), far.Im}
}

// Sin returns the sine of x.
func (x Complex) Sin() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{Mul(Sin(x.Re), Cosh(x.Im)), Mul(Cos(x.Re), Sinh(x.Im))}
}

// Cos returns the cosine of x.
func (x Complex) Cos() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{Mul(Cos(x.Re), Cosh(x.Im)), Neg(Mul(Sin(x.Re), Sinh(x.Im)))}
}

// Tanh returns the hyperbolic tangent of x: (tanh a·(1 + tan²b) + i·tan b·sech²a) / (1 + tanh²a·tan²b).
func (x Complex) Tanh() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	th, tn := Tanh(x.Re), Tan(x.Im)
	one := like(th, 1)
	sech := Div(one, Cosh(x.Re))
	square := Mul(tn, tn)
	scale := Add(one, Mul(Mul(th, th), square))
	re, im := Mul(th, Add(one, square)), Mul(tn, Mul(sech, sech))
	return Complex{Div(re, scale), Div(im, scale)}
}

// Sigmoid returns 1/(1 + e^-x).
func (x Complex) Sigmoid() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	e := x.Neg().Exp()
	return Complex{Add(e.Re, like(e.Re, 1)), e.Im}.Reciprocal()
}

// Pow returns x to the power of y, e^(y·log x). A power of 0 is 1 if the exponent is 0, else 0.
func (x Complex) Pow(y Complex) Complex {
	if bad := checkComplex(x, y); bad != nil {
		return Complex{bad, bad}
	}
	p := y.Mul(x.Log()).Exp()
	zero := like(p.Re, 0)
	isZero := func(z Complex) *Value { return And(Equal(z.Re, zero), Equal(z.Im, zero)) }
	base := isZero(x)
	return Complex{Where(base, Where(isZero(y), like(p.Re, 1), zero), p.Re), Where(base, zero, p.Im)}
}
