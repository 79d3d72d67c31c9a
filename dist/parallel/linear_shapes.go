package parallel

import (
	"context"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
)

// layer is the part of a layer that a process has: the extents of its weights, all tokens, and how the tensors are divided.
type layer struct {
	in, out, tokens int
	scattered       bool // each process has a part of the tokens: of x in column layers, of y in row layers
	joined          bool // each process has the outputs of all, in column layers
}

// columnLayer finds out what the shapes say. y is the output or its gradient.
func columnLayer[E dtype.Elem](ctx context.Context, name string, g *dist.Group, x, w *device.Tensor[E], y argument) (l layer, err error) {
	xs, ws, ys, err := matrices(ctx, name, g, x, w, y, [3]string{"tokens, in", "out/P, in", "tokens, out/P"})
	if err != nil {
		return l, err
	}
	size := g.Size()
	l = layer{in: ws[1], out: ws[0], tokens: ys[0], scattered: xs[0] != ys[0], joined: ys[1] != ws[0]}
	switch {
	case xs[1] != l.in:
		return l, wrong(name, "x has %d columns, but w has %d: both are the inputs of the layer", xs[1], l.in)
	case l.scattered && ys[0]%size != 0:
		return l, wrong(name, "x has %d rows and %s has %d, which cannot be divided into equal parts for %d processes", xs[0], y.name, ys[0], size)
	case l.scattered && xs[0]*size != ys[0]:
		return l, wrong(name, "x has %d rows, expected %d, the rows of %s, or %d, a part of them", xs[0], ys[0], y.name, ys[0]/size)
	case l.joined && ys[1] != l.out*size:
		return l, wrong(name, "%s has %d columns, expected %d, the rows of w, or %d for the %d processes together", y.name, ys[1], l.out, l.out*size, size)
	case l.scattered && !x.IsContiguous():
		return l, wrong(name, "x has the strides %v, so there are gaps: use what the Contiguous method returns", x.Strides())
	}
	return l, nil
}

// rowLayer finds out what the shapes say. y is the output or its gradient.
func rowLayer[E dtype.Elem](ctx context.Context, name string, g *dist.Group, x, w *device.Tensor[E], y argument) (l layer, err error) {
	xs, ws, ys, err := matrices(ctx, name, g, x, w, y, [3]string{"tokens, in/P", "out, in/P", "tokens, out"})
	if err != nil {
		return l, err
	}
	size := g.Size()
	l = layer{in: ws[1], out: ws[0], tokens: xs[0], scattered: xs[0] != ys[0]}
	switch {
	case xs[1] != l.in:
		return l, wrong(name, "x has %d columns, but w has %d: both are this process's part of the inputs", xs[1], l.in)
	case ys[1] != l.out:
		return l, wrong(name, "%s has %d columns, but w has %d rows: both are the outputs of the layer", y.name, ys[1], l.out)
	case l.scattered && xs[0]%size != 0:
		return l, wrong(name, "%s has %d rows and x has %d, which cannot be divided into equal parts for %d processes", y.name, ys[0], xs[0], size)
	case l.scattered && ys[0]*size != xs[0]:
		return l, wrong(name, "%s has %d rows, expected %d, the rows of x, or %d, a part of them", y.name, ys[0], xs[0], xs[0]/size)
	}
	return l, nil
}

// matrices checks that three arguments are matrices, and gives their shapes.
func matrices[E dtype.Elem](ctx context.Context, name string, g *dist.Group, x, w *device.Tensor[E], y argument, axes [3]string) (xs, ws, ys []int, err error) {
	if xs, err = ranked(ctx, name, g, "x", x, 2, axes[0]); err != nil {
		return nil, nil, nil, err
	}
	if ws, err = ranked(ctx, name, g, "w", w, 2, axes[1]); err != nil {
		return nil, nil, nil, err
	}
	y.axes = axes[2]
	if y.tensor != nil {
		y.shape = y.tensor.Shape()
	}
	if err = check(ctx, name, g, y); err == nil && len(y.shape) != 2 {
		err = wrong(name, "%s has shape %v of rank %d, expected rank 2: [%s]", y.name, y.shape, len(y.shape), y.axes)
	}
	return xs, ws, y.shape, err
}
