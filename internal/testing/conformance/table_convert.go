package conformance

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

// conversions are the cases of element types into each other, by the kind of conversion.
func conversions() []Case {
	return slices.Concat(
		fromFloat[dtype.Float16](), fromFloat[dtype.BFloat16](), fromFloat[float32](), fromFloat[float64](),
		fromInt[int8](), fromInt[int16](), fromInt[int32](), fromInt[int64](),
		fromInt[uint8](), fromInt[uint16](), fromInt[uint32](), fromInt[uint64](),
		recasts[int8, uint8](), recasts[int16, uint16](), recasts[int32, uint32](), recasts[int64, uint64](),
		recasts[dtype.Float16, dtype.BFloat16](),
		recasts[dtype.Float16, int16](), recasts[dtype.Float16, uint16](),
		recasts[dtype.BFloat16, int16](), recasts[dtype.BFloat16, uint16](),
		recasts[float32, int32](), recasts[float32, uint32](), recasts[float64, int64](), recasts[float64, uint64](),
		[]Case{scalarConversion(), spreadConversion()},
	)
}

func toFloats[A dtype.Elem]() []Case {
	return []Case{toFloat[A, dtype.Float16](), toFloat[A, dtype.BFloat16](), toFloat[A, float32](), toFloat[A, float64]()}
}

func fromFloat[A dtype.Elem]() []Case {
	return append(toFloats[A](),
		truncated[A, int8](), truncated[A, int16](), truncated[A, int32](), truncated[A, int64](),
		truncated[A, uint8](), truncated[A, uint16](), truncated[A, uint32](), truncated[A, uint64]())
}

func fromInt[A dtype.Elem]() []Case {
	return append(toFloats[A](),
		wrappedCase[A, int8](), wrappedCase[A, int16](), wrappedCase[A, int32](), wrappedCase[A, int64](),
		wrappedCase[A, uint8](), wrappedCase[A, uint16](), wrappedCase[A, uint32](), wrappedCase[A, uint64]())
}

// recasts reads bits as another type of the same width, both ways.
func recasts[A, B dtype.Elem]() []Case { return []Case{recastCase[A, B](), recastCase[B, A]()} }

// shortNames are what package tile calls tiles of an element type.
var shortNames = map[dtype.Type]string{
	dtype.F16: "F16", dtype.BF16: "BF16", dtype.F32: "F32", dtype.F64: "F64",
	dtype.I8: "I8", dtype.I16: "I16", dtype.I32: "I32", dtype.I64: "I64",
	dtype.U8: "U8", dtype.U16: "U16", dtype.U32: "U32", dtype.U64: "U64",
}

// line names the type of a tile of 16 elements.
func line[E dtype.Elem]() string { return shortNames[dtype.Of[E]()] + "T1[D16]" }
