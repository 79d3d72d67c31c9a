package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
)

// epilogue is the function that is applied to a product, on the device and in plain Go for comparison.
type epilogue struct {
	name   string
	device func(block) block // nil for no epilogue and no bias
	plain  func(float64) float64
}

var epilogues = []epilogue{
	{"plain", nil, nil},
	{"bias + ReLU", relu[block], func(x float64) float64 { return max(x, 0) }},
	{"bias + GELU", gelu[block], func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}},
}

// result is a product with its errors against the product in float64.
type result struct {
	got   []dtype.Float16
	worst float64 // the greatest error
	share float64 // the greatest error relative to the bound of rounding errors
}

// compare multiplies random matrices on the device and in plain Go.
func compare(ctx context.Context, dev *cutile.Device, r *rand.Rand, m, n, k int, e epilogue) (result, error) {
	as, bs, biases := random(r, m*k), random(r, k*n), make([]float32, n)
	for j := range biases {
		biases[j] = r.Float32()
	}
	a, err := cutile.FromSlice(dev, as, m, k)
	if err != nil {
		return result{}, err
	}
	b, err := cutile.FromSlice(dev, bs, k, n)
	if err != nil {
		return result{}, err
	}
	bias, err := cutile.FromSlice(dev, biases)
	if err != nil {
		return result{}, err
	}
	c, err := cutile.NewTensor[dtype.Float16](dev, m, n)
	if err != nil {
		return result{}, err
	}
	if err := multiply(ctx, dev, a, b, bias, c, e.device); err != nil {
		return result{}, err
	}
	got, err := c.Slice()
	if err != nil {
		return result{}, err
	}
	res := result{got: got}
	for i := range m {
		for j := range n {
			want, bound := reference(as[i*k:(i+1)*k], bs, j, n, float64(biases[j]), e)
			diff := math.Abs(got[i*n+j].Float64() - want)
			res.worst, res.share = max(res.worst, diff), max(res.share, diff/bound)
		}
	}
	return res, nil
}

// reference returns an element of the product of a row of a and a column of b, which has n columns, and a bound for its
// error with float32 sums and a float16 result. Each rounding of the sum has an error of 2^-24 of the magnitudes that
// were added, and the last one has an error of 2^-11 of the result.
func reference(row, b []dtype.Float16, j, n int, bias float64, e epilogue) (want, bound float64) {
	size := 0.0
	for i, x := range row {
		p := x.Float64() * b[i*n+j].Float64()
		want += p
		size += math.Abs(p)
	}
	if e.plain != nil {
		size += 8 * (math.Abs(want) + math.Abs(bias)) // the activation rounds a few times more
		want = e.plain(want + bias)
	}
	const steepest = 1.13 // the greatest slope of an activation
	return want, steepest*float64(len(row)+8)*size*0x1p-24 + math.Abs(want)*0x1p-11 + 0x1p-25
}

// random returns numbers in [-1, 1).
func random(r *rand.Rand, n int) []dtype.Float16 {
	x := make([]dtype.Float16, n)
	for i := range x {
		x[i] = dtype.Float16FromFloat64(2*r.Float64() - 1)
	}
	return x
}
