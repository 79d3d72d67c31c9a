package tile

import "github.com/cutile-go/cutile/tile/op"

// In is a tensor that a kernel reads, tile by tile. Elements outside the tensor are zero unless LoadPad chooses another value.
type In[T Tile] struct {
	v op.PartitionView[T]
	tensor[T]
}

// Out is a tensor that a kernel writes. Each block owns one tile, so that blocks never write the same element: block
// (x, y, z) owns the tile at axes (0, 1, 2); above rank 3 the leading axes share x. Elements outside the tensor are dropped.
// The Outs determine the launch's grid.
type Out[T Tile] struct {
	v op.PartitionView[T]
	tensor[T]
}

// InOut is a tensor that a kernel reads and writes, at any tile. The kernel must ensure that no two blocks touch the same
// element.
type InOut[T Tile] struct {
	v op.PartitionView[T]
	tensor[T]
}

// tensor is a tensor's position in memory, with extents and strides as the kernel's author sees them.
type tensor[T Tile] struct {
	base           op.Pointer[T]
	shape, strides op.Ints[T]
}

// Size is a parameter for a dimension that no tensor mentions. The launch passes no argument for it.
//
//cutile:type none
type Size[D Dim] struct{ _ [0]D }

// View is a parameter that stands for a tensor of tiles T. The Go compiler uses it to match kernels with tensors when it checks
// a launch.
type View[T any] interface{ ViewOf(T) }

// ViewOf tells the Go compiler the tile type; it is not meant to be called.
func (In[T]) ViewOf(T) {}

// ViewOf tells the Go compiler the tile type; it is not meant to be called.
func (Out[T]) ViewOf(T) {}

// ViewOf tells the Go compiler the tile type; it is not meant to be called.
func (InOut[T]) ViewOf(T) {}

//cutile:param in
func newIn[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) In[T] {
	t := promised(base, shape, strides)
	return In[T]{viewOf(t, op.PadZero), t}
}

//cutile:param out
func newOut[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) Out[T] {
	t := promised(base, shape, strides)
	return Out[T]{viewOf(t, op.NoPadding), t}
}

//cutile:param inout
func newInOut[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) InOut[T] {
	t := promised(base, shape, strides)
	return InOut[T]{viewOf(t, op.PadZero), t}
}

// promised adds the facts that the launch has found about a tensor.
func promised[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) tensor[T] {
	if n := op.Divisor(base); n > 1 {
		base = op.AssumeDivBy(base, n)
	}
	shape, strides = append(op.Ints[T](nil), shape...), append(op.Ints[T](nil), strides...)
	for i := range shape {
		shape[i] = promise(shape[i])
		strides[i] = promise(strides[i])
	}
	return tensor[T]{base, shape, strides}
}

// viewOf views a tensor.
func viewOf[T Tile](t tensor[T], pad op.Padding) op.PartitionView[T] {
	n, dims := inMemory(t)
	return op.MakePartitionView(n, pad, dims, t.shape, entry)
}

// inMemory returns a view of a tensor and the order of its dimensions. If the unit stride is not the last one, the two
// dimensions are swapped in memory and the partition view swaps them back, so that rows stay contiguous.
func inMemory[T Tile](t tensor[T]) (op.TensorView[T], []int) {
	shape, strides := append(op.Ints[T](nil), t.shape...), append(op.Ints[T](nil), t.strides...)
	dims := make([]int, len(shape))
	last := len(shape) - 1
	unit := last
	for i := range shape {
		dims[i] = i
	}
	for i := range strides {
		if op.IsConst(strides[i]) && !op.IsConst(strides[last]) {
			unit = i
		}
	}
	if unit != last {
		shape[unit], shape[last] = shape[last], shape[unit]
		strides[unit], strides[last] = strides[last], strides[unit]
		dims[unit], dims[last] = last, unit
	}
	return op.MakeTensorView(t.base, shape, strides), dims
}

// promise adds assumptions that an extent or stride is not negative, and about its divisor.
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

// Len returns the tensor's extent along an axis.
func (x In[T]) Len(axis int) int { return int(op.ShapeOf(x.v)[axisOf[T](axis)]) }

// Len returns the tensor's extent along an axis.
func (x Out[T]) Len(axis int) int { return int(op.ShapeOf(x.v)[axisOf[T](axis)]) }

// Len returns the tensor's extent along an axis.
func (x InOut[T]) Len(axis int) int { return int(op.ShapeOf(x.v)[axisOf[T](axis)]) }

// Stride returns the distance between neighbours along an axis, in elements.
func (x In[T]) Stride(axis int) int { return int(x.strides[axisOf[T](axis)]) }

// Stride returns the distance between neighbours along an axis, in elements.
func (x Out[T]) Stride(axis int) int { return int(x.strides[axisOf[T](axis)]) }

// Stride returns the distance between neighbours along an axis, in elements.
func (x InOut[T]) Stride(axis int) int { return int(x.strides[axisOf[T](axis)]) }

// Tiles returns the number of tiles along an axis, including a last partial one.
func (x In[T]) Tiles(axis int) int { return int(op.IndexSpace(x.v)[axisOf[T](axis)]) }

// Tiles returns the number of tiles along an axis, including a last partial one.
func (x Out[T]) Tiles(axis int) int { return int(op.IndexSpace(x.v)[axisOf[T](axis)]) }

// Tiles returns the number of tiles along an axis, including a last partial one.
func (x InOut[T]) Tiles(axis int) int { return int(op.IndexSpace(x.v)[axisOf[T](axis)]) }

// axisOf checks an axis and returns it.
func axisOf[T any](axis int) int {
	checkAxis[T](axis)
	return axis
}
