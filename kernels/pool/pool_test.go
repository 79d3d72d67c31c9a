package pool_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/pool"
)

// sizes are those of a pool along any number of axes. Adaptive ones have places instead of options.
type sizes struct {
	batch, channels int
	size            []int
	o               pool.Options
	parts           []int
}

func at(list []int, i, other int) int {
	if list == nil {
		return other
	}
	return list[i]
}

func product(list []int) int {
	n := 1
	for _, d := range list {
		n *= d
	}
	return n
}

// elements gives those of place p along axis i, and how many count; ok is false behind the last place.
func (s sizes) elements(i, p int) (list []int, count int, ok bool) {
	n := s.size[i]
	if s.parts != nil {
		for e := range n { // from ⌊p·n/m⌋ to before ⌈(p+1)·n/m⌉
			if m := s.parts[i]; (e+1)*m > p*n && e*m < (p+1)*n {
				list = append(list, e)
			}
		}
		return list, max(len(list), 1), p < s.parts[i]
	}
	begin := p*at(s.o.Stride, i, 1) - at(s.o.Low, i, 0)
	for q := range s.o.Window[i] {
		e := begin + q*at(s.o.Dilation, i, 1)
		ok = e < n+at(s.o.High, i, 0)
		if e >= 0 && e < n {
			list = append(list, e)
		}
	}
	if s.o.CountPadding {
		return list, s.o.Window[i], ok
	}
	return list, max(len(list), 1), ok
}

func (s sizes) places() []int {
	var out []int
	for i := range s.size {
		n := 0
		for _, _, ok := s.elements(i, n); ok; _, _, ok = s.elements(i, n) {
			n++
		}
		out = append(out, n)
	}
	return out
}

// each calls a function for each window, with the number of the result, those of its elements, their places in the plane, and how many
// count.
func (s sizes) each(f func(y int, x, plane []int, count int)) {
	places := s.places()
	for y := range s.batch * s.channels * product(places) {
		rest, list, count := y%product(places), []int{0}, 1
		for i := len(places) - 1; i >= 0; i-- {
			along, n, _ := s.elements(i, rest%places[i])
			rest, count = rest/places[i], count*n
			var next []int
			for _, e := range along {
				for _, behind := range list {
					next = append(next, e*product(s.size[i+1:])+behind)
				}
			}
			list = next
		}
		x := make([]int, len(list))
		for i, e := range list {
			x[i] = y/product(places)*product(s.size) + e
		}
		f(y, x, list, count)
	}
}

func all[E pool.Float](t *testing.T, dev *cutile.Device, r *rand.Rand, s sizes, tolerance float64) {
	t.Helper()
	ctx := t.Context()
	input, result := slices.Concat([]int{s.batch, s.channels}, s.size), slices.Concat([]int{s.batch, s.channels}, s.places())
	x, xs := kerneltest.Random[E](t, dev, r, input...)
	dy, dys := kerneltest.Random[E](t, dev, r, result...)
	y, dx := kerneltest.New[E](t, dev, result...), kerneltest.New[E](t, dev, input...)
	index := kerneltest.New[int32](t, dev, result...)
	greatest, where, means := make([]float64, len(dys)), make([]float64, len(dys)), make([]float64, len(dys))
	dmax, dmean := make([]float64, len(xs)), make([]float64, len(xs))
	s.each(func(k int, list, plane []int, count int) {
		greatest[k], where[k] = math.Inf(-1), -1
		for i, e := range list {
			if xs[e] > greatest[k] || where[k] < 0 || xs[e] == greatest[k] && plane[i] < int(where[k]) {
				greatest[k], where[k] = xs[e], float64(plane[i])
			}
			means[k] += xs[e] / float64(count)
			dmean[e] += dys[k] / float64(count)
		}
		for i, e := range list {
			if plane[i] == int(where[k]) {
				dmax[e] += dys[k]
			}
		}
	})
	near := func(what string, got *cutile.Tensor[E], want []float64) {
		t.Helper()
		kerneltest.Near(t, fmt.Sprintf("%s of %+v", what, s), got, want, tolerance)
	}
	if s.parts != nil {
		kerneltest.Must(t, pool.Adaptive(ctx, dev, x, y))
		near("adaptive mean", y, means)
		kerneltest.Must(t, pool.AdaptiveBackward(ctx, dev, dy, dx))
		near("dx of an adaptive mean", dx, dmean)
		return
	}
	kerneltest.Must(t, pool.Max(ctx, dev, x, y, nil, s.o))
	near("max", y, greatest)
	kerneltest.Must(t, pool.Max(ctx, dev, x, y, index, s.o))
	near("max with indices", y, greatest)
	kerneltest.Near(t, fmt.Sprintf("indices of %+v", s), index, where, 0)
	kerneltest.Must(t, pool.MaxBackward(ctx, dev, dy, index, dx, s.o))
	near("dx of max", dx, dmax)
	kerneltest.Must(t, pool.Mean(ctx, dev, x, y, s.o))
	near("mean", y, means)
	kerneltest.Must(t, pool.MeanBackward(ctx, dev, dy, dx, s.o))
	near("dx of mean", dx, dmean)
}

func TestPools(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for i, s := range []sizes{
		{1, 1, []int{1}, pool.Options{Window: []int{1}}, nil},
		{2, 3, []int{17}, pool.Options{Window: []int{4}, Stride: []int{3}}, nil},
		{2, 3, []int{8, 9}, pool.Options{Window: []int{2, 3}, Stride: []int{2, 3}}, nil},
		{1, 2, []int{9, 70}, pool.Options{Window: []int{3, 3}, Stride: []int{2, 2}, Low: []int{1, 1}, High: []int{1, 1}}, nil},
		{1, 2, []int{9, 7}, pool.Options{Window: []int{3, 3}, Low: []int{1, 0}, High: []int{0, 2}, CountPadding: true}, nil},
		{1, 2, []int{12, 11}, pool.Options{Window: []int{3, 2}, Stride: []int{4, 3}, Dilation: []int{2, 3}}, nil}, // elements in no window
		{1, 2, []int{13, 12}, pool.Options{Window: []int{3, 3}, Stride: []int{2, 1}, Dilation: []int{4, 2}, Low: []int{3, 1}, High: []int{2, 4}}, nil},
		{5, 30, []int{7, 7}, pool.Options{Window: []int{7, 7}}, nil},                                     // whole planes
		{1, 2, []int{2, 3}, pool.Options{Window: []int{1, 1}, Low: []int{1, 2}, High: []int{2, 0}}, nil}, // windows without an element
		{0, 2, []int{3, 3}, pool.Options{Window: []int{2, 2}}, nil},
		{2, 0, []int{3, 3}, pool.Options{Window: []int{2, 2}}, nil},
		{2, 3, []int{7, 9}, pool.Options{}, []int{3, 4}},
		{2, 3, []int{3, 5}, pool.Options{}, []int{7, 5}}, // more parts than elements
		{2, 40, []int{5, 6}, pool.Options{}, []int{1, 1}},
		{2, 3, []int{11}, pool.Options{}, []int{4}},
		{2, 3, []int{5}, pool.Options{}, []int{0}},
	} {
		all[float32](t, dev, r, s, 1e-5)
		if i%4 == 3 {
			all[dtype.Float16](t, dev, r, s, 2e-3)
			all[dtype.BFloat16](t, dev, r, s, 2e-2)
		}
	}
}

// TestRandomShapes draws all extents and options.
func TestRandomShapes(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for i := range 20 {
		s := sizes{batch: 1 + r.IntN(2), channels: 1 + r.IntN(5), o: pool.Options{CountPadding: i%3 == 0}}
		for range 1 + r.IntN(2) {
			n, dilation, low, high := 1+r.IntN(4), 1+r.IntN(3), r.IntN(4), r.IntN(4)
			s.size = append(s.size, max((n-1)*dilation+1-low-high, 1)+r.IntN(12))
			s.o.Window, s.o.Stride, s.o.Dilation = append(s.o.Window, n), append(s.o.Stride, 1+r.IntN(4)), append(s.o.Dilation, dilation)
			s.o.Low, s.o.High = append(s.o.Low, low), append(s.o.High, high)
			if i%5 == 4 {
				s.parts = append(s.parts, 1+r.IntN(9))
			}
		}
		all[float32](t, dev, r, s, 1e-5)
	}
}

// TestViews has images whose channels are last.
func TestViews(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}, 1, 2, 3, 2)
	y, index := kerneltest.New[float32](t, dev, 1, 1, 2, 2), kerneltest.New[int32](t, dev, 1, 1, 2, 2)
	first := func(x *cutile.Tensor[float32]) *cutile.Tensor[float32] { return x.Permute(0, 3, 1, 2) }
	o := pool.Options{Window: []int{2, 2}}
	kerneltest.Must(t, pool.Max(ctx, dev, first(x), first(y), index.Permute(0, 3, 1, 2), o))
	kerneltest.Near(t, "max", y, []float64{5, 50, 6, 60}, 0)
	kerneltest.Near(t, "indices", index, []float64{4, 4, 5, 5}, 0)
	kerneltest.Must(t, pool.Mean(ctx, dev, first(x), first(y), o))
	kerneltest.Near(t, "mean", y, []float64{3, 30, 4, 40}, 0)
}

// TestNaN: a window with NaN gives NaN, and the index of the first one; one of -Inf alone gives the first element.
func TestNaN(t *testing.T) {
	dev, ctx, nan, inf := kerneltest.CPU(t), t.Context(), math.NaN(), math.Inf(-1)
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{1, 2, nan, nan, 3, inf, inf, inf, 4, 4, 2, 4}, 1, 1, 12)
	y, index := kerneltest.New[float32](t, dev, 1, 1, 4), kerneltest.New[int32](t, dev, 1, 1, 4)
	kerneltest.Must(t, pool.Max(ctx, dev, x, y, index, pool.Options{Window: []int{3}, Stride: []int{3}}))
	kerneltest.Near(t, "max", y, []float64{nan, nan, 4, 4}, 0)
	kerneltest.Near(t, "indices", index, []float64{2, 3, 8, 9}, 0)
	kerneltest.Must(t, pool.Max(ctx, dev, x.Narrow(2, 5, 7), y.Narrow(2, 0, 1), index.Narrow(2, 0, 1), pool.Options{Window: []int{2}}))
	kerneltest.Near(t, "max of -Inf", y.Narrow(2, 0, 1), []float64{inf}, 0)
	kerneltest.Near(t, "index of -Inf", index.Narrow(2, 0, 1), []float64{0}, 0)
}

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	o := pool.Options{Window: []int{2, 2}}
	for _, c := range []struct {
		err  error
		want string
	}{
		{pool.Max(ctx, dev, x(3, 3), x(1, 1, 2, 2), nil, o), "pool.Max: x has shape [3 3] of rank 2, expected rank 4: [batch channels rows cols]"},
		{pool.Max(ctx, dev, x(1, 1, 3, 3), x(1, 1, 2, 2), nil, pool.Options{}), "pool.Max: the input has 2 spatial axes and the window 0, expected one or two of both"},
		{pool.Max(ctx, dev, x(1, 1, 3, 3), x(1, 2, 2, 2), nil, o),
			"pool.Max: y has shape [1 2 2 2], expected [batch channels down across]: axis 1 is 2, but channels is 1 along axis 1 of x"},
		{pool.Mean(ctx, dev, x(1, 1, 3, 3), x(1, 1, 2, 3), o),
			"pool.Mean: y has shape [1 1 2 3]: axis 3 is 3, expected 2, for windows over 2 of 3 elements and 0 and 0 of padding, 1 apart"},
		{pool.Mean(ctx, dev, x(1, 1, 1, 3), x(1, 1, 2, 3), o), "pool.Mean: windows reach over 2 elements along spatial axis 0, expected at most 1, of which 0 are padding"},
		{pool.MeanBackward(ctx, dev, x(1, 1, 2, 2), nil, o), "pool.MeanBackward: dx is nil, expected a tensor"},
		{pool.MaxBackward(ctx, dev, x(1, 1, 2, 2), nil, x(1, 1, 3, 3), o), "pool.MaxBackward: indices is nil, expected a tensor"},
		{pool.Adaptive(ctx, dev, x(1, 1, 3, 3), x(1, 1, 2)), "pool.Adaptive: y has shape [1 1 2] of rank 3, expected rank 4: [batch channels down across]"},
		{pool.Adaptive(ctx, nil, x(1, 1, 3), x(1, 1, 2)), "pool.Adaptive: the target is nil: give a device or a stream"},
		{pool.Mean(ctx, dev.Grid(1), x(1, 1, 3, 3), x(1, 1, 2, 2), o), "pool.Mean: the grid follows from the shapes: give a device or a stream without a grid"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
}
