package quant

import (
	"context"
	"errors"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Int8 is a matrix [rows, k] of weights in which Group elements along k share a scale: element (i, j) is Values[i, j]·Scales[i,
// j/Group]. Only weights are integers; what they are multiplied by is not rounded. (A. Gholami and others, A survey of quantization
// methods for efficient neural network inference, 2021.)
type Int8 struct {
	Values *cutile.Tensor[int8]    // [rows, k], -127 to 127
	Scales *cutile.Tensor[float32] // [rows, k/Group]
	Group  int
}

// Int4 is like [Int8] with integers of four bits, -7 to 7.
type Int4 struct {
	Values *cutile.Tensor[uint8]   // [rows, k/2]: bytes that hold two integers each, the first in the lower half
	Scales *cutile.Tensor[float32] // [rows, k/Group]
	Group  int
}

// checkGroup checks how many elements share a scale.
func checkGroup(function string, group int) error {
	if group < 16 || group > 256 || group&(group-1) != 0 {
		return shape.Wrong(function, "the group is %d, expected a power of two from 16 to 256", group)
	}
	return nil
}

// rounded gives the integers up to most that are nearest to x over the scales of its groups, and the scales, with which the greatest
// magnitude of a group is most.
func rounded(x []float32, group, most int) (values []int8, scales []float32) {
	values, scales = make([]int8, len(x)), make([]float32, len(x)/group)
	for g := range scales {
		part := x[g*group:][:group]
		scales[g] = peak(part) / float32(most)
		if scales[g] == 0 {
			continue // all elements are 0, or too small for a scale
		}
		for i, v := range part {
			q := math.RoundToEven(float64(v) / float64(scales[g]))
			values[g*group+i] = int8(max(-float64(most), min(q, float64(most))))
		}
	}
	return values, scales
}

// Int8FromSlice rounds a matrix [rows, k] of finite numbers in row-major order; k is a multiple of group, a power of two from 16 to 256.
// The scale of a group brings its greatest magnitude to 127.
func Int8FromSlice(dev *cutile.Device, x []float32, rows, k, group int) (*Int8, error) {
	const name = "quant.Int8FromSlice"
	if err := checkIntegers(name, x, rows, k, group); err != nil {
		return nil, err
	}
	q, s := rounded(x, group, 127)
	values, err := cutile.FromSlice(dev, q, rows, k)
	if err != nil {
		return nil, err
	}
	scales, err := cutile.FromSlice(dev, s, rows, k/group)
	if err != nil {
		values.Close()
		return nil, err
	}
	return &Int8{values, scales, group}, nil
}

// Int4FromSlice is [Int8FromSlice] for integers of four bits: the scale of a group brings its greatest magnitude to 7.
func Int4FromSlice(dev *cutile.Device, x []float32, rows, k, group int) (*Int4, error) {
	const name = "quant.Int4FromSlice"
	if err := checkIntegers(name, x, rows, k, group); err != nil {
		return nil, err
	}
	q, s := rounded(x, group, 7)
	bytes := make([]uint8, len(q)/2)
	for i := range bytes {
		bytes[i] = uint8(q[2*i])&15 | uint8(q[2*i+1])<<4
	}
	values, err := cutile.FromSlice(dev, bytes, rows, k/2)
	if err != nil {
		return nil, err
	}
	scales, err := cutile.FromSlice(dev, s, rows, k/group)
	if err != nil {
		values.Close()
		return nil, err
	}
	return &Int4{values, scales, group}, nil
}

func checkIntegers(function string, x []float32, rows, k, group int) error {
	if err := checkGroup(function, group); err != nil {
		return err
	}
	return checkSlice(function, x, rows, k, group)
}

// Close frees the memory when all queued work has run.
func (m *Int8) Close() error { return errors.Join(m.Values.Close(), m.Scales.Close()) }

// Close frees the memory when all queued work has run.
func (m *Int4) Close() error { return errors.Join(m.Values.Close(), m.Scales.Close()) }

// checkWeights checks a product with weights of k elements a row in groups.
func checkWeights(function string, k, groups, group int) error {
	if err := checkGroup(function, group); err != nil {
		return err
	}
	return checkScales(function, k, groups, group)
}

// RunLinearInt8 queues y = x·wᵀ for x [tokens, in], w [out, in] and y [tokens, out], with integer weights. Sums are float32.
func RunLinearInt8[E, C Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], w *Int8, y *cutile.Tensor[C]) error {
	const name = "quant.RunLinearInt8"
	if w == nil {
		return shape.Wrong(name, "w is nil, expected a matrix")
	}
	n, err := shape.Check(name, shape.Of("x", x, "m k"), shape.Of("w.Values", w.Values, "n k"), shape.Of("w.Scales", w.Scales, "n groups"), shape.Of("y", y, "m n"))
	if err == nil {
		err = checkWeights(name, n["k"], n["groups"], w.Group)
	}
	if err != nil {
		return err
	}
	k := cutile.Sized(WeightInt8[E, C, one, one, one], shape.Fit(n["m"], 16, 64), shape.Fit(n["n"], 16, 64), w.Group)
	return cutile.Launch(ctx, on, k, x, w.Values, w.Scales.T(), y)
}

// RunLinearInt4 queues y = x·wᵀ for x [tokens, in], w [out, in] and y [tokens, out], with integer weights. Sums are float32.
func RunLinearInt4[E, C Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], w *Int4, y *cutile.Tensor[C]) error {
	const name = "quant.RunLinearInt4"
	if w == nil {
		return shape.Wrong(name, "w is nil, expected a matrix")
	}
	n, err := shape.Check(name, shape.Of("x", x, "m k"), shape.Of("w.Values", w.Values, "n k/2"), shape.Of("w.Scales", w.Scales, "n groups"), shape.Of("y", y, "m n"))
	if err == nil && n["k"] != 2*n["k/2"] {
		err = shape.Wrong(name, "x has rows of %d elements and w.Values of %d bytes, expected half as many bytes", n["k"], n["k/2"])
	}
	if err == nil {
		err = checkWeights(name, n["k"], n["groups"], w.Group)
	}
	if err != nil {
		return err
	}
	k := cutile.Sized(WeightInt4[E, C, one, one, one], shape.Fit(n["m"], 16, 64), shape.Fit(n["n"], 16, 64), w.Group)
	return cutile.Launch(ctx, on, k, x, w.Values, w.Scales.T(), y)
}
