package cute

// Element types that Go does not have. In compiled code each operation rounds its result to the type, and Go's operators and
// constants work on it; in the calling program a value is the float32 of the same number.
type (
	// Float16 is IEEE binary16.
	Float16 float32
	// BFloat16 is the upper half of a float32.
	BFloat16 float32
	// TFloat32 is a float32 with 10 bits of mantissa, for tensor cores. It takes 4 bytes in memory.
	TFloat32 float32
	// Float8E4M3FN has 4 bits of exponent, 3 of mantissa and no infinity (OCP 8-bit floating point).
	Float8E4M3FN float32
	// Float8E5M2 has 5 bits of exponent and 2 of mantissa (OCP 8-bit floating point).
	Float8E5M2 float32
)

// Float lists the floating-point element types.
type Float interface {
	~float32 | ~float64
}

// Int lists the integer element types.
type Int interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

// Num lists the element types that Go's operators work on.
type Num interface {
	Int | Float
}

// Elem lists the element types of tensors.
type Elem interface {
	Num | ~bool
}

// Vec is a vector in registers, which [Tensor.Load] returns and [Tensor.Store] takes. Go's operators and constants work on it
// element by element, a number converted to a Vec is repeated, and a Vec converted to a Vec of another element type is
// converted element by element. A comparison of two is a condition for [Where]. Its underlying Go type has no meaning: the
// calling program has no values of type Vec. To Go a Vec is a float, so operators for integers (% & | ^ &^ << >>) work only on
// its elements (see [Vec.At]), not on a whole Vec.
type Vec[T Elem] float64

// At returns the element at a static coordinate.
//
//cutile:intrinsic vecat
func (v Vec[T]) At(crd ...int) T { panic(deviceOnly) }

// Size returns the number of elements.
//
//cutile:intrinsic vecsize
func (v Vec[T]) Size() int { panic(deviceOnly) }

// Where returns x where a condition is true, else y, element by element. The condition is a comparison of vectors, which is a
// bool to Go's type checker and a vector to the kernel compiler.
//
//cutile:intrinsic select2
func Where[T Elem](cond bool, x, y Vec[T]) Vec[T] { panic(deviceOnly) }

// Select returns x if a condition is true, else y; both are computed.
//
//cutile:intrinsic select2
func Select[T Elem](cond bool, x, y T) T { panic(deviceOnly) }

// Cast converts a number. T(v) does the same where both types are known.
//
//cutile:intrinsic convert
func Cast[To, From Num](v From) To { panic(deviceOnly) }
