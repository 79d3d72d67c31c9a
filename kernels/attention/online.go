package attention

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// online is attention over the keys so far, for M queries: the greatest score of each query, the sum of the weights, and the
// weighted sum of the values. Weights are powers of 2 and relative to the greatest score: where a greater one turns up, both
// sums are scaled down to it. (T. Dao and others, FlashAttention, 2022.)
type online[M, D tile.Dim] struct {
	peak, sum tile.F32T2[M, tile.D1]
	acc       tile.F32T2[M, D]
}

// begin is the state before the first key. Its peak is not -Inf: a score of -Inf would subtract it from itself.
func begin[M, D tile.Dim]() online[M, D] {
	return online[M, D]{peak: tile.F32T2[M, tile.D1](-math.MaxFloat32)}
}

// next is the state after N more keys. A score of -Inf hides a key.
func next[E tile.FloatElem, M, N, D tile.Dim](s online[M, D], score tile.F32T2[M, N], value tile.FloatTile2[E, N, D]) online[M, D] {
	higher := max(s.peak, score.Max1())
	weight := tile.Exp2(score - tile.F32T2[M, N](higher))
	fade := tile.Exp2(s.peak - higher)
	return online[M, D]{
		peak: higher,
		sum:  tile.FMA(s.sum, fade, weight.Sum1()),
		acc:  tile.Dot(tile.FloatTile2[E, M, N](weight), value, s.acc*tile.F32T2[M, D](fade)),
	}
}

// columns counts the keys of the j-th tile, in each row.
func columns[M, N tile.Dim](j int) tile.I32T2[M, N] {
	return tile.I32T2[M, N](tile.I32T1[N](j*tile.Extent[N]()) + tile.Iota[N]())
}

// hide sets the scores that are not seen to -Inf.
func hide[M, N tile.Dim](seen tile.BoolTile2[M, N], score tile.F32T2[M, N]) tile.F32T2[M, N] {
	return tile.Where(seen, score, tile.Inf[tile.F32T2[M, N]](-1))
}

// limit is how many keys a tile of queries sees: how many any of the queries sees, how many all see, and how many each sees.
type limit[M tile.Dim] struct {
	seen, open int
	each       tile.I32T2[M, tile.D1]
}

// bound is the limit of the i-th tile of queries.
func bound[M tile.Dim](causal bool, i, queries, keys int) limit[M] {
	to := limit[M]{seen: keys, open: keys, each: tile.I32T2[M, tile.D1](keys)}
	if causal {
		first := keys - queries + i*tile.Extent[M]() + 1 // of the first query
		to.seen, to.open = min(first+tile.Extent[M]()-1, keys), min(first, keys)
		to.each = tile.I32T2[M, tile.D1](first) + tile.Reshape[tile.I32T2[M, tile.D1]](tile.Iota[M]())
	}
	return to
}

// visible tells which keys of a tile each query sees.
func visible[N, M tile.Dim](to limit[M]) func(j int) tile.BoolTile2[M, N] {
	return func(j int) tile.BoolTile2[M, N] { return columns[M, N](j) < tile.I32T2[M, N](to.each) }
}
