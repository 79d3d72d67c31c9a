package attention

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// Decode computes attention of one query per head to a cache of keys and values, for the next token of each sequence. The cache
// is split among blocks, because one block per head would leave most of a GPU idle; [Merge] combines the parts.
//
// q is [batch, groups, share, dim], where share heads use the keys and values of a group; k and v are [batch, groups, room,
// dim], and lengths has the part of room that each sequence fills. Part p of P has the tiles p, p+P, p+2P …; it writes the
// weighted mean of its values to parts [batch·groups, P, share, dim], and the base-2 logarithm of the sum of its weights to
// sums [batch·groups, P, share]. The grid is the batch, the groups and the parts. scale includes the factor log2(e). (T. Dao
// and others, Flash-decoding for long-context inference, 2023.)
func Decode[E tile.FloatElem, G, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]],
	lengths tile.In[tile.I32T1[tile.D1]], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]],
	sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], scale float32) {
	batch, group, part := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	length := min(int(tile.Reshape[tile.I32](lengths.Load(batch))), v.Len(2))
	query := tile.Reshape[tile.FloatTile2[E, G, D]](q.Load(batch, group, 0, 0))
	s := begin[G, D]()
	for j := part; j < (length+tile.Extent[N]()-1)/tile.Extent[N](); j += tile.NumBlocks(2) {
		key := tile.Reshape[tile.FloatTile2[E, N, D]](k.Load(batch, group, j, 0))
		score := tile.Dot(query, key.T(), tile.F32T2[G, N](0)) * tile.F32T2[G, N](scale)
		score = hide(columns[G, N](j) < tile.I32T2[G, N](length), score)
		s = next(s, score, tile.Reshape[tile.FloatTile2[E, N, D]](v.Load(batch, group, j, 0)))
	}
	storePart(s, parts, sums, batch*tile.NumBlocks(1)+group, part, 0)
}

// storePart writes a part for [Merge]: for the i-th tile of the heads of a pair of sequence and group.
func storePart[G, D tile.Dim](s online[G, D], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]], sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]],
	pair, part, i int) {
	some := s.sum > 0 // else the part is empty
	mean := s.acc / tile.F32T2[G, D](tile.Where(some, s.sum, 1))
	sum := tile.Where(some, s.peak+tile.Log2(s.sum), tile.Inf[tile.F32T2[G, tile.D1]](-1))
	parts.Store(tile.Reshape[tile.F32T4[tile.D1, tile.D1, G, D]](mean), pair, part, i, 0)
	sums.Store(tile.Reshape[tile.F32T3[tile.D1, tile.D1, G]](sum), pair, part, i)
}

// Merge combines the at most P parts of [Decode]: o [batch·groups, share, dim] is their mean, weighted by their sums. The
// result for a sequence without keys is 0.
//
//cutile:entry
func Merge[E tile.FloatElem, P, D tile.Dim](parts tile.In[tile.F32T4[tile.D1, P, tile.D1, D]], sums tile.In[tile.F32T3[tile.D1, P, tile.D1]],
	o tile.Out[tile.FloatTile3[E, tile.D1, tile.D1, D]]) {
	at, head := o.Index(0), o.Index(1)
	sum := tile.Reshape[tile.F32T2[P, tile.D1]](sums.LoadPad(math.Inf(-1), at, 0, head))
	weight := tile.Exp2(sum - tile.F32T2[P, tile.D1](max(sum.Max0(), -math.MaxFloat32)))
	mean := tile.Reshape[tile.F32T2[P, D]](parts.Load(at, 0, head, 0))
	total := weight.Sum0()
	x := (mean * tile.F32T2[P, D](weight)).Sum0() / tile.F32T2[tile.D1, D](tile.Where(total > 0, total, 1))
	o.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, tile.D1, D]](tile.FloatTile2[E, tile.D1, D](x)))
}
