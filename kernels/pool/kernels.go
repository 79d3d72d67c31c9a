package pool

import "github.com/cutile-go/cutile/tile"

// A block of a kernel of this file has results of P planes, which are the channels of all sequences, in R rows and C columns. Tables say for
// each row and column of results which rows and columns of what is read belong to it: the first one, and how many, Step apart; none for
// results that are not there.

// Layout says where the planes of a tensor lie: the distances between neighbours along its axes, in elements, and its columns.
type Layout struct{ Batch, Channel, Y, X, Cols int32 }

// Walk is how many rows and columns belong to a result at most, and the distances between these, and the planes and channels there are.
type Walk struct {
	Down, Right, StepY, StepX int32
	Planes, Channels          int32
}

// spans are what rows or columns belong to, of N of each: the first one, and how many.
type spans[N tile.Dim] struct{ begin, count tile.In[tile.I32T1[N]] }

// block is the part of the results that a block of a grid of one axis has.
type block[P, R, C tile.Dim] struct {
	walk  Walk
	plane tile.I32T3[P, tile.D1, tile.D1]
	y, ny tile.I32T3[tile.D1, R, tile.D1] // the first rows, and how many
	x, nx tile.I32T3[tile.D1, tile.D1, C]
	i, j  int // the tile of rows and the one of columns
	there tile.BoolTile3[P, tile.D1, tile.D1]
	row   tile.I32T3[tile.D1, R, tile.D1] // of the results
	col   tile.I32T3[tile.D1, tile.D1, C]
}

func blockOf[P, R, C tile.Dim](rows spans[R], cols spans[C], w Walk) block[P, R, C] {
	type down = tile.I32T3[tile.D1, R, tile.D1]
	type right = tile.I32T3[tile.D1, tile.D1, C]
	j, rest := tile.BlockID(0)%cols.begin.Tiles(0), tile.BlockID(0)/cols.begin.Tiles(0)
	i, p := rest%rows.begin.Tiles(0), rest/rows.begin.Tiles(0)
	plane := tile.Reshape[tile.I32T3[P, tile.D1, tile.D1]](tile.I32T1[P](p*tile.Extent[P]()) + tile.Iota[P]())
	return block[P, R, C]{
		walk: w, plane: plane, i: i, j: j, there: plane < tile.I32T3[P, tile.D1, tile.D1](w.Planes),
		y: tile.Reshape[down](rows.begin.Load(i)), ny: tile.Reshape[down](rows.count.Load(i)),
		x: tile.Reshape[right](cols.begin.Load(j)), nx: tile.Reshape[right](cols.count.Load(j)),
		row: tile.Reshape[down](tile.I32T1[R](i*tile.Extent[R]()) + tile.Iota[R]()),
		col: tile.Reshape[right](tile.I32T1[C](j*tile.Extent[C]()) + tile.Iota[C]()),
	}
}

// planes are the offsets of the planes of a tensor.
func (b block[P, R, C]) planes(l Layout) tile.I32T3[P, tile.D1, tile.D1] {
	type line = tile.I32T3[P, tile.D1, tile.D1]
	n := line(b.walk.Channels)
	return b.plane/n*line(l.Batch) + b.plane%n*line(l.Channel)
}

// each calls a function for each row and column that belong to the results, with the offsets of the elements there, whether they are
// there, and their rows and columns.
func (b block[P, R, C]) each(l Layout, f func(at tile.I32T3[P, R, C], inside tile.BoolTile3[P, R, C],
	y tile.I32T3[tile.D1, R, tile.D1], x tile.I32T3[tile.D1, tile.D1, C])) {
	type all = tile.I32T3[P, R, C]
	type down = tile.I32T3[tile.D1, R, tile.D1]
	type right = tile.I32T3[tile.D1, tile.D1, C]
	first := all(b.planes(l))
	for i := range int(b.walk.Down) {
		y := b.y + down(i*int(b.walk.StepY))
		high := tile.BoolTile3[P, R, C](down(i) < b.ny) && tile.BoolTile3[P, R, C](b.there)
		for j := range int(b.walk.Right) {
			x := b.x + right(j*int(b.walk.StepX))
			at := first + all(y*down(l.Y)) + all(x*right(l.X))
			f(at, high && tile.BoolTile3[P, R, C](right(j) < b.nx), y, x)
		}
	}
}

// put writes results. A tensor of them has rows by cols places.
func put[E tile.NumElem, T tile.NumTile, P, R, C tile.Dim](b block[P, R, C], y tile.Ptr[E], l Layout, rows int, v T) {
	type all = tile.I32T3[P, R, C]
	at := all(b.planes(l)) + all(b.row*tile.I32T3[tile.D1, R, tile.D1](l.Y)) + all(b.col*tile.I32T3[tile.D1, tile.D1, C](l.X))
	inside := tile.BoolTile3[P, R, C](b.there) && tile.BoolTile3[P, R, C](b.row < tile.I32T3[tile.D1, R, tile.D1](rows)) &&
		tile.BoolTile3[P, R, C](b.col < tile.I32T3[tile.D1, tile.D1, C](l.Cols))
	tile.Scatter(y, at, v, inside)
}

// Greatest computes the greatest of the elements of x that belong to each element of y, -Inf for none, and NaN if there is one.
func Greatest[E tile.FloatElem, P, R, C tile.Dim](_ tile.Size[P], x tile.Ptr[E], from Layout, beginY, countY tile.In[tile.I32T1[R]],
	beginX, countX tile.In[tile.I32T1[C]], y tile.Ptr[E], to Layout, w Walk) {
	type numbers = tile.FloatTile3[E, P, R, C]
	b := blockOf[P](spans[R]{beginY, countY}, spans[C]{beginX, countX}, w)
	best := tile.Inf[numbers](-1)
	b.each(from, func(at tile.I32T3[P, R, C], inside tile.BoolTile3[P, R, C], _ tile.I32T3[tile.D1, R, tile.D1], _ tile.I32T3[tile.D1, tile.D1, C]) {
		best = max(best, tile.Gather[numbers](x, at, inside, tile.Inf[numbers](-1)))
	})
	put(b, y, to, beginY.Len(0), best)
}

// GreatestAt is [Greatest], and stores where the first one of the greatest elements is in its plane, counted in row-major order, or that of
// the first NaN; -1 where there is none.
func GreatestAt[E tile.FloatElem, P, R, C tile.Dim](_ tile.Size[P], x tile.Ptr[E], from Layout, beginY, countY tile.In[tile.I32T1[R]],
	beginX, countX tile.In[tile.I32T1[C]], y tile.Ptr[E], to Layout, index tile.Ptr[int32], toIndex Layout, w Walk) {
	type numbers = tile.FloatTile3[E, P, R, C]
	type all = tile.I32T3[P, R, C]
	b := blockOf[P](spans[R]{beginY, countY}, spans[C]{beginX, countX}, w)
	best, place := tile.Inf[numbers](-1), all(-1)
	b.each(from, func(at all, inside tile.BoolTile3[P, R, C], y tile.I32T3[tile.D1, R, tile.D1], x2 tile.I32T3[tile.D1, tile.D1, C]) {
		v := tile.Gather[numbers](x, at, inside, tile.Inf[numbers](-1))
		here := all(y)*all(from.Cols) + all(x2)
		greater := tile.BoolTile3[P, R, C](v > best || tile.IsNaN(v) && !tile.IsNaN(best)) || inside && tile.BoolTile3[P, R, C](place < 0)
		best, place = tile.Where(greater, v, best), tile.Where(greater, here, place)
	})
	put(b, y, to, beginY.Len(0), best)
	put(b, index, toIndex, beginY.Len(0), place)
}

// GreatestBackward computes dx: the sum of those elements of dy whose index is an element's own. Tables say which places of dy may have
// it, and cols are those of x.
func GreatestBackward[E tile.FloatElem, P, R, C tile.Dim](_ tile.Size[P], dy tile.Ptr[E], from Layout, index tile.Ptr[int32], fromIndex Layout,
	beginY, countY tile.In[tile.I32T1[R]], beginX, countX tile.In[tile.I32T1[C]], dx tile.Ptr[E], to Layout, w Walk) {
	type numbers = tile.FloatTile3[E, P, R, C]
	type all = tile.I32T3[P, R, C]
	b := blockOf[P](spans[R]{beginY, countY}, spans[C]{beginX, countX}, w)
	own := all(b.row)*all(to.Cols) + all(b.col)
	planes := all(b.planes(fromIndex))
	var sum tile.F32T3[P, R, C]
	b.each(from, func(at all, inside tile.BoolTile3[P, R, C], y tile.I32T3[tile.D1, R, tile.D1], x tile.I32T3[tile.D1, tile.D1, C]) {
		where := planes + all(y*tile.I32T3[tile.D1, R, tile.D1](fromIndex.Y)) + all(x*tile.I32T3[tile.D1, tile.D1, C](fromIndex.X))
		mine := inside && tile.BoolTile3[P, R, C](tile.Gather[all](index, where, inside, -1) == own)
		sum += tile.F32T3[P, R, C](tile.Gather[numbers](dy, at, mine, 0))
	})
	put(b, dx, to, beginY.Len(0), numbers(sum))
}

// Average computes the sums of the elements of x that belong to each element of y, times the scales of its row and column.
func Average[E tile.FloatElem, P, R, C tile.Dim](_ tile.Size[P], x tile.Ptr[E], from Layout, beginY, countY tile.In[tile.I32T1[R]], scaleY tile.In[tile.F32T1[R]],
	beginX, countX tile.In[tile.I32T1[C]], scaleX tile.In[tile.F32T1[C]], y tile.Ptr[E], to Layout, w Walk) {
	type numbers = tile.FloatTile3[E, P, R, C]
	type sums = tile.F32T3[P, R, C]
	b := blockOf[P](spans[R]{beginY, countY}, spans[C]{beginX, countX}, w)
	var sum sums
	b.each(from, func(at tile.I32T3[P, R, C], inside tile.BoolTile3[P, R, C], _ tile.I32T3[tile.D1, R, tile.D1], _ tile.I32T3[tile.D1, tile.D1, C]) {
		sum += sums(tile.Gather[numbers](x, at, inside, 0))
	})
	sum *= sums(tile.Reshape[tile.F32T3[tile.D1, R, tile.D1]](scaleY.Load(b.i))) * sums(tile.Reshape[tile.F32T3[tile.D1, tile.D1, C]](scaleX.Load(b.j)))
	put(b, y, to, beginY.Len(0), numbers(sum))
}

// AverageBackward computes dx: sums of the elements of dy that belong to an element, each times the scales of its row and column.
func AverageBackward[E tile.FloatElem, P, R, C tile.Dim](_ tile.Size[P], dy tile.Ptr[E], from Layout, beginY, countY tile.In[tile.I32T1[R]], scaleY tile.Ptr[float32],
	beginX, countX tile.In[tile.I32T1[C]], scaleX tile.Ptr[float32], dx tile.Ptr[E], to Layout, w Walk) {
	type numbers = tile.FloatTile3[E, P, R, C]
	type sums = tile.F32T3[P, R, C]
	type down = tile.I32T3[tile.D1, R, tile.D1]
	type right = tile.I32T3[tile.D1, tile.D1, C]
	b := blockOf[P](spans[R]{beginY, countY}, spans[C]{beginX, countX}, w)
	var sum sums
	b.each(from, func(at tile.I32T3[P, R, C], inside tile.BoolTile3[P, R, C], y down, x right) {
		v := tile.Gather[tile.F32T3[tile.D1, R, tile.D1]](scaleY, y, y < b.y+b.ny*down(b.walk.StepY), 0)
		h := tile.Gather[tile.F32T3[tile.D1, tile.D1, C]](scaleX, x, x < b.x+b.nx*right(b.walk.StepX), 0)
		sum += sums(tile.Gather[numbers](dy, at, inside, 0)) * (sums(v) * sums(h))
	})
	put(b, dx, to, beginY.Len(0), numbers(sum))
}
