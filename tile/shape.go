package tile

import "github.com/cutile-go/cutile/tile/op"

// Where selects x where c is true, else y. c has the shape of x; a comparison of tiles is a bool to Go and a mask to the kernel
// compiler.
func Where[B ~bool, T Tile](c B, x, y T) T { return op.Select(c, x, y) }

// Full returns a tile whose elements are all v; a conversion T(v) does the same.
func Full[T NumTile](v T) T { return v }

// Iota counts 0, 1, 2 … along a tile of rank 1.
func Iota[A Dim]() I32T1[A] { return op.Iota[I32T1[A]]() }

// IotaOf counts along a tile of rank 1 of any integer type that can represent the count.
func IotaOf[T IntTile]() T {
	op.Require(op.Rank[T]() == 1, "IotaOf needs a tile of rank 1, not of shape %s", op.ShapeName[T]())
	op.Require(op.Bits[T]() > 16 || op.Size[T]() <= 1<<op.Bits[T](), "%s cannot count to %d", op.ElemName[T](), op.Size[T]())
	return op.Iota[T]()
}

// Extent returns the number that a dimension stands for.
func Extent[D Dim]() int { return op.Extent[D]() }

// Reshape returns the same elements, in row-major order, with the shape of R.
func Reshape[R, T Tile](x T) R {
	op.Require(op.SameElem[R, T](), "Reshape keeps the element type: convert first")
	op.Require(op.Size[R]() == op.Size[T](), "Reshape from %s to %s changes the number of elements", op.ShapeName[T](), op.ShapeName[R]())
	if op.SameType[R, T]() {
		return op.Retype[R](x)
	}
	return op.Reshape[R](x)
}

// Broadcast repeats x along leading dimensions and dimensions of 1 to the shape of R, like a conversion.
func Broadcast[R, T Tile](x T) R {
	op.Require(op.SameElem[R, T](), "Broadcast keeps the element type: convert first")
	op.Require(op.Spreads[R, T](), "Broadcast cannot change shape %s to %s: it adds leading dimensions, and stretches dimensions of 1", op.ShapeName[T](), op.ShapeName[R]())
	return spread[R](x)
}

// Shape is the shape and the element type of tiles R as a value: Shape[R]{} or [ShapeOf] a tile. It costs nothing at run time.
// A function that takes one needs no type argument for its result.
type Shape[R Tile] struct{}

// ShapeOf returns the shape of a tile.
func ShapeOf[R Tile](x R) Shape[R] { return Shape[R]{} }

// Extents returns the extents, one per axis.
func (Shape[R]) Extents() []int { return op.Shape[R]() }

// ReshapeTo is [Reshape] to a shape.
func ReshapeTo[R, T Tile](x T, shape Shape[R]) R { return Reshape[R](x) }

// BroadcastTo is [Broadcast] to a shape.
func BroadcastTo[R, T Tile](x T, shape Shape[R]) R { return Broadcast[R](x) }

// FullTo is [Full] with a shape, which gives a number such as 0.5 its type.
func FullTo[R NumTile](v R, shape Shape[R]) R { return v }

// Permute reorders dimensions: dimension i of R is dimension dims[i] of x. If none moves, the result is x itself.
func Permute[R, T Tile](x T, dims ...int) R {
	for _, d := range dims {
		op.Known(d, "the order of dimensions")
	}
	n := op.Rank[T]()
	once := len(dims) == n
	for i, d := range dims {
		once = once && 0 <= d && d < n
		for _, before := range dims[:i] {
			once = once && before != d
		}
	}
	op.Require(once, "Permute of a tile of shape %s by the dimensions %v: each of its %d dimensions must be named once, counted from 0", op.ShapeName[T](), dims, n)
	op.Require(op.Permutes[R, T](dims...), "Permute by the dimensions %v does not turn %s of %s into %s of %s", dims,
		op.ShapeName[T](), op.ElemName[T](), op.ShapeName[R](), op.ElemName[R]())
	if inOrder(dims) {
		return op.Retype[R](x)
	}
	return op.Permute[R](x, dims...)
}

// inOrder reports whether dims are 0, 1, 2 and so on.
func inOrder(dims []int) bool {
	ok := true
	for i, d := range dims {
		ok = ok && d == i
	}
	return ok
}

// Bitcast reinterprets the bits of each element as another type of the same width.
func Bitcast[R, T NumTile](x T) R {
	op.Require(op.Bits[R]() == op.Bits[T](), "Bitcast needs elements of equal width")
	return op.Bitcast[R](x)
}

// Softmax returns e^x divided by its sum over each row, after subtracting the row's maximum from x.
func Softmax[E FloatElem, M, N Dim](x FloatTile2[E, M, N]) FloatTile2[E, M, N] {
	e := Exp(x - FloatTile2[E, M, N](x.Max1()))
	return e / FloatTile2[E, M, N](e.Sum1())
}
