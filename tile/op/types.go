package op

// Token orders memory operations. Its zero value is a new token.
//
//cutile:type token zero(MakeToken)
type Token struct{ _ int }

// Pointer is a pointer to an element of T.
//
//cutile:type tile(shape: [], elem: ptr(T))
type Pointer[T any] struct{ _ [0]T }

// Pointers is a tile of pointers to elements of T in the shape of S.
//
//cutile:type tile(shape: shape(S), elem: ptr(T))
type Pointers[T, S any] struct {
	_ [0]T
	_ [0]S
}

// Mask holds a boolean for each element of T.
//
//cutile:type tile(shape: shape(T), elem: i1)
type Mask[T any] bool

// As has the shape of T and the element type of R.
//
//cutile:type tile(shape: shape(T), elem: R)
type As[R, T any] struct {
	_ [0]R
	_ [0]T
}

// One is a tile of rank 0 with an element of T.
//
//cutile:type tile(shape: [], elem: T)
type One[T any] struct{ _ [0]T }

// Flat has the elements of T in a single dimension.
//
//cutile:type tile(shape: flat(T), elem: T)
type Flat[T any] struct{ _ [0]T }

// Line is a tile of rank 1 with elements of T.
//
//cutile:type tile(shape: [A], elem: T)
type Line[T, A any] struct {
	_ [0]T
	_ [0]A
}

// Cube is a tile of rank 3 with elements of T.
//
//cutile:type tile(shape: [A, B, C], elem: T)
type Cube[T, A, B, C any] struct {
	_ [0]T
	_ [0]A
	_ [0]B
	_ [0]C
}

// Lead is T with leading dimensions of 1 up to the rank of R.
//
//cutile:type tile(shape: lead(T, R), elem: T)
type Lead[R, T any] struct {
	_ [0]R
	_ [0]T
}

// Index is an extent, stride or index of a view. It has 32 bits if all extents and strides of a launch fit, and 64
// bits otherwise.
//
//cutile:type index
type Index int

// Ints holds an integer for each dimension of T.
//
//cutile:type list(rank(T))
type Ints[T any] []Index

// TensorView describes a tensor in memory with the element type of T. Its constructor completes the type.
//
//cutile:type tensor_view(elem: T, shape: *, strides: *)
type TensorView[T any] struct{ _ [0]T }

// PartitionView views a tensor as a grid of tiles T. Its constructor completes the type.
//
//cutile:type partition_view(tile: shape(T), tensor_view: *, padding_value: *, dim_map: *)
type PartitionView[T any] struct{ _ [0]T }

// StridedView views a tensor as tiles at given distances. Its constructor completes the type.
//
//cutile:type strided_view(tile: shape(T), tensor_view: *, traversal_strides: *, padding_value: *, dim_map: *)
type StridedView[T any] struct{ _ [0]T }

// GatherScatterView views a tensor whose elements along one dimension are selected individually. Its constructor
// completes the type.
//
//cutile:type gather_scatter_view(tile: shape(T), tensor_view: *, sparse_dim: *, padding_value: *)
type GatherScatterView[T any] struct{ _ [0]T }

// None stands for an optional operand or attribute that is not given.
//
//cutile:type none
type None struct{}
