package tile

import "github.com/cutile-go/cutile/tile/op"

// Erf returns the error function, like math.Erf: within 2 units in the last place for float32, and within 8 for float64. Tiles of
// 16-bit floats compute it in float32.
func Erf[T FloatTile](x T) T {
	switch op.Bits[T]() {
	case 64:
		return erf(x, 6, erfNear64(), erfFar64())
	case 32:
		return erf(x, 4, erfNear32(), erfFar32())
	}
	wide := op.FToF[op.As[F32, T]](x, op.NearestEven)
	return spread[T](op.FToF[op.As[T, T]](erf(wide, 4, erfNear32(), erfFar32()), op.NearestEven))
}

// erf is x + x·near(x²) where |x| < 1. From there to last it is 1 - e^-far(|x| - 1) with the sign of x; beyond, that is rounded to 1.
// NaN stays NaN.
func erf[T any](x T, last float64, near, far []float64) T {
	one, a := op.Constant[T](1), op.AbsF(x)
	inner := op.FMA(x, polynomial(mulF(x, x), near), x, op.NearestEven, false)
	outer := subF(one, op.Exp(op.NegF(polynomial(subF(minF(a, op.Constant[T](last)), one), far)), op.Full))
	outer = op.Select(op.CmpF(x, op.Constant[T](0), op.LessThan, op.Ordered), op.NegF(outer), outer)
	return op.Select(op.CmpF(a, one, op.LessThan, op.Ordered), inner, outer)
}

// polynomial evaluates a polynomial by Horner's scheme; the coefficients start with that of the highest power.
func polynomial[T any](x T, coefficients []float64) T {
	sum := op.Constant[T](0)
	for i, c := range coefficients {
		if i == 0 {
			sum = op.Constant[T](c)
		} else {
			sum = op.FMA(sum, x, op.Constant[T](c), op.NearestEven, false)
		}
	}
	return sum
}

// The functions below return coefficients of polynomials that interpolate at Chebyshev's nodes: erf(x)/x - 1 of x², and
// -log(1 - erf(1 + x)). Those of float32 have a relative error below 2e-9, those of float64 below 5e-16.

func erfNear32() []float64 {
	return []float64{
		-9.667044571486996e-06, 0.00011265959025606609, -0.0008484080405535107, 0.005221031807858023, -0.026865430727670243,
		0.11283782495236845, -0.3761263846802871, 0.1283791670615435,
	}
}

func erfFar32() []float64 {
	return []float64{
		7.582681969725275e-08, -2.639243213456447e-06, 3.8454642034861834e-05, -0.00033638592593612126, 0.002081732082632244,
		-0.010104860316343365, 0.041590457217433416, 0.8431008491405149, 2.638968074695066, 1.8496055015912543,
	}
}

func erfNear64() []float64 {
	return []float64{
		-4.230945824295338e-12, 8.709045129053106e-11, -1.216456005728345e-09, 1.4792401209404813e-08, -1.6364642158167616e-07,
		1.6462045441468418e-06, -1.4925647567519332e-05, 0.00012055332902888736, -0.000854832702193483, 0.0052239776254232985,
		-0.02686617064512984, 0.1128379167095512, -0.37612638903183754, 0.1283791670955126,
	}
}

func erfFar64() []float64 {
	return []float64{
		-3.0711608343447995e-17, 1.851460944061107e-15, -5.2482078579229935e-14, 9.2968263211222e-13, -1.1531768782300016e-11,
		1.0625552955056022e-10, -7.513189572694089e-10, 4.1333853780023824e-09, -1.7544088360069447e-08, 5.423920062458463e-08,
		-9.20971621641487e-08, -1.677078782239839e-07, 2.1109461380870477e-06, -9.678032040881132e-06, 2.7225113902876197e-05,
		-2.6323174193586854e-05, -0.0002373003164518966, 0.001977895045633395, -0.010033823688935272, 0.04156109781207129,
		0.8431072563752036, 2.638967514234317, 1.8496055099332505,
	}
}
