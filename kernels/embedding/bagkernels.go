package embedding

import "github.com/cutile-go/cutile/tile"

// In the kernels of this file a bag is a part of ids: bag b has those from offsets[b] to before offsets[b+1], and the last one all from its
// offset on. Offsets outside of ids mean its ends, and a bag that would end before it begins is empty. Ids outside the table count as if they
// were not there. A block has N columns of a bag.

// bag is the part of ids that belongs to a bag.
type bag struct{ begin, end int }

func bagOf(ids tile.In[tile.I32T1[tile.D1]], offsets tile.In[tile.I32T1[tile.D1]], b int) bag {
	at := func(b int) int { return max(0, min(int(tile.Reshape[tile.I32](offsets.Load(b))), ids.Len(0))) }
	end := ids.Len(0)
	if b+1 < offsets.Len(0) {
		end = at(b + 1)
	}
	return bag{at(b), end}
}

// idAt is the t-th id, and whether it is one of so many rows.
func idAt(ids tile.In[tile.I32T1[tile.D1]], t, rows int) (id int, inside bool) {
	id = int(tile.Reshape[tile.I32](ids.Load(t)))
	return id, id >= 0 && id < rows
}

// inverse is one over the number of ids of a bag that are in a table, or 1 if a sum is wanted or there are none.
func (b bag) inverse(ids tile.In[tile.I32T1[tile.D1]], rows int, mean bool) float32 {
	count := 0
	if mean {
		for t := b.begin; t < b.end; t++ {
			if _, inside := idAt(ids, t, rows); inside {
				count++
			}
		}
	}
	return 1 / float32(max(count, 1))
}

// Bags computes y[b] = the sum of the rows of a bag or, with mean, their mean; 0 for a bag without rows.
//
//cutile:entry
func Bags[E tile.FloatElem, N tile.Dim](ids, offsets tile.In[tile.I32T1[tile.D1]], table tile.In[tile.FloatTile2[E, tile.D1, N]],
	y tile.Out[tile.FloatTile2[E, tile.D1, N]], mean bool) {
	b := bagOf(ids, offsets, y.Index(0))
	var sum tile.F32T2[tile.D1, N]
	for t := b.begin; t < b.end; t++ {
		if id, inside := idAt(ids, t, table.Len(0)); inside {
			sum += tile.F32T2[tile.D1, N](table.Load(id, y.Index(1)))
		}
	}
	y.Store(tile.FloatTile2[E, tile.D1, N](sum * tile.F32T2[tile.D1, N](b.inverse(ids, table.Len(0), mean))))
}

// WeightedBags computes y[b] = the sum of the rows of a bag, each times the weight of its id.
//
//cutile:entry
func WeightedBags[E tile.FloatElem, N tile.Dim](ids, offsets tile.In[tile.I32T1[tile.D1]], weights tile.In[tile.FloatTile1[E, tile.D1]],
	table tile.In[tile.FloatTile2[E, tile.D1, N]], y tile.Out[tile.FloatTile2[E, tile.D1, N]]) {
	type line = tile.F32T2[tile.D1, N]
	b := bagOf(ids, offsets, y.Index(0))
	var sum line
	for t := b.begin; t < b.end; t++ {
		if id, inside := idAt(ids, t, table.Len(0)); inside {
			sum = tile.FMA(line(table.Load(id, y.Index(1))), line(tile.F32T1[tile.D1](weights.Load(t))), sum)
		}
	}
	y.Store(tile.FloatTile2[E, tile.D1, N](sum))
}

// GreatestBags computes y[b] = the greatest element of each column of the rows of a bag, NaN if there is one and 0 for a bag without rows, and
// stores which of the ids it comes from: the first of several, and -1 for none.
//
//cutile:entry
func GreatestBags[E tile.FloatElem, N tile.Dim](ids, offsets tile.In[tile.I32T1[tile.D1]], table tile.In[tile.FloatTile2[E, tile.D1, N]],
	y tile.Out[tile.FloatTile2[E, tile.D1, N]], places tile.Out[tile.I32T2[tile.D1, N]]) {
	type line = tile.F32T2[tile.D1, N]
	type bools = tile.BoolTile2[tile.D1, N]
	b := bagOf(ids, offsets, y.Index(0))
	best, place := line(0), tile.I32T2[tile.D1, N](-1)
	for t := b.begin; t < b.end; t++ {
		if id, inside := idAt(ids, t, table.Len(0)); inside {
			v := line(table.Load(id, y.Index(1)))
			greater := bools(v > best || tile.IsNaN(v) && !tile.IsNaN(best)) || bools(place < 0)
			best, place = tile.Where(greater, v, best), tile.Where(greater, tile.I32T2[tile.D1, N](t), place)
		}
	}
	y.Store(tile.FloatTile2[E, tile.D1, N](best))
	places.Store(place)
}

// columns are the j-th N of n columns of a row in memory, and whether they are there.
func columns[N tile.Dim](row, j, n int) (at tile.I64T1[N], inside tile.BoolTile1[N]) {
	col := tile.I64T1[N](tile.Iota[N]()) + tile.I64T1[N](j*tile.Extent[N]())
	return tile.I64T1[N](row)*tile.I64T1[N](n) + col, tile.BoolTile1[N](col < tile.I64T1[N](n))
}

// BagsBackward adds the gradients of the rows of bags to those of a table, [rows, n] in row-major order, atomically. The grid is the bags and
// the tiles of a row.
func BagsBackward[E tile.FloatElem, N tile.Dim](ids, offsets tile.In[tile.I32T1[tile.D1]], dy tile.In[tile.FloatTile2[E, tile.D1, N]],
	table tile.Ptr[float32], rows int, mean bool) {
	b := bagOf(ids, offsets, tile.BlockID(0))
	d := tile.Reshape[tile.F32T1[N]](tile.F32T2[tile.D1, N](dy.Load(tile.BlockID(0), tile.BlockID(1))))
	d *= tile.F32T1[N](b.inverse(ids, rows, mean))
	for t := b.begin; t < b.end; t++ {
		if id, inside := idAt(ids, t, rows); inside {
			at, there := columns[N](id, tile.BlockID(1), dy.Len(1))
			tile.AtomicAdd(table, at, d, there)
		}
	}
}

// WeightedBagsBackward is [BagsBackward] for [WeightedBags].
func WeightedBagsBackward[E tile.FloatElem, N tile.Dim](ids, offsets tile.In[tile.I32T1[tile.D1]], weights tile.In[tile.FloatTile1[E, tile.D1]],
	dy tile.In[tile.FloatTile2[E, tile.D1, N]], table tile.Ptr[float32], rows int) {
	b := bagOf(ids, offsets, tile.BlockID(0))
	d := tile.Reshape[tile.F32T1[N]](tile.F32T2[tile.D1, N](dy.Load(tile.BlockID(0), tile.BlockID(1))))
	for t := b.begin; t < b.end; t++ {
		if id, inside := idAt(ids, t, rows); inside {
			at, there := columns[N](id, tile.BlockID(1), dy.Len(1))
			tile.AtomicAdd(table, at, d*tile.F32T1[N](tile.F32T1[tile.D1](weights.Load(t))), there)
		}
	}
}

// GreatestBagsBackward adds dy to the elements of the gradient of a table that [GreatestBags] found: places are those in ids. The grid is the
// bags and the tiles of a row.
func GreatestBagsBackward[E tile.FloatElem, N tile.Dim](ids tile.Ptr[int32], places tile.In[tile.I32T2[tile.D1, N]],
	dy tile.In[tile.FloatTile2[E, tile.D1, N]], table tile.Ptr[float32], tokens, rows int) {
	b, j := tile.BlockID(0), tile.BlockID(1)
	place := tile.Reshape[tile.I32T1[N]](places.Load(b, j))
	at, there := columns[N](0, j, dy.Len(1))
	known := tile.BoolTile1[N](place >= 0 && place < tile.I32T1[N](tokens))
	id := tile.Gather[tile.I32T1[N]](ids, place, there && known, -1)
	inside := tile.BoolTile1[N](id >= 0 && id < tile.I32T1[N](rows))
	d := tile.Reshape[tile.F32T1[N]](tile.F32T2[tile.D1, N](dy.Load(b, j)))
	tile.AtomicAdd(table, tile.I64T1[N](id)*tile.I64T1[N](dy.Len(1))+at, d, inside)
}

// BagWeights computes dw, the gradients of the weights of [WeightedBags]: the sum of dy·row for each id, and 0 for ids outside the table and
// those in no bag. A block has a bag.
func BagWeights[E tile.FloatElem, N tile.Dim](ids, offsets tile.In[tile.I32T1[tile.D1]], table, dy tile.In[tile.FloatTile2[E, tile.D1, N]],
	dw tile.InOut[tile.FloatTile1[E, tile.D1]]) {
	b := bagOf(ids, offsets, tile.BlockID(0))
	if tile.BlockID(0) == 0 {
		for t := range b.begin { // in front of all bags
			dw.Store(tile.FloatTile1[E, tile.D1](0), t)
		}
	}
	for t := b.begin; t < b.end; t++ {
		var sum tile.F32T2[tile.D1, N]
		if id, inside := idAt(ids, t, table.Len(0)); inside {
			for j := range table.Tiles(1) {
				sum = tile.FMA(tile.F32T2[tile.D1, N](table.Load(id, j)), tile.F32T2[tile.D1, N](dy.Load(tile.BlockID(0), j)), sum)
			}
		}
		dw.Store(tile.FloatTile1[E, tile.D1](tile.Reshape[tile.F32T1[tile.D1]](sum.Sum1())), t)
	}
}
