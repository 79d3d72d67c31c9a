package tile

import "github.com/cutile-go/cutile/tile/op"

// GatherAt reads single elements of a tensor: at has a tile of indices for each axis, and element i of the result is the
// one at (at[0][i], at[1][i], …), counted in elements. For an index outside the tensor, including negative ones, it is element i
// of other, which may be a number, and nothing is read.
func GatherAt[R NumTile, T Tile, I IntTile](x In[T], other R, at ...I) R {
	checkAt[R, T, I](len(at))
	offset, inside := elementAt(x.tensor, at)
	p := op.Offset(spread[op.Pointers[T, I]](x.base), offset)
	r, done := op.LoadPtr[R](p, inside, other, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	touch(done)
	return r
}

// GatherAtInOut reads elements like [GatherAt], after every earlier store.
func GatherAtInOut[R NumTile, T Tile, I IntTile](x InOut[T], other R, at ...I) R {
	checkAt[R, T, I](len(at))
	offset, inside := elementAt(x.tensor, at)
	p := op.Offset(spread[op.Pointers[T, I]](x.base), offset)
	r, done := op.LoadPtr[R](p, inside, other, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return r
}

// ScatterAt writes the elements of v to where [GatherAt] would read them, after every earlier load and store. Elements outside
// the tensor are dropped; which of two elements with the same index is kept is unspecified.
func ScatterAt[V NumTile, T Tile, I IntTile](x InOut[T], v V, at ...I) {
	checkAt[V, T, I](len(at))
	offset, inside := elementAt(x.tensor, at)
	p := op.Offset(spread[op.Pointers[T, I]](x.base), offset)
	wrote(x.v, op.StorePtr(p, v, inside, op.Weak, op.NoScope, op.Hints{}, ready(op.All(x.v))))
}

func checkAt[R, T, I any](n int) {
	op.Require(n == op.Rank[T](), "an element of a tensor of rank %d needs one tile of indices for each axis, but there are %d", op.Rank[T](), n)
	op.Require(op.SameElem[R, T](), "elements must have the tensor's element type: convert them")
	op.Require(op.Bits[R]() >= 8, "elements of %s share bytes: load a tile of them", op.ElemName[R]())
	op.Require(!op.NoChecks(), "coordinates are checked against the extents while the kernel runs, but the kernel has the directive //cutile:nochecks: load tiles, or use a tile.Ptr")
	op.Require(op.ShapeName[R]() == op.ShapeName[I](), "indices of shape %s do not fit elements of shape %s", op.ShapeName[I](), op.ShapeName[R]())
}

// elementAt returns the offsets of elements from a tensor's first element, and a mask of those inside the tensor. It
// computes in 64 bits, so that no index wraps into the tensor.
func elementAt[T Tile, I IntTile](t tensor[T], at []I) (op.As[I64, I], op.Mask[op.As[I64, I]]) {
	first := wide(at[0])
	offset := op.MulI(first, spread[op.As[I64, I]](int(t.strides[0])), op.MayWrap)
	inside := within(first, int(t.shape[0]))
	for i := range at {
		if i > 0 {
			n := wide(at[i])
			offset = op.AddI(offset, op.MulI(n, spread[op.As[I64, I]](int(t.strides[i])), op.MayWrap), op.MayWrap)
			inside = op.AndI(inside, within(n, int(t.shape[i])))
		}
	}
	return offset, inside
}

func within[W any](n W, extent int) op.Mask[W] {
	return op.AndI(op.CmpI(n, op.Constant[W](0), op.GreaterThanOrEqual), op.CmpI(n, spread[W](extent), op.LessThan))
}
