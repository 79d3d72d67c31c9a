package op

// MakeTensorView describes a tensor. A constant extent or stride becomes part of the type; any other becomes an
// operand. The pointer, extents and strides accompany the view.
//
//cutile:op make_tensor_view(base, dynamic(shape), dynamic(strides)) -> {shape: static(shape), strides: static(strides)} meta {base: base, shape: shape, strides: strides}
func MakeTensorView[T any](base Pointer[T], shape, strides Ints[T]) TensorView[T] { panic(host) }

// MakePartitionView views a tensor as tiles. Dimension i of a tile runs along dimension dims[i] of the tensor. The
// view is accompanied by shape, which is the shape that the kernel's author sees, and by the tokens of the two
// memory chains.
//
//cutile:op make_partition_view(v) -> {tensor_view: v, padding_value: p, dim_map: dims} meta {tensor: v, dims: dims, shape: shape, stored: t, all: t}
func MakePartitionView[T any](v TensorView[T], p Padding, dims []int, shape Ints[T], t Token) PartitionView[T] {
	panic(host)
}

// IndexSpace returns the number of tiles along each axis of a view.
//
//cutile:op get_index_space_shape(v) once min(0)
func IndexSpace[T any](v PartitionView[T]) Ints[T] { panic(host) }

// WithPadding returns the view with another padding. It shares the memory chains of v.
//
//cutile:op make_partition_view(v.tensor) -> {tensor_view: v.tensor, padding_value: p, dim_map: v.dims} meta {tensor: v.tensor, dims: v.dims, shape: v.shape, stored: v.stored, all: v.all}
func WithPadding[T any](v PartitionView[T], p Padding) PartitionView[T] { panic(host) }

// MakeStridedView views the tensor of v as tiles that start steps elements apart. It shares the memory chains of v.
//
//cutile:op make_strided_view(v.tensor) -> {tensor_view: v.tensor, traversal_strides: steps, padding_value: p, dim_map: v.dims} meta {tensor: v.tensor, dims: v.dims, steps: steps, stored: v.stored, all: v.all}
func MakeStridedView[R, T any](v PartitionView[T], p Padding, steps []int) StridedView[R] {
	panic(host)
}

// WithStridedPadding returns the view with another padding. It shares the memory chains of v.
//
//cutile:op make_strided_view(v.tensor) -> {tensor_view: v.tensor, traversal_strides: v.steps, padding_value: p, dim_map: v.dims} meta {tensor: v.tensor, dims: v.dims, steps: v.steps, stored: v.stored, all: v.all}
func WithStridedPadding[T any](v StridedView[T], p Padding) StridedView[T] { panic(host) }

// MakeGatherScatterView views a tensor whose dimension sparse is indexed element by element. It shares the memory chains
// of v, which views the same tensor.
//
//cutile:op make_gather_scatter_view(n) -> {tensor_view: n, sparse_dim: sparse, padding_value: p} meta {stored: v.stored, all: v.all}
func MakeGatherScatterView[R, T any](n TensorView[T], v PartitionView[T], p Padding, sparse int) GatherScatterView[R] {
	panic(host)
}

// PartOf views a part n of the tensor of v as tiles; dimension i of a tile runs along dimension dims[i] of n. It
// shares the memory chains of v.
//
//cutile:op make_partition_view(n) -> {tensor_view: n, padding_value: p, dim_map: dims} meta {tensor: n, dims: dims, shape: shape, stored: v.stored, all: v.all}
func PartOf[T any](n TensorView[T], v PartitionView[T], p Padding, dims []int, shape Ints[T]) PartitionView[T] {
	panic(host)
}

// TensorShape returns the extents of a tensor.
//
//cutile:op get_tensor_shape(v) once min(0)
func TensorShape[T any](v TensorView[T]) Ints[T] { panic(host) }

// StridedSpace returns the number of tiles along each axis of a view.
//
//cutile:op get_index_space_shape(v) once min(0)
func StridedSpace[T any](v StridedView[T]) Ints[T] { panic(host) }

// LoadStrided loads the tile at an index.
//
//cutile:op load_view_tko(v, index, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA), by: h.By), inbounds: h.InBounds}
func LoadStrided[T any](v StridedView[T], index []int, o MemoryOrder, s Scope, h Hints, t Token) (T, Token) {
	panic(host)
}

// StoreStrided stores a tile at an index. Elements outside the tensor are dropped.
//
//cutile:op store_view_tko(x, v, index, t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA), by: h.By), inbounds: h.InBounds}
func StoreStrided[T any](x T, v StridedView[T], index []int, o MemoryOrder, s Scope, h Hints, t Token) Token {
	panic(host)
}

// LoadGather loads the elements at the given indices. before and after are indices of elements for the dimensions
// before and after the sparse one; at has an index for each element along the sparse dimension.
//
//cutile:op load_view_tko(v, [before, at, after], t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA), by: h.By), inbounds: h.InBounds}
func LoadGather[T, I any](v GatherScatterView[T], before []int, at I, after []int, o MemoryOrder, s Scope, h Hints, t Token) (T, Token) {
	panic(host)
}

// StoreScatter stores elements at indices, which are given as for [LoadGather]. Elements outside the tensor are
// dropped.
//
//cutile:op store_view_tko(x, v, [before, at, after], t) {memory_ordering_semantics: o, memory_scope: s, optimization_hints: hints(latency: h.Latency, allow_tma: not(h.NoTMA), by: h.By), inbounds: h.InBounds}
func StoreScatter[T, I any](x T, v GatherScatterView[T], before []int, at I, after []int, o MemoryOrder, s Scope, h Hints, t Token) Token {
	panic(host)
}
