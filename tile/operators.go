package tile

import "github.com/cutile-go/cutile/tile/op"

// Go's operators on tiles: the compiler calls these functions for the operators in a kernel.

//cutile:operator + float
func addF[T any](x, y T) T { return op.AddF(x, y, op.NearestEven, false) }

//cutile:operator - float
func subF[T any](x, y T) T { return op.SubF(x, y, op.NearestEven, false) }

//cutile:operator * float
func mulF[T any](x, y T) T { return op.MulF(x, y, op.NearestEven, false) }

//cutile:operator / float
func divF[T any](x, y T) T { return op.DivF(x, y, op.NearestEven, false) }

//cutile:operator neg float
func negF[T any](x T) T { return op.NegF(x) }

//cutile:operator max float
func maxF[T any](x, y T) T { return op.MaxF(x, y, true, false) }

//cutile:operator min float
func minF[T any](x, y T) T { return op.MinF(x, y, true, false) }

//cutile:operator + int
func addI[T any](x, y T) T { return op.AddI(x, y, op.MayWrap) }

//cutile:operator - int
func subI[T any](x, y T) T { return op.SubI(x, y, op.MayWrap) }

//cutile:operator * int
func mulI[T any](x, y T) T { return op.MulI(x, y, op.MayWrap) }

//cutile:operator / int
func divI[T any](x, y T) T { return op.DivI(x, y, op.Zero) }

//cutile:operator % int
func remI[T any](x, y T) T { return op.RemI(x, y) }

//cutile:operator & int
func andI[T any](x, y T) T { return op.AndI(x, y) }

//cutile:operator | int
func orI[T any](x, y T) T { return op.OrI(x, y) }

//cutile:operator ^ int
func xorI[T any](x, y T) T { return op.XorI(x, y) }

//cutile:operator &^ int
func andNotI[T any](x, y T) T { return op.AndI(x, notI(y)) }

//cutile:operator << int
func shlI[T any](x, y T) T { return op.ShlI(x, y, op.MayWrap) }

//cutile:operator >> int
func shrI[T any](x, y T) T { return op.ShrI(x, y) }

// shlBy shifts by an unsigned count of another type. A count that is not less than the width shifts out all bits.
//
//cutile:operator << count
func shlBy[T, N any](x T, n N) T {
	notNegative(n)
	return op.Select(spread[op.Mask[T]](far[T](n)), op.Constant[T](0), shlI(x, intToInt[T](n)))
}

// shrBy shifts by an unsigned count of another type. A count that is not less than the width leaves only the sign.
//
//cutile:operator >> count
func shrBy[T, N any](x T, n N) T {
	notNegative(n)
	if op.IsSigned[T]() {
		return shrI(x, intToInt[T](op.Select(far[T](n), op.Constant[N](op.Bits[T]()-1), n)))
	}
	return op.Select(spread[op.Mask[T]](far[T](n)), op.Constant[T](0), shrI(x, intToInt[T](n)))
}

// notNegative makes a device with checks report a negative count, for which Go panics.
func notNegative[N any](n N) {
	if op.Checked() && op.IsSigned[N]() {
		op.Assert(geI(n, op.Constant[N](0)), "negative shift count: shift the other way, or make the count unsigned")
	}
}

// far returns a mask of the counts that are negative or not less than the width of T, a power of two.
func far[T, N any](n N) op.Mask[N] {
	width := op.Bits[T]()
	if op.IsSigned[N]() {
		return neI(op.AndI(n, op.Constant[N](-width)), op.Constant[N](0))
	}
	return geI(n, op.Constant[N](width))
}

//cutile:operator neg int
func negI[T any](x T) T { return op.NegI(x, op.MayWrap) }

//cutile:operator not int
func notI[T any](x T) T { return op.XorI(x, op.Constant[T](op.AllOnes[T]())) }

//cutile:operator max int
func maxI[T any](x, y T) T { return op.MaxI(x, y) }

//cutile:operator min int
func minI[T any](x, y T) T { return op.MinI(x, y) }

//cutile:operator && bool
func both[T any](x, y T) T { return op.AndI(x, y) }

//cutile:operator || bool
func either[T any](x, y T) T { return op.OrI(x, y) }

//cutile:operator not bool
func not[T any](x T) T { return op.XorI(x, op.Constant[T](1)) }

//cutile:operator == bool
func eqB[T any](x, y T) T { return not(op.XorI(x, y)) }

//cutile:operator != bool
func neB[T any](x, y T) T { return op.XorI(x, y) }

//cutile:operator < float
func ltF[T any](x, y T) op.Mask[T] { return op.CmpF(x, y, op.LessThan, op.Ordered) }

//cutile:operator <= float
func leF[T any](x, y T) op.Mask[T] { return op.CmpF(x, y, op.LessThanOrEqual, op.Ordered) }

//cutile:operator > float
func gtF[T any](x, y T) op.Mask[T] { return op.CmpF(x, y, op.GreaterThan, op.Ordered) }

//cutile:operator >= float
func geF[T any](x, y T) op.Mask[T] { return op.CmpF(x, y, op.GreaterThanOrEqual, op.Ordered) }

//cutile:operator == float
func eqF[T any](x, y T) op.Mask[T] { return op.CmpF(x, y, op.Equal, op.Ordered) }

// NaN is not equal to anything, as in Go.
//
//cutile:operator != float
func neF[T any](x, y T) op.Mask[T] { return op.CmpF(x, y, op.NotEqual, op.Unordered) }

//cutile:operator < int
func ltI[T any](x, y T) op.Mask[T] { return op.CmpI(x, y, op.LessThan) }

//cutile:operator <= int
func leI[T any](x, y T) op.Mask[T] { return op.CmpI(x, y, op.LessThanOrEqual) }

//cutile:operator > int
func gtI[T any](x, y T) op.Mask[T] { return op.CmpI(x, y, op.GreaterThan) }

//cutile:operator >= int
func geI[T any](x, y T) op.Mask[T] { return op.CmpI(x, y, op.GreaterThanOrEqual) }

//cutile:operator == int
func eqI[T any](x, y T) op.Mask[T] { return op.CmpI(x, y, op.Equal) }

//cutile:operator != int
func neI[T any](x, y T) op.Mask[T] { return op.CmpI(x, y, op.NotEqual) }
