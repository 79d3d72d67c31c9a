package op

// Token orders memory operations. Its zero value is a new token.
//
//cutile:type token zero(MakeToken)
type Token struct{ _ int }

// Pointer is one pointer to an element of T.
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

// Mask is a truth value for each element of T.
//
//cutile:type tile(shape: shape(T), elem: i1)
type Mask[T any] bool

// As is T with the element type of R.
//
//cutile:type tile(shape: shape(T), elem: R)
type As[R, T any] struct {
	_ [0]R
	_ [0]T
}

// Lead is T with leading dimensions of 1 up to the rank of R.
//
//cutile:type tile(shape: lead(T, R), elem: T)
type Lead[R, T any] struct {
	_ [0]R
	_ [0]T
}

// Index is an extent, stride or index of a view: 32 bits wide where all of a launch's extents and strides fit, else 64.
//
//cutile:type index
type Index int

// Ints holds an integer for each dimension of T.
//
//cutile:type list(rank(T))
type Ints[T any] []Index

// TensorView describes a tensor in memory whose element is that of T. Its constructor completes the type.
//
//cutile:type tensor_view(elem: T, shape: *, strides: *)
type TensorView[T any] struct{ _ [0]T }

// PartitionView views a tensor as a grid of tiles T. Its constructor completes the type.
//
//cutile:type partition_view(tile: shape(T), tensor_view: *, padding_value: *, dim_map: *)
type PartitionView[T any] struct{ _ [0]T }

// None stands for an optional operand or attribute that is not given.
//
//cutile:type none
type None struct{}
