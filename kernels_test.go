package cutile_test

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels_test.go kernels_*_test.go
var source embed.FS
var _ = cutile.Module(source)

func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

func addMatrix[A, B tile.Dim](x, y tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T2[A, B]]) {
	i, j := z.Index(0), z.Index(1)
	z.Store(x.Load(i, j) + y.Load(i, j))
}

func toHalf[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F16T2[A, B]]) {
	z.Store(tile.F16T2[A, B](x.Load(z.Index(0), z.Index(1))))
}

func scale[B tile.Dim](x tile.In[tile.F32T1[B]], by float32, z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(z.Index(0)) * tile.F32T1[B](by))
}

func scaleLast[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]], by float32) {
	z.Store(x.Load(z.Index(0)) * tile.F32T1[B](by))
}

func apply[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]], f func(tile.F32T1[B]) tile.F32T1[B]) {
	z.Store(f(x.Load(z.Index(0))))
}

func square[T tile.FloatTile](x T) T { return x * x }

func negate[T tile.FloatTile](x T) T { return -x }

// double runs on a grid that is given.
func double[B tile.Dim](x tile.InOut[tile.F32T1[B]]) {
	i := tile.BlockID(0)
	x.Store(x.Load(i)*2, i)
}

// extents stores a tensor's extents and the grid's size, to see what a launch passes.
func extents(x tile.In[tile.F32T4[tile.D1, tile.D1, tile.D2, tile.D2]], z tile.Out[tile.F32T4[tile.D1, tile.D1, tile.D2, tile.D2]]) {
	n := x.Len(0)*1000 + x.Len(1)*100 + x.Len(2)*10 + x.Len(3)
	z.Store(x.Load(z.Index(0), z.Index(1), z.Index(2), z.Index(3)) + tile.F32T4[tile.D1, tile.D1, tile.D2, tile.D2](n))
}

// twoOuts has one grid for both.
func twoOuts[B tile.Dim](x tile.In[tile.F32T1[B]], y, z tile.Out[tile.F32T1[B]]) {
	y.Store(x.Load(y.Index(0)))
	z.Store(-x.Load(y.Index(0)))
}

// take reads through a pointer, put writes through one.
func take[B tile.Dim](x tile.Ptr[float32], n int32, z tile.Out[tile.F32T1[B]]) {
	at := tile.Iota[B]() + tile.I32T1[B](tile.BlockID(0)*tile.Extent[B]())
	z.Store(tile.Gather[tile.F32T1[B]](x, at, at < tile.I32T1[B](n), -1))
}

func put[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Ptr[float32], n int32) {
	at := tile.Iota[B]() + tile.I32T1[B](tile.BlockID(0)*tile.Extent[B]())
	tile.Scatter(z, at, x.Load(tile.BlockID(0)), at < tile.I32T1[B](n))
}

// sized has a parameter that takes no argument.
func sized[B tile.Dim](_ tile.Size[B], z tile.Ptr[int32]) {
	tile.Scatter(z, tile.Iota[B](), tile.Iota[B](), tile.Iota[B]() < tile.I32T1[B](1000))
}

func positive[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	v := x.Load(z.Index(0))
	tile.Assert(v >= 0, "x must not be negative") // positive fails here
	z.Store(v)
}

func hello(z tile.Out[tile.I32T1[tile.D1]]) {
	tile.Print("hello from %d\n", tile.BlockID(0))
	z.Store(tile.I32T1[tile.D1](tile.BlockID(0)))
}

// wrong breaks two rules of kernels.
func wrong(z tile.Out[tile.F32T1[tile.D4]]) {
	var m map[string]int // no maps
	_ = m
	go func() {}() // no goroutines
	z.Store(1)
}

// hidden has a type parameter that no launch can tell.
func hidden[B tile.Dim](z tile.Out[tile.F32T1[tile.D4]]) {
	z.Store(tile.F32T1[tile.D4](tile.Extent[B]()))
}

// eight and seven weigh their tensors, so that none can stand for another.
func eight[B tile.Dim](a, b, c, d, e, f, g tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(a.Load(i) + 2*b.Load(i) + 3*c.Load(i) + 4*d.Load(i) + 5*e.Load(i) + 6*f.Load(i) + 7*g.Load(i))
}

func seven[B tile.Dim](a, b, c, d, e tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]], by float32) {
	i := z.Index(0)
	z.Store((a.Load(i) + 2*b.Load(i) + 3*c.Load(i) + 4*d.Load(i) + 5*e.Load(i)) * tile.F32T1[B](by))
}

var copyLiteral = func(x tile.In[tile.F32T1[tile.D4]], z tile.Out[tile.F32T1[tile.D4]]) { z.Store(x.Load(z.Index(0))) }

var sameLiteral = func(x tile.F32T1[tile.D2]) tile.F32T1[tile.D2] { return x }

// unrolled puts the rows of a matrix one behind another, and takes the right half of each. Its caller chooses A and B alone.
func unrolled[A, B tile.Dim](x tile.In[tile.F32T2[A, B]],
	flat tile.Out[tile.F32T1[tile.Product[A, B]]],
	right tile.InOut[tile.F32T2[A, tile.Quotient[B, tile.D2]]],
	f func(tile.F32T1[tile.Product[A, B]]) tile.F32T1[tile.Product[A, B]]) {
	i := flat.Index(0)
	v := f(tile.Reshape[tile.F32T1[tile.Product[A, B]]](x.Load(i, 0)))
	flat.Store(v)
	halves := tile.Reshape[tile.F32T3[A, tile.D2, tile.Quotient[B, tile.D2]]](v)
	second := tile.Extract[tile.F32T3[A, tile.D1, tile.Quotient[B, tile.D2]]](halves, 0, 1, 0)
	right.Store(tile.Reshape[tile.F32T2[A, tile.Quotient[B, tile.D2]]](second), i, 0)
}

func same[T tile.FloatTile](x T) T { return x }

func twice[T tile.FloatTile](x T) T { return 2 * x }

// turn is a helper for tiles of any rank.
func turn[R, T tile.Tile](x T, dims ...int) R { return tile.Permute[R](x, dims...) }

// turns keeps tiles of each rank as they are, masks and numbers with a promise too.
func turns[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], row tile.In[tile.F32T1[B]], by float32, z tile.Out[tile.F32T2[A, B]]) {
	v := turn[tile.F32T2[A, B]](x.Load(z.Index(0), z.Index(1)), 0, 1)
	r := turn[tile.F32T1[B]](row.Load(z.Index(1)), 0)
	cube := turn[tile.F32T3[A, tile.D1, B]](tile.Reshape[tile.F32T3[A, tile.D1, B]](v), 0, 1, 2)
	v = tile.Reshape[tile.F32T2[A, B]](turn[tile.F32T3[tile.D1, A, B]](cube, 1, 0, 2))
	m := turn[tile.BoolTile2[A, B]](tile.BoolTile2[A, B](v > 0), 0, 1)
	z.Store(tile.Where(m, v, 0) + tile.F32T2[A, B](r)*tile.F32T2[A, B](turn[tile.F32](tile.F32(by))))
}

func keep[T tile.Tile](x tile.In[T], z tile.Out[T]) { z.Store(x.Load(z.Index(0))) }

// linkedNumber is a list whose methods may be called on its end.
type linkedNumber struct {
	v    int32
	next *linkedNumber
}

func (l *linkedNumber) sum() int32 {
	if l == nil {
		return 0
	}
	return l.v + l.next.sum()
}

type embedsNumber struct{ *linkedNumber }

type summer interface{ sum() int32 }

func sumsLists(z tile.Out[tile.I32T1[tile.D4]]) {
	var none *linkedNumber
	var of summer = none
	list := &linkedNumber{1, &linkedNumber{20, nil}}
	n := none.sum() + list.sum() + embedsNumber{}.sum() + embedsNumber{list}.sum()*100
	if of != nil {
		n += of.sum() + 10000
	}
	z.Store(tile.I32T1[tile.D4](n))
}

// uniforms makes the random numbers that belong to the places of a tensor.
func uniforms[B tile.Dim](seed int64, z tile.Out[tile.F32T1[B]]) {
	at := tile.U32T1[B](tile.U32(z.Index(0)*tile.Extent[B]())) + tile.U32T1[B](tile.Iota[B]())
	z.Store(tile.Uniform[tile.F32T1[B]](int(seed), at))
}

// multiply is the product of two matrices.
func multiply[B tile.Dim](x, y tile.In[tile.F32T2[B, B]], z tile.Out[tile.F32T2[B, B]]) {
	var sum tile.F32T2[B, B]
	for k := range x.Tiles(1) {
		sum = tile.Dot(x.Load(z.Index(0), k), y.Load(k, z.Index(1)), sum)
	}
	z.Store(sum)
}

func product[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F32T2[M, N]]) {
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(sum)
}

// nothing does what the function of its name in the C library does that stands in for the driver.
func nothing(_ tile.InOut[tile.F32T1[tile.D16]], _ float32) {}

// breaks ends with an error.
func breaks[B tile.Dim](x tile.InOut[tile.F32T1[B]]) {
	tile.Assert(false, "as it should")
	x.Store(x.Load(0)*2, 0)
}
