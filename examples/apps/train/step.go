package main

import (
	"context"
	"errors"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/optim"
	"github.com/cutile-go/cutile/tile"
)

// plan is how the network is trained. It is part of checkpoints.
type plan struct {
	Steps, Warm   int     // in all, and those at the start in which the rate grows
	Rate, Least   float64 // the greatest rate, and that of the last step
	Beta1, Beta2  float64
	Decay         float64 // of matrices
	Clip          float64 // the greatest norm of gradients; 0 for none
	Windows, Span int     // sequences of a batch, and tokens of each
	Seed          uint64
	Every, Keep   int // steps between checkpoints, and how many are kept
	Sample        int // steps between texts; 0 for none
	Prompt        string
	HeldOut       int    // batches that measure the loss on what is held out
	TextDigest    string // SHA-256
}

// rate is that of a step, of which the first has the number 1: it grows evenly, then falls along half a wave of a cosine. (I.
// Loshchilov and F. Hutter, SGDR, 2016.)
func (p plan) rate(step int) float64 {
	if step <= p.Warm {
		return p.Rate * float64(step) / float64(p.Warm)
	}
	part := float64(step-p.Warm) / float64(max(p.Steps-p.Warm, 1))
	return p.Least + (p.Rate-p.Least)*(1+math.Cos(math.Pi*min(part, 1)))/2
}

// trainer trains a network.
type trainer struct {
	*net
	plan     plan
	data     *corpus
	m, v     weights // the means of AdamW
	sums     floats  // of squares
	matrices int     // numbers of parameters that decay
	done     int     // steps
	history  []point
}

// point is what is known of a step.
type point struct {
	Step int     `json:"step"`
	Loss float64 `json:"loss"`
	Held float64 `json:"held,omitempty"` // the loss on what is held out, where it was measured
}

func newTrainer(ctx context.Context, dev *cutile.Device, s shape, p plan, data *corpus) (*trainer, error) {
	n, err := newNet(ctx, dev, s, p.Windows, p.Span)
	if err != nil {
		return nil, err
	}
	t := &trainer{net: n, plan: p, data: data}
	var failed [3]error
	t.m, failed[0] = newWeights(dev, s)
	t.v, failed[1] = newWeights(dev, s)
	t.sums, failed[2] = cutile.NewTensor[float32](dev, 64)
	_, t.matrices, _ = s.layout()
	return t, errors.Join(failed[:]...)
}

// step makes the next step and returns the loss of its batch.
func (t *trainer) step(ctx context.Context) (float64, error) {
	ids, targets := t.data.batch(t.plan.Seed, t.done, t.plan.Windows, t.plan.Span)
	if err := t.forward(ctx, ids, targets); err != nil {
		return 0, err
	}
	if err := t.backward(ctx, ids); err != nil {
		return 0, err
	}
	if err := t.clip(ctx); err != nil {
		return 0, err
	}
	if err := t.update(ctx); err != nil {
		return 0, err
	}
	t.done++
	x, err := t.loss.Slice()
	if err != nil {
		return 0, err
	}
	y := float64(x[0])
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return 0, errors.New("the loss is no number any more: take a smaller -rate")
	}
	return y, nil
}

// clip makes gradients smaller whose norm is greater than the plan allows.
func (t *trainer) clip(ctx context.Context) error {
	if t.plan.Clip == 0 {
		return nil
	}
	if err := cutile.Launch(ctx, t.dev, squares[tile.D1024], t.g.all, t.sums); err != nil {
		return err
	}
	parts, err := t.sums.Slice()
	if err != nil {
		return err
	}
	var sum float64
	for _, s := range parts {
		sum += float64(s)
	}
	if norm := math.Sqrt(sum); norm > t.plan.Clip {
		return cutile.Launch(ctx, t.dev, scale[tile.D1024], t.g.all, float32(t.plan.Clip/norm))
	}
	return nil
}

// update queues a step of AdamW: matrices decay, vectors do not.
func (t *trainer) update(ctx context.Context) error {
	o := optim.AdamOptions{Rate: float32(t.plan.rate(t.done + 1)), Beta1: float32(t.plan.Beta1), Beta2: float32(t.plan.Beta2), Epsilon: 1e-8}
	for _, part := range []struct {
		from, to int
		decay    float64
	}{{0, t.matrices, t.plan.Decay}, {t.matrices, t.p.all.Len(), 0}} {
		cut := func(x floats) floats { return x.Narrow(0, part.from, part.to) }
		o.Decay = float32(part.decay)
		if err := optim.AdamW(ctx, t.dev, t.done+1, cut(t.p.all), cut(t.m.all), cut(t.v.all), cut(t.g.all), nil, o); err != nil {
			return err
		}
	}
	return nil
}

// measure gives the mean loss on what is held out.
func (t *trainer) measure(ctx context.Context) (float64, error) {
	ids, targets := t.data.heldOut(t.plan.HeldOut, t.plan.Windows, t.plan.Span)
	var sum float64
	for i := range ids {
		if err := t.forward(ctx, ids[i], targets[i]); err != nil {
			return 0, err
		}
		x, err := t.loss.Slice()
		if err != nil {
			return 0, err
		}
		sum += float64(x[0])
	}
	return sum / float64(len(ids)), nil
}
