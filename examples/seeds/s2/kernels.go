package main

import (
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/examples/seeds/s2/core"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

type (
	tile64 = core.Tile[float32, tile.D64, tile.D64]
	wide   = core.Tile[float32, tile.D128, tile.D64]
	row    = core.Tile[float32, tile.D1, tile.D128]
	count  = tile.I32T1[tile.D1]
)

// elements has a parameter of each kind of element.
func elements(_ float32, _ dtype.Float16, _ dtype.BFloat16, _ int32, _ bool, y core.Arg[tile64]) {
	y.Store(1)
}

func tiles(x, y core.Arg[wide]) { y.Store(core.LoadTile(x.Tensor, op.PadZero)) }

// extents stores the values that accompany a tensor.
func extents(x core.Arg[tile64], z tile.Out[count]) {
	shape := core.TensorShape(x.Tensor)
	z.Store(count(int(shape[0]) + int(shape[1])))
}

// paddings partitions a tensor with every padding.
func paddings(x, y core.Arg[tile64]) {
	var sum tile64
	for _, turned := range []bool{false, true} {
		dims := []int{0, 1}
		if turned {
			dims = []int{1, 0}
		}
		for _, padding := range []op.Padding{op.NoPadding, op.PadZero, op.PadNegZero, op.PadNaN, op.PadPosInf, op.PadNegInf} {
			part := core.MakePartitionView[tile64](x.Tensor, padding, dims, core.TensorToken(x.Tensor))
			v, _ := core.LoadViewTko(part, []int{0, 0}, 0, core.TMAEnabled, core.PartitionToken(part))
			sum += v
		}
	}
	y.Store(sum)
}

// meta reads the values that accompany a partition.
func meta(x core.Arg[tile64], z tile.Out[count]) {
	part := core.MakePartitionView[tile64](x.Tensor, op.PadZero, []int{0, 1}, core.TensorToken(x.Tensor))
	_, done := core.LoadViewTko(part, []int{0, 0}, 0, core.TMAEnabled, core.PartitionToken(part))
	core.SetTensorToken(x.Tensor, done)
	z.Store(count(int(core.PartitionShape(part)[1])))
}

// roots computes square roots with each combination of attributes.
func roots(x, y core.Arg[row]) {
	v := core.LoadTile(x.Tensor, op.PadZero)
	v = core.Sqrt(v, op.NearestEven, true)
	v = core.Sqrt(v, op.Zero, false)
	y.Store(core.Sqrt(v, op.Approx, true))
}

type line = tile.F32T1[tile.D128]

func cosine(x tile.In[line], y tile.Out[line]) { y.Store(core.Cos(x.Load(0))) }

// hinted loads with each combination of hints.
func hinted(x, y core.Arg[tile64]) {
	part := core.MakePartitionView[tile64](x.Tensor, op.NoPadding, []int{0, 1}, core.TensorToken(x.Tensor))
	at, token := []int{0, 0}, core.PartitionToken(part)
	a, _ := core.LoadViewTko(part, at, 0, core.TMAEnabled, token)
	b, _ := core.LoadViewTko(part, at, 4, core.TMAEnabled, token)
	c, _ := core.LoadViewTko(part, at, 4, core.TMADisabled, token)
	y.Store(a + b + c)
}

func stores(y core.Arg[tile64]) { y.Store(1) }

// tokens stores, loads and stores again. It restores the token in between, so the last store waits for the first token.
func tokens(y core.Arg[tile64]) {
	first := core.TensorToken(y.Tensor)
	core.StoreTile(y.Tensor, 1)
	sum := core.LoadTile(y.Tensor, op.PadZero) + 1
	core.SetTensorToken(y.Tensor, first)
	core.StoreTile(y.Tensor, sum)
}

// increment is the composite with a later load, as a complete kernel.
func increment(y core.Arg[tile64]) {
	for range 3 {
		core.StoreTile(y.Tensor, core.LoadTile(y.Tensor, op.PadZero)+1)
	}
}

// inlined calls an ordinary Go function, which is neither an operation nor an intrinsic.
func inlined(x, y core.Arg[row]) { y.Store(third(core.LoadTile(x.Tensor, op.PadZero))) }

func third(x row) row { return x / 3 }

func unsupported(y core.Arg[row]) { y.Store(row(strings.Count("cheese", "e"))) }

// scale is a user's type whose methods call functions.
type scale struct{ by row }

func (s scale) apply(x row) row           { return multiply(x, s.by) }
func (s scale) stored(y, x core.Arg[row]) { y.Store(s.apply(core.LoadTile(x.Tensor, op.PadZero))) }

func multiply(x, y row) row { return op.MulF(x, y, op.NearestEven, false) }

func methods(x, y core.Arg[row]) { scale{by: 3}.stored(y, x) }
