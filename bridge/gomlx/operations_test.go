package gomlx_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
)

// TestFloats compares functions of floats with Go's.
func TestFloats(t *testing.T) {
	b := open(t)
	r := rand.New(rand.NewPCG(1, 2))
	x, y := normal(r, 100), normal(r, 100)
	x[0], x[1], x[2], x[3] = math.NaN(), math.Inf(1), math.Inf(-1), 0
	y[4], y[5] = math.NaN(), math.Inf(1)
	type unary = func(backends.Builder, backends.Op) (backends.Op, error)
	type binary = func(b backends.Builder, x, y backends.Op) (backends.Op, error)
	for _, c := range []struct {
		name string
		op   unary
		want func(float64) float64
	}{
		{"Abs", backends.Builder.Abs, math.Abs}, {"Ceil", backends.Builder.Ceil, math.Ceil}, {"Cos", backends.Builder.Cos, math.Cos},
		{"Erf", backends.Builder.Erf, math.Erf}, {"Exp", backends.Builder.Exp, math.Exp}, {"Expm1", backends.Builder.Expm1, math.Expm1},
		{"Floor", backends.Builder.Floor, math.Floor}, {"Log", backends.Builder.Log, math.Log}, {"Log1p", backends.Builder.Log1p, math.Log1p},
		{"Logistic", backends.Builder.Logistic, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		{"Neg", backends.Builder.Neg, func(x float64) float64 { return -x }}, {"Round", backends.Builder.Round, math.RoundToEven},
		{"Rsqrt", backends.Builder.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }}, {"Sin", backends.Builder.Sin, math.Sin},
		{"Sqrt", backends.Builder.Sqrt, math.Sqrt}, {"Tanh", backends.Builder.Tanh, math.Tanh},
		{"Imag", backends.Builder.Imag, func(float64) float64 { return 0 }}, {"Real", backends.Builder.Real, func(x float64) float64 { return x }},
	} {
		got := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op { return []backends.Op{op(c.op(b, x[0]))} }, of(x))[0]
		want := make([]complex128, len(x))
		for i, x := range x {
			want[i] = complex(c.want(x), 0)
		}
		near(t, c.name, got, want, 1e-12)
	}
	for _, c := range []struct {
		name string
		op   binary
		want func(x, y float64) float64
	}{
		{"Add", backends.Builder.Add, func(x, y float64) float64 { return x + y }}, {"Sub", backends.Builder.Sub, func(x, y float64) float64 { return x - y }},
		{"Mul", backends.Builder.Mul, func(x, y float64) float64 { return x * y }}, {"Div", backends.Builder.Div, func(x, y float64) float64 { return x / y }},
		{"Rem", backends.Builder.Rem, math.Mod}, {"Pow", backends.Builder.Pow, math.Pow}, {"Max", backends.Builder.Max, math.Max}, {"Min", backends.Builder.Min, math.Min},
	} {
		got := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op { return []backends.Op{op(c.op(b, x[0], x[1]))} }, of(x), of(y))[0]
		want := make([]complex128, len(x))
		for i := range x {
			if x, y := x[i], y[i]; (c.name == "Max" || c.name == "Min") && (math.IsNaN(x) || math.IsNaN(y)) {
				want[i] = complex(math.NaN(), 0) // Go's Max of +Inf and a NaN is +Inf
			} else {
				want[i] = complex(c.want(x, y), 0)
			}
		}
		near(t, c.name, got, want, 1e-12)
	}
}

// TestComplex compares functions of complex numbers with Go's.
func TestComplex(t *testing.T) {
	b := open(t)
	r := rand.New(rand.NewPCG(3, 4))
	x, y := make([]complex128, 60), make([]complex128, 60)
	for i := range x {
		x[i], y[i] = complex(3*r.NormFloat64(), 3*r.NormFloat64()), complex(r.NormFloat64(), r.NormFloat64())
	}
	x[0], x[1], x[2], x[3] = 1e200+1e200i, 1e-200-1e-200i, 2, -3
	for _, c := range []struct {
		name string
		op   func(backends.Builder, backends.Op) (backends.Op, error)
		want func(complex128) complex128
	}{
		{"Abs", backends.Builder.Abs, func(x complex128) complex128 { return complex(cmplx.Abs(x), 0) }}, {"Conj", backends.Builder.Conj, cmplx.Conj},
		{"Log", backends.Builder.Log, cmplx.Log}, {"Sqrt", backends.Builder.Sqrt, cmplx.Sqrt}, {"Neg", backends.Builder.Neg, func(x complex128) complex128 { return -x }},
		{"Rsqrt", backends.Builder.Rsqrt, func(x complex128) complex128 { return 1 / cmplx.Sqrt(x) }},
		{"Log1p", backends.Builder.Log1p, func(x complex128) complex128 { return cmplx.Log(1 + x) }},
		{"Real", backends.Builder.Real, func(x complex128) complex128 { return complex(real(x), 0) }},
		{"Imag", backends.Builder.Imag, func(x complex128) complex128 { return complex(imag(x), 0) }},
		{"Sign", backends.Builder.Sign, func(x complex128) complex128 { return x / complex(cmplx.Abs(x), 0) }},
	} {
		got := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op { return []backends.Op{op(c.op(b, x[0]))} }, of(x))[0]
		want := make([]complex128, len(x))
		for i := range x {
			want[i] = c.want(x[i])
		}
		near(t, c.name, got, want, 1e-11)
	}
	x[0], x[1] = 0, 0.5i
	for _, c := range []struct {
		name string
		op   func(backends.Builder, backends.Op) (backends.Op, error)
		want func(complex128) complex128
	}{
		{"Exp", backends.Builder.Exp, cmplx.Exp}, {"Expm1", backends.Builder.Expm1, func(x complex128) complex128 { return cmplx.Exp(x) - 1 }},
		{"Sin", backends.Builder.Sin, cmplx.Sin}, {"Cos", backends.Builder.Cos, cmplx.Cos}, {"Tanh", backends.Builder.Tanh, cmplx.Tanh},
		{"Logistic", backends.Builder.Logistic, func(x complex128) complex128 { return 1 / (1 + cmplx.Exp(-x)) }},
	} {
		got := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op { return []backends.Op{op(c.op(b, x[0]))} }, of(x))[0]
		want := make([]complex128, len(x))
		for i := range x {
			want[i] = c.want(x[i])
		}
		near(t, c.name, got, want, 1e-10)
	}
	for _, c := range []struct {
		name string
		op   func(b backends.Builder, x, y backends.Op) (backends.Op, error)
		want func(x, y complex128) complex128
	}{
		{"Add", backends.Builder.Add, func(x, y complex128) complex128 { return x + y }}, {"Sub", backends.Builder.Sub, func(x, y complex128) complex128 { return x - y }},
		{"Mul", backends.Builder.Mul, func(x, y complex128) complex128 { return x * y }}, {"Div", backends.Builder.Div, func(x, y complex128) complex128 { return x / y }},
		{"Pow", backends.Builder.Pow, cmplx.Pow},
	} {
		got := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op { return []backends.Op{op(c.op(b, x[0], x[1]))} }, of(x), of(y))[0]
		want := make([]complex128, len(x))
		for i := range x {
			want[i] = c.want(x[i], y[i])
		}
		near(t, c.name, got, want, 1e-9)
	}
	sum, prod := complex128(0), complex128(1)
	for _, y := range y[:7] {
		sum, prod = sum+y, prod*y
	}
	folded := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		return []backends.Op{op(b.ReduceSum(x[0])), op(b.ReduceProduct(x[0], 0)), op(b.Dot(x[0], x[0]))}
	}, of(y[:7]))
	near(t, "sum", folded[0], []complex128{sum}, 1e-12)
	near(t, "product", folded[1], []complex128{prod}, 1e-12)
	dot := complex128(0)
	for _, y := range y[:7] {
		dot += y * y
	}
	near(t, "dot", folded[2], []complex128{dot}, 1e-12)
}

func TestTotalOrder(t *testing.T) {
	b := open(t)
	nan := float32(math.NaN())
	order := []float32{-nan, float32(math.Inf(-1)), -1, -1e-40, float32(math.Copysign(0, -1)), 0, 1e-40, 1, float32(math.Inf(1)), nan}
	order[0] = math.Float32frombits(math.Float32bits(nan) | 1<<31)
	n := len(order)
	var x, y []float32
	var less, equal, greater, lessEqual, greaterEqual, notEqual []bool
	for i := range n {
		for j := range n {
			x, y = append(x, order[i]), append(y, order[j])
			less, equal, greater = append(less, i < j), append(equal, i == j), append(greater, i > j)
			lessEqual, greaterEqual, notEqual = append(lessEqual, i <= j), append(greaterEqual, i >= j), append(notEqual, i != j)
		}
	}
	out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		return []backends.Op{op(b.LessThanTotalOrder(x[0], x[1])), op(b.EqualTotalOrder(x[0], x[1])), op(b.GreaterThanTotalOrder(x[0], x[1])),
			op(b.LessOrEqualTotalOrder(x[0], x[1])), op(b.GreaterOrEqualTotalOrder(x[0], x[1])), op(b.NotEqualTotalOrder(x[0], x[1]))}
	}, of(x), of(y))
	for i, want := range [][]bool{less, equal, greater, lessEqual, greaterEqual, notEqual} {
		same(t, []string{"less", "equal", "greater", "less or equal", "greater or equal", "not equal"}[i], out[i], want)
	}
}

// TestConversions: bits and data types.
func TestConversions(t *testing.T) {
	b := open(t)
	out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		narrow := op(b.Bitcast(x[0], dtypes.Uint16))
		bytes := op(b.Bitcast(x[0], dtypes.Int8))
		return []backends.Op{narrow, op(b.Bitcast(narrow, dtypes.Uint32)), bytes, op(b.Bitcast(x[0], dtypes.Float32)),
			op(b.ConvertDType(x[1], dtypes.Complex64)), op(b.ConvertDType(x[2], dtypes.Float32)), op(b.ConvertDType(x[2], dtypes.Bool)),
			op(b.Complex(x[1], op(b.Constant([]float32{5})))), op(b.Clz(x[0])), op(b.BitCount(x[0])), op(b.ConvertDType(x[1], dtypes.Int8))}
	}, of([]uint32{0xdeadbeef}), of([]float32{1.5, -300}), of([]complex64{2i, 0}))
	same(t, "narrow", out[0], []uint16{0xbeef, 0xdead}, 1, 2)
	same(t, "wide", out[1], []uint32{0xdeadbeef})
	same(t, "bytes", out[2], []int8{-17, -66, -83, -34}, 1, 4)
	same(t, "float", out[3], []float32{math.Float32frombits(0xdeadbeef)})
	same(t, "complex", out[4], []complex64{1.5, -300})
	same(t, "real part", out[5], []float32{0, 0})
	same(t, "bool of complex", out[6], []bool{true, false})
	same(t, "Complex", out[7], []complex64{1.5 + 5i, -300 + 5i})
	same(t, "Clz", out[8], []uint32{0})
	same(t, "BitCount", out[9], []uint32{24})
	same(t, "saturated", out[10], []int8{1, -128})
}

// TestIntegers: division, remainders and shifts have results for all operands.
func TestIntegers(t *testing.T) {
	b := open(t)
	x, y := of([]int32{7, -7, 7, -7, 5, math.MinInt32}), of([]int32{3, 3, -3, -3, 0, -1})
	out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		shift := op(b.Constant([]int32{1, 1, 31, 31, 32, 40}, 6))
		return []backends.Op{op(b.Div(x[0], x[1])), op(b.Rem(x[0], x[1])), op(b.ShiftLeft(x[0], shift)), op(b.ShiftRightArithmetic(x[0], shift)), op(b.ShiftRightLogical(x[0], shift)),
			op(b.LessThan(op(b.GreaterThan(x[0], x[1])), op(b.Constant([]bool{true}))))}
	}, x, y)
	same(t, "Div", out[0], []int32{2, -2, -2, 2, -1, math.MinInt32})
	same(t, "Rem", out[1], []int32{1, -1, 1, -1, 5, 0})
	same(t, "ShiftLeft", out[2], []int32{14, -14, math.MinInt32, math.MinInt32, 0, 0})
	same(t, "ShiftRightArithmetic", out[3], []int32{3, -4, 0, -1, 0, -1})
	same(t, "ShiftRightLogical", out[4], []int32{3, 0x7ffffffc, 0, 1, 0, 0})
	same(t, "comparison of bools", out[5], []bool{false, true, false, true, false, true})
}

// TestEmpty: arrays without elements, and reductions over none.
func TestEmpty(t *testing.T) {
	b := open(t)
	out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		return []backends.Op{op(b.Add(x[0], x[0])), op(b.ReduceSum(x[0], 1)), op(b.ReduceMax(x[0])), op(b.Dot(x[0], op(b.Transpose(x[0], 1, 0)))), op(b.Concatenate(1, x[0], x[0]))}
	}, of([]float32{}, 2, 0))
	same(t, "add", out[0], []float32{}, 2, 0)
	same(t, "sum", out[1], []float32{0, 0})
	same(t, "max", out[2], []float32{float32(math.Inf(-1))}, []int{}...)
	same(t, "dot", out[3], []float32{0, 0, 0, 0}, 2, 2)
	same(t, "concat", out[4], []float32{}, 2, 0)
}

func TestArgMinMax(t *testing.T) {
	b := open(t)
	nan := float32(math.NaN())
	out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		return []backends.Op{op(b.ArgMinMax(x[0], 1, dtypes.Int32, true)), op(b.ArgMinMax(x[0], 1, dtypes.Uint8, false)), op(b.ArgMinMax(x[0], 0, dtypes.Int64, false))}
	}, of([]float32{2, 0, 7, -3, 4, 4, 1, nan, nan}, 3, 3))
	same(t, "least", out[0], []int32{1, 0, 1})
	same(t, "greatest", out[1], []uint8{2, 1, 1})
	same(t, "along the first axis", out[2], []int64{0, 2, 2})
}
