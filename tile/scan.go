package tile

import "github.com/cutile-go/cutile/tile/op"

// Scan returns the running fold along an axis; f combines two elements and must be pure and associative. Combined with the identity,
// an element stays what it is. The identity is known when the kernel is compiled: a number such as 0, or Inf[F32](-1).
func Scan[T NumTile, E NumTile](x T, axis int, way Direction, identity E, f func(a, b E) E) T {
	checkAxis[T](axis)
	return op.Scan(x, axis, bool(way), identity, f)
}

// Scan2 returns the running fold of two tiles at once; f combines the elements a, b so far with the next ones, x and y.
func Scan2[T, U, E, F NumTile](x T, y U, axis int, way Direction, idx E, idy F, f func(a E, b F, x E, y F) (E, F)) (T, U) {
	checkAxis[T](axis)
	return op.Scan2(x, y, axis, bool(way), idx, idy, f)
}

// Scan3 returns the running fold of three tiles at once.
func Scan3[T, U, V, E, F, G NumTile](x T, y U, z V, axis int, way Direction, idx E, idy F, idz G, f func(a E, b F, c G, x E, y F, z G) (E, F, G)) (T, U, V) {
	checkAxis[T](axis)
	return op.Scan3(x, y, z, axis, bool(way), idx, idy, idz, f)
}

// CumSum returns the running sum along an axis.
func CumSum[T NumTile](x T, axis int, way Direction) T {
	checkAxis[T](axis)
	if op.IsFloat[T]() {
		return op.Scan(x, axis, bool(way), 0, addF[op.One[T]])
	}
	return op.Scan(x, axis, bool(way), 0, addI[op.One[T]])
}

// CumProd returns the running product along an axis.
func CumProd[T NumTile](x T, axis int, way Direction) T {
	checkAxis[T](axis)
	if op.IsFloat[T]() {
		return op.Scan(x, axis, bool(way), 1, mulF[op.One[T]])
	}
	return op.Scan(x, axis, bool(way), 1, mulI[op.One[T]])
}

// CumMax returns the greatest element so far along an axis; from the first NaN on it is NaN.
func CumMax[T NumTile](x T, axis int, way Direction) T {
	checkAxis[T](axis)
	if op.IsFloat[T]() {
		return op.Scan(x, axis, bool(way), op.Least[T](), maxF[op.One[T]])
	}
	return op.Scan(x, axis, bool(way), op.Least[T](), maxI[op.One[T]])
}

// CumMin returns the least element so far along an axis; from the first NaN on it is NaN.
func CumMin[T NumTile](x T, axis int, way Direction) T {
	checkAxis[T](axis)
	if op.IsFloat[T]() {
		return op.Scan(x, axis, bool(way), op.Greatest[T](), minF[op.One[T]])
	}
	return op.Scan(x, axis, bool(way), op.Greatest[T](), minI[op.One[T]])
}

// Reduce folds an axis, which R does not have; f combines two elements and must be pure, associative and commutative: elements are
// combined in an order of their own (docs/numerics.md). The identity is that of [Scan].
func Reduce[R, T, E NumTile](x T, axis int, identity E, f func(a, b E) E) R {
	checkDropped[R, T](axis)
	return op.Reduce[R](x, axis, identity, f)
}

// Reduce2 folds an axis of two tiles at once; f combines the elements a, b with x and y, and must be pure, associative and commutative.
func Reduce2[R, S, T, U, E, F NumTile](x T, y U, axis int, idx E, idy F, f func(a E, b F, x E, y F) (E, F)) (R, S) {
	checkDropped[R, T](axis)
	checkDropped[S, U](axis)
	return op.Reduce2[R, S](x, y, axis, idx, idy, f)
}

// Reduce3 folds an axis of three tiles at once.
func Reduce3[R, S, Q, T, U, V, E, F, G NumTile](x T, y U, z V, axis int, idx E, idy F, idz G, f func(a E, b F, c G, x E, y F, z G) (E, F, G)) (R, S, Q) {
	checkDropped[R, T](axis)
	checkDropped[S, U](axis)
	checkDropped[Q, V](axis)
	return op.Reduce3[R, S, Q](x, y, z, axis, idx, idy, idz, f)
}

func checkAxis[T any](axis int) {
	op.Known(axis, "the axis")
	op.Require(axis >= 0 && axis < op.Rank[T](), "there is no axis %d in a tile of shape %s", axis, op.ShapeName[T]())
}

// checkDropped checks that R is T without an axis.
func checkDropped[R, T any](axis int) {
	checkAxis[T](axis)
	same := op.SameElem[R, T]() && op.Rank[R]() == op.Rank[T]()-1
	for i, d := range op.Shape[T]() {
		if i < axis && same {
			same = op.Shape[R]()[i] == d
		}
		if i > axis && same {
			same = op.Shape[R]()[i-1] == d
		}
	}
	op.Require(same, "a fold of axis %d does not turn %s into %s of the same element", axis, op.ShapeName[T](), op.ShapeName[R]())
}
