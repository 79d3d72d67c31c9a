package tile

import "github.com/cutile-go/cutile/tile/op"

// InSparse is a tensor that a kernel reads as tiles whose elements along one axis are chosen one by one, such as rows of a
// table.
type InSparse[T Tile] struct {
	v    op.GatherScatterView[T]
	axis int
}

// InOutSparse is a tensor that a kernel reads and writes as tiles whose elements along one axis are chosen one by one.
type InOutSparse[T Tile] struct {
	v    op.GatherScatterView[T]
	axis int
}

// SparseOf views a tensor as tiles R whose elements along an axis are chosen one by one.
func SparseOf[R, T Tile](x In[T], axis int) InSparse[R] {
	return InSparse[R]{sparse[R](x.v, x.tensor, axis), axis}
}

// SparseOfInOut views a tensor as tiles R whose elements along an axis are chosen one by one.
func SparseOfInOut[R, T Tile](x InOut[T], axis int) InOutSparse[R] {
	return InOutSparse[R]{sparse[R](x.v, x.tensor, axis), axis}
}

func sparse[R, T Tile](v op.PartitionView[T], t tensor[T], axis int) op.GatherScatterView[R] {
	checkView[R, T]()
	checkAxis[R](axis)
	return op.MakeGatherScatterView[R](op.MakeTensorView(t.base, t.shape, t.strides), v, op.PadZero, axis)
}

// GatherTile reads a tile. at has the index of each element along the sparse axis; index has the first element along
// each other axis, in order, counted in elements. Elements outside the tensor are zero.
func GatherTile[T Tile, I IntTile](x InSparse[T], at I, index ...int) T {
	checkSparse[T, I](x.axis, len(index))
	t, done := op.LoadGather(x.v, head(x.axis, index), wide(at), tail(x.axis, index), op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// GatherTileInOut reads a tile like [GatherTile], after every earlier store.
func GatherTileInOut[T Tile, I IntTile](x InOutSparse[T], at I, index ...int) T {
	checkSparse[T, I](x.axis, len(index))
	t, done := op.LoadGather(x.v, head(x.axis, index), wide(at), tail(x.axis, index), op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// ScatterTile writes a tile to where [GatherTile] would read it, after every earlier load and store. Elements outside the
// tensor are dropped; which of two elements with the same index is kept is unspecified.
func ScatterTile[T Tile, I IntTile](x InOutSparse[T], at I, t T, index ...int) {
	checkSparse[T, I](x.axis, len(index))
	wrote(x.v, op.StoreScatter(t, x.v, head(x.axis, index), wide(at), tail(x.axis, index), op.Weak, op.NoScope, op.Hints{}, ready(op.All(x.v))))
}

func checkSparse[T, I any](axis, n int) {
	op.Require(op.Rank[I]() == 1 && op.Size[I]() == op.Shape[T]()[axis], "indices of shape %s do not choose the elements along axis %d of %s", op.ShapeName[I](), axis, op.ShapeName[T]())
	op.Require(n == op.Rank[T]()-1, "a tile of shape %s needs one index for each axis except the sparse one", op.ShapeName[T]())
}

// wide converts indices along the sparse axis to 64 bits, since tileiras fails if they are narrower than the others.
func wide[I IntTile](at I) op.As[I64, I] {
	if op.Bits[I]() < 64 {
		return op.ExtI[op.As[I64, I]](at)
	}
	return op.Retype[op.As[I64, I]](at)
}

// head and tail return the indices before and after the sparse axis.
func head(axis int, index []int) []int {
	var out []int
	for i, n := range index {
		if i < axis {
			out = append(out, n)
		}
	}
	return out
}

func tail(axis int, index []int) []int {
	var out []int
	for i, n := range index {
		if i >= axis {
			out = append(out, n)
		}
	}
	return out
}
