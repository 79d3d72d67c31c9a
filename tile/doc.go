// Package tile is the tile language: the types and functions used to write kernels.
//
// A kernel is an ordinary Go function over tiles. A tile is an array whose extents are types, so the Go compiler
// rejects mismatched shapes. Go's operators work element by element, a constant fills a tile, and a conversion changes
// the element type or broadcasts dimensions of 1:
//
//	func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
//		i := z.Index(0)
//		z.Store(x.Load(i) + y.Load(i))
//	}
//
// One instance of a kernel runs for each block of a grid. Kernels run only through cutile.Launch: the functions of this
// package panic when plain Go code calls them.
//
// The package itself is Go source that the kernel compiler inlines. Package tile/op declares the operations that it
// uses.
package tile

//go:generate go run ../internal/gen/tilegen .
