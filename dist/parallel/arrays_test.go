package parallel_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
)

// array is a tensor of the whole problem, which every process computes alike: in float64, with numbers that an element type has.
type array struct {
	shape []int
	data  []float64
}

// normal makes an array of random numbers, rounded to E.
func normal[E dtype.Float](r *rand.Rand, shape ...int) array {
	a := array{shape: shape, data: make([]float64, volume(shape))}
	for i := range a.data {
		a.data[i] = r.NormFloat64()
	}
	a.data = dtype.Float64s(dtype.Floats[E](a.data))
	return a
}

func volume(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// take gives the elements at some indices of an axis.
func (a array) take(axis int, indices []int) array {
	outer, n, inner := volume(a.shape[:axis]), a.shape[axis], volume(a.shape[axis+1:])
	b := array{shape: append([]int(nil), a.shape...)}
	b.shape[axis] = len(indices)
	for o := range outer {
		for _, i := range indices {
			b.data = append(b.data, a.data[(o*n+i)*inner:(o*n+i+1)*inner]...)
		}
	}
	return b
}

// part gives the i-th of n equal parts of an axis.
func (a array) part(axis, i, n int) array {
	length := a.shape[axis] / n
	indices := make([]int, length)
	for j := range indices {
		indices[j] = i*length + j
	}
	return a.take(axis, indices)
}

// tensor copies an array to the device.
func tensor[E dtype.Float](r *rank, a array) (*cutile.Tensor[E], error) {
	return cutile.FromSlice(r.dev, dtype.Floats[E](a.data), a.shape...)
}

// fresh makes a tensor of the shape of an array, in which every element is -7, so that what is left out shows.
func fresh[E dtype.Float](r *rank, a array) (*cutile.Tensor[E], error) {
	return cutile.Full(r.dev, dtype.Floats[E]([]float64{-7})[0], a.shape...)
}

// all collects the tensors of a test, and the first error.
type all struct{ err error }

func keep[T any](a *all, t T, err error) T {
	if a.err == nil {
		a.err = err
	}
	return t
}

// near compares a tensor with numbers. Each may differ by tolerance times its bound, which has the magnitudes of what was added up.
func near[E dtype.Float](what string, got *cutile.Tensor[E], want, bound array, tolerance float64) error {
	x, err := got.Slice()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if len(x) != len(want.data) {
		return fmt.Errorf("%s has %d elements, want %d", what, len(x), len(want.data))
	}
	for i, g := range dtype.Float64s(x) {
		if d := math.Abs(g - want.data[i]); !(d <= tolerance*(bound.data[i]+math.Abs(want.data[i]))) {
			return fmt.Errorf("%s of %v: element %d is %v, want %v", what, got.Shape(), i, g, want.data[i])
		}
	}
	return nil
}
