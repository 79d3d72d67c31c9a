package loops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// reduce folds along axes of the kernel: along those which the result is broadcast over, if they are the folded ones, else along
// axes that only folds have.
func (b *builder) reduce(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.ReduceAttr)
	x := n.In[0]
	if x.Len() == 0 {
		return b.bits(n.Elem, a.Fold.Neutral(n.Elem)), nil
	}
	along, err := b.along(n, extents(x.Shape, a.Axes), p)
	if err != nil {
		return nil, err
	}
	value, err := b.value(x, b.foldPlace(x, a.Axes, along, p))
	if err != nil {
		return nil, err
	}
	fold := a.Fold.Of(n.Elem)
	return b.narrowed(n.Elem, fold, value, func(value *Expr) *Expr {
		return b.kernel.expr(Expr{Kind: Reduce, Elem: value.Elem, Fold: fold, Args: []*Expr{value}, Along: along})
	}), nil
}

// narrowed makes a fold in the element type in which it is computed: sums and products of short floats are float32.
func (b *builder) narrowed(t dtype.Type, fold *ir.Fold, value *Expr, make func(*Expr) *Expr) *Expr {
	if short := t == dtype.F16 || t == dtype.BF16; short && (fold.Name == "sum" || fold.Name == "prod") {
		return b.converted(make(b.converted(value, dtype.F32)), t)
	}
	return make(value)
}

func (b *builder) argReduce(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.ArgReduceAttr)
	x := n.In[0]
	if x.Shape[a.Axis] == 1 {
		return b.bits(n.Elem, 0), nil
	}
	along, err := b.along(n, []int{x.Shape[a.Axis]}, p)
	if err != nil {
		return nil, err
	}
	value, err := b.value(x, b.foldPlace(x, []int{a.Axis}, along, p))
	if err != nil {
		return nil, err
	}
	e := b.kernel.expr(Expr{Kind: ArgReduce, Elem: dtype.I32, Args: []*Expr{value}, Along: along, First: ArgOrder{a.Min, a.Last}})
	return b.converted(e, n.Elem), nil
}

// along finds the axes of the kernel for a fold along axes of the given extents, of which those of 1 need none. The error names
// what has to be computed by another kernel.
func (b *builder) along(n *ir.Node, extents []int, p place) ([]int, error) {
	extents = slices.DeleteFunc(slices.Clone(extents), func(d int) bool { return d == 1 })
	switch {
	case b.dotNode != nil && b.factors:
		return nil, apart{n}
	case b.dotNode != nil:
		return nil, apart{b.dotNode}
	}
	var used Axes
	for _, e := range p.at {
		used |= usesOf(e)
	}
	var over []int // the axes that the result is broadcast over
	for _, axis := range p.live {
		if !used.Has(axis) {
			over = append(over, axis)
		}
	}
	if len(over) > 0 {
		for i, axis := range over {
			if i >= len(extents) || len(over) != len(extents) || b.kernel.Axes[axis].Extent != extents[i] {
				return nil, apart{n}
			}
		}
		for _, axis := range over {
			if b.kernel.Axes[axis].Role == Grid {
				b.kernel.Axes[axis].Role = Row
			}
		}
		return over, nil
	}
	key := fmt.Sprint(extents)
	if axes := b.kernel.inner[key]; axes != nil {
		if slices.ContainsFunc(axes, func(a int) bool { return slices.Contains(p.live, a) }) {
			return nil, apart{n} // a fold of a fold
		}
		return axes, nil
	}
	if len(b.kernel.Axes)+len(extents) > maxAxes {
		return nil, apart{n}
	}
	axes := make([]int, len(extents))
	for i, d := range extents {
		axes[i] = len(b.kernel.Axes)
		b.kernel.Axes = append(b.kernel.Axes, Axis{d, Inner})
	}
	b.kernel.inner[key] = axes
	return axes, nil
}

// maxAxes is the greatest number of axes of a kernel: those of an [Axes]. As axes have at least two positions and arrays fewer than
// 2^31 elements, an array and what is folded for an element of it have fewer.
const maxAxes = 64

func usesOf(e index.Expr) Axes {
	var uses Axes
	e.Atoms(func(a *index.Atom) {
		switch a.Kind {
		case index.AxisAtom:
			uses |= 1 << a.Axis
		case index.ValueAtom:
			uses |= a.Value.(*Expr).Uses
		}
	})
	return uses
}

// foldPlace gives the place of an operand of a fold along the given axes of the operand, which are axes of the kernel.
func (b *builder) foldPlace(x *ir.Node, axes, along []int, p place) place {
	at := make([]index.Expr, 0, x.Rank())
	rest := p.at
	for i, d := range x.Shape {
		switch {
		case !slices.Contains(axes, i):
			at, rest = append(at, rest[0]), rest[1:]
		case d == 1:
			at = append(at, index.Expr{})
		default:
			at, along = append(at, index.Axis(along[0], d)), along[1:]
		}
	}
	live := slices.Clone(p.live)
	for _, axis := range axesIn(at) {
		if !slices.Contains(live, axis) {
			live = append(live, axis)
		}
	}
	return place{at, live, p.where}
}

func axesIn(at []index.Expr) []int {
	var axes []int
	for _, e := range at {
		uses := usesOf(e)
		for i := range 64 {
			if uses.Has(i) && !slices.Contains(axes, i) {
				axes = append(axes, i)
			}
		}
	}
	return axes
}

func extents(shape, axes []int) []int {
	out := make([]int, len(axes))
	for i, a := range axes {
		out[i] = shape[a]
	}
	return out
}

// scan is the root of its kernel, whose axes are those of the array.
func (b *builder) scan(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.ScanAttr)
	if n != b.root {
		return nil, apart{n}
	}
	if n.Shape[a.Axis] == 1 {
		return b.value(n.In[0], p)
	}
	axis := p.at[a.Axis].Terms[0].Atom.Axis
	b.kernel.Axes[axis].Role = Row // before the rest, so that it is not split
	value, err := b.value(n.In[0], p)
	if err != nil {
		return nil, err
	}
	fold := a.Fold.Of(n.Elem)
	return b.narrowed(n.Elem, fold, value, func(value *Expr) *Expr {
		return b.kernel.expr(Expr{Kind: Scan, Elem: value.Elem, Fold: fold, Args: []*Expr{value}, Along: []int{axis}, First: ArgOrder{Last: a.Reverse}})
	}), nil
}

// argSort is the root of its kernel, whose axes are those of the array.
func (b *builder) argSort(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.ArgSortAttr)
	if n != b.root {
		return nil, apart{n}
	}
	if n.Shape[a.Axis] == 1 {
		return b.bits(n.Elem, 0), nil
	}
	axis := p.at[a.Axis].Terms[0].Atom.Axis
	b.kernel.Axes[axis].Role = Row
	value, err := b.value(n.In[0], p)
	if err != nil {
		return nil, err
	}
	return b.kernel.expr(Expr{Kind: ArgSort, Elem: n.Elem, Args: []*Expr{value}, Along: []int{axis}, First: ArgOrder{Min: !a.Descending}}), nil
}

// dot is a matrix product, whose axes are all of the kernel's: each is an axis of the result.
func (b *builder) dot(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.DotAttr)
	l, r := n.In[0], n.In[1]
	if l.Len() == 0 {
		return b.bits(n.Elem, 0), nil
	}
	if l.Elem.IsInt() && l.Elem.Size() > 1 || rows(l, a.LeftBatch, a.LeftSum) == 1 || rows(r, a.RightBatch, a.RightSum) == 1 {
		return b.plainDot(n, p)
	}
	if b.factors {
		return nil, apart{n}
	}
	if b.dotNode == n && slices.EqualFunc(p.at, b.dotAt, index.Expr.Equal) && b.dotValue != nil {
		return b.dotValue, nil
	}
	if err := b.unsplit(p.at); err != nil {
		return nil, err
	}
	axes, ok := b.resultAxes(n, p)
	if !ok || len(b.kernel.Axes)+len(a.LeftSum) > maxAxes {
		return nil, apart{n}
	}
	leftRest := l.Rank() - len(a.LeftBatch) - len(a.LeftSum)
	for i, parts := range axes {
		for _, axis := range parts {
			switch {
			case i < len(a.LeftBatch):
			case i < len(a.LeftBatch)+leftRest:
				b.kernel.Axes[axis].Role = DotLeft
			default:
				b.kernel.Axes[axis].Role = DotRight
			}
		}
	}
	b.dotNode, b.dotAt = n, p.at
	var along []int
	for _, d := range extents(l.Shape, a.LeftSum) {
		if d > 1 {
			along = append(along, len(b.kernel.Axes))
			b.kernel.Axes = append(b.kernel.Axes, Axis{d, DotSum})
		}
	}
	left, right := factorPlaces(n, p, along)
	x, err := b.factor(l, p.with(left), along)
	if err != nil {
		return nil, err
	}
	y, err := b.factor(r, p.with(right), along)
	if err != nil {
		return nil, err
	}
	wide := ir.DotSum(l.Elem)
	e := b.kernel.expr(Expr{Kind: Dot, Elem: wide, Args: []*Expr{x, y}, Along: along})
	b.dotValue = b.converted(e, n.Elem)
	return b.dotValue, nil
}

// unsplit reports an axis of the kernel which would have to be split so that a place is a sum of multiples of axes.
func (b *builder) unsplit(at []index.Expr) (err error) {
	for _, e := range at {
		e.Atoms(func(a *index.Atom) {
			if s, ok := b.kernel.splitFor(a); ok && err == nil {
				err = s
			}
		})
	}
	return err
}

// factorPlaces gives the places of the elements of both factors, with the axes of the sum that have several elements.
func factorPlaces(n *ir.Node, p place, along []int) (left, right []index.Expr) {
	a := n.Attr.(ir.DotAttr)
	l, r := n.In[0], n.In[1]
	left, right = make([]index.Expr, l.Rank()), make([]index.Expr, r.Rank())
	for i := range a.LeftBatch {
		left[a.LeftBatch[i]], right[a.RightBatch[i]] = p.at[i], p.at[i]
	}
	for i := range a.LeftSum {
		if d := l.Shape[a.LeftSum[i]]; d > 1 {
			left[a.LeftSum[i]], right[a.RightSum[i]] = index.Axis(along[0], d), index.Axis(along[0], d)
			along = along[1:]
		}
	}
	next := len(a.LeftBatch)
	rest := func(at []index.Expr, batch, sum []int) {
		for i := range at {
			if !slices.Contains(batch, i) && !slices.Contains(sum, i) {
				at[i] = p.at[next]
				next++
			}
		}
	}
	rest(left, a.LeftBatch, a.LeftSum)
	rest(right, a.RightBatch, a.RightSum)
	return left, right
}

// rows counts the rows of a factor: the elements along axes that are neither of the batch nor of the sum.
func rows(n *ir.Node, batch, sum []int) int {
	count := 1
	for i, d := range n.Shape {
		if !slices.Contains(batch, i) && !slices.Contains(sum, i) {
			count *= d
		}
	}
	return count
}

// plainDot is a product for which there is no matrix product, or with a vector, which takes as long as loading the matrix does:
// products and their sum.
func (b *builder) plainDot(n *ir.Node, p place) (*Expr, error) {
	along, err := b.along(n, extents(n.In[0].Shape, n.Attr.(ir.DotAttr).LeftSum), p)
	if err != nil {
		return nil, err
	}
	left, right := factorPlaces(n, p, along)
	live := append(slices.Clone(p.live), along...)
	x, err := b.value(n.In[0], place{left, live, p.where})
	if err != nil {
		return nil, err
	}
	y, err := b.value(n.In[1], place{right, live, p.where})
	if err != nil {
		return nil, err
	}
	wide := ir.DotSum(n.In[0].Elem)
	product := b.kernel.expr(Expr{Kind: Call, Elem: wide, Func: ir.FuncNamed("mul"), Args: []*Expr{b.converted(x, wide), b.converted(y, wide)}})
	sum := b.kernel.expr(Expr{Kind: Reduce, Elem: wide, Fold: ir.FoldNamed("sum"), Args: []*Expr{product}, Along: along})
	return b.converted(sum, n.Elem), nil
}

// resultAxes gives the axes of the kernel that make up each axis of the result of a product. The product is part of a kernel only if
// these are all its axes, each once, and the kernel folds nothing else.
func (b *builder) resultAxes(n *ir.Node, p place) ([][]int, bool) {
	if b.dotNode != nil || len(p.where) > 0 || len(b.kernel.inner) > 0 {
		return nil, false
	}
	var all Axes
	axes := make([][]int, len(p.at))
	for i, e := range p.at {
		parts, ok := b.parts(e, n.Shape[i])
		if !ok {
			return nil, false
		}
		for _, axis := range parts {
			if all.Has(axis) || b.kernel.Axes[axis].Role != Grid {
				return nil, false
			}
			all |= 1 << axis
		}
		axes[i] = parts
	}
	for i, a := range b.kernel.Axes {
		if a.Extent != 1 && !all.Has(i) {
			return nil, false
		}
	}
	return axes, true
}

// parts gives the axes whose positions make up a number from 0 to extent-1, as the digits of a number do: none for an extent of 1.
func (b *builder) parts(e index.Expr, extent int) ([]int, bool) {
	factors, ok := e.Affine()
	if !ok || e.Const != 0 {
		return nil, false
	}
	var axes []int
	below := int64(1)
	for len(axes) < len(factors) {
		next := -1
		for axis, f := range factors {
			if f == below && !slices.Contains(axes, axis) {
				next = axis
			}
		}
		if next < 0 {
			return nil, false
		}
		axes = append(axes, next)
		below *= int64(b.kernel.Axes[next].Extent)
	}
	return axes, below == int64(extent)
}

// factor gives a factor of a product: elements of memory at a place that is a sum of multiples of axes, among them those of the
// sum, so that what lies outside of them is zero.
func (b *builder) factor(n *ir.Node, p place, along []int) (*Expr, error) {
	b.factors = true
	x, err := b.value(n, p)
	b.factors = false
	if _, ok := errors.AsType[apart](err); ok || err == nil && (x.Kind != Load || len(x.Where) > 0 || !summable(x.At, along)) {
		return nil, apart{b.behind(n, p.at, along)}
	}
	return x, err
}

// behind gives the node that should have memory so that a factor can be loaded: the one whose elements it moves, if their place
// then is one that a factor can have.
func (b *builder) behind(n *ir.Node, at []index.Expr, along []int) *ir.Node {
	m := n
	for !costs(m) && movers[m.Op] != nil && b.buffers[m] == nil {
		at, m = movers[m.Op](m, at), m.In[0]
	}
	if b.buffers[m] == nil && summable(linear(m.Shape, at), along) {
		return m
	}
	return n
}

// summable reports whether a place is a sum of positive multiples of axes, among them the given ones.
func summable(at index.Expr, along []int) bool {
	factors, ok := at.Affine()
	for _, f := range factors {
		ok = ok && f > 0
	}
	for _, axis := range along {
		ok = ok && factors[axis] != 0
	}
	return ok
}
