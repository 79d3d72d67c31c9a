package conv_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/conv"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	for _, c := range []struct {
		x, w, y []int
		o       conv.Options
		want    string
	}{
		{[]int{1, 2, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{}, "x has shape [1 2 5] of rank 3, expected rank 4: [batch channels rows cols]"},
		{[]int{1, 2, 5, 5}, []int{3, 2, 2, 2}, []int{2, 3, 4, 4}, conv.Options{},
			"y has shape [2 3 4 4], expected [batch features down across]: axis 0 is 2, but batch is 1 along axis 0 of x"},
		{[]int{1, 2, 5, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 5}, conv.Options{},
			"y has shape [1 3 4 5]: axis 3 is 5, expected 4, for windows over 2 of 5 elements and 0 and 0 of padding, 1 apart"},
		{[]int{1, 3, 5, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{},
			"x has 3 channels and w [features inner …] has shape [3 2 2 2], expected channels = 1·inner for Groups 1, and features that 1 divides"},
		{[]int{1, 4, 5, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{Groups: 2},
			"x has 4 channels and w [features inner …] has shape [3 2 2 2], expected channels = 2·inner for Groups 2, and features that 2 divides"},
		{[]int{1, 2, 5, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{Groups: -1}, "Groups is -1, expected at least 1, or 0 for 1"},
		{[]int{1, 2, 5, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{Stride: []int{1}}, "Stride has 1 numbers, expected one for each of 2 spatial axes"},
		{[]int{1, 2, 5, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{Stride: []int{1, 0}}, "Stride is 0 along spatial axis 1, expected 1 to 536870912"},
		{[]int{1, 2, 5, 5}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{Low: []int{1, -1}}, "Low is -1 along spatial axis 1, expected 0 to 536870912"},
		{[]int{1, 2, 5, 1}, []int{3, 2, 2, 2}, []int{1, 3, 4, 4}, conv.Options{Dilation: []int{1, 3}},
			"windows reach over 4 elements along spatial axis 1, expected at most 1, of which 0 are padding"},
		{[]int{1, 2, 5, 1}, []int{3, 2, 2, 0}, []int{1, 3, 4, 4}, conv.Options{}, "the window has 0 elements along spatial axis 1, expected at least 1"},
		{[]int{1, 2, 5, 5}, []int{3, 2, 2, 9}, []int{1, 3, 4, 4}, conv.Options{Dilation: []int{1, 1 << 29}},
			"spatial axis 1 has 5 elements, 0 and 0 of padding, and windows of 9 elements 536870912 apart: expected no reach above 536870912"},
	} {
		kerneltest.Mismatch(t, conv.Run(ctx, dev, x(c.x...), x(c.w...), nil, x(c.y...), c.o, nil), "conv.Run: "+c.want)
	}
	in, w, out := x(1, 2, 5), x(3, 2, 2), x(1, 3, 4)
	for _, c := range []struct {
		err  error
		want string
	}{
		{conv.Run(ctx, dev, in, w, x(2), out, conv.Options{}, nil), "conv.Run: bias has shape [2], expected [features]: axis 0 is 2, but features is 3 along axis 0 of w"},
		{conv.RunTransposed(ctx, dev, out, w, x(3), in, conv.Options{}, nil),
			"conv.RunTransposed: bias has shape [3], expected [channels]: axis 0 is 3, but channels is 2 along axis 1 of y"},
		{conv.RunTransposed(ctx, dev, out, w, nil, x(1, 2, 6), conv.Options{}, nil),
			"conv.RunTransposed: x has shape [1 3 4]: axis 2 is 4, expected 5, for windows over 2 of 6 elements and 0 and 0 of padding, 1 apart"},
		{conv.InputGradient(ctx, dev, out, w, nil, conv.Options{}), "conv.InputGradient: dx is nil, expected a tensor"},
		{conv.WeightGradient(ctx, dev, out, in, x(2, 2, 3).Permute(2, 0, 1), conv.Options{}),
			"conv.WeightGradient: dw has strides [1 6 3], expected contiguous elements"},
		{conv.BiasGradient(ctx, dev, out, x(4)), "conv.BiasGradient: db has shape [4], expected [features]: axis 0 is 4, but features is 3 along axis 1 of dy"},
		{conv.Run(ctx, dev.Grid(2), in, w, nil, out, conv.Options{}, nil),
			"conv.Run: the grid follows from the shapes: give a device or a stream without a grid"},
		{conv.Run(ctx, nil, in, w, nil, out, conv.Options{}, nil), "conv.Run: the target is nil: give a device or a stream"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
	_, err := conv.Options{}.Extents([]int{1, 2, 3}, []int{1, 1, 1})
	kerneltest.Mismatch(t, err, "conv.Options.Extents: the input has 3 spatial axes and the window 3, expected one or two of both")
	_, err = conv.Options{}.Same([]int{4}, []int{0})
	kerneltest.Mismatch(t, err, "conv.Options.Same: the window has 0 elements along spatial axis 0, expected at least 1")
}
