package tile

import "github.com/cutile-go/cutile/tile/op"

// BlockID is the running block's place in the grid along axis 0, 1 or 2.
func BlockID(axis int) int {
	x, y, z := op.TileBlockID()
	return int([]int32{x, y, z}[gridAxis(axis)])
}

// NumBlocks is the size of the grid along axis 0, 1 or 2.
func NumBlocks(axis int) int {
	x, y, z := op.NumTileBlocks()
	return int([]int32{x, y, z}[gridAxis(axis)])
}

func gridAxis(axis int) int {
	op.Known(axis, "the axis")
	op.Require(axis >= 0 && axis < 3, "there is no axis %d of a grid: it has 0, 1 and 2", axis)
	return axis
}

// Print writes its arguments by a format of package fmt (%v, %d, %x, %t, %e, %f, %g and flags), in the order of the
// program within a block. Tiles print all their elements.
func Print(format string, args ...any) {
	printed = op.Print(op.Format(format, args...), printed, args...)
}

// Assert stops the kernel with an error that gives the message where ok, or an element of it, does not hold.
func Assert[B ~bool](ok B, message string) { op.Assert(ok, message) }

// Require is a mistake in the kernel, with a message by a format of package fmt, unless ok holds, which must be known when
// the kernel is compiled: a condition on extents, say.
func Require(ok bool, format string, args ...any) { op.Require(ok, format, args...) }
