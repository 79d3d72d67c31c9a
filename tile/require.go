package tile

import "github.com/cutile-go/cutile/tile/op"

// RequireEqual makes it a mistake of the launch, before anything runs, if a and b differ: extents of parameters, as Len gives
// them, numbers that are parameters, and constants. It stands outside of branches and loops. A mistake names both with what
// they are: a kernel that multiplies matrices says
//
//	tile.RequireEqual(x.Len(1), y.Len(0))
func RequireEqual(a, b int) { op.RequireEqual(a, b) }

// RequireSame is [RequireEqual] for each extent of two tensors, which are parameters of the kernel: their tiles may differ.
func RequireSame[X, Y interface{ lens() []int }](x X, y Y) {
	a, b := x.lens(), y.lens()
	op.Require(len(a) == len(b), "RequireSame: tensors of rank %d and %d never have the same extents", len(a), len(b))
	for i := range a {
		op.RequireEqual(a[i], b[i])
	}
}

func (x In[T]) lens() []int    { return lensOf(op.ShapeOf(x.v)) }
func (x Out[T]) lens() []int   { return lensOf(op.ShapeOf(x.v)) }
func (x InOut[T]) lens() []int { return lensOf(op.ShapeOf(x.v)) }

func lensOf[T any](shape op.Ints[T]) []int {
	n := make([]int, len(shape))
	for i := range n {
		n[i] = int(shape[i])
	}
	return n
}
