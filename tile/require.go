package tile

import "github.com/cutile-go/cutile/tile/op"

// RequireEqual makes a launch fail, before anything runs, if a and b differ. They are extents of parameters, as returned by
// Len, parameters that are numbers, or constants. RequireEqual must be outside of branches and loops. The error describes both
// values. A kernel that multiplies matrices contains
//
//	tile.RequireEqual(x.Len(1), y.Len(0))
func RequireEqual(a, b int) { op.RequireEqual(a, b) }

// RequireSame is [RequireEqual] for each extent of two tensors that are parameters of the kernel; their tiles may differ.
func RequireSame[X, Y interface{ lens() []int }](x X, y Y) {
	a, b := x.lens(), y.lens()
	op.Require(len(a) == len(b), "RequireSame: tensors of rank %d and %d never have the same extents", len(a), len(b))
	for i := range a {
		op.RequireEqual(a[i], b[i])
	}
}

func (x In[T]) lens() []int         { return lensOf(op.ShapeOf(x.v)) }
func (x Out[T]) lens() []int        { return lensOf(op.ShapeOf(x.v)) }
func (x InOut[T]) lens() []int      { return lensOf(op.ShapeOf(x.v)) }
func (x Persistent[T]) lens() []int { return lensOf(op.ShapeOf(x.v)) }

func lensOf[T any](shape op.Ints[T]) []int {
	n := make([]int, len(shape))
	for i := range n {
		n[i] = int(shape[i])
	}
	return n
}
