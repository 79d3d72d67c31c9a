package loops

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// fewQueries is the part of the least number of keys that queries are at least where attention is one kernel: for fewer, products of
// their own are faster.
const fewQueries = 4

// scores is what a kernel of attention computes for each query and key: an array with the axes of the batch, the query and the key.
type scores struct {
	query, key, all Axes
	open            bool // they are being made
	dot             bool // the product of queries and keys has been found
}

// attention is a product of weights and values where the weights are a softmax of scores along the axis of the sum: the scores are
// computed for some keys at a time, and neither they nor the weights are ever in memory. (M. N. Rabe and C. Staats, Self-attention
// does not need O(n²) memory, 2021.) It gives nil if the product is another one.
func (b *builder) attention(n *ir.Node, p place, axes [][]int) (*Expr, error) {
	a, l := n.Attr.(ir.DotAttr), n.In[0]
	if len(a.LeftSum) != 1 || !wideFloat(l.Elem) || b.scores != nil || len(b.kernel.Axes) == maxAxes {
		return nil, nil
	}
	s := b.softmaxed(l, a.LeftSum[0])
	keys := l.Shape[a.LeftSum[0]]
	if s == nil || keys < b.keys || fewQueries*rows(l, a.LeftBatch, a.LeftSum) < b.keys {
		return nil, nil
	}
	key := len(b.kernel.Axes)
	b.kernel.Axes = append(b.kernel.Axes, Axis{keys, Key})
	b.divide(n, axes, false)
	left, right := factorPlaces(n, p, []int{key})
	v, err := b.factor(n.In[1], p.with(right), []int{key})
	if err != nil {
		return nil, err
	}
	b.scores = &scores{key: 1 << key, open: true}
	defer func() { b.scores.open = false }()
	for _, e := range left {
		b.scores.all |= usesOf(e)
	}
	for i, axis := range b.kernel.Axes {
		if axis.Role == DotLeft {
			b.scores.query |= 1 << i
		}
	}
	at := place{at: left, where: p.where}
	for i := range b.kernel.Axes {
		if b.scores.all.Has(i) {
			at.live = append(at.live, i)
		}
	}
	x, err := b.value(s, at)
	if err != nil {
		return nil, err
	}
	wide := ir.DotSum(l.Elem)
	return b.kernel.expr(Expr{Kind: Attention, Elem: wide, Args: []*Expr{b.converted(x, wide), v}, Along: []int{key}}), nil
}

func wideFloat(t dtype.Type) bool {
	return t == dtype.F32 || t == dtype.F64 || t == dtype.F16 || t == dtype.BF16
}

// scoreAxes gives the axes of a product that is part of scores, and whether its left factor is that of the keys.
func (b *builder) scoreAxes(n *ir.Node, p place) (swapped, ok bool) {
	a := n.Attr.(ir.DotAttr)
	if b.scores.dot || len(p.where) > 0 {
		return false, false
	}
	var all, left Axes
	for i, e := range p.at {
		parts, ok := b.parts(e, n.Shape[i])
		if !ok || all&axesOf(parts) != 0 {
			return false, false
		}
		all |= axesOf(parts)
		if i >= len(a.LeftBatch) && i < n.In[0].Rank()-len(a.LeftSum) {
			left |= axesOf(parts)
		}
	}
	swapped = left == b.scores.key
	return swapped, all == b.scores.all && (swapped || left == b.scores.query)
}

// scoresDot is the product of queries and keys.
func (b *builder) scoresDot(n *ir.Node, p place) (*Expr, error) {
	a, l := n.Attr.(ir.DotAttr), n.In[0]
	swapped, ok := b.scoreAxes(n, p)
	if !ok || len(b.kernel.Axes)+len(a.LeftSum) > maxAxes || l.Len() == 0 || !wideFloat(l.Elem) {
		return nil, apart{n}
	}
	b.scores.dot = true
	e, err := b.matrixProduct(n, p, b.sumAxes(n))
	if err != nil {
		return nil, err
	}
	if swapped {
		e = b.kernel.expr(Expr{Kind: Dot, Elem: e.Elem, Args: []*Expr{e.Args[1], e.Args[0]}, Along: e.Along})
	}
	return b.converted(e, n.Elem), nil
}

// softmaxed gives the array whose softmax along an axis a node is, if nothing of it has memory: exp(x-max(x)) divided by its sum, which may be
// rounded.
func (b *builder) softmaxed(n *ir.Node, axis int) *ir.Node {
	if n.Op == ir.Convert && b.buffers[n] == nil && n.In[0].Elem == ir.DotSum(n.Elem) {
		n = n.In[0] // a softmax of short floats, which is rounded once
	}
	e, sum := b.binary(n, "div")
	if e == nil || b.buffers[e] != nil || e.Op != ir.Pointwise || e.Name() != "exp" || !b.folds(sum, "sum", e, axis) {
		return nil
	}
	x, most := b.binary(e.In[0], "sub")
	if x == nil || !b.folds(most, "max", x, axis) {
		return nil
	}
	return x
}

// binary gives the operands of a function that a node is computed by.
func (b *builder) binary(n *ir.Node, name string) (x, y *ir.Node) {
	if b.buffers[n] != nil || n.Op != ir.Pointwise || n.Name() != name {
		return nil, nil
	}
	return n.In[0], n.In[1]
}

// folds reports whether a node repeats the fold of x along one axis over that axis.
func (b *builder) folds(n *ir.Node, name string, x *ir.Node, axis int) bool {
	from := make([]int, n.Rank()) // the axis that each axis of n becomes on the way to the result, -1 for one of extent 1
	for i := range from {
		from[i] = i
	}
	for b.buffers[n] == nil {
		switch n.Op {
		case ir.Broadcast:
			from = broadcastFrom(n, from)
		case ir.Reshape:
			if from = reshapedFrom(n, from); from == nil {
				return false
			}
		case ir.Reduce:
			a := n.Attr.(ir.ReduceAttr)
			if a.Fold.Name != name || n.In[0] != x || len(a.Axes) != 1 || a.Axes[0] != axis {
				return false
			}
			for i, j := range from {
				if at := i + b2i(i >= axis); j != at && !(j < 0 && n.Shape[i] == 1) {
					return false
				}
			}
			return true
		default:
			return false
		}
		n = n.In[0]
	}
	return false
}

// broadcastFrom is from for the operand of a broadcast.
func broadcastFrom(n *ir.Node, from []int) []int {
	x := n.In[0]
	out := make([]int, x.Rank())
	for i, axis := range n.Attr.(ir.AxesAttr).Axes {
		if out[i] = from[axis]; x.Shape[i] == 1 {
			out[i] = -1
		}
	}
	return out
}

// reshapedFrom is from for the operand of a reshape that adds or takes away axes of extent 1; nil for others.
func reshapedFrom(n *ir.Node, from []int) []int {
	x := n.In[0]
	out := slices.Repeat([]int{-1}, x.Rank())
	j := 0
	for i, d := range x.Shape {
		if d == 1 {
			continue
		}
		for j < n.Rank() && n.Shape[j] == 1 {
			j++
		}
		if j == n.Rank() || n.Shape[j] != d {
			return nil
		}
		out[i] = from[j]
		j++
	}
	return out
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
