// Package core declares types and operations of Tile IR like the package of that name in the seed: with directives
// above Go declarations, and without package tile.
package core

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile/op"
)

//go:embed core.go compose.go
var source embed.FS
var _ = cutile.Module(source)

const host = "runs through cutile.Launch"

// Tile has a shape and an element type.
//
//cutile:type tile(shape: [A, B], elem: E)
type Tile[E, A, B any] float64

// Tensor is a tensor in memory. Its constructor completes the type; pointer, extents, strides and token accompany the
// value.
//
//cutile:type tensor_view(elem: T, shape: *, strides: *)
type Tensor[T any] struct{ _ [0]T }

// numbers holds a number for each dimension of T: extents or strides.
type numbers[T any] struct{ dims op.Ints[T] }

//cutile:op make_tensor_view(base, dynamic(shape.dims), dynamic(strides.dims)) -> {shape: static(shape.dims), strides: static(strides.dims)} meta {base: base, shape: shape.dims, strides: strides.dims, token: token}
func makeTensorView[T any](base op.Pointer[T], shape, strides numbers[T], token op.Token) Tensor[T] {
	panic(host)
}

// Partition views a tensor as tiles T, for reading.
//
//cutile:type partition_view(tile: shape(T), tensor_view: *, padding_value: *, dim_map: *)
type Partition[T any] struct{ _ [0]T }

// MakePartitionView partitions a tensor to read it. op.NoPadding and the identity permutation of dimensions do not
// appear in the type.
//
//cutile:op make_partition_view(v) -> {tensor_view: v, padding_value: padding, dim_map: dims} meta {token: token, shape: v.shape}
func MakePartitionView[R, T any](v Tensor[T], padding op.Padding, dims []int, token op.Token) Partition[R] {
	panic(host)
}

// PartitionMut views a tensor as tiles T, for writing.
//
//cutile:type partition_view(tile: shape(T), tensor_view: *, padding_value: *)
type PartitionMut[T any] struct{ _ [0]T }

// makePartitionViewMut partitions a tensor to write it. It is unexported, as the seed's is unsafe, since nothing
// prevents blocks from writing the same tile.
//
//cutile:op make_partition_view(v) -> {tensor_view: v, padding_value: padding} meta {token: token, shape: v.shape}
func makePartitionViewMut[T any](v Tensor[T], padding op.Padding, token op.Token) PartitionMut[T] {
	panic(host)
}

// Latency is an optional hint; 0 means no hint.
type Latency int

// TMA says whether a load may use the tensor memory accelerator.
type TMA int

// The values of TMA.
const (
	TMAEnabled TMA = iota
	TMADisabled
)

// LoadViewTko reads a tile. Latency and accelerator are hints and not operands.
//
//cutile:op load_view_tko(view, index, token) {memory_ordering_semantics: weak, optimization_hints: hints(latency: latency, allow_tma: not(tma))}
func LoadViewTko[T any](view Partition[T], index []int, latency Latency, tma TMA, token op.Token) (T, op.Token) {
	panic(host)
}

//cutile:op store_view_tko(tile, view, index, token) {memory_ordering_semantics: weak, optimization_hints: hints(latency: latency, allow_tma: not(tma))}
func storeViewTkoMut[T any](view PartitionMut[T], tile T, index []int, latency Latency, tma TMA, token op.Token) op.Token {
	panic(host)
}

// Cos returns the cosine.
//
//cutile:op cos(x)
func Cos[T any](x T) T { panic(host) }

// Sqrt returns the square root; it has two attributes.
//
//cutile:op sqrt(x) {rounding_mode: rounding, flush_to_zero: flush}
func Sqrt[T any](x T, rounding op.Rounding, flush bool) T { panic(host) }

// TensorToken returns the token that accompanies a tensor.
//
//cutile:intrinsic meta token
func TensorToken[T any](x Tensor[T]) op.Token { panic(host) }

// SetTensorToken replaces it.
//
//cutile:intrinsic set_meta token
func SetTensorToken[T any](x Tensor[T], token op.Token) { panic(host) }

// TensorShape returns the extents that accompany a tensor.
//
//cutile:intrinsic meta shape
func TensorShape[T any](x Tensor[T]) op.Ints[T] { panic(host) }

//cutile:intrinsic meta token
func partitionTokenMut[T any](x PartitionMut[T]) op.Token { panic(host) }

//cutile:intrinsic set_meta token
func setPartitionTokenMut[T any](x PartitionMut[T], token op.Token) { panic(host) }

// PartitionToken returns the token that accompanies a partition.
//
//cutile:intrinsic meta token
func PartitionToken[T any](x Partition[T]) op.Token { panic(host) }

// PartitionShape returns the extents of a partition's tensor.
//
//cutile:intrinsic meta shape
func PartitionShape[T any](x Partition[T]) op.Ints[T] { panic(host) }
