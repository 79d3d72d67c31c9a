// Package optim changes the weights of a network by their gradients: gradient descent with and without momentum, Adam, AdamW and
// Lion, with one kernel for a tensor and step.
//
// Weights and what is remembered of gradients are float32. Gradients may have 16 bits; then a copy of the weights in the same
// elements, for the network, is stored by the same kernel. (P. Micikevicius and others, Mixed precision training, 2017.)
package optim

import (
	"context"
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go optim.go steps.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types of gradients.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// SGDOptions are the numbers of gradient descent.
type SGDOptions struct {
	Rate     float32 // the learning rate
	Momentum float32 // the part of the mean that is kept at each step; 0.9 is usual
	Decay    float32 // Decay·p is added to the gradient
	Nesterov bool    // the step looks ahead by one more step of the mean
}

// AdamOptions are the numbers of Adam: Beta1 0.9, Beta2 0.999 and Epsilon 1e-8 are usual.
type AdamOptions struct {
	Rate         float32 // the learning rate
	Beta1, Beta2 float32 // the parts of the means that are kept at each step, from 0 to less than 1
	Epsilon      float32
	Decay        float32 // Decay·p is added to the gradient or, in AdamW, Rate·Decay·p is taken off p
}

// LionOptions are the numbers of Lion: Beta1 0.9 and Beta2 0.99 are usual, with a Rate that is a third to a tenth of that of AdamW.
type LionOptions struct {
	Rate         float32 // the learning rate
	Beta1, Beta2 float32 // the part of the mean that counts for the step, and that is kept; from 0 to less than 1
	Decay        float32 // Rate·Decay·p is taken off p
}

// check checks tensors of one shape: p and g, those of rest that are there, and w.
func check[E Float](function string, p *cutile.Tensor[float32], g, w *cutile.Tensor[E], rest ...shape.Arg) error {
	args := append([]shape.Arg{{Name: "p", Tensor: p}, {Name: "g", Tensor: g}}, rest...)
	if w != nil {
		args = append(args, shape.Arg{Name: "w", Tensor: w})
	}
	return shape.Same(function, args...)
}

// betas checks factors of running means.
func betas(function string, beta1, beta2 float32) error {
	if !(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1) {
		return shape.Wrong(function, "Beta1 is %v and Beta2 is %v, expected at least 0 and less than 1", beta1, beta2)
	}
	return nil
}

// line is how many elements a block has.
func line(t *cutile.Tensor[float32]) int { return shape.Fit(t.Len(), 1, 1024) }

// SGD queues a step of gradient descent, of the weights p by their gradients g: contiguous tensors of the same shape. With
// o.Momentum, m is the running sum of the gradients, zeros before the first step; without, it is nil. w, unless it is nil, gets the new
// weights in the elements of g.
func SGD[E Float](ctx context.Context, on cutile.Target, p, m *cutile.Tensor[float32], g, w *cutile.Tensor[E], o SGDOptions) error {
	const name = "optim.SGD"
	var rest []shape.Arg
	if m != nil || o.Momentum != 0 {
		rest = append(rest, shape.Arg{Name: "m", Tensor: m})
	}
	if err := check(name, p, g, w, rest...); err != nil {
		return err
	}
	if m != nil && o.Momentum == 0 {
		return shape.Wrong(name, "m is a tensor, but Momentum is 0: give a Momentum, or nil")
	}
	if o.Nesterov && m == nil {
		return shape.Wrong(name, "Nesterov needs a Momentum")
	}
	s := SGDFactors{Rate: o.Rate, Momentum: o.Momentum, Decay: o.Decay}
	if o.Nesterov {
		s.Ahead = 1
	}
	switch p, g := p.Flatten(), g.Flatten(); {
	case m == nil && w == nil:
		return cutile.Launch(ctx, on, cutile.Sized(Plain[E, one], line(p)), p, g, s)
	case m == nil:
		return cutile.Launch(ctx, on, cutile.Sized(PlainMixed[E, one], line(p)), p, g, w.Flatten(), s)
	case w == nil:
		return cutile.Launch(ctx, on, cutile.Sized(Momentum[E, one], line(p)), p, m.Flatten(), g, s)
	default:
		return cutile.Launch(ctx, on, cutile.Sized(MomentumMixed[E, one], line(p)), p, m.Flatten(), g, w.Flatten(), s)
	}
}

// Adam queues a step of Adam, of the weights p by their gradients g: contiguous tensors of the same shape. m and v are running means
// of the gradients and of their squares, zeros before the first step, whose number is 1. w, unless it is nil, gets the new weights in
// the elements of g.
func Adam[E Float](ctx context.Context, on cutile.Target, step int, p, m, v *cutile.Tensor[float32], g, w *cutile.Tensor[E], o AdamOptions) error {
	return adamStep(ctx, on, "optim.Adam", step, p, m, v, g, w, o, o.Decay, 1)
}

// AdamW is [Adam] with the decay of weights apart from the gradients.
func AdamW[E Float](ctx context.Context, on cutile.Target, step int, p, m, v *cutile.Tensor[float32], g, w *cutile.Tensor[E], o AdamOptions) error {
	return adamStep(ctx, on, "optim.AdamW", step, p, m, v, g, w, o, 0, float32(1-float64(o.Rate)*float64(o.Decay)))
}

func adamStep[E Float](ctx context.Context, on cutile.Target, name string, step int, p, m, v *cutile.Tensor[float32], g, w *cutile.Tensor[E],
	o AdamOptions, coupled, kept float32) error {
	err := check(name, p, g, w, shape.Arg{Name: "m", Tensor: m}, shape.Arg{Name: "v", Tensor: v})
	if err == nil {
		err = betas(name, o.Beta1, o.Beta2)
	}
	if err != nil {
		return err
	}
	if step < 1 {
		return shape.Wrong(name, "step is %d, expected 1 for the first step", step)
	}
	b1, b2 := float64(o.Beta1), float64(o.Beta2)
	s := AdamFactors{
		Rate:  float32(float64(o.Rate) / (1 - math.Pow(b1, float64(step)))),
		Beta1: o.Beta1, Rest1: float32(1 - b1), Beta2: o.Beta2, Rest2: float32(1 - b2),
		Root: float32(1 / math.Sqrt(1-math.Pow(b2, float64(step)))), Epsilon: o.Epsilon, Coupled: coupled, Kept: kept,
	}
	p, m, v, g = p.Flatten(), m.Flatten(), v.Flatten(), g.Flatten()
	if w == nil {
		return cutile.Launch(ctx, on, cutile.Sized(AdamStep[E, one], line(p)), p, m, v, g, s)
	}
	return cutile.Launch(ctx, on, cutile.Sized(AdamMixed[E, one], line(p)), p, m, v, g, w.Flatten(), s)
}

// Lion queues a step of Lion, of the weights p by their gradients g: contiguous tensors of the same shape. m is the running mean of the
// gradients, zeros before the first step. w, unless it is nil, gets the new weights in the elements of g.
func Lion[E Float](ctx context.Context, on cutile.Target, p, m *cutile.Tensor[float32], g, w *cutile.Tensor[E], o LionOptions) error {
	const name = "optim.Lion"
	err := check(name, p, g, w, shape.Arg{Name: "m", Tensor: m})
	if err == nil {
		err = betas(name, o.Beta1, o.Beta2)
	}
	if err != nil {
		return err
	}
	s := LionFactors{
		Rate: o.Rate, Beta1: o.Beta1, Rest1: float32(1 - float64(o.Beta1)), Beta2: o.Beta2, Rest2: float32(1 - float64(o.Beta2)),
		Kept: float32(1 - float64(o.Rate)*float64(o.Decay)),
	}
	p, m, g = p.Flatten(), m.Flatten(), g.Flatten()
	if w == nil {
		return cutile.Launch(ctx, on, cutile.Sized(LionStep[E, one], line(p)), p, m, g, s)
	}
	return cutile.Launch(ctx, on, cutile.Sized(LionMixed[E, one], line(p)), p, m, g, w.Flatten(), s)
}
