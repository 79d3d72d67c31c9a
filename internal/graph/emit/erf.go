package emit

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tileir"
)

// erfTable approximates the error function as tile.Erf does, with the same numbers and to the same bits: erf(x) = x + x·Near(x²) up to
// x = 1, and 1 - e^-Far(x-1) up to x = Last, from where it is 1. The polynomials interpolate at Chebyshev's nodes; Far approximates
// -log(1 - erf(x)). Kernels cannot read Go's variables, so that the numbers stand in both places; graph.TestErf compares them.
type erfTable struct {
	Near, Far []float64 // by ascending powers
	Last      float64
}

var erfTables = map[dtype.Type]erfTable{
	dtype.F32: { // relative error below 2e-9
		[]float64{0.1283791670615435, -0.3761263846802871, 0.11283782495236845, -0.026865430727670243, 0.005221031807858023,
			-0.0008484080405535107, 0.00011265959025606609, -9.667044571486996e-06},
		[]float64{1.8496055015912543, 2.638968074695066, 0.8431008491405149, 0.041590457217433416, -0.010104860316343365,
			0.002081732082632244, -0.00033638592593612126, 3.8454642034861834e-05, -2.639243213456447e-06, 7.582681969725275e-08},
		4,
	},
	dtype.F64: { // relative error below 5e-16
		[]float64{0.1283791670955126, -0.37612638903183754, 0.1128379167095512, -0.02686617064512984, 0.0052239776254232985,
			-0.000854832702193483, 0.00012055332902888736, -1.4925647567519332e-05, 1.6462045441468418e-06,
			-1.6364642158167616e-07, 1.4792401209404813e-08, -1.216456005728345e-09, 8.709045129053106e-11, -4.230945824295338e-12},
		[]float64{1.8496055099332505, 2.638967514234317, 0.8431072563752036, 0.04156109781207129, -0.010033823688935272,
			0.001977895045633395, -0.0002373003164518966, -2.6323174193586854e-05, 2.7225113902876197e-05, -9.678032040881132e-06,
			2.1109461380870477e-06, -1.677078782239839e-07, -9.20971621641487e-08, 5.423920062458463e-08, -1.7544088360069447e-08,
			4.1333853780023824e-09, -7.513189572694089e-10, 1.0625552955056022e-10, -1.1531768782300016e-11, 9.2968263211222e-13,
			-5.2482078579229935e-14, 1.851460944061107e-15, -3.0711608343447995e-17},
		6,
	},
}

// erf is the error function of float32 and float64.
func erf(s *scope, x []*tileir.Value) *tileir.Value {
	table := erfTables[s.t]
	a := s.AbsF(x[0])
	near := s.fma(x[0], s.polynomial(s.mul(x[0], x[0]), table.Near), x[0])
	one, last := s.float(a, 1), s.float(a, table.Last)
	a = s.Select(s.test(tileir.CompareGreaterThan, a, last), last, a)
	far := s.sub(one, s.Exp(s.NegF(s.polynomial(s.sub(a, one), table.Far))))
	return s.Select(s.test(tileir.CompareLessThan, a, one), near, s.signed(far, x[0]))
}

// polynomial evaluates a polynomial by Horner's scheme.
func (s *scope) polynomial(x *tileir.Value, factors []float64) *tileir.Value {
	sum := s.float(x, factors[len(factors)-1])
	for i := len(factors) - 2; i >= 0; i-- {
		sum = s.fma(sum, x, s.float(x, factors[i]))
	}
	return sum
}
