package moe

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file have the logits of R tokens for all experts, in a tile of C columns; see [Router] for the formulas.

// Factors are what [Choose] and [ChooseBackward] go by; see [Router].
type Factors struct {
	Sigmoid, Normal bool
	Scale           float32
}

// floor keeps the sum of weights from 0, as in DeepSeek-V3.
const floor = 1e-20

// scores are those of all experts. Columns behind the last expert have logits of -Inf, and get 0.
func scores[R, C tile.Dim](x tile.F32T2[R, C], f Factors) tile.F32T2[R, C] {
	if f.Sigmoid {
		return tile.Sigmoid(x)
	}
	e := tile.Exp(x - tile.F32T2[R, C](x.Max1()))
	return e / tile.F32T2[R, C](e.Sum1())
}

// Choose finds the experts of each token, the best one first, and their weights. It takes the greatest of those that are left as often as a
// token has experts, of which S are at least as many. NaN counts as -Inf here, so that each token has experts that differ. bias is read only
// if biased.
//
//cutile:entry
func Choose[E tile.FloatElem, R, S, C tile.Dim](logits tile.In[tile.FloatTile2[E, R, C]], bias tile.In[tile.F32T1[C]], ids tile.Out[tile.I32T2[R, S]],
	weights tile.Out[tile.F32T2[R, S]], biased bool, f Factors) {
	type all = tile.F32T2[R, C]
	lowest := tile.Inf[all](-1)
	x := all(logits.LoadPad(math.Inf(-1), ids.Index(0), 0))
	score := scores(x, f)
	key := x // scores are in the same order
	if biased {
		key = score + all(bias.Load(0))
	}
	key = tile.Where(tile.IsNaN(key), lowest, key)
	column, slot := tile.I32T2[R, C](tile.Iota[C]()), tile.I32T2[R, S](tile.Iota[S]())
	left := tile.BoolTile2[R, C](column < tile.I32T2[R, C](logits.Len(1)))
	var expert tile.I32T2[R, S]
	var weight tile.F32T2[R, S]
	for s := range ids.Len(1) {
		best := tile.Where(left, key, lowest).Max1()
		first := tile.Where(left && key == all(best), column, math.MaxInt32).Min1()
		here := column == tile.I32T2[R, C](first)
		now := slot == tile.I32T2[R, S](s)
		expert = tile.Where(now, tile.I32T2[R, S](first), expert)
		weight = tile.Where(now, tile.F32T2[R, S](tile.Where(here, score, 0).Sum1()), weight)
		left = left && tile.BoolTile2[R, C](!here)
	}
	if f.Normal {
		weight /= tile.F32T2[R, S](weight.Sum1() + floor)
	}
	ids.Store(expert)
	weights.Store(weight * tile.F32T2[R, S](f.Scale))
}

// ChooseBackward computes the gradient of the logits, given the experts that [Choose] found and the gradient of their weights.
//
//cutile:entry
func ChooseBackward[E, D tile.FloatElem, R, C tile.Dim](logits tile.In[tile.FloatTile2[E, R, C]], ids tile.In[tile.I32T2[R, tile.D1]],
	dweights tile.In[tile.F32T2[R, tile.D1]], dlogits tile.Out[tile.FloatTile2[D, R, C]], f Factors) {
	type all = tile.F32T2[R, C]
	i := dlogits.Index(0)
	score := scores(all(logits.LoadPad(math.Inf(-1), i, 0)), f)
	column := tile.I32T2[R, C](tile.Iota[C]())
	var slope, chosen all // the gradient of the scores, and 1 where they count
	for s := range ids.Len(1) {
		here := column == tile.I32T2[R, C](ids.Load(i, s))
		slope = tile.Where(here, all(dweights.Load(i, s)*tile.F32T2[R, tile.D1](f.Scale)), slope)
		chosen = tile.Where(here, 1, chosen)
	}
	if f.Normal {
		sum := all((score * chosen).Sum1() + floor)
		mean := all((slope * score).Sum1()) / sum
		slope = chosen * (slope - mean) / sum
	}
	d := score * (slope - all((slope * score).Sum1()))
	if f.Sigmoid {
		d = score * (1 - score) * slope
	}
	dlogits.Store(tile.FloatTile2[D, R, C](d))
}
