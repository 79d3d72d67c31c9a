package main

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of the network. The extents of tensors need not be multiples of the tiles': elements outside read as
// zero, add nothing to a product or a sum, and are not stored. A batch may therefore have any size.

// mat is a tile of R rows and C columns, vec a row.
type (
	mat[R, C tile.Dim] = tile.F32T2[R, C]
	vec[C tile.Dim]    = tile.F32T1[C]
)

// linear computes y = activate(x·w + b), one layer. It multiplies K columns of x and K rows of w at a time.
func linear[M, N, K tile.Dim](x tile.In[mat[M, K]], w tile.In[mat[K, N]], b tile.In[vec[N]], y tile.Out[mat[M, N]],
	activate func(mat[M, N]) mat[M, N]) {
	i, j := y.Index(0), y.Index(1)
	sum := mat[M, N](b.Load(j)) // broadcast over the rows
	for k := range x.Tiles(1) {
		sum = tile.Dot(x.Load(i, k), w.Load(k, j), sum)
	}
	y.Store(activate(sum))
}

// relu replaces negative values by zero. It is the activation of the first layer.
func relu[T tile.FloatTile](x T) T { return max(x, 0) }

// same returns x: the second layer has no activation.
func same[T tile.FloatTile](x T) T { return x }

// crossEntropy computes the loss of each image, -log p[label] with p = softmax(z), and the gradient of the batch's mean
// loss with respect to z, which is why it divides by the number of images in the batch, of which z may be a part. The tile
// must be at least as wide as the number of classes.
func crossEntropy[M, C tile.Dim](z tile.In[mat[M, C]], label tile.In[tile.I32T1[M]],
	dz tile.Out[mat[M, C]], loss tile.Out[tile.F32T1[M]], images int) {
	i := dz.Index(0)
	score := z.LoadPad(math.Inf(-1), i, 0) // a class that does not exist has the probability e^-Inf = 0
	score -= mat[M, C](score.Max1())       // otherwise e^score might overflow
	e := tile.Exp(score)
	sum := e.Sum1()

	class := tile.I32T2[M, C](tile.Iota[C]()) // 0, 1, 2 … in each row
	truth := class == tile.I32T2[M, C](tile.Reshape[tile.I32T2[M, tile.D1]](label.Load(i)))
	right := tile.Where(truth, score, 0).Sum1() // the score of the label
	loss.Store(tile.Reshape[tile.F32T1[M]](tile.Log(sum) - right))

	p := e / mat[M, C](sum)
	dz.Store((p - tile.Where(truth, mat[M, C](1), 0)) / mat[M, C](images))
}

// hiddenGrad computes the gradient with respect to the input of the first layer's activation, given the gradient with
// respect to z = h·w + b: it is dz·wᵀ where relu passed the value.
func hiddenGrad[M, N, K tile.Dim](dz tile.In[mat[M, K]], w tile.In[mat[N, K]], h tile.In[mat[M, N]],
	dh tile.Out[mat[M, N]]) {
	i, j := dh.Index(0), dh.Index(1)
	var sum mat[M, N]
	for k := range dz.Tiles(1) {
		sum = tile.Dot(dz.Load(i, k), w.Load(j, k).T(), sum)
	}
	dh.Store(tile.Where(h.Load(i, j) > 0, sum, 0))
}

// weightGrad computes the gradient with respect to the weights of y = x·w + b, which is xᵀ·dy, a sum over the batch, K
// images at a time.
func weightGrad[M, N, K tile.Dim](x tile.In[mat[K, M]], dy tile.In[mat[K, N]], dw tile.Out[mat[M, N]]) {
	i, j := dw.Index(0), dw.Index(1)
	var sum mat[M, N]
	for k := range x.Tiles(0) {
		sum = tile.Dot(x.Load(k, i).T(), dy.Load(k, j), sum)
	}
	dw.Store(sum)
}

// biasGrad computes the gradient with respect to the bias of y = x·w + b, which is the sums of dy's columns.
func biasGrad[N, K tile.Dim](dy tile.In[mat[K, N]], db tile.Out[vec[N]]) {
	j := db.Index(0)
	var sum mat[K, N] // one sum for each row of the tile, added up at the end
	for k := range dy.Tiles(0) {
		sum += dy.Load(k, j)
	}
	db.Store(tile.Reshape[vec[N]](sum.Sum0()))
}

// update takes a step of gradient descent with momentum: the velocity v is a decaying sum of the gradients so far. A
// block may also read its own tile of an Out.
func update[B tile.Dim](g tile.In[vec[B]], p, v tile.Out[vec[B]], rate, momentum float32) {
	velocity := v.Load()*vec[B](momentum) + g.Load(v.Index(0))
	v.Store(velocity)
	p.Store(p.Load() - velocity*vec[B](rate))
}

// predict computes the class with the greatest score for each image, and the first of them if several are equal.
func predict[M, C tile.Dim](z tile.In[mat[M, C]], answer tile.Out[tile.I32T1[M]]) {
	i := answer.Index(0)
	best := z.LoadPad(math.Inf(-1), i, 0).ArgMax1()
	answer.Store(tile.Reshape[tile.I32T1[M]](best))
}

// mean computes the mean of all elements of x. One block adds them up, always in the same order.
func mean[B tile.Dim](x tile.In[vec[B]], m tile.Out[vec[tile.D1]]) {
	var sum vec[B]
	for i := range x.Tiles(0) {
		sum += x.Load(i)
	}
	m.Store(sum.Sum0() / vec[tile.D1](x.Len(0)))
}
