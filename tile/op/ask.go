package op

// The functions below are intrinsics: the compiler evaluates them, and none of them becomes an operation.

// Track attaches two memory chains to a pointer.
//
//cutile:intrinsic retype meta {stored: t, all: t}
func Track[T any](p Pointer[T], t Token) Pointer[T] { panic(host) }

// Stored returns the token of the last store through v, which a later load waits for.
//
//cutile:intrinsic meta stored
func Stored[V any](v V) Token { panic(host) }

// All returns the token of all accesses through v, which a later store waits for.
//
//cutile:intrinsic meta all
func All[V any](v V) Token { panic(host) }

// SetStored replaces the token that [Stored] returns.
//
//cutile:intrinsic set_meta stored
func SetStored[V any](v V, t Token) { panic(host) }

// SetAll replaces the token that [All] returns.
//
//cutile:intrinsic set_meta all
func SetAll[V any](v V, t Token) { panic(host) }

// TensorOf returns the tensor of a view. The order of its dimensions may differ from that of the view.
//
//cutile:intrinsic meta tensor
func TensorOf[T any](v PartitionView[T]) TensorView[T] { panic(host) }

// BaseOf returns the pointer of a tensor.
//
//cutile:intrinsic meta base
func BaseOf[T any](v TensorView[T]) Pointer[T] { panic(host) }

// ExtentsOf returns the shape with which a tensor was made.
//
//cutile:intrinsic meta shape
func ExtentsOf[T any](v TensorView[T]) Ints[T] { panic(host) }

// StridesOf returns the strides with which a tensor was made.
//
//cutile:intrinsic meta strides
func StridesOf[T any](v TensorView[T]) Ints[T] { panic(host) }

// ShapeOf returns the shape with which a view was made.
//
//cutile:intrinsic meta shape
func ShapeOf[T any](v PartitionView[T]) Ints[T] { panic(host) }

// Releases reports whether the kernel calls [WillRelease] anywhere, before or after this call.
//
//cutile:intrinsic releases
func Releases() bool { panic(host) }

// WillRelease declares that the kernel has an operation that releases.
//
//cutile:intrinsic will_release
func WillRelease() { panic(host) }

// Extent returns the number that a dimension stands for.
//
//cutile:intrinsic extent
func Extent[D any]() int { panic(host) }

// Rank returns the number of dimensions of T.
//
//cutile:intrinsic rank
func Rank[T any]() int { panic(host) }

// Shape returns the extents of T.
//
//cutile:intrinsic shape
func Shape[T any]() []int { panic(host) }

// InKernel returns true in a kernel and false in plain Go.
//
//cutile:intrinsic in_kernel
func InKernel() bool { return false }

// Size returns the number of elements of T.
//
//cutile:intrinsic size
func Size[T any]() int { panic(host) }

// Bits returns the width of an element of T in bits.
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

// IsMask reports whether the elements of T are booleans.
//
//cutile:intrinsic is_mask
func IsMask[T any]() bool { panic(host) }

// SameType reports whether R and T are the same type in Tile IR.
//
//cutile:intrinsic same
func SameType[R, T any]() bool { panic(host) }

// SameValue reports whether a and b are the same value.
//
//cutile:intrinsic same_value
func SameValue[T any](a, b T) bool { panic(host) }

// IsConst reports whether x is known when the kernel is compiled.
//
//cutile:intrinsic is_const
func IsConst[T any](x T) bool { panic(host) }

// Divisor returns a number that is known to divide x because the launch found it, or 1. For a pointer it counts
// bytes.
//
//cutile:intrinsic divisor
func Divisor[T any](x T) int { panic(host) }

// Spreads reports whether T can be broadcast to the shape of R, by adding leading dimensions and stretching
// dimensions of 1.
//
//cutile:intrinsic spreads
func Spreads[R, T any]() bool { panic(host) }

// Permutes reports whether dimension i of R is dimension dims[i] of T.
//
//cutile:intrinsic permutes
func Permutes[R, T any](dims ...int) bool { panic(host) }

// ShapeName returns the shape of T for a message, such as [64 128].
//
//cutile:intrinsic shape_name
func ShapeName[T any]() string { panic(host) }

// ElemName returns the element type of T for a message, such as float32.
//
//cutile:intrinsic elem_name
func ElemName[T any]() string { panic(host) }

// Retype converts a value to another Go type with the same tile type.
//
//cutile:intrinsic retype
func Retype[R, T any](x T) R { panic(host) }

// Format converts a format of Go's package fmt to a format of C's printf for arguments of these types.
//
//cutile:intrinsic format
func Format(format string, args ...any) string { panic(host) }

// MaskOf returns a zero mask for T; it is used only for its type.
//
//cutile:intrinsic mask
func MaskOf[T any]() Mask[T] { panic(host) }

// Checked reports whether the kernel is compiled for a device with checks. Functions that combine elements, such as
// those of a reduction, are not checked, since they cannot stop the kernel.
//
//cutile:intrinsic checked
func Checked() bool { panic(host) }

// NoChecks reports whether the kernel has the directive //cutile:nochecks.
//
//cutile:intrinsic nochecks
func NoChecks() bool { panic(host) }

// Require reports an error at the kernel's own position unless ok, which must be known when the kernel is compiled.
//
//cutile:intrinsic require
func Require(ok bool, format string, args ...any) { panic(host) }

// RequireEqual makes a launch fail unless a and b are equal. Each of them is a constant, a number that is a
// parameter, or an extent of a parameter. If both are constants, a difference is an error in the kernel.
//
//cutile:intrinsic require_equal
func RequireEqual(a, b int) { panic(host) }

// Known reports an error unless x is known when the kernel is compiled. The error calls x by the name what.
//
//cutile:intrinsic known
func Known[T any](x T, what string) { panic(host) }

// SameElem reports whether R and T have the same element type, including the sign.
//
//cutile:intrinsic same_elem
func SameElem[R, T any]() bool { panic(host) }

// Least returns the least value of T's element type: minus infinity for floats.
//
//cutile:intrinsic least
func Least[T any]() T { panic(host) }

// Greatest returns the greatest value of T's element type: infinity for floats.
//
//cutile:intrinsic greatest
func Greatest[T any]() T { panic(host) }

// AllOnes returns the value of T's integer element type whose bits are all set.
//
//cutile:intrinsic all_ones
func AllOnes[T any]() T { panic(host) }
