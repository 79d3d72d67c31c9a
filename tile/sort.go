package tile

import "github.com/cutile-go/cutile/tile/op"

// Sort sorts along the last axis: Forward puts the least element first, Backward the greatest. -0 is less than 0, and NaN is
// greater than every number, or less than every number if its sign bit is set.
func Sort[T NumTile](x T, way Direction) T {
	n := lineOf[T]("Sort")
	if n == 1 {
		return x
	}
	if !op.IsFloat[T]() {
		return op.Reshape[T](sortLine(op.Reshape[op.Flat[T]](x), n, way))
	}
	switch op.Bits[T]() {
	case 16:
		return sortFloats[op.As[I16, T]](x, n, way)
	case 32:
		return sortFloats[op.As[I32, T]](x, n, way)
	}
	return sortFloats[op.As[I64, T]](x, n, way)
}

// ArgSort sorts like [Sort], and also returns the previous index of each element along the axis; equal elements keep their
// order. R is a tile of int32 with the shape of T.
func ArgSort[R IntTile, T NumTile](x T, way Direction) (T, R) {
	op.Require(op.SameElem[R, I32]() && op.ShapeName[R]() == op.ShapeName[T](), "ArgSort returns indices as int32 of shape %s", op.ShapeName[T]())
	return argSort[R](x, way)
}

func argSort[R, T any](x T, way Direction) (T, R) {
	n := lineOf[T]("ArgSort")
	if n == 1 {
		return x, op.Constant[R](0)
	}
	if !op.IsFloat[T]() {
		y, at := argSortLine(op.Reshape[op.Flat[T]](x), places[op.Flat[R]](n), n, way)
		return op.Reshape[T](y), op.Reshape[R](at)
	}
	switch op.Bits[T]() {
	case 16:
		return argSortFloats[op.As[I16, T], R](x, n, way)
	case 32:
		return argSortFloats[op.As[I32, T], R](x, n, way)
	}
	return argSortFloats[op.As[I64, T], R](x, n, way)
}

// TopK returns the greatest elements along the last axis, the greatest first, as many as R has there. As in [Sort], NaN is
// greater than every number, and so comes first, or less if its sign bit is set.
func TopK[R, T NumTile](x T) R {
	checkPart[R, T]("TopK", op.Rank[T]())
	return Extract[R](Sort(x, Backward), make([]int, op.Rank[T]())...)
}

// ArgTopK is [TopK], and also returns the indices along the axis; of equal elements the first comes first.
func ArgTopK[R NumTile, P IntTile, T NumTile](x T) (R, P) {
	op.Require(op.SameElem[P, I32]() && op.ShapeName[P]() == op.ShapeName[R](), "ArgTopK returns indices as int32 of shape %s", op.ShapeName[R]())
	checkPart[R, T]("ArgTopK", op.Rank[T]())
	y, at := argSort[op.As[I32, T]](x, Backward)
	return Extract[R](y, make([]int, op.Rank[T]())...), op.Extract[P](at, make([]int32, op.Rank[T]())...)
}

// lineOf returns the extent of the last axis.
func lineOf[T any](name string) int {
	rank := op.Rank[T]()
	op.Require(rank > 0, "%s needs an axis to sort along", name)
	op.Require(op.Bits[T]() >= 16 || !op.IsFloat[T](), "%s does not compare %s: convert first", name, op.ElemName[T]())
	n := op.Shape[T]()[rank-1]
	const most = 4096
	op.Require(n <= most, "%s sorts up to %d elements, not %d", name, most, n)
	op.Require(op.Size[T]() <= 2*65536, "%s sorts tiles of up to %d elements, not %d", name, 2*65536, op.Size[T]())
	return n
}

// places returns the index of each element in its line.
func places[F any](n int) F { return op.AndI(op.Iota[F](), op.Constant[F](n-1)) }

// ordered converts the bits of floats to integers in the same order, and back.
func ordered[K any](x K) K {
	sign := op.ShrI(x, op.Constant[K](op.Bits[K]()-1))
	return op.XorI(x, op.AndI(sign, op.Constant[K](op.Greatest[K]())))
}

func sortFloats[K, T any](x T, n int, way Direction) T {
	y := sortLine(op.Reshape[op.Flat[K]](ordered(op.Bitcast[K](x))), n, way)
	return op.Bitcast[T](ordered(op.Reshape[K](y)))
}

func argSortFloats[K, R, T any](x T, n int, way Direction) (T, R) {
	y, at := argSortLine(op.Reshape[op.Flat[K]](ordered(op.Bitcast[K](x))), places[op.Flat[R]](n), n, way)
	return op.Bitcast[T](ordered(op.Reshape[K](y))), op.Reshape[R](at)
}
