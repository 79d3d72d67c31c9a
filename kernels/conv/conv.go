// Package conv convolves with weights, along one axis or two: with strides, padding, dilation and groups, forward and transposed, with
// a bias and a function behind it, and computes the gradients of inputs, weights and biases.
//
// Tensors are [batch, channels, spatial …]. The functions choose kernels and tiles and accept views: for images with their channels
// last, x [batch, rows, cols, channels], give x.Permute(0, 3, 1, 2). Products are summed in float32.
//
// A convolution is a product of matrices, of which the one with the elements of all windows is gathered tile by tile and never in
// memory. Windows of one element need no gathering, and groups of one or two channels, as in depthwise convolutions, no product of
// matrices.
package conv

import (
	"context"
	"embed"
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/window"
	"github.com/cutile-go/cutile/tile"
)

//go:embed conv.go gradient.go kernels.go launch.go options.go transposed.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; sums are float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Func is what becomes of a sum and its bias, such as gemm.ReLU[tile.F32T2[tile.D1, tile.D1]]: a function that is declared in a package
// whose source is registered. It becomes part of the kernel.
type Func = func(tile.F32T2[tile.D1, tile.D1]) tile.F32T2[tile.D1, tile.D1]

// Run queues y = f(x ∗ w + bias): element (b, o, p) of the result is f of bias[o] and the sum of x[b, c, p·Stride + q·Dilation - Low]
// times w[o, c, q] over the channels c of the group of o and the elements q of the window; x is 0 outside of its extents. x is
// [batch, channels, spatial …] and w [features, channels/Groups, window …] with one or two spatial axes, and y is [batch, features, …]
// with [Options.Extents]. bias [features] may be nil, as may f, for sums as they are.
func Run[E Float](ctx context.Context, on cutile.Target, x, w, bias, y *cutile.Tensor[E], o Options, f Func) error {
	const name = "conv.Run"
	p, err := check(name, roles[E]{input: x, weights: w, result: y, inputName: "x", weightsName: "w", resultName: "y"}, o, bias, "features")
	if err != nil || y.Len() == 0 {
		return err
	}
	bias, free, err := biasOf(y.Device(), bias, p.groups, p.features)
	if err != nil {
		return err
	}
	defer free() // after the kernels
	x, w, y = window.Planar(x), window.Planar(w), window.Planar(y)
	if p.pointwise() {
		n := p.y.Places * p.x.Places
		from, to := x.Reshape(p.batch, p.groups, p.inner, n), y.Reshape(p.batch, p.groups, p.features, n)
		weights := w.Reshape(p.groups, p.features, p.inner)
		if from.Err() == nil && to.Err() == nil && weights.Err() == nil {
			return pointwise(ctx, on, name, from, weights, bias, to, f)
		}
	}
	matrix, free, err := matrixOf(ctx, on, name, p, w)
	if err != nil {
		return err
	}
	defer free()
	return inParts(name, x, y, "x", "y", func(x, y *cutile.Tensor[E]) error {
		return launch[E]{x: x, from: p.source(x.Strides()), taps: p.taps(x.Strides()), weights: matrix, bias: bias, y: y, batch: y.Shape()[0],
			to: target(y.Strides(), p.features, p.y.Places, p.x.Places)}.queue(ctx, on, name, f)
	})
}

// source says where windows lie in an input with strides.
func (p problem) source(s []int) Source {
	return Source{Batch: int32(s[0]), Group: int32(s[1] * p.inner), Y: int32(s[2]), X: int32(s[3]), Rows: int32(p.y.Size), Cols: int32(p.x.Size),
		StepY: int32(p.y.Stride), StepX: int32(p.x.Stride), LowY: int32(p.y.Low), LowX: int32(p.x.Low)}
}

// target is a whole tensor [batch, groups·channels, rows, cols] with strides.
func target(s []int, channels, rows, cols int) Target {
	return Target{Batch: int32(s[0]), Group: int32(s[1] * channels), Channel: int32(s[1]), Y: int32(s[2]), X: int32(s[3]),
		Channels: int32(channels), Rows: int32(rows), Cols: int32(cols)}
}

// taps are those of a window in an input with strides, in the order of weights in memory.
func (p problem) taps(s []int) []tap {
	list := make([]tap, 0, p.inner*p.y.Window*p.x.Window)
	for c := range p.inner {
		for i := range p.y.Window {
			for j := range p.x.Window {
				down, right := i*p.y.Dilation, j*p.x.Dilation
				list = append(list, tap{c*s[1] + down*s[2] + right*s[3], down, right})
			}
		}
	}
	return list
}

// matrixOf gives weights as [groups, features, taps]: a view or, of a view with gaps, a copy that free frees.
func matrixOf[E Float](ctx context.Context, on cutile.Target, function string, p problem, w *cutile.Tensor[E]) (m *cutile.Tensor[E], free func(), err error) {
	s, taps := w.Strides(), p.inner*p.y.Window*p.x.Window
	if m := w.Reshape(p.groups, p.features, taps); m.Err() == nil {
		return m, func() {}, nil
	}
	if err := near(function, "w", w); err != nil {
		return nil, nil, err
	}
	list := make([]tap, 0, taps)
	for c := range p.inner {
		for i := range p.y.Window {
			for j := range p.x.Window {
				list = append(list, tap{offset: c*s[1] + i*s[2] + j*s[3]})
			}
		}
	}
	if m, err = cutile.NewTensor[E](w.Device(), p.groups, p.features, taps); err != nil {
		return nil, nil, err
	}
	return m, func() { m.Close() }, arranged(ctx, on, w, list, s[0]*p.features, s[0], m)
}

// inParts runs a function on tensors of a batch, or on those of single sequences where offsets of 32 bits do not reach over all.
func inParts[E Float](function string, x, y *cutile.Tensor[E], xName, yName string, run func(x, y *cutile.Tensor[E]) error) error {
	if window.Reach(x) <= farthest && window.Reach(y) <= farthest {
		return run(x, y)
	}
	for b := range x.Shape()[0] {
		x, y := x.Narrow(0, b, b+1), y.Narrow(0, b, b+1)
		if err := errors.Join(near(function, xName, x), near(function, yName, y)); err != nil {
			return err
		}
		if err := run(x, y); err != nil {
			return err
		}
	}
	return nil
}
