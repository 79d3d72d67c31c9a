// Package tile is the tile language: the types and functions used to write kernels.
//
// A kernel is an ordinary Go function over tiles, arrays whose extents are types, so that the Go compiler refuses a
// mismatched shape. Go's operators work element by element, constants fill a tile, and a conversion changes the element type or
// broadcasts dimensions of 1:
//
//	func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
//		i := z.Index(0)
//		z.Store(x.Load(i) + y.Load(i))
//	}
//
// One instance of a kernel runs for each block of a grid. Kernels run only through cutile.Launch: called as plain Go, the
// functions of this package panic.
//
// The package is itself Go source that the kernel compiler inlines; the operations that it uses are declared in tile/op.
package tile

//go:generate go run ../internal/gen/tilegen .
