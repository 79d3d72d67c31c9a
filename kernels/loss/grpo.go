package loss

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// Policy says how [GRPO] compares a policy with older ones.
type Policy struct {
	// Low and High are how far the ratio of probabilities may be below and above 1. In the paper both are the same ε, such as 0.2.
	Low, High float32
	// Beta is the weight of the divergence from the reference.
	Beta float32
	// Temperature divides logits; 0 stands for 1.
	Temperature float32
	// Ignore, unless it is 0, is the token that does not count: it is negative, such as -100.
	Ignore int32
}

// odds are what the loss of R tokens needs: their logarithms of probabilities, ratios and divergences.
type odds[R tile.Dim] struct {
	token, ignored tile.I32T2[R, tile.D1] // ignored is 1 where the token is
	s              softmaxRow[R]
	ratio, away    tile.F32T2[R, tile.D1] // away is the logarithm of the reference's probability less the policy's
	advantage      tile.F32T2[R, tile.D1]
}

// oddsOf makes one pass over the logits of R tokens of a sequence.
func oddsOf[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile3[E, tile.D1, R, C]], tokens tile.In[tile.I32T2[tile.D1, R]],
	advantages tile.In[tile.F32T1[tile.D1]], old, ref tile.In[tile.F32T2[tile.D1, R]], z, i int, scale, beta float32, ignore int, off bool) odds[R] {
	t := tokens.Load(z, i) // 0 behind the last token
	ok := t == tile.I32T2[tile.D1, R](ignore) || t >= 0 && t < tile.I32T2[tile.D1, R](x.Len(2))
	tile.Assert(ok, "a token of the loss is neither a column of the logits nor the number to ignore")
	o := odds[R]{token: tile.Reshape[tile.I32T2[R, tile.D1]](t)}
	o.ignored = tile.Where(o.token == tile.I32T2[R, tile.D1](ignore), tile.I32T2[R, tile.D1](1), 0)
	var picked tile.F32T2[R, tile.D1]
	o.s = softmaxAlong(x.Tiles(2), func(j int) tile.F32T2[R, C] {
		return tile.F32T2[R, C](tile.Reshape[tile.FloatTile2[E, R, C]](x.LoadPad(math.Inf(-1), z, i, j))) * tile.F32T2[R, C](scale)
	}, func(t tile.F32T2[R, C], col tile.I32T2[R, C]) {
		picked += tile.Where(col == tile.I32T2[R, C](o.token), t, 0).Sum1()
	})
	log := picked - o.s.peak - tile.Log(o.s.sum)
	o.ratio = tile.F32T2[R, tile.D1](1)
	if off {
		o.ratio = tile.Exp(log - tile.Reshape[tile.F32T2[R, tile.D1]](old.Load(z, i)))
	}
	if beta != 0 {
		o.away = tile.Reshape[tile.F32T2[R, tile.D1]](ref.Load(z, i)) - log
	}
	o.advantage = tile.F32T2[R, tile.D1](tile.Reshape[tile.F32](advantages.Load(z)))
	return o
}

// GRPORows computes the loss of each token, given logits x [sequences, length, classes]: a block has R tokens of one sequence and processes C
// classes at a time. With r = p/old, or 1 if off is false, and d = log(ref/p), where p is the probability of the token under softmax(x·scale),
// the loss is
//
//	-min(r·advantage, min(max(r, 1-low), 1+high)·advantage) + beta·(eᵈ - d - 1)
//
// and 0 where the token is ignored. (Z. Shao and others, DeepSeekMath, 2024; two bounds: Q. Yu and others, DAPO, 2025.)
//
//cutile:entry
func GRPORows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile3[E, tile.D1, R, C]], tokens tile.In[tile.I32T2[tile.D1, R]],
	advantages tile.In[tile.F32T1[tile.D1]], old, ref tile.In[tile.F32T2[tile.D1, R]], y tile.Out[tile.F32T2[tile.D1, R]],
	low, high, beta, scale float32, ignore int, off bool) {
	o := oddsOf(x, tokens, advantages, old, ref, y.Index(0), y.Index(1), scale, beta, ignore, off)
	clipped := min(max(o.ratio, tile.F32T2[R, tile.D1](1-low)), tile.F32T2[R, tile.D1](1+high))
	loss := -min(o.ratio*o.advantage, clipped*o.advantage)
	if beta != 0 {
		loss = tile.FMA(tile.Exp(o.away)-o.away-1, tile.F32T2[R, tile.D1](beta), loss)
	}
	y.Store(tile.Reshape[tile.F32T2[tile.D1, R]](tile.Where(o.ignored != 0, 0, loss)))
}

// GRPOBackwardRows computes the gradient of x for [GRPORows], given that of y. With g the derivative of a loss by log p, which is -r·advantage
// where the bounds do not decide, or 0, and beta·(1 - eᵈ),
//
//	dx = dy·g·scale·([class is the token] - softmax(x·scale))
//
// The grid is the sequences and the tiles of tokens.
func GRPOBackwardRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile3[E, tile.D1, R, C]], tokens tile.In[tile.I32T2[tile.D1, R]],
	advantages tile.In[tile.F32T1[tile.D1]], old, ref, dy tile.In[tile.F32T2[tile.D1, R]], dx tile.InOut[tile.FloatTile3[E, tile.D1, R, C]],
	low, high, beta, scale float32, ignore int, off bool) {
	z, i := tile.BlockID(0), tile.BlockID(1)
	o := oddsOf(x, tokens, advantages, old, ref, z, i, scale, beta, ignore, off)
	bound := o.advantage > 0 && o.ratio > tile.F32T2[R, tile.D1](1+high) || o.advantage < 0 && o.ratio < tile.F32T2[R, tile.D1](1-low)
	g := tile.Where(bound, 0, -o.ratio*o.advantage)
	if beta != 0 {
		g = tile.FMA(1-tile.Exp(o.away), tile.F32T2[R, tile.D1](beta), g)
	}
	g *= tile.Reshape[tile.F32T2[R, tile.D1]](dy.Load(z, i)) * tile.F32T2[R, tile.D1](scale)
	for j := range x.Tiles(2) {
		t := tile.F32T2[R, C](tile.Reshape[tile.FloatTile2[E, R, C]](x.LoadUnpadded(z, i, j))) * tile.F32T2[R, C](scale)
		p := tile.Exp(t-tile.F32T2[R, C](o.s.peak)) / tile.F32T2[R, C](o.s.sum)
		d := tile.Where(columns[R, C](j) == tile.I32T2[R, C](o.token), 1-p, -p) * tile.F32T2[R, C](g)
		d = tile.Where(tile.I32T2[R, C](o.ignored) != 0, 0, d)
		dx.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, R, C]](tile.FloatTile2[E, R, C](d)), z, i, j)
	}
}

// check checks the arguments of both directions, and gives factors to the kernels and old and ref that are not nil.
func (p Policy) check(function string, advantages, old, ref *cutile.Tensor[float32], args ...shape.Arg) (n shape.Extents, o, r *cutile.Tensor[float32], err error) {
	args = append(args, shape.Of("advantages", advantages, "sequences"))
	if old != nil {
		args = append(args, shape.Of("old", old, "sequences length"))
	}
	if ref != nil || p.Beta != 0 {
		args = append(args, shape.Of("ref", ref, "sequences length"))
	}
	n, err = shape.Check(function, args...)
	switch {
	case err != nil:
	case !(p.Low >= 0 && p.Low <= 1 && p.High >= 0):
		err = shape.Wrong(function, "Low is %v and High %v, expected 0 to 1, and 0 or more", p.Low, p.High)
	case !(p.Beta >= 0):
		err = shape.Wrong(function, "Beta is %v, expected 0 or more", p.Beta)
	case !(p.Temperature >= 0):
		err = shape.Wrong(function, "the temperature is %v, expected a positive number, or 0 for 1", p.Temperature)
	case p.Ignore > 0:
		err = shape.Wrong(function, "the token to ignore is %d, expected a negative number, or 0 for none", p.Ignore)
	case n["classes"] == 0 && n["sequences"]*n["length"] > 0:
		err = shape.Wrong(function, "x has no classes, expected at least one column")
	}
	if err != nil {
		return nil, nil, nil, err
	}
	none := advantages.Reshape(n["sequences"], 1).Broadcast(n["sequences"], n["length"]) // for kernels that do not look at it
	if o, r = old, ref; o == nil {
		o = none
	}
	if r == nil {
		r = none
	}
	return n, o, r, nil
}

// scale is what logits are multiplied by.
func (p Policy) scale() float32 {
	if p.Temperature == 0 {
		return 1
	}
	return 1 / p.Temperature
}

// grpoTile gives the tokens and classes of a block's tile.
func grpoTile(n shape.Extents) (r, c int) {
	return crossTile(shape.Extents{"rows": n["length"], "classes": n["classes"]})
}

// GRPO queues y = the losses of group relative policy optimisation of each token, [sequences, length]: the ratio of the token's probability to
// that in old times the advantage of its sequence, bounded, and the divergence from the reference. x [sequences, length, classes] has the
// logits, tokens [sequences, length] what was sampled, and advantages [sequences] how much better than others of its group a sequence is. old and
// ref [sequences, length] are logarithms of probabilities: old may be nil, if the policy is the one that sampled, and ref if Beta is 0. The loss of
// the paper is the mean over the sequences of the means over their tokens; others weigh tokens alike. A token that is no class, and not
// ignored, is an error of the running kernel. (Z. Shao and others, DeepSeekMath, 2024.)
func GRPO[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], tokens *cutile.Tensor[int32], advantages, old, ref, y *cutile.Tensor[float32],
	p Policy) error {
	n, o, r, err := p.check("loss.GRPO", advantages, old, ref, shape.Of("x", x, "sequences length classes"), shape.Of("tokens", tokens, "sequences length"),
		shape.Of("y", y, "sequences length"))
	if err != nil {
		return err
	}
	rows, cols := grpoTile(n)
	return cutile.Launch(ctx, on, cutile.Sized(GRPORows[E, one, one], rows, cols), x, tokens, advantages, o, r, y,
		p.Low, p.High, p.Beta, p.scale(), Labels{Ignore: p.Ignore}.ignored(), old != nil)
}

// GRPOBackward queues dx, the gradient of x for [GRPO] with the same policy, given dy [sequences, length], the gradient of y: for the loss of
// the paper, 1 divided by the sequences and by the tokens of the sequence that count.
func GRPOBackward[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], tokens *cutile.Tensor[int32],
	advantages, old, ref, dy *cutile.Tensor[float32], dx *cutile.Tensor[E], p Policy) error {
	const name = "loss.GRPOBackward"
	n, o, r, err := p.check(name, advantages, old, ref, shape.Of("x", x, "sequences length classes"), shape.Of("tokens", tokens, "sequences length"),
		shape.Of("dy", dy, "sequences length"), shape.Of("dx", dx, "sequences length classes"))
	if err != nil || x.Len() == 0 {
		return err
	}
	rows, cols := grpoTile(n)
	if on, err = shape.Grid(name, on, n["sequences"], shape.Tiles(n["length"], rows)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(GRPOBackwardRows[E, one, one], rows, cols), x, tokens, advantages, o, r, dy, dx,
		p.Low, p.High, p.Beta, p.scale(), Labels{Ignore: p.Ignore}.ignored(), old != nil)
}
