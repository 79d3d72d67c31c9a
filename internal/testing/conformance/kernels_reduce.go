package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file fold and scan. Each is written once for an axis: T is any tile that has the methods, of any
// rank, R what folding gives and I the places of the greatest and least elements. Every argument is an Out, so that the
// block's own tile needs no index; x holds its values before the launch.

type folds0[R, I any] interface {
	tile.NumTile
	Sum0() R
	Prod0() R
	Max0() R
	Min0() R
	ArgMax0() I
	ArgMin0() I
}

type folds1[R, I any] interface {
	tile.NumTile
	Sum1() R
	Prod1() R
	Max1() R
	Min1() R
	ArgMax1() I
	ArgMin1() I
}

type folds2[R, I any] interface {
	tile.NumTile
	Sum2() R
	Prod2() R
	Max2() R
	Min2() R
	ArgMax2() I
	ArgMin2() I
}

type folds3[R, I any] interface {
	tile.NumTile
	Sum3() R
	Prod3() R
	Max3() R
	Min3() R
	ArgMax3() I
	ArgMin3() I
}

func fold0[T folds0[R, I], R tile.NumTile, I tile.Tile](x tile.Out[T], sum, prod, greatest, least tile.Out[R], argMax, argMin tile.Out[I]) {
	v := x.Load()
	sum.Store(v.Sum0())
	prod.Store(v.Prod0())
	greatest.Store(v.Max0())
	least.Store(v.Min0())
	argMax.Store(v.ArgMax0())
	argMin.Store(v.ArgMin0())
}

func fold1[T folds1[R, I], R tile.NumTile, I tile.Tile](x tile.Out[T], sum, prod, greatest, least tile.Out[R], argMax, argMin tile.Out[I]) {
	v := x.Load()
	sum.Store(v.Sum1())
	prod.Store(v.Prod1())
	greatest.Store(v.Max1())
	least.Store(v.Min1())
	argMax.Store(v.ArgMax1())
	argMin.Store(v.ArgMin1())
}

func fold2[T folds2[R, I], R tile.NumTile, I tile.Tile](x tile.Out[T], sum, prod, greatest, least tile.Out[R], argMax, argMin tile.Out[I]) {
	v := x.Load()
	sum.Store(v.Sum2())
	prod.Store(v.Prod2())
	greatest.Store(v.Max2())
	least.Store(v.Min2())
	argMax.Store(v.ArgMax2())
	argMin.Store(v.ArgMin2())
}

func fold3[T folds3[R, I], R tile.NumTile, I tile.Tile](x tile.Out[T], sum, prod, greatest, least tile.Out[R], argMax, argMin tile.Out[I]) {
	v := x.Load()
	sum.Store(v.Sum3())
	prod.Store(v.Prod3())
	greatest.Store(v.Max3())
	least.Store(v.Min3())
	argMax.Store(v.ArgMax3())
	argMin.Store(v.ArgMin3())
}

type scans0[T, R, S any] interface {
	tile.NumTile
	CumSum0() T
	Scan0(identity S, f func(a, b S) S) T
	Fold0(identity S, f func(a, b S) S) R
}

type scans1[T, R, S any] interface {
	tile.NumTile
	CumSum1() T
	Scan1(identity S, f func(a, b S) S) T
	Fold1(identity S, f func(a, b S) S) R
}

type scans2[T, R, S any] interface {
	tile.NumTile
	CumSum2() T
	Scan2(identity S, f func(a, b S) S) T
	Fold2(identity S, f func(a, b S) S) R
}

type scans3[T, R, S any] interface {
	tile.NumTile
	CumSum3() T
	Scan3(identity S, f func(a, b S) S) T
	Fold3(identity S, f func(a, b S) S) R
}

func scan0[T scans0[T, R, S], R, S tile.NumTile](x tile.Out[T], sum, greatest tile.Out[T], most tile.Out[R], low S) {
	v := x.Load()
	sum.Store(v.CumSum0())
	greatest.Store(v.Scan0(0, larger[S]))
	most.Store(v.Fold0(0, func(a, b S) S { return larger(low, larger(b, a)) }))
}

func scan1[T scans1[T, R, S], R, S tile.NumTile](x tile.Out[T], sum, greatest tile.Out[T], most tile.Out[R], low S) {
	v := x.Load()
	sum.Store(v.CumSum1())
	greatest.Store(v.Scan1(0, larger[S]))
	most.Store(v.Fold1(0, func(a, b S) S { return larger(low, larger(b, a)) }))
}

func scan2[T scans2[T, R, S], R, S tile.NumTile](x tile.Out[T], sum, greatest tile.Out[T], most tile.Out[R], low S) {
	v := x.Load()
	sum.Store(v.CumSum2())
	greatest.Store(v.Scan2(0, larger[S]))
	most.Store(v.Fold2(0, func(a, b S) S { return larger(low, larger(b, a)) }))
}

func scan3[T scans3[T, R, S], R, S tile.NumTile](x tile.Out[T], sum, greatest tile.Out[T], most tile.Out[R], low S) {
	v := x.Load()
	sum.Store(v.CumSum3())
	greatest.Store(v.Scan3(0, larger[S]))
	most.Store(v.Fold3(0, func(a, b S) S { return larger(low, larger(b, a)) }))
}

// larger is associative and has 0 as its identity among numbers that are not negative.
func larger[S tile.NumTile](a, b S) S {
	return max(a, b)
}

// Any and All of masks, which are made of numbers and stored as such.

func any10[A tile.Dim](x tile.Out[tile.I8T1[A]], some, every tile.Out[tile.I8T1[tile.D1]]) {
	m := tile.BoolTile1[A](x.Load() > 0)
	some.Store(tile.Where(m.Any0(), tile.I8T1[tile.D1](1), 0))
	every.Store(tile.Where(m.All0(), tile.I8T1[tile.D1](1), 0))
}

func any20[A, B tile.Dim](x tile.Out[tile.I8T2[A, B]], some, every tile.Out[tile.I8T2[tile.D1, B]]) {
	m := tile.BoolTile2[A, B](x.Load() > 0)
	some.Store(tile.Where(m.Any0(), tile.I8T2[tile.D1, B](1), 0))
	every.Store(tile.Where(m.All0(), tile.I8T2[tile.D1, B](1), 0))
}

func any21[A, B tile.Dim](x tile.Out[tile.I8T2[A, B]], some, every tile.Out[tile.I8T2[A, tile.D1]]) {
	m := tile.BoolTile2[A, B](x.Load() > 0)
	some.Store(tile.Where(m.Any1(), tile.I8T2[A, tile.D1](1), 0))
	every.Store(tile.Where(m.All1(), tile.I8T2[A, tile.D1](1), 0))
}

func any30[A, B, C tile.Dim](x tile.Out[tile.I8T3[A, B, C]], some, every tile.Out[tile.I8T3[tile.D1, B, C]]) {
	m := tile.BoolTile3[A, B, C](x.Load() > 0)
	some.Store(tile.Where(m.Any0(), tile.I8T3[tile.D1, B, C](1), 0))
	every.Store(tile.Where(m.All0(), tile.I8T3[tile.D1, B, C](1), 0))
}

func any31[A, B, C tile.Dim](x tile.Out[tile.I8T3[A, B, C]], some, every tile.Out[tile.I8T3[A, tile.D1, C]]) {
	m := tile.BoolTile3[A, B, C](x.Load() > 0)
	some.Store(tile.Where(m.Any1(), tile.I8T3[A, tile.D1, C](1), 0))
	every.Store(tile.Where(m.All1(), tile.I8T3[A, tile.D1, C](1), 0))
}

func any32[A, B, C tile.Dim](x tile.Out[tile.I8T3[A, B, C]], some, every tile.Out[tile.I8T3[A, B, tile.D1]]) {
	m := tile.BoolTile3[A, B, C](x.Load() > 0)
	some.Store(tile.Where(m.Any2(), tile.I8T3[A, B, tile.D1](1), 0))
	every.Store(tile.Where(m.All2(), tile.I8T3[A, B, tile.D1](1), 0))
}

func any40[A, B, C, D tile.Dim](x tile.Out[tile.I8T4[A, B, C, D]], some, every tile.Out[tile.I8T4[tile.D1, B, C, D]]) {
	m := tile.BoolTile4[A, B, C, D](x.Load() > 0)
	some.Store(tile.Where(m.Any0(), tile.I8T4[tile.D1, B, C, D](1), 0))
	every.Store(tile.Where(m.All0(), tile.I8T4[tile.D1, B, C, D](1), 0))
}

func any41[A, B, C, D tile.Dim](x tile.Out[tile.I8T4[A, B, C, D]], some, every tile.Out[tile.I8T4[A, tile.D1, C, D]]) {
	m := tile.BoolTile4[A, B, C, D](x.Load() > 0)
	some.Store(tile.Where(m.Any1(), tile.I8T4[A, tile.D1, C, D](1), 0))
	every.Store(tile.Where(m.All1(), tile.I8T4[A, tile.D1, C, D](1), 0))
}

func any42[A, B, C, D tile.Dim](x tile.Out[tile.I8T4[A, B, C, D]], some, every tile.Out[tile.I8T4[A, B, tile.D1, D]]) {
	m := tile.BoolTile4[A, B, C, D](x.Load() > 0)
	some.Store(tile.Where(m.Any2(), tile.I8T4[A, B, tile.D1, D](1), 0))
	every.Store(tile.Where(m.All2(), tile.I8T4[A, B, tile.D1, D](1), 0))
}

func any43[A, B, C, D tile.Dim](x tile.Out[tile.I8T4[A, B, C, D]], some, every tile.Out[tile.I8T4[A, B, C, tile.D1]]) {
	m := tile.BoolTile4[A, B, C, D](x.Load() > 0)
	some.Store(tile.Where(m.Any3(), tile.I8T4[A, B, C, tile.D1](1), 0))
	every.Store(tile.Where(m.All3(), tile.I8T4[A, B, C, tile.D1](1), 0))
}

func sums[E tile.FloatElem, A, B tile.Dim](x tile.In[tile.FloatTile2[E, A, B]], sum tile.Out[tile.FloatTile2[E, A, tile.D1]], prefix tile.InOut[tile.FloatTile2[E, A, B]]) {
	v := x.Load(sum.Index(0), 0)
	sum.Store(v.Sum1())
	prefix.Store(v.CumSum1(), sum.Index(0), 0)
}
