package main

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file access memory element by element, or have loops that depend on data. They are written in the way that is
// easiest to read, as a user would write them first.

// histogram counts numbers from 0 to 1 in bins of equal width.
func histogram[B tile.Dim](x tile.In[tile.F32T1[B]], bins tile.Ptr[int32], count int) {
	v := x.LoadPad(math.Inf(-1), tile.BlockID(0)) // and -Inf is in no bin
	bin := tile.I32T1[B](tile.Floor(v * tile.F32T1[B](count)))
	tile.AtomicAdd(bins, bin, tile.I32T1[B](1), bin >= 0)
}

// gather computes y[i] = x[at[i]].
func gather[B tile.Dim](x tile.Ptr[float32], at tile.In[tile.I32T1[B]], y tile.Out[tile.F32T1[B]]) {
	i := at.Load(y.Index(0))
	y.Store(tile.Gather[tile.F32T1[B]](x, i, i >= 0, 0))
}

// csr multiplies a sparse matrix of compressed rows by a vector. A block computes one row, B elements at a time.
func csr[B tile.Dim](starts tile.In[tile.I32T1[tile.D1]], columns tile.Ptr[int32], values, x tile.Ptr[float32],
	y tile.Out[tile.F32T1[tile.D1]], _ tile.Size[B]) {
	row := y.Index(0)
	end := int(tile.Reshape[tile.I32](starts.Load(row + 1)))
	var sum tile.F32T1[B]
	for i := int(tile.Reshape[tile.I32](starts.Load(row))); i < end; i += tile.Extent[B]() {
		at := tile.I32T1[B](i) + tile.Iota[B]()
		inside := at < tile.I32T1[B](end)
		column := tile.Gather[tile.I32T1[B]](columns, at, inside, 0)
		sum += tile.Gather[tile.F32T1[B]](values, at, inside, 0) * tile.Gather[tile.F32T1[B]](x, column, inside, 0)
	}
	y.Store(sum.Sum0())
}

// levenshtein fills the matrix of distances between the first i letters of a and the first j of b. One block goes along the
// diagonals, whose elements do not depend on each other.
func levenshtein[B tile.Dim](a, b tile.Ptr[int32], d tile.Ptr[int32], n, m int, _ tile.Size[B]) {
	for sum := 0; sum <= n+m; sum++ {
		for first := max(0, sum-m); first <= min(sum, n); first += tile.Extent[B]() {
			i := tile.I32T1[B](first) + tile.Iota[B]()
			j := tile.I32T1[B](sum) - i
			at := i*tile.I32T1[B](m+1) + j
			inside := i <= tile.I32T1[B](min(sum, n))
			inner := inside && i > 0 && j > 0
			cost := tile.Where(tile.Gather[tile.I32T1[B]](a, i-1, inner, 0) == tile.Gather[tile.I32T1[B]](b, j-1, inner, 0), tile.I32T1[B](0), 1)
			up := tile.Gather[tile.I32T1[B]](d, at-tile.I32T1[B](m+1), inner, 0) + 1
			left := tile.Gather[tile.I32T1[B]](d, at-1, inner, 0) + 1
			both := tile.Gather[tile.I32T1[B]](d, at-tile.I32T1[B](m+2), inner, 0) + cost
			tile.Scatter(d, at, tile.Where(inner, min(up, left, both), i+j), inside)
		}
	}
}

// kmeans assigns each point, a row of x, to the closest centre, and adds it to the sum of that centre's points.
func kmeans[N, K, D tile.Dim](x tile.In[tile.F32T2[N, D]], centres tile.In[tile.F32T2[K, D]], sums, counts tile.Ptr[float32]) {
	var zero tile.F32T2[N, K]
	p, c := x.Load(tile.BlockID(0), 0), centres.Load(0, 0)
	lengths := (c * c).Sum1()
	distance := tile.F32T2[N, K](lengths.T()) - 2*tile.Dot(p, c.T(), zero)
	label := distance.ArgMin1()
	row := tile.I32T2[N, K](tile.Reshape[tile.I32T2[N, tile.D1]](tile.I32T1[N](tile.BlockID(0)*tile.Extent[N]()) + tile.Iota[N]()))
	mine := tile.I32T2[N, K](tile.Iota[K]()) == tile.I32T2[N, K](label) && row < tile.I32T2[N, K](x.Len(0))
	hot := tile.Where(mine, tile.F32T2[N, K](1), 0)
	var none tile.F32T2[K, D]
	at := tile.Reshape[tile.I32T2[K, D]](tile.Iota[tile.Product[K, D]]())
	tile.AtomicAdd(sums, at, tile.Dot(hot.T(), p, none), true)
	tile.AtomicAdd(counts, tile.Iota[K](), tile.Reshape[tile.F32T1[K]](hot.Sum0()), true)
}

// topP keeps the greatest probabilities of each row until their sum reaches p, and scales them so that their sum is 1.
func topP[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], p float32, y tile.Out[tile.F32T2[R, C]]) {
	v := x.Load(y.Index(0), 0)
	sorted := tile.Sort(v, tile.Backward)
	before := sorted.CumSum1() - sorted
	least := tile.Where(before < tile.F32T2[R, C](p), sorted, 1).Min1()
	kept := tile.Where(v >= tile.F32T2[R, C](least), v, 0)
	y.Store(kept / tile.F32T2[R, C](kept.Sum1()))
}

// mandelbrot counts the steps until a point of the plane is seen to be outside the set, at most limit.
func mandelbrot[R, C tile.Dim](count tile.Out[tile.I32T2[R, C]], limit int, left, top, step float32) {
	rows, columns := tile.Indices2[R, C](count.Index(0), count.Index(1))
	cr := tile.F32T2[R, C](left) + tile.F32T2[R, C](columns)*tile.F32T2[R, C](step)
	ci := tile.F32T2[R, C](top) + tile.F32T2[R, C](rows)*tile.F32T2[R, C](step)
	var zr, zi tile.F32T2[R, C]
	var n tile.I32T2[R, C]
	for range limit {
		r2, i2 := zr*zr, zi*zi
		inside := tile.Where(r2+i2 <= 4, tile.I32T2[R, C](1), 0)
		if tile.Reshape[tile.I32](inside.Max1().Max0()) == 0 {
			break
		}
		n += inside
		zi = (zr+zr)*zi + ci
		zr = r2 - i2 + cr
	}
	count.Store(n)
}
