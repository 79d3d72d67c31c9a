package tile

import "github.com/cutile-go/cutile/tile/op"

// BlockID returns the running block's index in the grid along axis 0, 1 or 2.
func BlockID(axis int) int {
	x, y, z := op.TileBlockID()
	return int([]int32{x, y, z}[gridAxis(axis)])
}

// NumBlocks returns the size of the grid along axis 0, 1 or 2.
func NumBlocks(axis int) int {
	x, y, z := op.NumTileBlocks()
	return int([]int32{x, y, z}[gridAxis(axis)])
}

func gridAxis(axis int) int {
	op.Known(axis, "the axis")
	op.Require(axis >= 0 && axis < 3, "there is no axis %d of a grid: its axes are 0, 1 and 2", axis)
	return axis
}

// Print writes its arguments by a format of package fmt (%v, %d, %x, %t, %e, %f, %g and flags), in program order within a
// block. It prints all elements of a tile.
func Print(format string, args ...any) {
	printed = op.Print(op.Format(format, args...), printed, args...)
}

// Assert stops the kernel with an error that contains the message if ok, or an element of it, is false.
func Assert[B ~bool](ok B, message string) { op.Assert(ok, message) }

// Require reports a mistake in the kernel, with a message by a format of package fmt, if ok is false. ok must be known when the
// kernel is compiled, such as a condition on extents.
func Require(ok bool, format string, args ...any) { op.Require(ok, format, args...) }
