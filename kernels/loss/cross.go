package loss

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// CrossRows computes the cross entropy of each row of logits x [rows, classes] with its target: a block has R rows and processes C
// classes at a time. With s the smoothing, the loss is log Σe^x - (1-s)·x[target] - s·mean(x), and 0 where the target is ignored. (C.
// Szegedy and others, Rethinking the Inception architecture for computer vision, 2015.)
//
//cutile:entry
func CrossRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], targets tile.In[tile.I32T1[R]],
	y tile.Out[tile.F32T1[R]], smoothing float32, ignore int) {
	target := targetsOf(targets, y.Index(0), x.Len(1), ignore)
	var picked, all tile.F32T2[R, tile.D1]
	s := softmaxOf(x, y.Index(0), func(t tile.F32T2[R, C], col tile.I32T2[R, C]) {
		picked += tile.Where(col == tile.I32T2[R, C](target), t, 0).Sum1()
		all += tile.Where(col < tile.I32T2[R, C](x.Len(1)), t, 0).Sum1()
	})
	logs := s.peak + tile.Log(s.sum)
	loss := logs - picked
	if smoothing != 0 { // else infinite logits of other classes would matter
		part := tile.F32T2[R, tile.D1](smoothing)
		loss = (1-part)*loss + part*(logs-all/tile.F32T2[R, tile.D1](x.Len(1)))
	}
	loss = tile.Where(target == tile.I32T2[R, tile.D1](ignore), 0, loss)
	y.Store(tile.Reshape[tile.F32T1[R]](loss))
}

// CrossBackward computes the gradient of x for [CrossRows], given that of y: (softmax(x) - (1-s)·[class is the target] - s/classes)·dy,
// and 0 where the target is ignored. dx has elements D. The grid is the tiles of rows.
func CrossBackward[E, D tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], targets tile.In[tile.I32T1[R]],
	dy tile.In[tile.F32T1[R]], dx tile.InOut[tile.FloatTile2[D, R, C]], smoothing float32, ignore int) {
	i := tile.BlockID(0)
	target := targetsOf(targets, i, x.Len(1), ignore)
	s := softmaxOf(x, i, func(tile.F32T2[R, C], tile.I32T2[R, C]) {})
	scale := tile.Reshape[tile.F32T2[R, tile.D1]](dy.Load(i))
	ignored := target == tile.I32T2[R, tile.D1](ignore)
	for j := range x.Tiles(1) {
		t := tile.F32T2[R, C](x.LoadUnpadded(i, j))
		d := tile.Exp(t-tile.F32T2[R, C](s.peak)) / tile.F32T2[R, C](s.sum)
		d -= tile.F32T2[R, C](smoothing / float32(x.Len(1)))
		d -= tile.Where(columns[R, C](j) == tile.I32T2[R, C](target), tile.F32T2[R, C](1-smoothing), 0)
		d = tile.Where(tile.I32T2[R, C](tile.Where(ignored, tile.I32T2[R, tile.D1](1), 0)) != 0, 0, d*tile.F32T2[R, C](scale))
		dx.Store(tile.FloatTile2[D, R, C](d), i, j)
	}
}

// softmaxRow is what the softmax of R rows needs: their greatest elements, and the sums of powers relative to these.
type softmaxRow[R tile.Dim] struct{ peak, sum tile.F32T2[R, tile.D1] }

// softmaxOf makes one pass over rows and shows each tile to a function, with the numbers of its columns; elements behind the last
// column are -Inf.
func softmaxOf[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], i int,
	show func(t tile.F32T2[R, C], col tile.I32T2[R, C])) softmaxRow[R] {
	return softmaxAlong(x.Tiles(1), func(j int) tile.F32T2[R, C] { return tile.F32T2[R, C](x.LoadPad(math.Inf(-1), i, j)) }, show)
}

// softmaxAlong is [softmaxOf] for tiles that a function gives. (M. Milakov and N. Gimelshein, Online normalizer calculation for softmax,
// 2018.)
func softmaxAlong[R, C tile.Dim](tiles int, load func(j int) tile.F32T2[R, C], show func(t tile.F32T2[R, C], col tile.I32T2[R, C])) softmaxRow[R] {
	s := softmaxRow[R]{peak: tile.F32T2[R, tile.D1](-math.MaxFloat32)} // not -Inf: a tile of -Inf would subtract it from itself
	for j := range tiles {
		t := load(j)
		higher := max(s.peak, t.Max1())
		s.sum = tile.FMA(s.sum, tile.Exp(s.peak-higher), tile.Exp(t-tile.F32T2[R, C](higher)).Sum1())
		s.peak = higher
		show(t, columns[R, C](j))
	}
	return s
}

// columns are the numbers of the columns of the j-th tile.
func columns[R, C tile.Dim](j int) tile.I32T2[R, C] {
	return tile.I32T2[R, C](tile.I32T1[C](j*tile.Extent[C]()) + tile.Iota[C]())
}

// targetsOf are those of R rows. One that is no class ends the kernel.
func targetsOf[R tile.Dim](targets tile.In[tile.I32T1[R]], i, classes, ignore int) tile.I32T2[R, tile.D1] {
	t := targets.Load(i) // 0 behind the last row
	ok := t == tile.I32T1[R](ignore) || t >= 0 && t < tile.I32T1[R](classes)
	tile.Assert(ok, "a target of the cross entropy is neither a class nor the number to ignore")
	return tile.Reshape[tile.I32T2[R, tile.D1]](t)
}

// Share computes y = x divided by the number of targets that are not ignored, in one block.
//
//cutile:entry
func Share[B tile.Dim](targets tile.In[tile.I32T1[B]], x tile.In[tile.F32T1[tile.D1]], y tile.Out[tile.F32T1[tile.D1]], ignore int) {
	var count tile.I32T1[B]
	for i := range targets.Tiles(0) {
		inside := tile.I32T1[B](i*tile.Extent[B]())+tile.Iota[B]() < tile.I32T1[B](targets.Len(0))
		count += tile.Where(inside && targets.Load(i) != tile.I32T1[B](ignore), tile.I32T1[B](1), 0)
	}
	y.Store(x.Load(0) / tile.F32T1[tile.D1](count.Sum0()))
}
