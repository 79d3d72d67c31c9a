package loss

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Labels says how [CrossEntropy] uses targets.
type Labels struct {
	// Smoothing is the part of a target's probability that all classes share, from 0 to 1.
	Smoothing float32
	// Ignore, unless it is 0, is the target of rows that do not count: it is negative, such as -100.
	Ignore int32
	// Reduction says what becomes of the losses of the rows. The Mean is that of the rows that count.
	Reduction Reduction
}

// check checks the arguments of both directions; of is the loss or its gradient.
func (l Labels) check(function string, of shape.Arg, args ...shape.Arg) (shape.Extents, error) {
	of.Axes = "1"
	if l.Reduction == None {
		of.Axes = "rows"
	}
	n, err := shape.Check(function, append(args, of)...)
	switch {
	case err != nil:
		return nil, err
	case !(l.Smoothing >= 0 && l.Smoothing <= 1):
		return nil, shape.Wrong(function, "the smoothing is %v, expected 0 to 1", l.Smoothing)
	case l.Ignore > 0:
		return nil, shape.Wrong(function, "the target to ignore is %d, expected a negative number, or 0 for none", l.Ignore)
	case n["classes"] == 0 && n["rows"] > 0:
		return nil, shape.Wrong(function, "x has no classes, expected at least one column")
	}
	return n, l.Reduction.check(function)
}

// ignored is the target to ignore: without one, a number that no target is.
func (l Labels) ignored() int {
	if l.Ignore == 0 {
		return math.MinInt32
	}
	return int(l.Ignore)
}

// crossTile gives the rows and columns of a block's tile.
func crossTile(n shape.Extents) (r, c int) {
	c = shape.Fit(n["classes"], 1, 2048)
	return shape.Fit(n["rows"], 1, max(1, min(16, 2048/c))), c
}

// CrossEntropy queues y = the cross entropy of the logits x [rows, classes] with the classes that are the targets [rows]: y is [rows] or,
// with Sum and Mean, [1]. A target that is no class, and not ignored, is an error of the running kernel.
func CrossEntropy[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], targets *cutile.Tensor[int32], y *cutile.Tensor[float32],
	l Labels) error {
	const name = "loss.CrossEntropy"
	n, err := l.check(name, shape.Of("y", y, ""), shape.Of("x", x, "rows classes"), shape.Of("targets", targets, "rows"))
	if err != nil {
		return err
	}
	r, c := crossTile(n)
	return l.reduced(ctx, on, n, targets, y, func(losses *cutile.Tensor[float32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(CrossRows[E, one, one], r, c), x, targets, losses, l.Smoothing, l.ignored())
	})
}

// reduced launches what computes the losses of rows, and reduces these to y.
func (l Labels) reduced(ctx context.Context, on cutile.Target, n shape.Extents, targets *cutile.Tensor[int32], y *cutile.Tensor[float32],
	launch func(losses *cutile.Tensor[float32]) error) error {
	if l.Reduction == None {
		return launch(y)
	}
	losses, err := cutile.NewTensor[float32](y.Device(), n["rows"])
	if err != nil {
		return err
	}
	defer losses.Close() // after the kernels
	if err := launch(losses); err != nil {
		return err
	}
	if l.Reduction == Sum {
		return total(ctx, on, losses, y, 1)
	}
	sum, err := cutile.NewTensor[float32](y.Device(), 1)
	if err != nil {
		return err
	}
	defer sum.Close()
	if err := total(ctx, on, losses, sum, 1); err != nil {
		return err
	}
	return l.share(ctx, on, targets, sum, y)
}

// share divides by the number of rows that count.
func (l Labels) share(ctx context.Context, on cutile.Target, targets *cutile.Tensor[int32], x, y *cutile.Tensor[float32]) error {
	return cutile.Launch(ctx, on, cutile.Sized(Share[one], shape.Fit(targets.Len(), 1, 1024)), targets, x, y, l.ignored())
}

// CrossEntropyBackward queues dx, the gradient of x for [CrossEntropy] with the same labels, given dy, the gradient of y.
func CrossEntropyBackward[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], targets *cutile.Tensor[int32],
	dy *cutile.Tensor[float32], dx *cutile.Tensor[E], l Labels) error {
	const name = "loss.CrossEntropyBackward"
	n, err := l.check(name, shape.Of("dy", dy, ""), shape.Of("x", x, "rows classes"), shape.Of("targets", targets, "rows"), shape.Of("dx", dx, "rows classes"))
	if err != nil || n["rows"] == 0 {
		return err
	}
	r, c := crossTile(n)
	grid, err := shape.Grid(name, on, shape.Tiles(n["rows"], r))
	if err != nil {
		return err
	}
	return l.spread(ctx, on, n, targets, dy, func(dy *cutile.Tensor[float32]) error {
		return cutile.Launch(ctx, grid, cutile.Sized(CrossBackward[E, E, one, one], r, c), x, targets, dy, dx, l.Smoothing, l.ignored())
	})
}

// spread launches what needs the gradients of the losses of rows, given that of their reduction.
func (l Labels) spread(ctx context.Context, on cutile.Target, n shape.Extents, targets *cutile.Tensor[int32], dy *cutile.Tensor[float32],
	launch func(dy *cutile.Tensor[float32]) error) error {
	if l.Reduction == Mean {
		part, err := cutile.NewTensor[float32](dy.Device(), 1)
		if err != nil {
			return err
		}
		defer part.Close() // after the kernels
		if err := l.share(ctx, on, targets, dy, part); err != nil {
			return err
		}
		dy = part
	}
	if l.Reduction != None {
		dy = dy.Broadcast(n["rows"])
	}
	return launch(dy)
}
