package main

import (
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go irregular.go
var source embed.FS
var _ = cutile.Module(source)

// The kernels of this file stream through memory. They are those that package kernels does not have.

// axpy computes z = x + y·a.
func axpy[B tile.Dim](x, y tile.In[tile.F32T1[B]], a float32, z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.LoadUnpadded(i) + y.LoadUnpadded(i)*tile.F32T1[B](a))
}

// sumRows computes the sum of each row.
func sumRows[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], y tile.Out[tile.F32T2[R, tile.D1]]) {
	var sum tile.F32T2[R, tile.D1]
	for j := range x.Tiles(1) {
		sum += x.Load(y.Index(0), j).Sum1()
	}
	y.Store(sum)
}

// maxRows finds the greatest element of each row.
func maxRows[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], y tile.Out[tile.F32T2[R, tile.D1]]) {
	peak := tile.F32T2[R, tile.D1](math.Inf(-1))
	for j := range x.Tiles(1) {
		peak = max(peak, x.LoadPad(math.Inf(-1), y.Index(0), j).Max1())
	}
	y.Store(peak)
}

// crossEntropy computes the logarithm of the sum of exponentials of each row, minus the row's element at its target.
func crossEntropy[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], target tile.In[tile.I32T2[R, tile.D1]], loss tile.Out[tile.F32T2[R, tile.D1]]) {
	i := loss.Index(0)
	at := tile.I32T2[R, C](target.Load(i, 0))
	peak := tile.F32T2[R, tile.D1](-math.MaxFloat32)
	var sum, picked tile.F32T2[R, tile.D1]
	for j := range x.Tiles(1) {
		v := x.LoadPad(math.Inf(-1), i, j)
		higher := max(peak, v.Max1())
		sum = sum*tile.Exp(peak-higher) + tile.Exp(v-tile.F32T2[R, C](higher)).Sum1()
		peak = higher
		column := tile.I32T2[R, C](tile.I32T1[C](j*tile.Extent[C]()) + tile.Iota[C]())
		picked += tile.Where(column == at, v, 0).Sum1()
	}
	loss.Store(peak + tile.Log(sum) - picked)
}

// scanRows computes the running sums of each row; a block goes along R rows.
func scanRows[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], y tile.InOut[tile.F32T2[R, C]]) {
	i := tile.BlockID(0)
	var carry tile.F32T2[R, tile.D1]
	for j := range x.Tiles(1) {
		v := x.Load(i, j)
		y.Store(v.CumSum1()+tile.F32T2[R, C](carry), i, j)
		carry += v.Sum1()
	}
}

// sortRows sorts each row, which fits a tile.
func sortRows[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], y tile.Out[tile.F32T2[R, C]]) {
	y.Store(tile.Sort(x.Load(y.Index(0), 0), tile.Forward))
}
