package parallel

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// The kernel compiler reads the kernels' source at run time.
//
//go:embed kernels.go linear.go linear_backward.go linear_kernels.go ring_check.go ring_forward.go ring_kernels.go
var source embed.FS
var _ = cutile.Module(source)

// add adds x to y.
func add[T tile.NumTile](x tile.In[T], y tile.Out[T]) {
	y.Store(x.LoadUnpadded(y.Index(0)) + y.LoadUnpadded())
}

// divide divides x.
func divide[E tile.FloatElem, B tile.Dim](x tile.Out[tile.FloatTile1[E, B]], by float32) {
	n := tile.FloatTile1[E, B](tile.F32T1[B](by))
	x.Store(x.LoadUnpadded() / n)
}

// block is how many elements a block of the kernels has.
type block = tile.D1024

type (
	ints[E tile.IntElem]   = tile.IntTile1[E, block]
	uints[E tile.UintElem] = tile.UintTile1[E, block]
	nums[E tile.FloatElem] = tile.FloatTile1[E, block]
)

// elements has the kernels for elements of each type: divide is nil where there is no mean.
var elements = map[dtype.Type]struct{ add, divide any }{
	dtype.I8: {add: add[ints[int8]]}, dtype.I16: {add: add[ints[int16]]}, dtype.I32: {add: add[ints[int32]]}, dtype.I64: {add: add[ints[int64]]},
	dtype.U8: {add: add[uints[uint8]]}, dtype.U16: {add: add[uints[uint16]]}, dtype.U32: {add: add[uints[uint32]]}, dtype.U64: {add: add[uints[uint64]]},
	dtype.F16:  {add[nums[dtype.Float16]], divide[dtype.Float16, block]},
	dtype.BF16: {add[nums[dtype.BFloat16]], divide[dtype.BFloat16, block]},
	dtype.F32:  {add[nums[float32]], divide[float32, block]},
	dtype.F64:  {add[nums[float64]], divide[float64, block]},
}
