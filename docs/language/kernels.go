// Package language holds the kernels of docs/language.md: each snippet there is a declaration here, and each kernel is run
// by a test.
package language

import (
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go
var source embed.FS
var _ = cutile.Module(source)

func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

func axpy[B tile.Dim](a float32, x tile.In[tile.F32T1[B]], y tile.Out[tile.F32T1[B]]) {
	y.Store(tile.F32T1[B](a)*x.Load(y.Index(0)) + y.Load())
}

func gelu[T tile.FloatTile](x T) T {
	const k = 0.7978845608028654 // the root of 2/π
	return 0.5 * x * (1 + tile.Tanh(k*(x+0.044715*x*x*x)))
}

func activate[E tile.FloatElem, A, B tile.Dim](x tile.In[tile.FloatTile2[E, A, B]], z tile.Out[tile.FloatTile2[E, A, B]]) {
	z.Store(gelu(x.Load(z.Index(0), z.Index(1))))
}

func outer[A, B tile.Dim](x tile.In[tile.F32T1[A]], y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T2[A, B]]) {
	column := tile.Reshape[tile.F32T2[A, tile.D1]](x.Load(z.Index(0)))
	row := y.Load(z.Index(1)) // the conversion below adds a leading dimension
	z.Store(tile.F32T2[A, B](column) * tile.F32T2[A, B](row))
}

func normalize[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T2[A, B]]) {
	v := x.Load(z.Index(0), 0)
	mean := v.Sum1() / tile.F32T2[A, tile.D1](x.Len(1))
	inside := tile.I32T2[A, B](tile.Iota[B]()) < tile.I32T2[A, B](tile.I32(x.Len(1)))
	d := tile.Where(inside, v-tile.F32T2[A, B](mean), 0)
	deviation := tile.Sqrt((d * d).Sum1() / tile.F32T2[A, tile.D1](x.Len(1)))
	z.Store(d / tile.F32T2[A, B](deviation))
}

func matmul[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F32T2[M, N]]) {
	var acc tile.F32T2[M, N] // zeros
	for k := range a.Tiles(1) {
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

func resident[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Persistent[tile.F32T2[M, N]]) {
	c = c.Grouped(8) // down eight rows of tiles before the next column, so that caches hold what blocks share
	for n := range c.Count() {
		var sum tile.F32T2[M, N]
		for k := range a.Tiles(1) {
			sum = tile.Dot(a.Load(c.Index(n, 0), k), b.Load(k, c.Index(n, 1)), sum)
		}
		c.Store(sum, n)
	}
}

func collatz[B tile.Dim](x tile.In[tile.I32T1[B]], steps tile.Out[tile.I32T1[B]]) {
	v := x.Load(steps.Index(0))
	var n tile.I32T1[B]
	for range 200 {
		running := v > 1
		if tile.Reshape[tile.I32](tile.Where(running, tile.I32T1[B](1), 0).Max0()) == 0 {
			break
		}
		odd := v&1 == 1
		v = tile.Where(running, tile.Where(odd, 3*v+1, v/2), v)
		n += tile.Where(running, tile.I32T1[B](1), 0)
	}
	steps.Store(n)
}

// running is the state of an online softmax: the greatest value so far, and the sum of exponentials.
type running[R tile.Dim] struct {
	peak, sum tile.F32T2[R, tile.D1]
}

func (s *running[R]) add(x, peak tile.F32T2[R, tile.D1]) {
	s.sum = s.sum*tile.Exp(s.peak-peak) + x
	s.peak = peak
}

func logSumExp[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], z tile.Out[tile.F32T2[R, tile.D1]]) {
	s := running[R]{peak: tile.F32T2[R, tile.D1](math.Inf(-1))}
	for j := range x.Tiles(1) {
		v := x.LoadPad(math.Inf(-1), z.Index(0), j)
		peak := max(s.peak, v.Max1())
		s.add(tile.Exp(v-tile.F32T2[R, C](peak)).Sum1(), peak)
	}
	z.Store(s.peak + tile.Log(s.sum))
}

func mapped[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]], f func(tile.F32T1[B]) tile.F32T1[B]) {
	z.Store(f(x.Load(z.Index(0))))
}

func half[T tile.FloatTile](x T) T { return x / 2 }

func histogram[B tile.Dim](x tile.In[tile.I32T1[B]], bins tile.Ptr[int32]) {
	v := x.Load(tile.BlockID(0))
	at := tile.I32T1[B](tile.I32(tile.BlockID(0)*tile.Extent[B]())) + tile.Iota[B]()
	tile.AtomicAdd(bins, v, tile.I32T1[B](1), at < tile.I32T1[B](tile.I32(x.Len(0))))
}

func rowArgMax[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.I32T2[A, tile.D1]]) {
	z.Store(x.LoadPad(math.Inf(-1), z.Index(0), 0).ArgMax1())
}

func gather[B tile.Dim](table tile.Ptr[float32], at tile.In[tile.I32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := at.Load(z.Index(0))
	z.Store(tile.Gather[tile.F32T1[B]](table, i, i >= 0, -1))
}

func describe[T tile.NumTile](x T) T {
	switch any(x).(type) {
	case tile.F32T1[tile.D4]:
		return x * 2
	}
	return x
}

func special[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(describe(x.Load(z.Index(0))))
}

func noise[B tile.Dim](seed int32, z tile.Out[tile.F32T1[B]]) {
	at := tile.U32T1[B](tile.U32(z.Index(0)*tile.Extent[B]())) + tile.U32T1[B](tile.Iota[B]())
	z.Store(tile.Uniform[tile.F32T1[B]](int(seed), at))
}

func checked[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	tile.Require(tile.Extent[B]() >= 4, "tiles of %d are too small", tile.Extent[B]())
	v := x.Load(z.Index(0))
	tile.Assert(v >= 0, "roots of negative numbers")
	z.Store(tile.Sqrt(v))
}

// exact runs only if no access needs a mask.
//
//cutile:nochecks
func exact[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(-x.Load(z.Index(0)))
}

// distance requires vectors of equal length: otherwise the missing elements of the shorter one would read as zeros.
func distance[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	tile.RequireSame(x, y)
	d := x.Load(z.Index(0)) - y.Load(z.Index(0))
	z.Store(d * d)
}

// late moves x by a number of tiles to higher indices, and stores zeros before it.
//
//cutile:outside
func late[B tile.Dim](x tile.In[tile.F32T1[B]], by int, z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(z.Index(0) - by))
}

// total adds up a vector: each block stores the sum of its tile, and the last block to finish adds up the sums.
func total[B tile.Dim](x tile.In[tile.F32T1[B]], parts tile.Ptr[float32], done tile.Ptr[int32], z tile.InOut[tile.F32T1[tile.D1]]) {
	i := tile.BlockID(0)
	tile.Scatter(parts, tile.I32(i), tile.Reshape[tile.F32](x.Load(i).Sum0()), true)
	ticket := tile.Atomic(done, tile.I32(0), tile.I32(1), true, tile.RMWAdd, tile.AcqRel, tile.DeviceScope)
	if int(ticket) < x.Tiles(0)-1 {
		return
	}
	var sum tile.F32
	for k := range x.Tiles(0) {
		sum += tile.Gather[tile.F32](parts, tile.I32(k), true, 0)
	}
	z.Store(tile.F32T1[tile.D1](sum), 0)
}

// locked adds one to a number that a lock guards. The acquire comes before the load, and the release after the store.
func locked(lock, n tile.Ptr[int32]) {
	for tile.CompareAndSwapOrdered(lock, tile.I32(0), tile.I32(0), tile.I32(1), true, tile.Acquire, tile.DeviceScope) != 0 {
	}
	tile.Scatter(n, tile.I32(0), tile.Gather[tile.I32](n, tile.I32(0), true, 0)+1, true)
	tile.Atomic(lock, tile.I32(0), tile.I32(0), true, tile.RMWExchange, tile.Release, tile.DeviceScope)
}

// scaled divides by a number; the compiler may use one reciprocal for all elements.
//
//cutile:fast
func scaled[B tile.Dim](x tile.In[tile.F32T1[B]], n float32, z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(z.Index(0)) / tile.F32T1[B](n))
}

// sheared moves row i of a matrix by i columns to the right.
func sheared[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T2[A, B]]) {
	rows, columns := tile.Indices2[A, B](z.Index(0), z.Index(1))
	z.Store(tile.GatherAt[tile.F32T2[A, B]](x, 0, rows, columns-rows))
}

// smoothed computes the mean of each element and its successor, starting with the second element.
func smoothed[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	next := x.Slice(0, 1, x.Len(0))
	later := next.Slice(0, 1, next.Len(0))
	z.Store((next.Load(z.Index(0)) + later.Load(z.Index(0))) / 2)
}

// peaks computes the maximum of four neighbours, for windows that start two elements apart.
func peaks(x tile.In[tile.F32T1[tile.D4]], z tile.Out[tile.F32T1[tile.D1]]) {
	z.Store(tile.WindowsOf[tile.F32T1[tile.D4]](x, 2).LoadPad(math.Inf(-1), z.Index(0)).Max0())
}

// ranked computes running sums, and sorts.
func ranked[B tile.Dim](x tile.In[tile.F32T1[B]], sums, sorted tile.Out[tile.F32T1[B]]) {
	v := x.Load(sums.Index(0))
	sums.Store(v.CumSum0())
	sorted.Store(tile.Sort(v, tile.Forward))
}

// nearest finds the element nearest to zero.
func nearest[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[tile.D1]]) {
	z.Store(x.LoadPad(math.Inf(1), z.Index(0)).Fold0(tile.Inf[tile.F32](1), func(a, b tile.F32) tile.F32 {
		if tile.Abs(a) <= tile.Abs(b) {
			return a
		}
		return b
	}))
}

// flattened joins the rows of a tile.
func flattened[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T1[tile.Product[A, B]]]) {
	z.Store(tile.Reshape[tile.F32T1[tile.Product[A, B]]](x.Load(z.Index(0), 0)))
}

// turned rotates each pair of elements i and i+B/2 of a row by an angle.
func turned[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], cos, sin float32, z tile.Out[tile.F32T2[A, B]]) {
	type half = tile.F32T2[A, tile.Quotient[B, tile.D2]]
	v := x.Load(z.Index(0), z.Index(1))
	a, b := tile.Extract[half](v, 0, 0), tile.Extract[half](v, 0, 1)
	c, s := half(cos), half(sin)
	z.Store(tile.Cat[tile.F32T2[A, B]](a*c-b*s, b*c+a*s, 1))
}

// picked loads from one of two vectors. A view cannot change in a branch, so each branch has its own load.
func picked[B tile.Dim](x, y tile.In[tile.F32T1[B]], second bool, z tile.Out[tile.F32T1[B]]) {
	v := x.Load(z.Index(0))
	if second {
		v = y.Load(z.Index(0))
	}
	list := []tile.F32T1[B]{v}
	list = append(list, -v) // the capacity does not suffice: a copy, whose capacity is 2
	z.Store(list[0] + tile.F32T1[B](cap(list))*list[1])
}
