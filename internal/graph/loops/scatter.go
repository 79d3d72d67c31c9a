package loops

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// scatter makes a kernel that copies the array, and one that changes it: along the axes of the indices, one position after the
// other, so that elements are folded in order whatever runs at the same time.
func (p *planner) scatter(n *ir.Node, buffers map[*ir.Node]*Buffer) ([]*Kernel, error) {
	k, err := p.kernel(part{into: n, from: n.In[0]}, buffers)
	if err != nil || n.In[2].Len() == 0 {
		return []*Kernel{k}, err
	}
	k.Nodes = slices.DeleteFunc(k.Nodes, func(m *ir.Node) bool { return m == n })
	change, err := p.changes(n, buffers)
	if err != nil {
		return nil, err
	}
	return []*Kernel{k, change.merged()}, nil
}

// changes makes the kernel that changes the elements, whose axes are those of the updates.
func (p *planner) changes(n *ir.Node, buffers map[*ir.Node]*Buffer) (*Kernel, error) {
	a := n.Attr.(ir.ScatterAttr)
	x, updates := n.In[0], n.In[2]
	b := p.builder(n, buffers)
	k := b.kernel
	k.Scatter = true
	if a.Fold != nil {
		k.Fold = a.Fold.Of(n.Elem)
	}
	to := place{at: make([]index.Expr, updates.Rank())}
	last := -1 // of the axes of the indices
	for i, d := range updates.Shape {
		if d > 1 && !slices.Contains(a.WindowAxes, i) {
			last = i
		}
	}
	for i, d := range updates.Shape {
		if d == 1 {
			continue
		}
		to.at[i] = index.Axis(len(k.Axes), d)
		role := Grid
		switch moves := a.Moves(x.Rank(), i); {
		case !slices.Contains(a.WindowAxes, i) || moves && i < last:
			role = Serial
		case moves:
			role = Row // windows may overlap, and each block has the whole of them along this axis
		}
		to.live = append(to.live, len(k.Axes))
		k.Axes = append(k.Axes, Axis{d, role})
	}
	at, where, err := b.target(n, to)
	if err != nil {
		return nil, err
	}
	k.At, k.Where = linear(x.Shape, nil, at), where
	to.where = nil
	if k.Value, err = b.value(updates, to); err != nil {
		return nil, err
	}
	if last >= 0 && !moves(k.Value) {
		return nil, apart{updates} // one position after the other, each element is computed by itself
	}
	k.finish()
	return k, nil
}

// moves reports whether an expression only loads what is in memory, and converts it.
func moves(x *Expr) bool {
	switch x.Kind {
	case Convert:
		return moves(x.Args[0])
	case Load:
		return len(x.Args) == 0 || moves(x.Args[0])
	}
	return x.Kind == Const || x.Kind == Number
}

// target gives the place that an update goes to, and the conditions that its whole window lies inside.
func (b *builder) target(n *ir.Node, p place) (at []index.Expr, where []index.Cond, err error) {
	a := n.Attr.(ir.ScatterAttr)
	x := n.In[0]
	var batch []index.Expr
	for i, e := range p.at {
		if !slices.Contains(a.WindowAxes, i) {
			batch = append(batch, e)
		}
	}
	at = make([]index.Expr, x.Rank())
	size := make([]int, x.Rank())
	window := a.WindowAxes
	for i := range at {
		size[i] = 1
		if !slices.Contains(a.Inserted, i) {
			at[i], size[i] = p.at[window[0]], n.In[2].Shape[window[0]]
			window = window[1:]
		}
	}
	for i, axis := range a.StartMap {
		v, err := b.value(n.In[1], place{vector(batch, a.IndexAxis, n.In[1].Rank(), i), p.live, nil})
		if err != nil {
			return nil, nil, err
		}
		most := int64(x.Shape[axis] - size[axis])
		start := clamped(v, -1, most+1) // one too far stands for all that is outside
		where = append(where, index.Cond{Index: start, N: most + 1})
		at[axis] = at[axis].Add(start)
	}
	return at, where, nil
}
