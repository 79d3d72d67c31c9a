package conv

import "github.com/cutile-go/cutile/tile"

// Most kernels of this file are products of matrices of which one is never in memory: row k of it has, for each output, the element of
// the input that the k-th weight is multiplied by. Tiles of it are gathered, by offsets with two parts: those of weights are in a table,
// and those of outputs follow from their places.
//
// A tile has R by C outputs of a channel, which are neighbours in two axes; a convolution along one axis has an axis of 1 in front of it.
// Inputs and outputs are pointers, since their tiles are no parts of a tensor: windows overlap, and the outputs of a transposed
// convolution that depend on the same weights are some elements apart.

// Source says where an input lies: the distances between neighbours along its axes, in elements, and its rows and columns. Group is the
// distance between the first channels of groups. The window of the output (i, j) of a channel begins at row i·StepY - LowY and column
// j·StepX - LowX.
type Source struct {
	Batch, Group, Y, X int32
	Rows, Cols         int32
	StepY, StepX       int32
	LowY, LowX         int32
}

// Target says where the outputs of a kernel lie: the offset of the first one, the distances between neighbours along its axes, and the
// extents of the last three.
type Target struct {
	First                       int32
	Batch, Group, Channel, Y, X int32
	Channels, Rows, Cols        int32
}

// far is a row outside of any input, which no tap leads back from.
const far = -1 << 30

// taps are a table of the weights of an output channel, in the order in which they lie in memory: how far the element that a weight is
// multiplied by is away from where the output's window begins, in elements of memory, in rows and in columns.
type taps[K tile.Dim] struct{ offset, down, right tile.In[tile.I32T1[K]] }

// places are outputs of a channel: their rows and columns, whether they are there, and where their windows begin.
type places[N tile.Dim] struct {
	y, x         tile.I32T1[N]
	there        tile.BoolTile1[N]
	offset, i, j tile.I32T1[N]
}

// placesOf are those of a tile of outputs whose first one is (y, x), if there are rows by cols of them.
func placesOf[N, C tile.Dim](s Source, y, x, rows, cols int) places[N] {
	type line = tile.I32T1[N]
	n, c := tile.Iota[N](), line(tile.Extent[C]())
	p := places[N]{y: line(y) + n/c, x: line(x) + n%c}
	p.there = tile.BoolTile1[N](p.y < line(rows) && p.x < line(cols))
	p.i, p.j = p.y*line(s.StepY)-line(s.LowY), p.x*line(s.StepX)-line(s.LowX)
	p.offset = p.i*line(s.Y) + p.j*line(s.X)
	p.i = tile.Where(p.there, p.i, far)
	return p
}

// gathered is the k-th tile of the matrix that is never in memory, whose first row has its first channel at an offset.
func gathered[E tile.FloatElem, K, N tile.Dim](x tile.Ptr[E], first int, s Source, t taps[K], k int, p places[N]) tile.FloatTile2[E, K, N] {
	type all = tile.I32T2[K, N]
	type column = tile.I32T2[K, tile.D1]
	row := all(tile.Reshape[column](t.down.Load(k))) + all(p.i)
	col := all(tile.Reshape[column](t.right.Load(k))) + all(p.j)
	at := all(tile.Reshape[column](t.offset.Load(k)+tile.I32T1[K](first))) + all(p.offset)
	inside := row >= 0 && row < all(s.Rows) && col >= 0 && col < all(s.Cols)
	return tile.Gather[tile.FloatTile2[E, K, N]](x, at, inside, 0)
}

// Product computes y = f(w·g + bias), where g is gathered from x: w is [groups, channels, taps] and bias [groups, channels]. A tap
// whose row is 1<<30 less than those of x belongs to no element. The grid is the tiles of outputs, the tiles of channels of all groups,
// and the batch.
func Product[E tile.FloatElem, M, R, C, K tile.Dim](x tile.Ptr[E], s Source, offset, down, right tile.In[tile.I32T1[K]],
	w tile.In[tile.FloatTile3[E, tile.D1, M, K]], bias tile.In[tile.FloatTile2[E, tile.D1, M]], y tile.Ptr[E], to Target,
	f func(tile.F32T2[M, tile.Product[R, C]]) tile.F32T2[M, tile.Product[R, C]]) {
	type sums = tile.F32T2[M, tile.Product[R, C]]
	across := (int(to.Cols) + tile.Extent[C]() - 1) / tile.Extent[C]()
	i, j := tile.BlockID(0)/across*tile.Extent[R](), tile.BlockID(0)%across*tile.Extent[C]()
	group, o, batch := tile.BlockID(1)/w.Tiles(1), tile.BlockID(1)%w.Tiles(1), tile.BlockID(2)
	p := placesOf[tile.Product[R, C], C](s, i, j, int(to.Rows), int(to.Cols))
	first := batch*int(s.Batch) + group*int(s.Group)
	var sum sums
	for k := range w.Tiles(2) {
		weights := tile.Reshape[tile.FloatTile2[E, M, K]](w.Load(group, o, k))
		sum = tile.Dot(weights, gathered(x, first, s, taps[K]{offset, down, right}, k, p), sum)
	}
	sum += sums(tile.Reshape[tile.F32T2[M, tile.D1]](tile.F32T2[tile.D1, M](bias.Load(group, o))))
	begin := int(to.First) + batch*int(to.Batch) + group*int(to.Group)
	put(y, to, begin, o, p, tile.FloatTile2[E, M, tile.Product[R, C]](f(sum)))
}

// put writes outputs of M channels, the o-th tile of those of a group that begins at an offset.
func put[E tile.FloatElem, M, N tile.Dim](y tile.Ptr[E], to Target, begin, o int, p places[N], v tile.FloatTile2[E, M, N]) {
	type all = tile.I32T2[M, N]
	channel := tile.Reshape[tile.I32T2[M, tile.D1]](tile.I32T1[M](o*tile.Extent[M]()) + tile.Iota[M]())
	at := tile.I32T1[N](begin) + p.y*tile.I32T1[N](to.Y) + p.x*tile.I32T1[N](to.X)
	inside := all(channel) < all(to.Channels) && tile.BoolTile2[M, N](p.there)
	tile.Scatter(y, all(channel*tile.I32T2[M, tile.D1](to.Channel))+all(at), v, inside)
}

// Narrow is [Product] for groups of few channels: a block has the outputs of one channel, and adds the products with its weights one by
// one. The grid is the tiles of outputs, the channels of all groups, and the batch.
func Narrow[E tile.FloatElem, R, C tile.Dim](x tile.Ptr[E], s Source, offset, down, right tile.In[tile.I32T1[tile.D1]],
	w tile.In[tile.FloatTile3[E, tile.D1, tile.D1, tile.D1]], bias tile.In[tile.FloatTile2[E, tile.D1, tile.D1]], y tile.Ptr[E], to Target,
	f func(tile.F32T2[tile.D1, tile.Product[R, C]]) tile.F32T2[tile.D1, tile.Product[R, C]]) {
	type sums = tile.F32T2[tile.D1, tile.Product[R, C]]
	across := (int(to.Cols) + tile.Extent[C]() - 1) / tile.Extent[C]()
	i, j := tile.BlockID(0)/across*tile.Extent[R](), tile.BlockID(0)%across*tile.Extent[C]()
	group, o, batch := tile.BlockID(1)/w.Len(1), tile.BlockID(1)%w.Len(1), tile.BlockID(2)
	p := placesOf[tile.Product[R, C], C](s, i, j, int(to.Rows), int(to.Cols))
	first := batch*int(s.Batch) + group*int(s.Group)
	sum := sums(tile.F32T2[tile.D1, tile.D1](bias.Load(group, o)))
	for k := range w.Len(2) {
		weight := tile.F32T2[tile.D1, tile.D1](tile.Reshape[tile.FloatTile2[E, tile.D1, tile.D1]](w.Load(group, o, k)))
		sum = tile.FMA(sums(weight), sums(gathered(x, first, s, taps[tile.D1]{offset, down, right}, k, p)), sum)
	}
	begin := int(to.First) + batch*int(to.Batch) + group*int(to.Group)
	put(y, to, begin, o, p, tile.FloatTile2[E, tile.D1, tile.Product[R, C]](f(sum)))
}

// Pointwise is [Product] for windows of one element, without padding and with steps of 1: x is [batch, groups, channels, places] and y
// [batch, groups, out, places], and w [groups, out, channels]. The grid is the tiles of places, the tiles of out of all groups, and the
// batch.
func Pointwise[E tile.FloatElem, M, N, K tile.Dim](x tile.In[tile.FloatTile4[E, tile.D1, tile.D1, K, N]],
	w tile.In[tile.FloatTile3[E, tile.D1, M, K]], bias tile.In[tile.FloatTile2[E, tile.D1, M]],
	y tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, N]], f func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	group, o, batch, j := tile.BlockID(1)/w.Tiles(1), tile.BlockID(1)%w.Tiles(1), tile.BlockID(2), tile.BlockID(0)
	var sum tile.F32T2[M, N]
	for k := range w.Tiles(2) {
		a := tile.Reshape[tile.FloatTile2[E, M, K]](w.Load(group, o, k))
		b := tile.Reshape[tile.FloatTile2[E, K, N]](x.Load(batch, group, k, j))
		sum = tile.Dot(a, b, sum)
	}
	sum += tile.F32T2[M, N](tile.Reshape[tile.F32T2[M, tile.D1]](tile.F32T2[tile.D1, M](bias.Load(group, o))))
	y.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, M, N]](tile.FloatTile2[E, M, N](f(sum))), batch, group, o, j)
}

// Arrange writes weights [groups, channels, taps] in the order of a table of offsets: those of a group begin group elements after
// those before, and those of a channel row elements. In the last places of a table that is longer than taps there is any number.
//
//cutile:entry
func Arrange[E tile.FloatElem, M, K tile.Dim](w tile.Ptr[E], group, row int32, offset tile.In[tile.I32T1[K]],
	to tile.Out[tile.FloatTile3[E, tile.D1, M, K]]) {
	g, o, k := to.Index(0), to.Index(1), to.Index(2)
	type all = tile.I32T2[M, K]
	m := tile.I32T1[M](o*tile.Extent[M]()) + tile.Iota[M]()
	n := tile.I32T1[K](k*tile.Extent[K]()) + tile.Iota[K]()
	at := tile.Reshape[tile.I32T2[M, tile.D1]](m*tile.I32T1[M](row) + tile.I32T1[M](g*int(group)))
	inside := all(tile.Reshape[tile.I32T2[M, tile.D1]](m)) < all(to.Len(1)) && all(n) < all(to.Len(2))
	v := tile.Gather[tile.FloatTile2[E, M, K]](w, all(at)+all(offset.Load(k)), inside, 0)
	to.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, M, K]](v))
}

// WeightParts computes parts [parts, groups, channels, taps] of the gradients of weights: part p of P has the tiles p, p+P, p+2P … of
// the outputs of a whole batch, whose gradients are dy [batch, groups, channels, rows, cols]. The grid is the tiles of channels and
// taps, the groups, and the parts.
func WeightParts[E tile.FloatElem, M, R, C, K tile.Dim](x tile.Ptr[E], s Source, offset, down, right tile.In[tile.I32T1[K]],
	dy tile.In[tile.FloatTile5[E, tile.D1, tile.D1, M, R, C]], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, M, K]]) {
	o, k := tile.BlockID(0)/parts.Tiles(3), tile.BlockID(0)%parts.Tiles(3)
	group, part := tile.BlockID(1), tile.BlockID(2)
	each := dy.Tiles(3) * dy.Tiles(4)
	var sum tile.F32T2[M, K]
	for t := part; t < dy.Tiles(0)*each; t += tile.NumBlocks(2) {
		batch, i, j := t/each, t%each/dy.Tiles(4), t%dy.Tiles(4)
		p := placesOf[tile.Product[R, C], C](s, i*tile.Extent[R](), j*tile.Extent[C](), dy.Len(3), dy.Len(4))
		g := gathered(x, batch*int(s.Batch)+group*int(s.Group), s, taps[K]{offset, down, right}, k, p)
		sum = tile.Dot(tile.Reshape[tile.FloatTile2[E, M, tile.Product[R, C]]](dy.Load(batch, group, o, i, j)), g.T(), sum)
	}
	parts.Store(tile.Reshape[tile.F32T4[tile.D1, tile.D1, M, K]](sum), part, group, o, k)
}

// BiasSums computes db = the sums of dy [batch, channels, rows, cols] over all axes but the channels.
//
//cutile:entry
func BiasSums[E tile.FloatElem, R, C tile.Dim](dy tile.In[tile.FloatTile4[E, tile.D1, tile.D1, R, C]], db tile.Out[tile.FloatTile1[E, tile.D1]]) {
	var sum tile.F32T2[R, C]
	for batch := range dy.Len(0) {
		for i := range dy.Tiles(2) {
			for j := range dy.Tiles(3) {
				sum += tile.Reshape[tile.F32T2[R, C]](tile.F32T4[tile.D1, tile.D1, R, C](dy.Load(batch, db.Index(0), i, j)))
			}
		}
	}
	db.Store(tile.FloatTile1[E, tile.D1](tile.Reshape[tile.F32T1[tile.D1]](sum.Sum0().Sum1())))
}
