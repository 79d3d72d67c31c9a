// Package rmsnorm divides each row of a matrix by the root of the mean of its squares: y = x * rsqrt(mean(x*x) + eps) *
// w. A warp processes a short row, and a block processes a long one. They differ only in how the threads add up their
// sums.
package rmsnorm

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

const (
	threads = 256  // threads of a block
	warp    = 32   // threads
	short   = 1024 // a warp processes rows up to this length
)

// run launches one of the kernels, since the length of rows is known only at run time.
func run[T cute.Float](x, w, y cute.Tensor[T], eps float32) error {
	block := cute.D3(threads, 1, 1)
	if x.Size(1) <= short {
		warps[T](x, w, y, eps).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(x.Size(0), threads/warp), 1, 1), Block: block})
	} else {
		blocks[T](x, w, y, eps).Launch(cute.Launch{Grid: cute.D3(x.Size(0), 1, 1), Block: block})
	}
	return nil
}

// warps normalises a row with each warp of a block.
func warps[T cute.Float](x, w, y cute.Tensor[T], eps float32) (_ cute.Kernel) {
	row := cute.BlockIdx().X*(threads/warp) + cute.WarpIdx()
	if row < x.Size(0) {
		normalise(rowOf(x, row), w, rowOf(y, row), eps, cute.LaneIdx(), warp, func(v float32) float32 {
			return cute.WarpReduce(v, add)
		})
	}
	return
}

// blocks normalises a row with all threads of a block.
func blocks[T cute.Float](x, w, y cute.Tensor[T], eps float32) (_ cute.Kernel) {
	row := cute.BlockIdx().X
	normalise(rowOf(x, row), w, rowOf(y, row), eps, cute.ThreadIdx().X, threads, func(v float32) float32 {
		return cute.BlockReduce(v, 0, add)
	})
	return
}

// normalise is the work of thread number me of n on a row; sum adds up the threads' values.
func normalise[T cute.Float](x, w, y cute.Tensor[T], eps float32, me, n int, sum func(float32) float32) {
	squares := float32(0)
	for i := range cute.Range(cute.RangeOf{From: me, To: x.Size(), Step: n, Unroll: 4}) {
		v := float32(x.At(i))
		squares = cute.FMA(v, v, squares)
	}
	scale := cute.Rsqrt(sum(squares)/float32(x.Size()) + eps)
	for i := range cute.Range(cute.RangeOf{From: me, To: x.Size(), Step: n, Unroll: 4}) {
		y.Set(T(float32(x.At(i))*scale*float32(w.At(i))), i)
	}
}

func rowOf[T cute.Float](t cute.Tensor[T], row int) cute.Tensor[T] {
	return t.Slice(cute.I(row), cute.All)
}

func add(a, b float32) float32 { return a + b }

// Float32 and Float16 normalise x (M,N) with weights w (N) to y (M,N). They compute in float32.
var (
	Float32 = cute.Jit(run[float32])
	Float16 = cute.Jit(run[cute.Float16])
)
