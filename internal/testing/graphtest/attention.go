package graphtest

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// attended weighs values by the softmax of scores, which are those of queries and keys, or an array that there is. Short floats are left
// out: a kernel rounds what it has between scores and results less often than their definition.
func (r *generator) attended() *ir.Node {
	scores := r.pick()
	if r.IntN(4) > 0 {
		t := r.types[r.IntN(len(r.types))]
		batch := make([]int, r.IntN(3))
		for i := range batch {
			batch[i] = 1 + r.IntN(3)
		}
		scores = r.scores(t, batch)
	}
	if scores == nil || scores.Rank() < 2 || !slices.Contains([]dtype.Type{dtype.F32, dtype.F64}, scores.Elem) {
		return nil
	}
	rank := scores.Rank()
	p := r.softmax(scores, rank-1)
	if p == nil {
		return nil
	}
	batch := rank - 2
	shape := append(slices.Clone(scores.Shape[:batch]), scores.Shape[rank-1], 1+r.IntN(9))
	axes := make([]int, batch)
	for i := range axes {
		axes[i] = i
	}
	a := ir.DotAttr{LeftBatch: axes, RightBatch: axes, LeftSum: []int{rank - 1}, RightSum: []int{rank - 2}}
	return ok(r.g.Dot(p, r.parameterOf(scores.Elem, shape), a, scores.Elem))
}

// scores multiplies queries and keys, or keys and queries, and adds something.
func (r *generator) scores(t dtype.Type, batch []int) *ir.Node {
	n, m, d := 1+r.IntN(20), 1+r.IntN(20), 1+r.IntN(9)
	q, k := r.leaf(t, append(slices.Clone(batch), n, d), r.IntN(3) == 0), r.leaf(t, append(slices.Clone(batch), m, d), r.IntN(3) == 0)
	var axes, order []int
	for i := range batch {
		axes, order = append(axes, i), append(order, i)
	}
	b := len(batch)
	a := ir.DotAttr{LeftBatch: axes, RightBatch: axes, LeftSum: []int{b + 1}, RightSum: []int{b + 1}}
	var s *ir.Node
	if r.IntN(3) == 0 {
		if s = ok(r.g.Dot(k, q, a, t)); s != nil {
			s = ok(r.g.Transpose(s, append(order, b+1, b)))
		}
	} else {
		s = ok(r.g.Dot(q, k, a, t))
	}
	if s == nil || !s.Elem.IsFloat() || r.IntN(2) == 0 {
		return s
	}
	return ok(r.g.Pointwise("add", s, r.like(s)))
}

// softmax is that of finite elements along an axis.
func (r *generator) softmax(x *ir.Node, axis int) *ir.Node {
	var kept []int
	for i := range x.Shape {
		if i != axis {
			kept = append(kept, i)
		}
	}
	along := func(fold string, x *ir.Node) *ir.Node {
		y := ok(r.g.Reduce(fold, x, []int{axis}))
		if y == nil {
			return nil
		}
		return ok(r.g.Broadcast(y, x.Shape, kept))
	}
	if x.Len() == 0 {
		return nil
	}
	most := along("max", x)
	if most == nil {
		return nil
	}
	e := ok(r.g.Pointwise("exp", ok(r.g.Pointwise("sub", x, most))))
	return ok(r.g.Pointwise("div", e, along("sum", e)))
}
