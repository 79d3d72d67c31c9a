package cute

// Element types that Go does not have. In compiled code a value is rounded to the type by each operation, and Go's
// operators and constants work on it; in the program that calls a value is the float32 of the same number.
type (
	// Float16 is IEEE binary16.
	Float16 float32
	// BFloat16 is the upper half of a float32.
	BFloat16 float32
	// TFloat32 is a float32 with 10 bits of mantissa, which tensor cores take: 4 bytes in memory.
	TFloat32 float32
	// Float8E4M3FN has 4 bits of exponent, 3 of mantissa and no infinity (OCP 8-bit floating point).
	Float8E4M3FN float32
	// Float8E5M2 has 5 bits of exponent and 2 of mantissa (OCP 8-bit floating point).
	Float8E5M2 float32
)

// Float is the floating-point elements.
type Float interface {
	~float32 | ~float64
}

// Int is the integer elements.
type Int interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}

// Num is the elements that Go's operators work on.
type Num interface {
	Int | Float
}

// Elem is what a tensor can hold.
type Elem interface {
	Num | ~bool
}

// Vec is the elements of a tensor in registers as one value: what [Tensor.Load] gives and [Tensor.Store] takes. Go's
// operators and constants work on it element by element, a number converted to a Vec is repeated, and a Vec converted to
// a Vec of another element type is converted element by element. A comparison of two gives a condition for [Where].
// Its number in Go's type says nothing: the program that calls has no value of it. To Go a Vec is a float, so what Go has for
// integers alone (% & | ^ &^ << >>) works on its elements, see [Vec.At], and not on the whole.
type Vec[T Elem] float64

// At is an element, at a static coordinate.
//
//cutile:intrinsic vecat
func (v Vec[T]) At(crd ...int) T { panic(deviceOnly) }

// Size is the number of elements.
//
//cutile:intrinsic vecsize
func (v Vec[T]) Size() int { panic(deviceOnly) }

// Where is x where a condition holds, else y, element by element. The condition is a comparison of vectors: Go's types see
// a truth value, the compiler the shape.
//
//cutile:intrinsic select2
func Where[T Elem](cond bool, x, y Vec[T]) Vec[T] { panic(deviceOnly) }

// Select is x where a condition holds, else y; both are computed.
//
//cutile:intrinsic select2
func Select[T Elem](cond bool, x, y T) T { panic(deviceOnly) }

// Cast converts a number. T(v) does the same where both types are known.
//
//cutile:intrinsic convert
func Cast[To, From Num](v From) To { panic(deviceOnly) }
