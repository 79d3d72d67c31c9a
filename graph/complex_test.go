package graph_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// complexes adds complex numbers as constants.
func complexes(g *graph.Graph, x []complex128, shape ...int) graph.Complex {
	re, im := make([]float64, len(x)), make([]float64, len(x))
	for i, x := range x {
		re[i], im[i] = real(x), imag(x)
	}
	return graph.Complex{Re: graph.Constant(g, re, shape...), Im: graph.Constant(g, im, shape...)}
}

func doubles(t *testing.T, x device.AnyTensor) []float64 {
	t.Helper()
	s, err := x.(*device.Tensor[float64]).Slice()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// joinParts gives complex numbers of two results.
func joinParts(t *testing.T, re, im device.AnyTensor) []complex128 {
	t.Helper()
	a, b := doubles(t, re), doubles(t, im)
	out := make([]complex128, len(a))
	for i := range out {
		out[i] = complex(a[i], b[i])
	}
	return out
}

// closeTo compares complex numbers by their size; a NaN is close to a NaN.
func closeTo(t *testing.T, what string, got, want []complex128, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, expected %d", what, len(got), len(want))
		return
	}
	part := func(a, b, size float64) bool {
		return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tolerance*max(size, 1e-300)
	}
	for i, w := range want {
		size := max(math.Abs(real(w)), math.Abs(imag(w)))
		if !part(real(got[i]), real(w), size) || !part(imag(got[i]), imag(w), size) {
			t.Errorf("%s: number %d is %v, expected %v", what, i, got[i], w)
			return
		}
	}
}

// TestComplex compares functions of complex numbers with those of math/cmplx.
func TestComplex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var x, y []complex128
	for range 60 {
		x, y = append(x, complex(3*r.NormFloat64(), 3*r.NormFloat64())), append(y, complex(r.NormFloat64(), r.NormFloat64()))
	}
	wide := append([]complex128{1e200 + 1e200i, 1e-200 - 1e-200i, 2, -3, 0.25i, -5i, complex(-4, math.Copysign(0, -1)), complex(math.Inf(1), 2), complex(-1, math.Inf(-1))}, x...)
	small := append([]complex128{1e-12 + 1e-13i, 0, 0.5i}, x...)
	one := func(x complex128, f func(complex128) float64) complex128 { return complex(f(x), 0) }
	real1 := func(f func(graph.Complex) *graph.Value) func(graph.Complex) graph.Complex {
		return func(x graph.Complex) graph.Complex { return graph.FromReal(f(x)) }
	}
	for _, c := range []struct {
		name string
		in   []complex128
		op   func(graph.Complex) graph.Complex
		want func(complex128) complex128
	}{
		{"Abs", wide, real1(graph.Complex.Abs), func(x complex128) complex128 { return one(x, cmplx.Abs) }},
		{"Phase", wide, real1(graph.Complex.Phase), func(x complex128) complex128 { return one(x, cmplx.Phase) }},
		{"Conj", wide, graph.Complex.Conj, cmplx.Conj}, {"Neg", wide, graph.Complex.Neg, func(x complex128) complex128 { return -x }},
		{"Log", wide, graph.Complex.Log, cmplx.Log}, {"Sqrt", wide[:7], graph.Complex.Sqrt, cmplx.Sqrt}, {"Sqrt of others", x, graph.Complex.Sqrt, cmplx.Sqrt},
		{"Reciprocal", wide[:7], graph.Complex.Reciprocal, func(x complex128) complex128 { return 1 / x }},
		{"Sign", wide[:7], graph.Complex.Sign, func(x complex128) complex128 { return x / complex(cmplx.Abs(x), 0) }},
		{"Log1p", append([]complex128{3e8 - 1i}, x...), graph.Complex.Log1p, func(x complex128) complex128 { return cmplx.Log(1 + x) }},
		{"Exp", small, graph.Complex.Exp, cmplx.Exp}, {"Sin", small, graph.Complex.Sin, cmplx.Sin}, {"Cos", small, graph.Complex.Cos, cmplx.Cos},
		{"Tanh", small, graph.Complex.Tanh, cmplx.Tanh},
		{"Expm1", x, graph.Complex.Expm1, func(x complex128) complex128 { return cmplx.Exp(x) - 1 }},
		{"Sigmoid", small, graph.Complex.Sigmoid, func(x complex128) complex128 { return 1 / (1 + cmplx.Exp(-x)) }},
	} {
		g := graph.New()
		z := c.op(complexes(g, c.in))
		out := run(t, g, z.Re, z.Im)
		want := make([]complex128, len(c.in))
		for i, x := range c.in {
			want[i] = c.want(x)
		}
		closeTo(t, c.name, joinParts(t, out[0], out[1]), want, 1e-10)
	}
	for _, c := range []struct {
		name string
		op   func(x, y graph.Complex) graph.Complex
		want func(x, y complex128) complex128
	}{
		{"Add", graph.Complex.Add, func(x, y complex128) complex128 { return x + y }}, {"Sub", graph.Complex.Sub, func(x, y complex128) complex128 { return x - y }},
		{"Mul", graph.Complex.Mul, func(x, y complex128) complex128 { return x * y }}, {"Div", graph.Complex.Div, func(x, y complex128) complex128 { return x / y }},
		{"Pow", graph.Complex.Pow, cmplx.Pow},
		{"Rect", func(x, y graph.Complex) graph.Complex { return graph.Rect(x.Re, y.Re) }, func(x, y complex128) complex128 {
			return complex(real(x)*math.Cos(real(y)), real(x)*math.Sin(real(y)))
		}},
	} {
		x := append([]complex128{0, 2i}, x...)
		y := append([]complex128{1i + 1, 0.5}, y...)
		g := graph.New()
		z := c.op(complexes(g, x), complexes(g, y))
		out := run(t, g, z.Re, z.Im)
		want := make([]complex128, len(x))
		for i := range x {
			want[i] = c.want(x[i], y[i])
		}
		closeTo(t, c.name, joinParts(t, out[0], out[1]), want, 1e-9)
	}
}

// TestComplexNearZero: what is lost when 1 is added and subtracted.
func TestComplexNearZero(t *testing.T) {
	g := graph.New()
	x := complexes(g, []complex128{1e-12 + 1e-13i})
	e, l := x.Expm1(), x.Log1p()
	out := run(t, g, e.Re, e.Im, l.Re, l.Im)
	closeTo(t, "Expm1", joinParts(t, out[0], out[1]), []complex128{1e-12 + 1e-13i}, 1e-11)
	closeTo(t, "Log1p", joinParts(t, out[2], out[3]), []complex128{1e-12 + 1e-13i}, 1e-11)
}

// TestComplexProduct: a product of matrices, and parts of 2 bytes.
func TestComplexProduct(t *testing.T) {
	g := graph.New()
	x, y := complexes(g, []complex128{1, 2i, 3 + 1i, -1}, 2, 2), complexes(g, []complex128{1 + 1i, 2}, 2, 1)
	z := x.MatMul(y)
	half := graph.Complex{Re: graph.Number(g, dtype.F16, -4), Im: graph.Neg(graph.Number(g, dtype.F16, 0))}.Sqrt()
	out := run(t, g, z.Re, z.Im, graph.Convert(half.Re, dtype.F64), graph.Convert(half.Im, dtype.F64))
	closeTo(t, "the product", joinParts(t, out[0], out[1]), []complex128{1 + 5i, 0 + 4i}, 0)
	closeTo(t, "a root", joinParts(t, out[2], out[3]), []complex128{-2i}, 0)
	if z.Err() != nil {
		t.Error(z.Err())
	}
	wrong := x.Add(complexes(g, make([]complex128, 3)))
	if err := wrong.Err(); err == nil || !strings.Contains(err.Error(), "complex_test.go:") || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("the error of shapes that do not fit is %v", err)
	}
	if wrong.Mul(x).Exp().Sqrt().Err() == nil || graph.FromReal(wrong.Re).Err() == nil {
		t.Error("operations on a mistake are none")
	}
}
