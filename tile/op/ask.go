package op

// The functions below ask the compiler; none of them becomes an operation.

// Track gives a pointer its two memory chains.
//
//cutile:intrinsic retype meta {stored: t, all: t}
func Track[T any](p Pointer[T], t Token) Pointer[T] { panic(host) }

// Stored is the token of the last store through v: a later load waits for it.
//
//cutile:intrinsic meta stored
func Stored[V any](v V) Token { panic(host) }

// All is the token of everything that went through v: a later store waits for it.
//
//cutile:intrinsic meta all
func All[V any](v V) Token { panic(host) }

// SetStored replaces the token that [Stored] gives.
//
//cutile:intrinsic set_meta stored
func SetStored[V any](v V, t Token) { panic(host) }

// SetAll replaces the token that [All] gives.
//
//cutile:intrinsic set_meta all
func SetAll[V any](v V, t Token) { panic(host) }

// TensorOf is the tensor that a view was made of. Its dimensions may stand in another order than those of the view.
//
//cutile:intrinsic meta tensor
func TensorOf[T any](v PartitionView[T]) TensorView[T] { panic(host) }

// BaseOf is the pointer that a tensor was made with.
//
//cutile:intrinsic meta base
func BaseOf[T any](v TensorView[T]) Pointer[T] { panic(host) }

// ExtentsOf is the shape that a tensor was made with.
//
//cutile:intrinsic meta shape
func ExtentsOf[T any](v TensorView[T]) Ints[T] { panic(host) }

// StridesOf is the strides that a tensor was made with.
//
//cutile:intrinsic meta strides
func StridesOf[T any](v TensorView[T]) Ints[T] { panic(host) }

// ShapeOf is the shape that a view was made with.
//
//cutile:intrinsic meta shape
func ShapeOf[T any](v PartitionView[T]) Ints[T] { panic(host) }

// Releases reports whether the kernel calls [WillRelease], here, earlier or later.
//
//cutile:intrinsic releases
func Releases() bool { panic(host) }

// WillRelease says that the kernel has an operation that releases.
//
//cutile:intrinsic will_release
func WillRelease() { panic(host) }

// Extent is the number that a dimension stands for.
//
//cutile:intrinsic extent
func Extent[D any]() int { panic(host) }

// Rank is the number of dimensions of T.
//
//cutile:intrinsic rank
func Rank[T any]() int { panic(host) }

// Shape is the extents of T.
//
//cutile:intrinsic shape
func Shape[T any]() []int { panic(host) }

// InKernel is true in a kernel and false on the host.
//
//cutile:intrinsic in_kernel
func InKernel() bool { return false }

// Size is the number of elements of T.
//
//cutile:intrinsic size
func Size[T any]() int { panic(host) }

// Bits is the width of an element of T.
//
//cutile:intrinsic bits
func Bits[T any]() int { panic(host) }

// IsFloat reports whether T has float elements.
//
//cutile:intrinsic is_float
func IsFloat[T any]() bool { panic(host) }

// IsSigned reports whether T has signed integer elements.
//
//cutile:intrinsic is_signed
func IsSigned[T any]() bool { panic(host) }

// IsMask reports whether T has truth values as elements.
//
//cutile:intrinsic is_mask
func IsMask[T any]() bool { panic(host) }

// SameType reports whether R and T are one type to Tile IR.
//
//cutile:intrinsic same
func SameType[R, T any]() bool { panic(host) }

// SameValue reports whether a and b are one value.
//
//cutile:intrinsic same_value
func SameValue[T any](a, b T) bool { panic(host) }

// IsConst reports whether x is known when the kernel is compiled.
//
//cutile:intrinsic is_const
func IsConst[T any](x T) bool { panic(host) }

// Divisor is what the launcher found x to be divisible by, 1 if nothing: a pointer in bytes, an integer by its value.
//
//cutile:intrinsic divisor
func Divisor[T any](x T) int { panic(host) }

// Spreads reports whether T has the shape of R up to leading dimensions and dimensions of 1.
//
//cutile:intrinsic spreads
func Spreads[R, T any]() bool { panic(host) }

// Permutes reports whether dimension i of R is dimension dims[i] of T.
//
//cutile:intrinsic permutes
func Permutes[R, T any](dims ...int) bool { panic(host) }

// ShapeName is the shape of T for a message, such as [64 128].
//
//cutile:intrinsic shape_name
func ShapeName[T any]() string { panic(host) }

// ElemName is the element of T for a message, such as float32.
//
//cutile:intrinsic elem_name
func ElemName[T any]() string { panic(host) }

// Retype gives a value another Go type of the same tile type.
//
//cutile:intrinsic retype
func Retype[R, T any](x T) R { panic(host) }

// Format turns a format of Go's package fmt into one of C's printf for arguments of these types.
//
//cutile:intrinsic format
func Format(format string, args ...any) string { panic(host) }

// MaskOf is the zero mask for T; the compiler asks for its type.
//
//cutile:intrinsic mask
func MaskOf[T any]() Mask[T] { panic(host) }

// Checked reports whether the kernel is compiled for a device that checks. Functions that only combine their arguments, such
// as those of a reduction, are not checked: they cannot stop the kernel.
//
//cutile:intrinsic checked
func Checked() bool { panic(host) }

// NoChecks reports whether the kernel says //cutile:nochecks.
//
//cutile:intrinsic nochecks
func NoChecks() bool { panic(host) }

// Require is an error at the kernel's own position unless ok, which must be known when the kernel is compiled.
//
//cutile:intrinsic require
func Require(ok bool, format string, args ...any) { panic(host) }

// RequireEqual is a mistake of the launch unless a and b are equal; each is a constant, a number that is a parameter, or an
// extent of one. It is one of the kernel where both are constants.
//
//cutile:intrinsic require_equal
func RequireEqual(a, b int) { panic(host) }

// Known is an error unless x, which what names, is known when the kernel is compiled.
//
//cutile:intrinsic known
func Known[T any](x T, what string) { panic(host) }

// SameElem reports whether R and T have one element type, sign included.
//
//cutile:intrinsic same_elem
func SameElem[R, T any]() bool { panic(host) }

// Least is the least value of T's element: minus infinity for floats.
//
//cutile:intrinsic least
func Least[T any]() float64 { panic(host) }

// Greatest is the greatest value of T's element: infinity for floats.
//
//cutile:intrinsic greatest
func Greatest[T any]() float64 { panic(host) }

// AllOnes is the value of T's integer element whose bits are all set.
//
//cutile:intrinsic all_ones
func AllOnes[T any]() float64 { panic(host) }
