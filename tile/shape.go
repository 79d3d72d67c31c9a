package tile

import "github.com/cutile-go/cutile/tile/op"

// Where chooses x where c holds, else y. c has the shape of x; a comparison of tiles is a bool to Go and a mask to the
// kernel compiler.
func Where[B ~bool, T Tile](c B, x, y T) T { return op.Select(c, x, y) }

// Full is a tile whose elements are all v; a conversion T(v) does the same.
func Full[T NumTile](v T) T { return v }

// Iota counts 0, 1, 2 … along a tile of rank 1.
func Iota[A Dim]() I32T1[A] { return op.Iota[I32T1[A]]() }

// IotaOf counts along a tile of rank 1 of any integer type that holds the count.
func IotaOf[T IntTile]() T {
	op.Require(op.Rank[T]() == 1, "IotaOf needs a tile of rank 1, not of shape %s", op.ShapeName[T]())
	return op.Iota[T]()
}

// Extent is the number that a dimension stands for.
func Extent[D Dim]() int { return op.Extent[D]() }

// Reshape gives the same elements, in row-major order, the shape of R.
func Reshape[R, T Tile](x T) R {
	op.Require(op.SameElem[R, T](), "Reshape keeps the element type: convert first")
	op.Require(op.Size[R]() == op.Size[T](), "Reshape from %s to %s changes the number of elements", op.ShapeName[T](), op.ShapeName[R]())
	if op.SameType[R, T]() {
		return op.Retype[R](x)
	}
	return op.Reshape[R](x)
}

// Broadcast spreads x over leading dimensions and dimensions of 1 to the shape of R, as a conversion does.
func Broadcast[R, T Tile](x T) R {
	op.Require(op.SameElem[R, T](), "Broadcast keeps the element type: convert first")
	return spread[R](x)
}

// Permute reorders dimensions: dimension i of R is dimension dims[i] of x.
func Permute[R, T Tile](x T, dims ...int) R {
	op.Require(op.Permutes[R, T](dims...), "Permute by these dimensions does not turn %s into %s", op.ShapeName[T](), op.ShapeName[R]())
	return op.Permute[R](x, dims...)
}

// Bitcast reads the bits of each element as another type of the same width.
func Bitcast[R, T NumTile](x T) R {
	op.Require(op.Bits[R]() == op.Bits[T](), "Bitcast needs elements of one width")
	return op.Bitcast[R](x)
}

// Dot is the matrix product a·b + acc. acc is f32 for f16, bf16 and f32 (f16 is allowed for f16), f64 for f64.
func Dot[E, A FloatElem, M, N, K Dim](a FloatTile2[E, M, K], b FloatTile2[E, K, N], acc FloatTile2[A, M, N]) FloatTile2[A, M, N] {
	return op.MMAF(a, b, acc)
}

// DotBatch is the matrix product for each leading index.
func DotBatch[E, A FloatElem, L, M, N, K Dim](a FloatTile3[E, L, M, K], b FloatTile3[E, L, K, N], acc FloatTile3[A, L, M, N]) FloatTile3[A, L, M, N] {
	return op.MMAF(a, b, acc)
}

// DotInt is the matrix product of 8-bit integers, accumulated in 32 bits.
func DotInt[M, N, K Dim](a I8T2[M, K], b I8T2[K, N], acc I32T2[M, N]) I32T2[M, N] {
	return op.MMAI(a, b, acc)
}

// DotUint is the matrix product of unsigned 8-bit integers, accumulated in 32 bits.
func DotUint[M, N, K Dim](a U8T2[M, K], b U8T2[K, N], acc I32T2[M, N]) I32T2[M, N] {
	return op.MMAI(a, b, acc)
}

// Softmax is over each row: e^x divided by its sum, with the row's maximum taken out first.
func Softmax[E FloatElem, M, N Dim](x FloatTile2[E, M, N]) FloatTile2[E, M, N] {
	e := Exp(x - FloatTile2[E, M, N](x.Max1()))
	return e / FloatTile2[E, M, N](e.Sum1())
}
