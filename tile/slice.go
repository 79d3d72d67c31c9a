package tile

import "github.com/cutile-go/cutile/tile/op"

// Slice returns the part of the tensor from one element to another along an axis, limited to the tensor: numbers below 0 mean
// 0, and numbers beyond the extent mean the extent. Tiles are counted from the part's first element.
func (x In[T]) Slice(axis, from, to int) In[T] {
	t := part(x.tensor, axis, from, to)
	return In[T]{again(x.v, t, op.PadZero), t}
}

// Slice returns the part of the tensor that [In.Slice] describes; a store drops elements outside of it.
func (x InOut[T]) Slice(axis, from, to int) InOut[T] {
	t := part(x.tensor, axis, from, to)
	return InOut[T]{again(x.v, t, op.PadZero), t}
}

func part[T Tile](t tensor[T], axis, from, to int) tensor[T] {
	checkAxis[T](axis)
	if op.Checked() {
		op.Assert(from >= 0, "a part of a tensor begins before the tensor: elements there do not read as zero, so the part begins at 0")
	}
	n := int(t.shape[axis])
	from = max(0, min(from, n))
	to = max(from, min(to, n))
	t.base = op.Offset(t.base, op.Index(from)*t.strides[axis])
	t.shape = append(op.Ints[T](nil), t.shape...) // a slice, which the tensor shares with its parts
	t.shape[axis] = op.Index(to - from)
	return t
}

// again returns a view of a part of the tensor of v.
func again[T Tile](v op.PartitionView[T], t tensor[T], pad op.Padding) op.PartitionView[T] {
	n, dims := inMemory(t)
	return op.PartOf(n, v, pad, dims, t.shape)
}

// InWindows is a tensor that a kernel reads as tiles at given distances: they overlap if a distance is less than the extent of
// a tile.
type InWindows[T Tile] struct{ v op.StridedView[T] }

// InOutWindows is a tensor that a kernel reads and writes as tiles at given distances.
type InOutWindows[T Tile] struct{ v op.StridedView[T] }

// WindowsOf views a tensor as tiles R that start steps elements apart, with one number per axis.
func WindowsOf[R, T Tile](x In[T], steps ...int) InWindows[R] {
	checkWindows[R, T](steps)
	return InWindows[R]{op.MakeStridedView[R](x.v, op.PadZero, steps)}
}

// WindowsOfInOut views a tensor as tiles R that start steps elements apart, with one number per axis.
func WindowsOfInOut[R, T Tile](x InOut[T], steps ...int) InOutWindows[R] {
	checkWindows[R, T](steps)
	return InOutWindows[R]{op.MakeStridedView[R](x.v, op.PadZero, steps)}
}

func checkWindows[R, T any](steps []int) {
	checkView[R, T]()
	op.Require(len(steps) == op.Rank[R](), "windows of shape %s need one step for each axis, but there are %d", op.ShapeName[R](), len(steps))
	for i, n := range steps {
		op.Known(n, "the step of windows")
		op.Require(n > 0 && n < 1<<31, "the step along axis %d is %d: it must be positive, and fit 32 bits", i, n)
	}
}

func checkView[R, T any]() {
	op.Require(op.SameElem[R, T](), "a view of the same tensor keeps the element type: convert what is loaded")
	op.Require(op.Rank[R]() == op.Rank[T](), "tiles of shape %s do not view a tensor of rank %d", op.ShapeName[R](), op.Rank[T]())
}

// Load reads the tile at an index, one number per axis; elements outside the tensor are zero.
func (x InWindows[T]) Load(index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadStrided(x.v, index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// LoadPad reads the tile at an index; elements outside the tensor are pad, which is 0 of either sign, an infinity or NaN.
func (x InWindows[T]) LoadPad(pad float64, index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadStrided(op.WithStridedPadding(x.v, padding[T](pad)), index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	touch(done)
	return t
}

// LoadPad reads the tile at an index, after every earlier store; elements outside the tensor are pad, which is 0 of either
// sign, an infinity or NaN.
func (x InOutWindows[T]) LoadPad(pad float64, index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadStrided(op.WithStridedPadding(x.v, padding[T](pad)), index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// Load reads the tile at an index, after every earlier store.
func (x InOutWindows[T]) Load(index ...int) T {
	checkIndex[T](len(index))
	t, done := op.LoadStrided(x.v, index, op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// Store writes the tile at an index, after every earlier load and store.
func (x InOutWindows[T]) Store(t T, index ...int) {
	checkIndex[T](len(index))
	wrote(x.v, op.StoreStrided(t, x.v, index, op.Weak, op.NoScope, op.Hints{}, ready(op.All(x.v))))
}

// Tiles returns the number of tiles that start inside the tensor along an axis.
func (x InWindows[T]) Tiles(axis int) int { return int(op.StridedSpace(x.v)[axisOf[T](axis)]) }

// Tiles returns the number of tiles that start inside the tensor along an axis.
func (x InOutWindows[T]) Tiles(axis int) int { return int(op.StridedSpace(x.v)[axisOf[T](axis)]) }
