package tile

import "github.com/cutile-go/cutile/tile/op"

// BlockID is the running block's place in the grid along axis 0, 1 or 2.
func BlockID(axis int) int {
	x, y, z := op.TileBlockID()
	return int([]int32{x, y, z}[axis])
}

// NumBlocks is the size of the grid along axis 0, 1 or 2.
func NumBlocks(axis int) int {
	x, y, z := op.NumTileBlocks()
	return int([]int32{x, y, z}[axis])
}

// Print writes its arguments by a format of package fmt (%v, %d, %x, %t, %e, %f, %g and flags), in the order of the
// program within a block. Tiles print all their elements.
func Print(format string, args ...any) {
	printed = op.Print(op.Format(format, args...), printed, args...)
}

// Assert stops the kernel with an error that gives the message where ok, or an element of it, does not hold.
func Assert[B ~bool](ok B, message string) { op.Assert(ok, message) }
