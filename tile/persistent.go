package tile

import "github.com/cutile-go/cutile/tile/op"

// Persistent is a tensor that a kernel writes with fewer blocks than the tensor has tiles, which saves GPUs the cost of starting
// blocks, and lets a block keep what all its tiles need. Each block owns every n-th tile, where n is the number of blocks, so
// that blocks never write the same element:
//
//	for n := range c.Count() {
//		c.Store(f(a.Load(c.Index(n, 0)), b.Load(c.Index(n, 1))), n)
//	}
//
// The grid has one axis. A launch that gives none has as many blocks as the device runs at once, multiplied by the hint
// occupancy of the kernel, and no more than there are tiles; where the kernel also has an Out, the grid is that of the Out. Elements
// outside the tensor are dropped. A number n of a tile that the block does not have is an error on a device with checks; on others it stands for
// any tile.
type Persistent[T Tile] struct {
	v op.PartitionView[T]
	tensor[T]
	rows int
}

// ViewOf tells the Go compiler the tile type; it is not meant to be called.
func (Persistent[T]) ViewOf(T) {}

//cutile:param persistent
func newPersistent[T Tile](base op.Pointer[T], shape, strides op.Ints[T]) Persistent[T] {
	t := promised(base, shape, strides)
	return Persistent[T]{viewOf(t, op.NoPadding), t, 0}
}

// Len returns the tensor's extent along an axis.
func (x Persistent[T]) Len(axis int) int { return int(op.ShapeOf(x.v)[axisOf[T](axis)]) }

// Stride returns the distance between neighbours along an axis, in elements.
func (x Persistent[T]) Stride(axis int) int { return int(x.strides[axisOf[T](axis)]) }

// Tiles returns the number of tiles along an axis, including a last partial one.
func (x Persistent[T]) Tiles(axis int) int { return int(op.IndexSpace(x.v)[axisOf[T](axis)]) }

// Count returns the number of tiles that the block owns, which may be 0.
func (x Persistent[T]) Count() int {
	left := max(x.tiles()-I32(BlockID(0)), 0)
	return int((max(left, 1)-1)/I32(NumBlocks(0)) + min(left, 1)) // left by the number of blocks, rounded up without a sum that overflows
}

// tiles is the number of all tiles, which fits 32 bits, as a launch checks.
func (x Persistent[T]) tiles() I32 {
	tiles := I32(1)
	for axis := range op.Rank[T]() {
		tiles *= I32(x.Tiles(axis))
	}
	return tiles
}

// Grouped returns the tensor with its tiles in another order: down rows rows of tiles before the next column. The number of rows must be
// known when the kernel is compiled, and not depend on a branch. Blocks that run at the same time then share more of what they
// read, for example in a matrix product, and it stays in the cache. The last two axes are the rows and the columns; without Grouped, the last axis is the one that changes first.
func (x Persistent[T]) Grouped(rows int) Persistent[T] {
	op.Known(rows, "the number of rows")
	op.Require(rows > 0 && rows < 1<<31, "Grouped(%d): the number of rows must be positive, and fit 32 bits", rows)
	op.Require(op.Rank[T]() > 1, "Grouped needs tiles of rank 2 or more: a tile of shape %s has no rows and columns", op.ShapeName[T]())
	x.rows = rows
	return x
}

// Index returns the index of the block's n-th tile along an axis, for n from 0 to Count less one.
func (x Persistent[T]) Index(n, axis int) int { return x.at(n)[axisOf[T](axis)] }

// at returns the index of the block's n-th tile.
func (x Persistent[T]) at(n int) []int {
	op.Known(x.rows, "the order of the tiles, which Grouped returns,")
	if op.Checked() {
		op.Assert(n >= 0 && n < x.Count(), "the block does not have this tile: the number of a tile is at least 0 and less than Count")
	}
	if op.IsConst(n) {
		op.Require(n >= 0 && n < 1<<31, "the number of a tile is %d: it must not be negative, and fit 32 bits", n)
	}
	index := make([]int, op.Rank[T]())
	last := len(index) - 1
	// The minima change nothing, but show that each tile lies inside of the tensor.
	rest := min(I32(BlockID(0))+I32(n)*I32(NumBlocks(0)), x.tiles()-1)
	if x.rows > 0 {
		rows, columns := I32(x.Tiles(last-1)), I32(x.Tiles(last))
		t := rest
		if last > 1 {
			t = rest % (rows * columns)
			rest = rest / (rows * columns)
		}
		group := min(rows, I32(x.rows))
		first := t / (group * columns) * group
		within := t % (group * columns)
		height := min(rows-first, group)
		index[last-1] = int(min(first+within%height, rows-1))
		index[last] = int(min(within/height, columns-1))
		last -= 2
	}
	for i := range index {
		axis := last - i
		if axis == 0 {
			index[axis] = int(rest)
		} else if axis > 0 {
			index[axis] = int(rest % I32(x.Tiles(axis)))
			rest = rest / I32(x.Tiles(axis))
		}
	}
	return index
}

// Load reads the block's n-th tile, which it may have stored before; elements outside the tensor are zero.
func (x Persistent[T]) Load(n int) T {
	t, done := op.LoadView(op.WithPadding(x.v, op.PadZero), x.at(n), op.Weak, op.NoScope, op.Hints{}, ready(op.Stored(x.v)))
	after(x.v, done)
	return t
}

// Store writes the block's n-th tile.
func (x Persistent[T]) Store(t T, n int) {
	wrote(x.v, op.StoreView(t, x.v, x.at(n), op.Weak, op.NoScope, op.Hints{}, ready(op.All(x.v))))
}
