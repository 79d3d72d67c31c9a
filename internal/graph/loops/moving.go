package loops

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// pad takes elements from inside the array, and what the mode says elsewhere.
func (b *builder) pad(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.PadAttr)
	x := n.In[0]
	at := make([]index.Expr, x.Rank())
	var inside []index.Cond
	for i, d := range x.Shape {
		e := p.at[i].Plus(-int64(a.Low[i]))
		if a.Mode != ir.PadConstant {
			at[i] = folded(a.Mode, e, int64(d))
			continue
		}
		if step := int64(a.Interior[i]) + 1; step > 1 {
			inside = append(inside, index.Cond{Index: e.Mod(step), N: 1})
			e = e.Div(step)
		}
		at[i] = e
		inside = append(inside, index.Cond{Index: e, N: int64(d)})
	}
	if a.Mode != ir.PadConstant {
		return b.value(x, p.with(at))
	}
	return b.guarded(inside, p, func(p place) (*Expr, error) { return b.value(x, p.with(at)) },
		func() (*Expr, error) { return b.value(n.In[1], p.with(nil)) })
}

// folded brings an index that may be outside of 0 to d-1 inside.
func folded(mode ir.PadMode, e index.Expr, d int64) index.Expr {
	period := map[ir.PadMode]int64{ir.PadReflect: 2 * (d - 1), ir.PadSymmetric: 2 * d, ir.PadWrap: d}[mode]
	switch {
	case d == 1:
		return index.Constant(0)
	case mode == ir.PadEdge:
		return e.Clamp(0, d-1)
	case mode == ir.PadWrap:
		return e.Mod(d)
	}
	// A triangle: m for m < d, and period-m (one less where the edge counts twice) above.
	m := e.Mod(period)
	last := d - 1
	if mode == ir.PadReflect {
		return index.Constant(last).Sub(absolute(m.Plus(-last), last))
	}
	up := m.Clamp(0, last)
	down := m.Plus(-d).Clamp(0, last)
	return up.Sub(down).Clamp(0, last)
}

// absolute gives |e| for e from -n to n.
func absolute(e index.Expr, n int64) index.Expr {
	return e.Clamp(0, n).Sub(e.Clamp(-n, 0))
}

// guarded makes an expression that has one value where conditions hold and another one elsewhere.
func (b *builder) guarded(where []index.Cond, p place, inside func(place) (*Expr, error), outside func() (*Expr, error)) (*Expr, error) {
	var kept []index.Cond
	for _, c := range where {
		if c.Never() {
			return outside()
		}
		if !c.Always() {
			kept = append(kept, c)
		}
	}
	in := p
	in.where = slices.Concat(p.where, kept)
	x, err := inside(in)
	if err != nil || len(kept) == 0 {
		return x, err
	}
	y, err := outside()
	if err != nil {
		return nil, err
	}
	if x.Kind == Load && len(x.Args) == 0 && y.Kind == Const && len(x.Where) == len(in.where) && len(p.where) == 0 {
		padded := *x
		padded.Args = []*Expr{y}
		return b.kernel.expr(padded), nil
	}
	return b.kernel.expr(Expr{Kind: Guard, Elem: x.Elem, Args: []*Expr{x, y}, Where: kept}), nil
}

// number gives the integer that a node has at a place, for an index from 0 to most: others are clamped.
func (b *builder) number(n *ir.Node, p place, most int64) (index.Expr, error) {
	x, err := b.value(n, p)
	if err != nil {
		return index.Expr{}, err
	}
	return clamped(x, 0, most), nil
}

// clamped gives the integer that an expression computes, but at least lo and at most hi.
func clamped(x *Expr, lo, hi int64) index.Expr {
	if x.Kind == Number {
		return x.At.Clamp(lo, hi)
	}
	return index.Value(x, fmt.Sprintf("%d:%d:%d", x.ID, lo, hi), lo, hi)
}

func (b *builder) gather(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.GatherAttr)
	x := n.In[0]
	var batch []index.Expr
	at := make([]index.Expr, x.Rank())
	next := 0
	for i := range at { // the place inside of the slice
		if !slices.Contains(a.Collapsed, i) {
			at[i] = p.at[a.OffsetAxes[next]]
			next++
		}
	}
	for i, e := range p.at {
		if !slices.Contains(a.OffsetAxes, i) {
			batch = append(batch, e)
		}
	}
	for i, axis := range a.StartMap {
		start, err := b.number(n.In[1], p.with(vector(batch, a.IndexAxis, n.In[1].Rank(), i)), int64(x.Shape[axis]-a.SliceSizes[axis]))
		if err != nil {
			return nil, err
		}
		at[axis] = at[axis].Add(start)
	}
	return b.value(x, p.with(at))
}

// vector gives the place of the i-th number of a vector of indices.
func vector(batch []index.Expr, axis, rank, i int) []index.Expr {
	if axis == rank {
		return batch
	}
	return slices.Insert(slices.Clone(batch), axis, index.Constant(int64(i)))
}

func (b *builder) takeAlong(n *ir.Node, p place) (*Expr, error) {
	axis := n.Attr.(ir.AxisAttr).Axis
	at := slices.Clone(p.at)
	var err error
	if at[axis], err = b.number(n.In[1], p, int64(n.In[0].Shape[axis])-1); err != nil {
		return nil, err
	}
	return b.value(n.In[0], p.with(at))
}

func (b *builder) dynamicSlice(n *ir.Node, p place) (*Expr, error) {
	x := n.In[0]
	at := make([]index.Expr, x.Rank())
	for i := range at {
		start, err := b.number(n.In[1+i], p.with(nil), int64(x.Shape[i]-n.Shape[i]))
		if err != nil {
			return nil, err
		}
		at[i] = p.at[i].Add(start)
	}
	return b.value(x, p.with(at))
}

func (b *builder) dynamicUpdate(n *ir.Node, p place) (*Expr, error) {
	x, update := n.In[0], n.In[1]
	at := make([]index.Expr, x.Rank())
	var inside []index.Cond
	for i := range at {
		start, err := b.number(n.In[2+i], p.with(nil), int64(x.Shape[i]-update.Shape[i]))
		if err != nil {
			return nil, err
		}
		at[i] = p.at[i].Sub(start)
		inside = append(inside, index.Cond{Index: at[i], N: int64(update.Shape[i])})
	}
	return b.guarded(inside, p, func(p place) (*Expr, error) { return b.value(update, p.with(at)) },
		func() (*Expr, error) { return b.value(x, p) })
}
