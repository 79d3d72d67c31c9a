package main

import (
	"context"
	"errors"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
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
	Parts         int     // of a batch, in all processes
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
	group   *dist.Group
	plan    plan
	data    *corpus
	m, v    weights // the means of AdamW
	squares floats  // sums, a row for each bucket of gradients
	losses  floats  // of the parts of a batch, and one that is not 0 if a process wants to stop
	done    int     // steps
	history []point
}

// point is what is known of a step.
type point struct {
	Step int     `json:"step"`
	Loss float64 `json:"loss"`
	Held float64 `json:"held,omitempty"` // the loss on what is held out, where it was measured
}

// newTrainer makes a trainer without parameters. All processes of the group must call it.
func newTrainer(ctx context.Context, g *dist.Group, s shape, p plan, data *corpus) (*trainer, error) {
	n, err := newNet(ctx, g, s, p.Windows/p.Parts, p.Span, p.Parts)
	if err != nil {
		return nil, err
	}
	t := &trainer{net: n, group: g, plan: p, data: data}
	var failed [4]error
	t.m, failed[0] = newWeights(n.dev, s)
	t.v, failed[1] = newWeights(n.dev, s)
	t.squares, failed[2] = cutile.NewTensor[float32](n.dev, len(n.sums.Buckets()), 64)
	t.losses, failed[3] = cutile.NewTensor[float32](n.dev, p.Parts+1)
	return t, errors.Join(failed[:]...)
}

// step makes the next step, of which this process computes some parts. It returns the loss of the whole batch, and whether a process has asked for
// an end.
func (t *trainer) step(ctx context.Context, end bool) (loss float64, stop bool, err error) {
	own := make([]float32, t.plan.Parts+1) // zeros for the parts of others
	if end {
		own[t.plan.Parts] = 1
	}
	if err := t.losses.Write(ctx, own); err != nil {
		return 0, false, err
	}
	ids, targets := t.data.batch(t.plan.Seed, t.done, t.plan.Windows, t.plan.Span)
	first, last := t.sums.Parts()
	rows := t.windows * t.span
	for part := first; part < last; part++ {
		x, y := ids[part*rows:(part+1)*rows], targets[part*rows:(part+1)*rows]
		if err := t.forward(ctx, x, y, t.losses.Narrow(0, part, part+1)); err != nil {
			return 0, false, err
		}
		if err := t.backward(ctx, x); err != nil {
			return 0, false, err
		}
	}
	err = steps(
		func() error { return t.sums.Finish(ctx) },
		func() error { return t.clip(ctx) },
		func() error { return t.update(ctx) },
		func() error { return dist.AllReduce(ctx, t.group, dist.Sum, t.losses, t.losses) },
	)
	if err != nil {
		return 0, false, err
	}
	t.done++
	all, err := t.losses.Slice()
	if err != nil {
		return 0, false, err
	}
	loss = mean(all[:t.plan.Parts])
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, false, errors.New("the loss is no number any more: take a smaller -rate")
	}
	return loss, all[t.plan.Parts] != 0, nil
}

// mean adds numbers up in their order.
func mean(all []float32) float64 {
	var sum float64
	for _, x := range all {
		sum += float64(x)
	}
	return sum / float64(len(all))
}

// clip makes gradients smaller whose norm is greater than the plan allows.
func (t *trainer) clip(ctx context.Context) error {
	if t.plan.Clip == 0 {
		return nil
	}
	buckets := t.sums.Buckets()
	for i, b := range buckets {
		if err := cutile.Launch(ctx, t.dev, squares[tile.D1024], b, t.squares.Narrow(0, i, i+1).Flatten()); err != nil {
			return err
		}
	}
	parts, err := t.squares.Slice() // waits for the sums of all processes
	if err != nil {
		return err
	}
	var sum float64
	for _, s := range parts {
		sum += float64(s)
	}
	norm := math.Sqrt(sum)
	if norm <= t.plan.Clip {
		return nil
	}
	for _, b := range buckets {
		if err := cutile.Launch(ctx, t.dev, scale[tile.D1024], b, float32(t.plan.Clip/norm)); err != nil {
			return err
		}
	}
	return nil
}

// update queues a step of AdamW: matrices decay, vectors do not.
func (t *trainer) update(ctx context.Context) error {
	o := optim.AdamOptions{Rate: float32(t.plan.rate(t.done + 1)), Beta1: float32(t.plan.Beta1), Beta2: float32(t.plan.Beta2), Epsilon: 1e-8}
	_, p := t.p.backwards()
	_, m := t.m.backwards()
	_, v := t.v.backwards()
	_, g := t.g.backwards()
	for i := range p {
		o.Decay = 0
		if (*p[i]).Rank() == 2 {
			o.Decay = float32(t.plan.Decay)
		}
		if err := optim.AdamW(ctx, t.dev, t.done+1, *p[i], *m[i], *v[i], *g[i], nil, o); err != nil {
			return err
		}
	}
	return nil
}

// measure gives the mean loss on what is held out, of which each process measures some batches.
func (t *trainer) measure(ctx context.Context) (float64, error) {
	ids, targets := t.data.heldOut(t.plan.HeldOut*t.plan.Parts, t.windows, t.span)
	losses, err := cutile.NewTensor[float32](t.dev, len(ids)) // zeros for the batches of others
	if err != nil {
		return 0, err
	}
	defer losses.Close()
	for i := t.group.Rank(); i < len(ids); i += t.group.Size() {
		if err := t.forward(ctx, ids[i], targets[i], losses.Narrow(0, i, i+1)); err != nil {
			return 0, err
		}
	}
	if err := dist.AllReduce(ctx, t.group, dist.Sum, losses, losses); err != nil {
		return 0, err
	}
	all, err := losses.Slice()
	return mean(all), err
}
