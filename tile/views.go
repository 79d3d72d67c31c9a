package tile

import "github.com/cutile-go/cutile/tile/op"

// In is a tensor that a kernel reads, tile by tile. Elements outside the tensor read as zero unless LoadPad says
// otherwise.
type In[T Tile] struct{ v op.PartitionView[T] }

// Out is a tensor that a kernel writes. Each block owns one tile, so that blocks never write the same element: block
// (x, y, z) owns the tile at axes (0, 1, 2); above rank 3 the leading axes share x. What lies outside is dropped. The
// launch's grid follows from the Outs.
type Out[T Tile] struct{ v op.PartitionView[T] }

// InOut is a tensor that a kernel reads and writes, at any tile. The kernel's author sees to it that blocks do not meet.
type InOut[T Tile] struct{ v op.PartitionView[T] }

// Size gives a kernel a dimension that no tensor mentions. It takes no argument of the launch.
//
//cutile:type none
type Size[D Dim] struct{ _ [0]D }

// View is a parameter that stands for a tensor of tiles T. It ties kernels to tensors where the Go compiler checks a
// launch.
type View[T any] interface{ ViewOf(T) }

// ViewOf names the tile type; the Go compiler asks it, nobody calls it.
func (In[T]) ViewOf(T) {}

// ViewOf names the tile type; the Go compiler asks it, nobody calls it.
func (Out[T]) ViewOf(T) {}

// ViewOf names the tile type; the Go compiler asks it, nobody calls it.
func (InOut[T]) ViewOf(T) {}

//cutile:param in
func newIn[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) In[T] {
	return In[T]{viewOf(base, shape, strides, op.PadZero)}
}

//cutile:param out
func newOut[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) Out[T] {
	return Out[T]{viewOf(base, shape, strides, op.NoPadding)}
}

//cutile:param inout
func newInOut[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) InOut[T] {
	return InOut[T]{viewOf(base, shape, strides, op.PadZero)}
}

// viewOf states what the launcher has found out about a tensor, and views it. Where the unit stride is not the last
// one, the dimensions are swapped in memory and swapped back by the view, so that rows stay contiguous.
func viewOf[T Tile](base op.Pointer[T], shape, strides op.Ints[T], pad op.Padding) op.PartitionView[T] {
	if n := op.Divisor(base); n > 1 {
		base = op.AssumeDivBy(base, n)
	}
	dims := make([]int, len(shape))
	last := len(shape) - 1
	unit := last
	for i := range shape {
		dims[i] = i
		shape[i] = promise(shape[i])
		strides[i] = promise(strides[i])
	}
	for i := range strides {
		if op.IsConst(strides[i]) && !op.IsConst(strides[last]) {
			unit = i
		}
	}
	seen := shape
	if unit != last {
		shape[unit], shape[last] = shape[last], shape[unit]
		strides[unit], strides[last] = strides[last], strides[unit]
		dims[unit], dims[last] = last, unit
	}
	return op.MakePartitionView(op.MakeTensorView(base, shape, strides), pad, dims, seen, entry)
}

// promise passes on that an extent or stride is not negative, and its divisor.
func promise(n op.Index) op.Index {
	if op.IsConst(n) {
		return n
	}
	d := op.Divisor(n)
	n = op.AssumeAtLeast(n, 0)
	if d > 1 {
		n = op.AssumeDivBy(n, d)
	}
	return n
}

// Len is the tensor's extent along an axis.
func (x In[T]) Len(axis int) int { return int(op.ShapeOf(x.v)[axis]) }

// Len is the tensor's extent along an axis.
func (x Out[T]) Len(axis int) int { return int(op.ShapeOf(x.v)[axis]) }

// Len is the tensor's extent along an axis.
func (x InOut[T]) Len(axis int) int { return int(op.ShapeOf(x.v)[axis]) }

// Tiles is the number of tiles along an axis, a last partial one included.
func (x In[T]) Tiles(axis int) int { return int(op.IndexSpace(x.v)[axis]) }

// Tiles is the number of tiles along an axis, a last partial one included.
func (x Out[T]) Tiles(axis int) int { return int(op.IndexSpace(x.v)[axis]) }

// Tiles is the number of tiles along an axis, a last partial one included.
func (x InOut[T]) Tiles(axis int) int { return int(op.IndexSpace(x.v)[axis]) }
