package conformance

import (
	"github.com/cutile-go/cutile/internal/testing/conformance/helper"
	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file use structs, methods, generic helpers and functions of another package.

// moments is a running mean and spread.
type moments[T tile.FloatTile] struct {
	count    T
	sum, sq  T
	inner    bounds[T]
	negative bool
}

type bounds[T tile.FloatTile] struct{ lo, hi T }

func (b bounds[T]) grown(x T) bounds[T] { return bounds[T]{lo: min(b.lo, x), hi: max(b.hi, x)} }

func (b bounds[T]) width() T { return b.hi - b.lo }

func (m moments[T]) added(x T) moments[T] {
	m.count++
	m.sum += x
	m.sq += x * x
	m.inner = m.inner.grown(x)
	return m
}

// statistics folds tiles into a struct that a loop carries.
func statistics[T tile.FloatTile](x tile.In[T], sum, sq, width, count tile.Out[T]) {
	m := moments[T]{inner: bounds[T]{lo: tile.Inf[T](1), hi: tile.Inf[T](-1)}}
	for i := range x.Tiles(0) {
		if v := x.Load(i); i > 0 {
			m = m.added(v)
		} else {
			m.negative = true
			m.inner.hi = v
		}
	}
	if !m.negative {
		m.sum = 0
	}
	sum.Store(m.sum)
	sq.Store(m.sq)
	width.Store(m.inner.width())
	count.Store(m.count)
}

// tagged uses the generic struct of another package, embedded in one of its own.
type tagged struct {
	helper.Pair[tile.F32T1[tile.D16]]
	tag int
}

func pairs2(x, y tile.In[tile.F32T1[tile.D16]], n int, z, w tile.Out[tile.F32T1[tile.D16]]) {
	i := z.Index(0)
	t := tagged{tag: helper.Shift}
	t.First = x.Load(i)
	t.Second = y.Load(i)
	t.tag += n
	if t.tag > 4 {
		t.Pair = t.Swap()
	}
	p := t.Scale(2)
	z.Store(p.First + tile.F32T1[tile.D16](t.tag))
	w.Store(p.Second)
}

// polynomial calls a variadic function of another package with a list.
func polynomial(x tile.In[tile.F64T1[tile.D16]], z, w, c tile.Out[tile.F64T1[tile.D16]]) {
	v := x.Load(z.Index(0))
	z.Store(helper.Poly(v, 2, -3, 0.5, 1))
	coefficients := []float64{1, 0, -1}
	w.Store(helper.Poly(v, coefficients...))
	clamped, outside := helper.Clamp(v, -2, 2)
	c.Store(tile.Where(outside, clamped*10, clamped))
}

// list builds lists of tiles while compiling.
func list(x tile.In[tile.I32T1[tile.D8]], z tile.Out[tile.I32T1[tile.D8]]) {
	var parts []tile.I32T1[tile.D8]
	for _, i := range []int{0, 1, 2} {
		parts = append(parts, x.Load(i))
	}
	fixed := [3]int{1, 10, 100}
	var sums [3]tile.I32T1[tile.D8]
	for i, p := range parts {
		sums[i] = p * tile.I32T1[tile.D8](fixed[i])
	}
	var total tile.I32T1[tile.D8]
	for _, s := range sums {
		total += s
	}
	z.Store(total)
}

// apply takes functions: of one tile, of two, and of numbers.
func apply[T tile.NumTile](x, y tile.In[T], f func(T) T, g func(a, b T) (T, T), h func(int) int, z, w tile.Out[T]) {
	i := z.Index(0)
	a, b := g(f(x.Load(i)), y.Load(i))
	z.Store(a)
	w.Store(b + T(h(2)))
}

func square[T tile.NumTile](x T) T { return x * x }

func sumDiff[T tile.NumTile](a, b T) (sum, diff T) { return a + b, a - b }

func plusFive(n int) int { return n + 5 }

// generic helpers over element and shape

func axpy[T tile.NumTile](a, x, y T) T { return a*x + y }

func rowSums[E tile.FloatElem, A, B tile.Dim](x tile.FloatTile2[E, A, B]) tile.FloatTile1[E, A] {
	return tile.Reshape[tile.FloatTile1[E, A]](x.Sum1())
}

func outer[E tile.FloatElem, A, B tile.Dim](x tile.FloatTile1[E, A], y tile.FloatTile1[E, B]) tile.FloatTile2[E, A, B] {
	return tile.FloatTile2[E, A, B](tile.Reshape[tile.FloatTile2[E, A, tile.D1]](x)) * tile.FloatTile2[E, A, B](y)
}

func generic[E tile.FloatElem, A, B tile.Dim](x tile.In[tile.FloatTile1[E, A]], y tile.In[tile.FloatTile1[E, B]], z tile.InOut[tile.FloatTile2[E, A, B]], w tile.InOut[tile.FloatTile1[E, A]]) {
	o := outer(x.Load(0), y.Load(0))
	z.Store(axpy(2, o, 1), 0, 0)
	w.Store(rowSums(o), 0)
}

// scalars takes every kind of number as an argument.
func scalars(a int8, b int16, c int32, d int64, e uint8, f uint16, g uint32, h uint64, i float32, j float64, k bool, l int, m uint,
	z tile.Out[tile.F64T1[tile.D1]]) {
	sum := float64(a) + float64(b) + float64(c) + float64(d) + float64(e) + float64(f) + float64(g) + float64(h) + float64(i) + j + float64(l) + float64(m)
	if k {
		sum = -sum
	}
	z.Store(tile.F64T1[tile.D1](sum))
}

// scalarTiles takes tiles of rank 0 as numbers.
func scalarTiles(a tile.F16, b tile.BF16, c tile.I8, z tile.Out[tile.F32T1[tile.D4]]) {
	z.Store(tile.F32T1[tile.D4](tile.F32(a)) + tile.F32T1[tile.D4](b)*tile.F32T1[tile.D4](tile.F32(c)))
}

const (
	first = iota + 2
	second
	mixed = first*10 + second
)

// constants are folded while compiling.
func constants(z tile.Out[tile.I32T1[tile.D4]], w tile.Out[tile.F32T1[tile.D4]]) {
	const local = mixed << 2
	z.Store(local%7 + 1<<20 - 'a')
	w.Store(1.0/3 + 1e-3*mixed)
}
