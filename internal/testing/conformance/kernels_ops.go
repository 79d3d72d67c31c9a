package conformance

import (
	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file use scans, parts, slices, windows and sparse views.

func scans[E tile.IntElem, A, B tile.Dim](x tile.In[tile.IntTile2[E, A, B]], sum, prod, high, low, user tile.Out[tile.IntTile2[E, A, B]]) {
	i, j := sum.Index(0), sum.Index(1)
	v := x.Load(i, j)
	sum.Store(tile.CumSum(v, 1, tile.Backward))
	prod.Store(tile.CumProd(v, 0, tile.Forward))
	high.Store(tile.CumMax(v, 1, tile.Forward))
	low.Store(tile.CumMin(v, 0, tile.Backward))
	user.Store(tile.Scan(v, 1, tile.Backward, 0, func(a, b tile.IntTile0[E]) tile.IntTile0[E] { return a + b + a*b*3 }))
}

// running2 keeps the greatest element so far and its place.
func running2[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.Out[tile.F32T2[A, B]], at tile.Out[tile.I32T2[A, B]]) {
	v := x.Load(y.Index(0), y.Index(1))
	place := tile.I32T2[A, B](tile.Iota[B]())
	m, p := tile.Scan2(v, place, 1, tile.Forward, -1e30, -1, later)
	y.Store(m)
	at.Store(p)
}

func later(a tile.F32, i tile.I32, x tile.F32, j tile.I32) (tile.F32, tile.I32) {
	better := x > a || x == a && j < i
	return tile.Where(better, x, a), tile.Where(better, j, i)
}

// threeSums folds count, sum and sum of squares at once; three is the running form.
func threeSums[A, B tile.Dim](x tile.In[tile.F64T2[A, B]], n, s, q tile.Out[tile.F64T1[A]]) {
	v := x.Load(n.Index(0), 0)
	a, b, c := tile.Reduce3[tile.F64T1[A], tile.F64T1[A], tile.F64T1[A]](tile.F64T2[A, B](1), v, v*v, 1, 0, 0, 0, three)
	n.Store(a)
	s.Store(b)
	q.Store(c)
}

func three(a, b, c, x, y, z tile.F64) (tile.F64, tile.F64, tile.F64) { return a + x, b + y, c + z }

func running3[A, B tile.Dim](x tile.In[tile.F64T2[A, B]], n, s, q tile.Out[tile.F64T2[A, B]]) {
	v := x.Load(n.Index(0), 0)
	a, b, c := tile.Scan3(tile.F64T2[A, B](1), v, v*v, 1, tile.Backward, 0, 0, 0, three)
	n.Store(a)
	s.Store(b)
	q.Store(c)
}

// foldsNamed folds by a user's function, with the result's type named.
func foldsNamed[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.Out[tile.F32T1[B]], peak tile.Out[tile.F32T1[A]], at tile.Out[tile.I32T1[A]]) {
	v := x.Load(peak.Index(0), y.Index(0))
	y.Store(tile.Reduce[tile.F32T1[B]](v, 0, 0, func(a, b tile.F32) tile.F32 { return a + b }))
	m, p := tile.Reduce2[tile.F32T1[A], tile.I32T1[A]](v, tile.I32T2[A, B](tile.Iota[B]()), 1, -1e30, -1, later)
	peak.Store(m)
	at.Store(p)
}

// parts takes a tile apart and puts it together in another order.
func parts[E tile.FloatElem, A, B tile.Dim](x tile.In[tile.FloatTile2[E, A, B]], y, z, w tile.Out[tile.FloatTile2[E, A, B]], n int) {
	type half = tile.FloatTile2[E, A, tile.Quotient[B, tile.D2]]
	type quarter = tile.FloatTile2[E, tile.Quotient[A, tile.D2], tile.Quotient[B, tile.D2]]
	v := x.Load(0, 0)
	left, right := tile.Extract[half](v, 0, 0), tile.Extract[half](v, 0, 1)
	y.Store(tile.Cat[tile.FloatTile2[E, A, B]](right, left, 1))
	v = tile.Insert(v, tile.Extract[quarter](v, n, 1), 0, 0)
	z.Store(v)
	w.Store(tile.Insert(v, right, 0, n-1))
}

// sliced copies a part of a tensor to a part of another.
//
//cutile:outside
func sliced[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.InOut[tile.F32T2[A, B]], from, to int) {
	s := x.Slice(1, from, to)
	d := y.Slice(1, 2, 100).Slice(0, 1, 6)
	for i := range d.Tiles(0) {
		for j := range d.Tiles(1) {
			d.Store(s.Load(i, j)+d.Load(i, j), i, j)
		}
	}
	y.Store(y.Load(0, 0)*2, 0, 0)
}

// windows adds up overlapping windows; tiles of another extent than the parameter's.
func windows[T, R tile.FloatTile](x tile.In[T], y tile.Out[R]) {
	w := tile.WindowsOf[R](x, 3, 2)
	y.Store(w.Load(y.Index(0), y.Index(1)) + R(tile.F32(w.Tiles(0)*100+w.Tiles(1))))
}

// smear stores overlapping windows one after another.
func smear[A tile.Dim](x tile.InOut[tile.F32T1[A]], n int) {
	w := tile.WindowsOfInOut[tile.F32T1[A]](x, 2)
	for i := range n {
		w.Store(w.Load(i)*2, i)
	}
	x.Store(x.Load(0)+1, 0)
}

// pick reads rows by number.
func pick[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], at tile.In[tile.I32T1[A]], y tile.Out[tile.F32T2[A, B]], column int) {
	rows := tile.SparseOf[tile.F32T2[A, B]](x, 0)
	y.Store(tile.GatherTile(rows, at.Load(y.Index(0)), column))
}

// placeColumns writes columns by number, and reads them back.
func placeColumns[A, B tile.Dim](x tile.In[tile.I32T2[A, B]], at tile.In[tile.I64T1[B]], y tile.InOut[tile.I32T2[A, B]]) {
	columns := tile.SparseOfInOut[tile.I32T2[A, B]](y, 1)
	v := x.Load(0, 0)
	tile.ScatterTile(columns, at.Load(0), v, 0)
	tile.ScatterTile(columns, at.Load(0), tile.GatherTileInOut(columns, at.Load(0), 0)*10+v, 0)
}
