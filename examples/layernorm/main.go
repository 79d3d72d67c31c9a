// Command layernorm normalises rows to mean 0 and variance 1, scales and shifts them, and computes the gradients.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// mat is a tile of R rows and C columns, col has one number for each row, and row has one for each column.
type (
	mat[R, C tile.Dim] = tile.F32T2[R, C]
	col[R tile.Dim]    = tile.F32T2[R, tile.D1]
	row[C tile.Dim]    = tile.F32T1[C]
)

// columns returns a mask of the columns of the j-th tile that lie inside a row of n elements.
func columns[R, C tile.Dim](j, n int) bool {
	at := tile.I32T1[C](j*tile.Extent[C]()) + tile.Iota[C]()
	return tile.I32T2[R, C](at) < tile.I32T2[R, C](n)
}

// forward computes y = (x - mean)·rstd·w + b for each row, where rstd is the inverse of the standard deviation. It
// stores mean and rstd for the gradients. Since they are Outs of R elements, there is one block for each R rows.
func forward[R, C tile.Dim](x tile.In[mat[R, C]], w, b tile.In[row[C]], y tile.InOut[mat[R, C]],
	mean, rstd tile.Out[tile.F32T1[R]], eps float32) {
	i, n := mean.Index(0), col[R](x.Len(1))
	var sum, squares col[R]
	for j := range x.Tiles(1) {
		sum += x.Load(i, j).Sum1()
	}
	mu := sum / n
	for j := range x.Tiles(1) { // a separate pass, since the difference of two great sums would lose the variance
		d := x.Load(i, j) - mat[R, C](mu)
		d = tile.Where(columns[R, C](j, x.Len(1)), d, 0)
		squares += (d * d).Sum1()
	}
	r := tile.Rsqrt(squares/n + col[R](eps))
	for j := range x.Tiles(1) {
		h := (x.Load(i, j) - mat[R, C](mu)) * mat[R, C](r)
		y.Store(h*mat[R, C](w.Load(j))+mat[R, C](b.Load(j)), i, j)
	}
	mean.Store(tile.Reshape[tile.F32T1[R]](mu))
	rstd.Store(tile.Reshape[tile.F32T1[R]](r))
}

// normal returns the tile (i, j) of normalised x, before scaling and shifting.
func normal[R, C tile.Dim](x tile.In[mat[R, C]], mean, rstd tile.In[tile.F32T1[R]], i, j int) mat[R, C] {
	mu, r := tile.Reshape[col[R]](mean.Load(i)), tile.Reshape[col[R]](rstd.Load(i))
	return (x.Load(i, j) - mat[R, C](mu)) * mat[R, C](r)
}

// backwardX computes the gradient of x, given the gradient of y. y does not change with the mean of the row or the
// scale of x, so these components are removed.
func backwardX[R, C tile.Dim](dy, x tile.In[mat[R, C]], w tile.In[row[C]], mean, rstd tile.In[tile.F32T1[R]],
	dx tile.InOut[mat[R, C]]) {
	i, n := tile.BlockID(0), col[R](x.Len(1))
	var common, along col[R]
	for j := range x.Tiles(1) {
		g := dy.Load(i, j) * mat[R, C](w.Load(j)) // 0 outside, so the value of h there is irrelevant
		common += g.Sum1()
		along += (g * normal(x, mean, rstd, i, j)).Sum1()
	}
	common, along = common/n, along/n
	r := tile.Reshape[col[R]](rstd.Load(i))
	for j := range x.Tiles(1) {
		g, h := dy.Load(i, j)*mat[R, C](w.Load(j)), normal(x, mean, rstd, i, j)
		dx.Store((g-mat[R, C](common)-h*mat[R, C](along))*mat[R, C](r), i, j)
	}
}

// backwardW computes the gradients of w and b, which are sums over all rows. A block processes C columns.
func backwardW[R, C tile.Dim](dy, x tile.In[mat[R, C]], mean, rstd tile.In[tile.F32T1[R]], dw, db tile.Out[row[C]]) {
	j := dw.Index(0)
	var gw, gb mat[R, C] // a sum for each row of the tile, added up at the end
	for i := range x.Tiles(0) {
		g := dy.Load(i, j)
		gw += g * normal(x, mean, rstd, i, j)
		gb += g
	}
	dw.Store(tile.Reshape[row[C]](gw.Sum0()))
	db.Store(tile.Reshape[row[C]](gb.Sum0()))
}

// layer holds the tensors that the kernels read and write: matrices of rows by cols, w, b, dw and db with an element
// for each column, and mean and rstd with an element for each row.
type layer struct {
	x, w, b, y, mean, rstd *cutile.Tensor[float32]
	dx, dw, db, dy         *cutile.Tensor[float32]
}

// A block processes rowsPerBlock rows, 256 columns at a time.
const rowsPerBlock = 4

type (
	dimR = tile.D4
	dimC = tile.D256
)

const eps = 1e-5

// forward queues the computation of y, mean and rstd.
func (l *layer) forward(ctx context.Context, dev *cutile.Device) error {
	return cutile.Launch6With(ctx, dev, forward[dimR, dimC], l.x, l.w, l.b, l.y, l.mean, l.rstd, float32(eps))
}

// backward queues the computation of dx, dw and db.
func (l *layer) backward(ctx context.Context, dev *cutile.Device) error {
	blocks := (l.x.Shape()[0] + rowsPerBlock - 1) / rowsPerBlock
	return errors.Join(
		cutile.Launch6(ctx, dev.Grid(blocks), backwardX[dimR, dimC], l.dy, l.x, l.w, l.mean, l.rstd, l.dx),
		cutile.Launch6(ctx, dev, backwardW[dimR, dimC], l.dy, l.x, l.mean, l.rstd, l.dw, l.db),
	)
}

func run(ctx context.Context, out io.Writer) error {
	dev, err := cutile.Open("")
	if err != nil {
		return err
	}
	defer dev.Close()
	const rows, cols = 130, 1000 // not multiples of the tile
	l, err := newLayer(dev, rand.New(rand.NewPCG(1, 2)), rows, cols)
	if err != nil {
		return err
	}
	if err := errors.Join(l.forward(ctx, dev), l.backward(ctx, dev)); err != nil {
		return err
	}
	all, err := l.deviations() // waits
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "layer norm of %d rows of %d on %s, greatest errors\n", rows, cols, dev.Name())
	for _, d := range all {
		fmt.Fprintf(out, "%-4s %.1e\n", d.name, d.worst)
	}
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
