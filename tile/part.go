package tile

import "github.com/cutile-go/cutile/tile/op"

// Cat concatenates two tiles along an axis: x first, then y.
func Cat[R, T, U Tile](x T, y U, axis int) R {
	checkAxis[T](axis)
	same := op.SameElem[R, T]() && op.SameElem[U, T]() && op.Rank[R]() == op.Rank[T]() && op.Rank[U]() == op.Rank[T]()
	if same {
		for i, d := range op.Shape[T]() {
			want := d
			if i == axis {
				want += op.Shape[U]()[i]
			} else {
				same = same && op.Shape[U]()[i] == d
			}
			same = same && op.Shape[R]()[i] == want
		}
	}
	op.Require(same, "Cat along axis %d does not join %s and %s to %s of the same element", axis, op.ShapeName[T](), op.ShapeName[U](), op.ShapeName[R]())
	return op.Cat[R](x, y, axis)
}

// Extract returns the part of x at an index, which has one number per axis and counts parts. The part must lie in the tile.
func Extract[R, T Tile](x T, index ...int) R {
	checkPart[R, T]("Extract", len(index))
	return op.Extract[R](x, partIndex[R, T](index)...)
}

// Insert returns x with the part at an index replaced. The index has one number per axis and counts parts; the part must lie in
// the tile.
func Insert[T, R Tile](x T, part R, index ...int) T {
	checkPart[R, T]("Insert", len(index))
	return op.Insert(x, part, partIndex[R, T](index)...)
}

func checkPart[R, T any](name string, n int) {
	fits := op.SameElem[R, T]() && op.Rank[R]() == op.Rank[T]()
	if fits {
		for i, d := range op.Shape[T]() {
			fits = fits && op.Shape[R]()[i] <= d
		}
	}
	op.Require(fits, "%s: %s of %s is not a part of %s of %s", name, op.ShapeName[R](), op.ElemName[R](), op.ShapeName[T](), op.ElemName[T]())
	op.Require(n == op.Rank[T](), "%s: a tile of shape %s needs one index for each axis, but there are %d", name, op.ShapeName[T](), n)
}

// partIndex converts an index to 32 bits, and checks it if it is known.
func partIndex[R, T any](index []int) []int32 {
	out := make([]int32, len(index))
	for i, k := range index {
		if op.IsConst(k) {
			parts := op.Shape[T]()[i] / op.Shape[R]()[i]
			op.Require(k >= 0 && k < parts, "part %d along axis %d is outside [0, %d)", k, i, parts)
		}
		out[i] = int32(k)
	}
	return out
}

// Pack reinterprets a tile of rank 1 as its bytes, the elements of R. Two elements of 4 bits share a byte, the first in its low
// half.
func Pack[R IntTile, T NumTile](x T) R {
	op.Require(op.Rank[T]() == 1 && op.Rank[R]() == 1, "Pack takes and returns tiles of rank 1: reshape first")
	op.Require(op.Bits[R]() == 8, "Pack returns bytes: int8 or uint8")
	op.Require(op.Bits[T]() != 8, "elements of %s have 8 bits already: use Bitcast", op.ElemName[T]())
	checkBits[R, T]("Pack")
	return op.Pack[R](x)
}

// Unpack reinterprets the bytes of a tile of rank 1 as the elements of R, in the order of [Pack].
func Unpack[R NumTile, T IntTile](x T) R {
	op.Require(op.Rank[T]() == 1 && op.Rank[R]() == 1, "Unpack takes and returns tiles of rank 1: reshape afterwards")
	op.Require(op.Bits[T]() == 8, "Unpack takes bytes: int8 or uint8")
	op.Require(op.Bits[R]() != 8, "elements of %s have 8 bits as they are: use Bitcast", op.ElemName[R]())
	checkBits[R, T]("Unpack")
	return op.Unpack[R](x)
}

// checkBits checks that R has as many bits as T.
func checkBits[R, T any](name string) {
	op.Require(op.Size[R]()*op.Bits[R]() == op.Size[T]()*op.Bits[T](), "%s: %s of %s does not have as many bits as %s of %s", name, op.ShapeName[R](), op.ElemName[R](), op.ShapeName[T](), op.ElemName[T]())
}

// Elements returns a tile of the given elements, in row-major order; they must be known when the kernel is compiled.
func Elements[R Tile](v ...any) R { return op.Elements[R](v...) }
