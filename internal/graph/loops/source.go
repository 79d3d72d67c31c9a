package loops

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// source gives the node that a node has its elements from, in the same number, and the order of its axes in which they follow each other as those
// of the node do in row-major order; nil for row-major order. If the elements of the source lie so in memory, the place of one is a sum,
// where its place in the shape of the source may have quotients and remainders.
func (b *builder) source(n *ir.Node) (from *ir.Node, order []int) {
	for b.buffers[n] == nil {
		switch {
		case n.Op == ir.Order:
		case n.Op == ir.Transpose:
			axes := n.Attr.(ir.AxesAttr).Axes
			if order == nil {
				order = identity(n.Rank())
			}
			order = slices.Clone(order)
			for i, a := range order {
				order[i] = axes[a]
			}
		case n.Op == ir.Reshape && (order == nil || slices.IsSorted(several(order, n.Shape))):
			order = nil
		case n.Op == ir.Reshape:
			axes := several(order, n.Shape)
			if order = renamed(axes, n.Shape, n.In[0].Shape); order == nil {
				return n, axes
			}
		default:
			return n, order
		}
		n = n.In[0]
	}
	return n, order
}

// lies reports whether the elements of a node lie in an order of its axes if they have memory.
func (b *builder) lies(n *ir.Node, order []int) bool {
	have := b.orders[n]
	if have == nil {
		have = identity(n.Rank())
	}
	if order == nil {
		order = identity(n.Rank())
	}
	return slices.Equal(several(have, n.Shape), several(order, n.Shape))
}

// several lists those of the axes that have several elements.
func several(axes, shape []int) (out []int) {
	for _, a := range axes {
		if shape[a] != 1 {
			out = append(out, a)
		}
	}
	return out
}

// renamed gives axes of several elements of a shape as those of another shape, which differs in axes of one element alone; nil if it does not.
func renamed(axes, shape, other []int) []int {
	from, to := several(identity(len(shape)), shape), several(identity(len(other)), other)
	if len(from) != len(to) {
		return nil
	}
	out := make([]int, len(axes))
	for i := range from {
		if shape[from[i]] != other[to[i]] {
			return nil
		}
		out[slices.Index(axes, from[i])] = to[i]
	}
	return out
}
