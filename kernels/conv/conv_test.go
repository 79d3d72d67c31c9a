package conv_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/conv"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/tile"
)

// sizes are those of a convolution along any number of axes.
type sizes struct {
	batch, channels, features int
	size, window              []int
	o                         conv.Options
}

func (s sizes) groups() int { return max(1, s.o.Groups) }

// at is number i of a list, or what nil stands for.
func at(list []int, i, other int) int {
	if list == nil {
		return other
	}
	return list[i]
}

// places are the extents of the result, counted one by one: the windows that begin inside and end inside of the padded input.
func (s sizes) places() []int {
	var out []int
	for i, n := range s.size {
		count, low, high := 0, at(s.o.Low, i, 0), at(s.o.High, i, 0)
		for begin := -low; begin+(s.window[i]-1)*at(s.o.Dilation, i, 1) < n+high; begin += at(s.o.Stride, i, 1) {
			count++
		}
		out = append(out, count)
	}
	return out
}

func (s sizes) input() []int  { return slices.Concat([]int{s.batch, s.channels}, s.size) }
func (s sizes) result() []int { return slices.Concat([]int{s.batch, s.features}, s.places()) }
func (s sizes) weights() []int {
	return slices.Concat([]int{s.features, s.channels / s.groups()}, s.window)
}

func product(list []int) int {
	n := 1
	for _, d := range list {
		n *= d
	}
	return n
}

// each calls a function for each product of a convolution, with the numbers of the elements of input, weights and result.
func (s sizes) each(f func(x, w, y int)) {
	places, inner := s.places(), s.channels/s.groups()
	for y := range product(s.result()) {
		b, feature, rest := y/product(places)/s.features, y/product(places)%s.features, y%product(places)
		place := make([]int, len(places))
		for i := len(places) - 1; i >= 0; i-- {
			place[i], rest = rest%places[i], rest/places[i]
		}
		group := feature / (s.features / s.groups())
		for k := range inner * product(s.window) {
			c, rest := k/product(s.window), k%product(s.window)
			x, scale, inside := 0, 1, true
			for i := len(places) - 1; i >= 0; i-- {
				q := place[i]*at(s.o.Stride, i, 1) + rest%s.window[i]*at(s.o.Dilation, i, 1) - at(s.o.Low, i, 0)
				inside = inside && q >= 0 && q < s.size[i]
				x, scale, rest = x+q*scale, scale*s.size[i], rest/s.window[i]
			}
			if inside {
				f((b*s.channels+group*inner+c)*product(s.size)+x, feature*inner*product(s.window)+k, y)
			}
		}
	}
}

// channel is the one of element i of a tensor.
func channel(shape []int, i int) int { return i / product(shape[2:]) % shape[1] }

func compare[E kerneltest.Num](t *testing.T, what string, s sizes, got *cutile.Tensor[E], want []float64, tolerance float64) {
	t.Helper()
	kerneltest.Near(t, fmt.Sprintf("%s of %+v", what, s), got, want, tolerance)
}

// all compares a convolution, the transposed one, and the gradients with the definition.
func all[E conv.Float](t *testing.T, dev *cutile.Device, r *rand.Rand, s sizes, tolerance float64) {
	t.Helper()
	ctx := t.Context()
	x, xs := random[E](t, dev, r, s.input())
	w, ws := random[E](t, dev, r, s.weights())
	dy, dys := random[E](t, dev, r, s.result())
	bias, biases := random[E](t, dev, r, []int{s.features})
	back, backs := random[E](t, dev, r, []int{s.channels})
	y, ys := fresh[E](t, dev, s.result())
	dx, dxs := fresh[E](t, dev, s.input())
	tx, txs := fresh[E](t, dev, s.input())
	dw, dws := fresh[E](t, dev, s.weights())
	db, dbs := fresh[E](t, dev, []int{s.features})
	s.each(func(i, k, j int) {
		ys[j] += xs[i] * ws[k]
		dxs[i] += dys[j] * ws[k]
		dws[k] += dys[j] * xs[i]
	})
	for i, v := range dxs {
		txs[i] = math.Max(v+backs[channel(s.input(), i)], 0)
	}
	for i := range ys {
		ys[i] += biases[channel(s.result(), i)]
		dbs[channel(s.result(), i)] += dys[i]
	}
	kerneltest.Must(t, conv.Run(ctx, dev, x, w, bias, y, s.o, nil))
	compare(t, "y", s, y, ys, tolerance)
	kerneltest.Must(t, conv.InputGradient(ctx, dev, dy, w, dx, s.o))
	compare(t, "dx", s, dx, dxs, tolerance)
	kerneltest.Must(t, conv.RunTransposed(ctx, dev, dy, w, back, tx, s.o, gemm.ReLU[tile.F32T2[tile.D1, tile.D1]]))
	compare(t, "transposed", s, tx, txs, tolerance)
	kerneltest.Must(t, conv.WeightGradient(ctx, dev, dy, x, dw, s.o))
	compare(t, "dw", s, dw, dws, tolerance)
	kerneltest.Must(t, conv.BiasGradient(ctx, dev, dy, db))
	compare(t, "db", s, db, dbs, tolerance)
}

// random makes a tensor of numbers small enough that sums of many products stay near 1.
func random[E kerneltest.Num](t *testing.T, dev *cutile.Device, r *rand.Rand, shape []int) (*cutile.Tensor[E], []float64) {
	t.Helper()
	values := make([]float64, product(shape))
	for i := range values {
		values[i] = r.NormFloat64() / 2
	}
	return kerneltest.Tensor[E](t, dev, values, shape...)
}

func fresh[E kerneltest.Num](t *testing.T, dev *cutile.Device, shape []int) (*cutile.Tensor[E], []float64) {
	t.Helper()
	return kerneltest.New[E](t, dev, shape...), make([]float64, product(shape))
}

var cases = []sizes{
	{1, 1, 1, []int{1}, []int{1}, conv.Options{}},
	{2, 3, 5, []int{17}, []int{4}, conv.Options{Stride: []int{2}, Low: []int{3}, High: []int{0}}},
	{2, 3, 5, []int{7, 9}, []int{3, 3}, conv.Options{}},
	{1, 20, 17, []int{5, 13}, []int{1, 1}, conv.Options{}},                                                                               // windows of one element
	{2, 8, 6, []int{5, 5}, []int{1, 1}, conv.Options{Groups: 2}},                                                                         //
	{1, 4, 4, []int{9, 6}, []int{1, 1}, conv.Options{Stride: []int{2, 3}}},                                                               // phases without taps
	{1, 4, 6, []int{8, 8}, []int{3, 5}, conv.Options{Low: []int{1, 2}, High: []int{1, 2}}},                                               // the same extents
	{1, 2, 3, []int{11, 10}, []int{3, 2}, conv.Options{Stride: []int{2, 3}, Low: []int{1, 0}, High: []int{0, 2}}},                        // asymmetric
	{1, 2, 3, []int{11, 10}, []int{3, 2}, conv.Options{Dilation: []int{2, 3}}},                                                           //
	{1, 2, 3, []int{13, 12}, []int{4, 3}, conv.Options{Stride: []int{4, 2}, Dilation: []int{2, 3}, Low: []int{5, 1}, High: []int{0, 4}}}, // a common divisor
	{2, 6, 4, []int{6, 6}, []int{3, 3}, conv.Options{Groups: 2}},                                                                         //
	{1, 5, 5, []int{6, 19}, []int{3, 3}, conv.Options{Groups: 5, Low: []int{1, 1}, High: []int{1, 1}}},                                   // depthwise
	{1, 3, 6, []int{40}, []int{5}, conv.Options{Groups: 3, Stride: []int{2}}},                                                            // depthwise, two features each
	{1, 3, 12, []int{9}, []int{3}, conv.Options{Groups: 3}},                                                                              // four features each
	{1, 70, 130, []int{3, 3}, []int{2, 2}, conv.Options{}},                                                                               // several tiles of channels and taps
	{1, 1, 2, []int{70, 80}, []int{3, 3}, conv.Options{Low: []int{1, 1}, High: []int{1, 1}}},                                             // several tiles of places
	{1, 2, 2, []int{2, 2}, []int{5, 5}, conv.Options{Low: []int{4, 4}, High: []int{4, 4}}},                                               // more padding than input
	{1, 2, 2, []int{0, 2}, []int{1, 1}, conv.Options{Low: []int{1, 0}, High: []int{2, 0}}},                                               // nothing but padding
	{0, 2, 3, []int{4, 4}, []int{3, 3}, conv.Options{}},                                                                                  // no sequences
	{2, 0, 3, []int{4, 4}, []int{3, 3}, conv.Options{}},                                                                                  // no channels: the bias
	{2, 3, 0, []int{4, 4}, []int{3, 3}, conv.Options{}},                                                                                  // no features
}

func TestConvolutions(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for i, s := range cases {
		all[float32](t, dev, r, s, 2e-5)
		if i%3 == 1 {
			all[dtype.Float16](t, dev, r, s, 1e-2)
			all[dtype.BFloat16](t, dev, r, s, 5e-2)
		}
	}
}

// TestRandomShapes draws all extents and options.
func TestRandomShapes(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	draws := 40
	if testing.Short() {
		draws = 8
	}
	for range draws {
		groups := 1 + r.IntN(3)
		s := sizes{batch: 1 + r.IntN(2), channels: groups * (1 + r.IntN(5)), features: groups * (1 + r.IntN(6)), o: conv.Options{Groups: groups}}
		for range 1 + r.IntN(2) {
			window, dilation, low, high := 1+r.IntN(4), 1+r.IntN(3), r.IntN(4), r.IntN(4)
			s.size = append(s.size, max((window-1)*dilation+1-low-high, 0)+r.IntN(9))
			s.window = append(s.window, window)
			s.o.Stride, s.o.Dilation = append(s.o.Stride, 1+r.IntN(4)), append(s.o.Dilation, dilation)
			s.o.Low, s.o.High = append(s.o.Low, low), append(s.o.High, high)
		}
		all[float32](t, dev, r, s, 2e-5)
	}
}

// TestViews has images whose channels are last, and weights in the same order: views with the axes of the definition.
func TestViews(t *testing.T) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	for _, s := range []sizes{
		{2, 5, 20, []int{6, 7}, []int{3, 2}, conv.Options{Stride: []int{1, 2}}},
		{2, 20, 5, []int{6, 7}, []int{1, 1}, conv.Options{}},
		{2, 4, 4, []int{6, 7}, []int{3, 3}, conv.Options{Groups: 4}},
	} {
		last := func(shape []int) []int { return []int{shape[0], shape[2], shape[3], shape[1]} }
		x, xs := random[float32](t, dev, r, last(s.input()))
		w, ws := random[float32](t, dev, r, last(s.weights()))
		y, ys := fresh[float32](t, dev, last(s.result()))
		dx, dxs := fresh[float32](t, dev, last(s.input()))
		// place gives the number in a tensor whose channels are last.
		place := func(shape []int, i int) int {
			n := shape[2] * shape[3]
			return (i/n/shape[1]*n+i%n)*shape[1] + i/n%shape[1]
		}
		s.each(func(i, k, j int) {
			i, k, j = place(s.input(), i), place(s.weights(), k), place(s.result(), j)
			ys[j] += xs[i] * ws[k]
		})
		s.each(func(i, k, j int) {
			i, k, j = place(s.input(), i), place(s.weights(), k), place(s.result(), j)
			dxs[i] += ys[j] * ws[k]
		})
		first := func(t *cutile.Tensor[float32]) *cutile.Tensor[float32] { return t.Permute(0, 3, 1, 2) }
		kerneltest.Must(t, conv.Run(ctx, dev, first(x), first(w), nil, first(y), s.o, nil))
		compare(t, "y", s, y, ys, 2e-5)
		kerneltest.Must(t, conv.InputGradient(ctx, dev, first(y), first(w), first(dx), s.o))
		compare(t, "dx", s, dx, dxs, 2e-4)
	}
}

// TestFunctions has functions behind the sum, in each kernel.
func TestFunctions(t *testing.T) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	gelu := func(x float64) float64 { return x * (1 + math.Erf(x/math.Sqrt2)) / 2 }
	silu := func(x float64) float64 { return x / (1 + math.Exp(-x)) }
	for _, s := range []sizes{
		{1, 4, 6, []int{5, 6}, []int{3, 3}, conv.Options{}},
		{1, 4, 6, []int{5, 6}, []int{1, 1}, conv.Options{}},
		{1, 4, 4, []int{5, 6}, []int{3, 3}, conv.Options{Groups: 4}},
	} {
		for _, c := range []struct {
			name string
			f    conv.Func
			want func(float64) float64
		}{
			{"GELU", gemm.GELU[tile.F32T2[tile.D1, tile.D1]], gelu}, {"SiLU", gemm.SiLU[tile.F32T2[tile.D1, tile.D1]], silu},
		} {
			x, xs := random[float32](t, dev, r, s.input())
			w, ws := random[float32](t, dev, r, s.weights())
			y, ys := fresh[float32](t, dev, s.result())
			s.each(func(i, k, j int) { ys[j] += xs[i] * ws[k] })
			for i := range ys {
				ys[i] = c.want(ys[i])
			}
			kerneltest.Must(t, conv.Run(ctx, dev, x, w, nil, y, s.o, c.f))
			compare(t, c.name, s, y, ys, 2e-5)
		}
	}
}

// TestSame holds the padding against what it is for: as many places as strides fit, and at most one zero more behind than before.
func TestSame(t *testing.T) {
	for n := 1; n < 12; n++ {
		for window := 1; window < 6; window++ {
			for stride := 1; stride < 5; stride++ {
				for dilation := 1; dilation < 4; dilation++ {
					o, err := conv.Options{Stride: []int{stride}, Dilation: []int{dilation}}.Same([]int{n}, []int{window})
					kerneltest.Must(t, err)
					extents, err := o.Extents([]int{n}, []int{window})
					kerneltest.Must(t, err)
					if d := o.High[0] - o.Low[0]; extents[0] != (n+stride-1)/stride || d != 0 && d != 1 {
						t.Errorf("%d elements, windows of %d, stride %d, dilation %d: %v, and %v places", n, window, stride, dilation, o, extents)
					}
				}
			}
		}
	}
}
