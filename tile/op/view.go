package op

// MakeTensorView describes a tensor. An extent or stride that is constant becomes part of the type, any other an
// operand.
//
//cutile:op make_tensor_view(base, dynamic(shape), dynamic(strides)) -> {shape: static(shape), strides: static(strides)}
func MakeTensorView[T any](base Pointer[T], shape, strides Ints[T]) TensorView[T] { panic(host) }

// MakePartitionView views a tensor as tiles: dimension i of a tile walks dimension dims[i] of the tensor. shape, as the
// kernel's author sees it, and the tokens of the two memory chains travel with the view.
//
//cutile:op make_partition_view(v) -> {tensor_view: v, padding_value: p, dim_map: dims} meta {tensor: v, dims: dims, shape: shape, stored: t, all: t}
func MakePartitionView[T any](v TensorView[T], p Padding, dims []int, shape Ints[T], t Token) PartitionView[T] {
	panic(host)
}

// IndexSpace is the number of tiles along each axis of a view.
//
//cutile:op get_index_space_shape(v) once min(0)
func IndexSpace[T any](v PartitionView[T]) Ints[T] { panic(host) }

// TileBlockID is the place of the running block in the grid.
//
//cutile:op get_tile_block_id() once min(0)
func TileBlockID() (x, y, z int32) { panic(host) }

// NumTileBlocks is the size of the grid.
//
//cutile:op get_num_tile_blocks() once min(1)
func NumTileBlocks() (x, y, z int32) { panic(host) }

// AssumeDivBy promises that x is divisible by n: a pointer in bytes.
//
//cutile:op assume(x) {predicate: div_by(n)} bounds(x)
func AssumeDivBy[T any](x T, n int) T { panic(host) }

// AssumeAtLeast promises a lower bound.
//
//cutile:op assume(x) {predicate: bounded(lo)} min(lo)
func AssumeAtLeast[T any](x T, lo int) T { panic(host) }

// WithPadding is the view with another padding. It shares the memory chains of v.
//
//cutile:op make_partition_view(v.tensor) -> {tensor_view: v.tensor, padding_value: p, dim_map: v.dims} meta {tensor: v.tensor, dims: v.dims, shape: v.shape, stored: v.stored, all: v.all}
func WithPadding[T any](v PartitionView[T], p Padding) PartitionView[T] { panic(host) }
