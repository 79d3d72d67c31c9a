package loops

import (
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
	e := b.narrowed(n.Elem, fold, value, func(value *Expr) *Expr {
		return b.kernel.expr(Expr{Kind: Reduce, Elem: value.Elem, Fold: fold, Args: []*Expr{value}, Along: along})
	})
	b.folded[n] = e
	return e, nil
}

// again gives a fold that a kernel would compute several times: it depends on an axis along which the kernel goes once for each fold of
// what it makes of it, and both together are more than a tile has. It is nil if there is none.
func (b *builder) again() (found *ir.Node) {
	var rows Axes
	count := 1
	for i, a := range b.kernel.Axes {
		if a.Role == Row {
			rows |= 1 << i
			count *= a.Extent
		}
	}
	for n, e := range b.folded {
		inner := n.In[0].Len() / n.Len()
		if n != b.root && b.buffers[n] == nil && e.Uses&rows != 0 && inner > fewFolded && inner*count > tileFolded && (found == nil || inner > found.In[0].Len()/found.Len()) {
			found = n
		}
	}
	return found
}

// A fold of few elements may be computed again, as memory for it takes as long. Tiles have tileFolded elements.
const (
	fewFolded  = 8
	tileFolded = 8192
)

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
	case b.dotNode != nil && (b.factors || b.scores != nil && b.scores.open):
		return nil, apart{n}
	case b.dotNode != nil:
		return nil, apart{b.dotNode}
	}
	var used Axes
	for _, e := range p.at {
		used |= usesOf(e)
	}
	for _, c := range p.where { // it holds for the result, not for the operand's elements
		used |= usesOf(c.Index)
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
