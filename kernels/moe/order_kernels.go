package moe

import "github.com/cutile-go/cutile/tile"

// The first three kernels of this file sort pairs of a token and an expert by expert, pairs of the same expert in their order, by counting:
// [Counts] counts the pairs of each expert in each chunk of B of them, [Starts] adds these up to the row where the first pair of a chunk goes
// for each expert, and [Places] adds the number of pairs of the same expert that come before in the chunk. Pairs whose expert is none of those
// that exist count for one more, the last one, so that they are behind all others.

// marks has 1 where a pair of chunk i has one of the j-th C experts.
func marks[B, C tile.Dim](ids tile.In[tile.I32T1[B]], i, j, experts int) tile.I32T2[B, C] {
	type column = tile.I32T2[B, tile.D1]
	id := tile.Reshape[column](ids.Load(i))
	id = tile.Where(id >= 0 && id < column(experts), id, column(experts))
	pair := tile.Reshape[column](tile.Iota[B]()) + column(i*tile.Extent[B]())
	id = tile.Where(pair < column(ids.Len(0)), id, -1) // behind the last pair
	expert := tile.Iota[C]() + tile.I32T1[C](j*tile.Extent[C]())
	return tile.Where(tile.I32T2[B, C](id) == tile.I32T2[B, C](expert), tile.I32T2[B, C](1), 0)
}

// Counts computes parts[i, e] = how many pairs of chunk i have expert e.
//
//cutile:entry
func Counts[B, C tile.Dim](ids tile.In[tile.I32T1[B]], parts tile.Out[tile.I32T2[tile.D1, C]]) {
	parts.Store(marks[B, C](ids, parts.Index(0), parts.Index(1), parts.Len(1)-1).Sum0())
}

// Starts computes counts[e], the sum of parts[i, e] over the chunks i; offsets[e], the sum of the counts of the experts before; and
// starts[i, e], that and the sum of the parts of the chunks before. The grid is one block, which takes B chunks and C experts at a time.
func Starts[B, C tile.Dim](parts tile.In[tile.I32T2[B, C]], starts tile.InOut[tile.I32T2[B, C]], counts, offsets tile.InOut[tile.I32T1[C]]) {
	type line = tile.I32T2[tile.D1, C]
	before := tile.I32(0)
	for j := range counts.Tiles(0) {
		var count line
		for i := range parts.Tiles(0) {
			count += parts.Load(i, j).Sum0()
		}
		from := count.CumSum1() - count + line(before)
		counts.Store(tile.Reshape[tile.I32T1[C]](count), j)
		offsets.Store(tile.Reshape[tile.I32T1[C]](from), j)
		for i := range parts.Tiles(0) {
			part := parts.Load(i, j)
			starts.Store(part.CumSum0()-part+tile.I32T2[B, C](from), i, j)
			from += part.Sum0()
		}
		before += tile.Reshape[tile.I32](count.Sum1())
	}
}

// Places computes places[p], the row of pair p, or -1 for a pair without an expert, and pairs[r], the pair of row r, or -1 for rows behind
// those of the last expert.
//
//cutile:entry
func Places[B, C tile.Dim](ids tile.In[tile.I32T1[B]], starts tile.In[tile.I32T2[tile.D1, C]], offsets tile.In[tile.I32T1[tile.D1]],
	places tile.Out[tile.I32T1[B]], pairs tile.Ptr[int32]) {
	i, experts := places.Index(0), starts.Len(1)-1
	place := tile.I32T2[B, tile.D1](-1)
	for j := range starts.Tiles(1) {
		mark := marks[B, C](ids, i, j, experts)
		row := mark.CumSum0() - mark + tile.I32T2[B, C](starts.Load(i, j))
		place = max(place, tile.Where(mark > 0, row, -1).Max1())
	}
	at := tile.Reshape[tile.I32T1[B]](place)
	used := at < tile.I32T1[B](tile.Reshape[tile.I32](offsets.Load(experts)))
	pair := tile.Iota[B]() + tile.I32T1[B](i*tile.Extent[B]())
	places.Store(tile.Where(used, at, -1))
	tile.Scatter(pairs, at, tile.Where(used, pair, -1), at >= 0)
}

// pairOf is the pair of a row, and whether there is one.
func pairOf(pairs tile.In[tile.I32T1[tile.D1]], row int) (pair int, there bool) {
	pair = int(tile.Reshape[tile.I32](pairs.Load(row)))
	return pair, pair >= 0
}

// Spread computes rows[r] = x[t] for the token t of the pair of row r, of which a token has share, and 0 for rows without a pair. Weights are
// read only if weighted: then rows are multiplied by those of their pairs. A block has N elements of a row.
//
//cutile:entry
func Spread[E tile.FloatElem, N tile.Dim](x tile.In[tile.FloatTile2[E, tile.D1, N]], pairs tile.In[tile.I32T1[tile.D1]], weights tile.In[tile.F32T1[tile.D1]],
	rows tile.Out[tile.FloatTile2[E, tile.D1, N]], share int, weighted bool) {
	type line = tile.F32T2[tile.D1, N]
	var row line
	if pair, there := pairOf(pairs, rows.Index(0)); there {
		row = line(x.Load(pair/share, rows.Index(1)))
		if weighted {
			row *= line(weights.Load(pair))
		}
	}
	rows.Store(tile.FloatTile2[E, tile.D1, N](row))
}

// Collect computes y[t] = the sum of the rows of the pairs of token t, times their weights if weighted. A block has N elements of a token.
//
//cutile:entry
func Collect[E tile.FloatElem, N tile.Dim](rows tile.In[tile.FloatTile2[E, tile.D1, N]], places tile.In[tile.I32T2[tile.D1, tile.D1]],
	weights tile.In[tile.F32T1[tile.D1]], y tile.Out[tile.FloatTile2[E, tile.D1, N]], weighted bool) {
	type line = tile.F32T2[tile.D1, N]
	t := y.Index(0)
	var sum line
	for s := range places.Len(1) {
		if at := int(tile.Reshape[tile.I32](places.Load(t, s))); at >= 0 {
			row := line(rows.Load(at, y.Index(1)))
			if weighted {
				row *= line(weights.Load(t*places.Len(1) + s))
			}
			sum += row
		}
	}
	y.Store(tile.FloatTile2[E, tile.D1, N](sum))
}

// WeightSlopes computes dweights[p] = the product of the row of pair p and dy[t] for its token t, and 0 for pairs without a row. A block has
// a pair and takes N elements at a time.
//
//cutile:entry
func WeightSlopes[E tile.FloatElem, N tile.Dim](rows, dy tile.In[tile.FloatTile2[E, tile.D1, N]], places tile.In[tile.I32T1[tile.D1]],
	dweights tile.Out[tile.F32T1[tile.D1]], share int) {
	type line = tile.F32T2[tile.D1, N]
	p := dweights.Index(0)
	var sum line
	if at := int(tile.Reshape[tile.I32](places.Load(p))); at >= 0 {
		for j := range rows.Tiles(1) {
			sum = tile.FMA(line(rows.Load(at, j)), line(dy.Load(p/share, j)), sum)
		}
	}
	dweights.Store(tile.Reshape[tile.F32T1[tile.D1]](sum.Sum1()))
}
