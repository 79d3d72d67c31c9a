package tile

import "github.com/cutile-go/cutile/tile/op"

// Go's conversions on tiles: they change the element type, add leading dimensions and stretch dimensions of 1.

//cutile:operator convert same
func spread[R, T any](x T) R {
	if op.SameType[R, T]() {
		return op.Retype[R](x)
	}
	op.Require(op.Spreads[R, T]() || op.Size[R]() != op.Size[T](), "a conversion cannot change shape %s to %s: use Reshape", op.ShapeName[T](), op.ShapeName[R]())
	op.Require(op.Spreads[R, T](), "a conversion cannot change shape %s to %s: it adds leading dimensions and stretches those of 1: Reshape first so that they line up", op.ShapeName[T](), op.ShapeName[R]())
	if op.SameType[op.Lead[R, T], T]() {
		return op.Broadcast[R](x)
	}
	wide := op.Reshape[op.Lead[R, T]](x)
	if op.SameType[op.Lead[R, T], R]() {
		return op.Retype[R](wide)
	}
	return op.Broadcast[R](wide)
}

// A conversion to f8e8m0 rounds up, since the scale of a block must not be too small; other conversions round to
// nearest.
//
//cutile:operator convert float float
func floatToFloat[R, T any](x T) R {
	if op.Bits[R]() < 8 { // such tiles need an even extent, so x is broadcast first
		return op.FToF[R](spread[op.As[T, R]](x), op.NearestEven)
	}
	if op.SameElem[R, F8E8M0]() {
		return spread[R](op.FToF[op.As[R, T]](x, op.PositiveInf))
	}
	return spread[R](op.FToF[op.As[R, T]](x, op.NearestEven))
}

//cutile:operator convert int float
func intToFloat[R, T any](x T) R { return spread[R](op.IToF[op.As[R, T]](x, op.NearestEven)) }

// A float that is out of the range of R becomes the nearest integer of R, and NaN becomes 0. Tile IR does not define
// that, but the instructions of GPUs do it for results of 32 bits and operands of at most 32 bits; for 64 bits they
// have another result for NaN. From version 13.4 on an attribute requests saturation, which takes up to eight more
// instructions. A pass guards conversions that the assembler may compute itself.
//
//cutile:operator convert float int
func floatToInt[R, T any](x T) R {
	switch {
	case op.Bits[R]() >= 32:
		return spread[R](toInt[op.As[R, T]](x))
	case op.IsSigned[R]():
		wide := toInt[op.As[I32, T]](x)
		return spread[R](intToInt[op.As[R, T]](maxI(minI(wide, op.Constant[op.As[I32, T]](op.Greatest[R]())), op.Constant[op.As[I32, T]](op.Least[R]()))))
	}
	wide := toInt[op.As[U32, T]](x)
	return spread[R](intToInt[op.As[R, T]](minI(wide, op.Constant[op.As[U32, T]](op.Greatest[R]()))))
}

// toInt converts to integers of 32 or 64 bits.
func toInt[R, T any](x T) R {
	switch {
	case op.Bits[T]() == 64:
		return op.Select(eqF(x, x), truncated[R](x), op.Constant[R](0))
	case op.Bits[R]() == 32:
		return truncated[R](x)
	case op.Bits[T]() < 16 || op.SameElem[T, TF32](): // these types do not support comparisons
		return numbersToInt[R](floatToFloat[op.As[F32, T]](x))
	}
	return numbersToInt[R](x)
}

func numbersToInt[R, T any](x T) R { return truncated[R](op.Select(eqF(x, x), x, op.Constant[T](0))) }

func truncated[R, T any](x T) R { return op.FToI[R](x, op.NearestIntToZero, false) }

//cutile:operator convert int int
func intToInt[R, T any](x T) R {
	if op.Bits[R]() > op.Bits[T]() {
		return spread[R](op.ExtI[op.As[R, T]](x))
	}
	if op.Bits[R]() < op.Bits[T]() {
		return spread[R](op.TruncI[op.As[R, T]](x, op.MayWrap))
	}
	return spread[R](op.Retype[op.As[R, T]](x))
}
