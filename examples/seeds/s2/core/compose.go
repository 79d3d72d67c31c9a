package core

import "github.com/cutile-go/cutile/tile/op"

// Arg is a tensor as a kernel's parameter.
type Arg[T any] struct{ Tensor[T] }

//cutile:param inout
func newArg[T any](base op.Pointer[T], shape, strides op.Ints[T]) Arg[T] {
	return Arg[T]{makeTensorView(base, numbers[T]{shape}, numbers[T]{strides}, op.MakeToken())}
}

// Store writes a tile at the tensor's start.
func (y Arg[T]) Store(tile T) { StoreTile(y.Tensor, tile) }

// StoreTile is not an operation: it is inlined with its caller's shapes. Afterwards the tensor's token is that of the
// store.
func StoreTile[T any](y Tensor[T], result T) {
	token := TensorToken(y)
	partition := makePartitionViewMut(y, op.PadZero, token)
	done := storeViewTkoMut(partition, result, make([]int, op.Rank[T]()), 0, TMAEnabled, token)
	setPartitionTokenMut(partition, done)
	SetTensorToken(y, partitionTokenMut(partition))
}

// LoadTile reads the tile at the tensor's start, after earlier stores.
func LoadTile[T any](x Tensor[T], padding op.Padding) T {
	dims := make([]int, op.Rank[T]())
	for i := range dims {
		dims[i] = i
	}
	tile, _ := LoadViewTko(MakePartitionView[T](x, padding, dims, TensorToken(x)), make([]int, op.Rank[T]()), 0, TMAEnabled, TensorToken(x))
	return tile
}
