package loops

import (
	"errors"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// dot is a product of arrays, whose axes are all of the kernel's: each is an axis of the result.
func (b *builder) dot(n *ir.Node, p place) (*Expr, error) {
	a := n.Attr.(ir.DotAttr)
	l := n.In[0]
	switch {
	case l.Len() == 0:
		return b.bits(n.Elem, 0), nil
	case b.factors:
		return nil, apart{n}
	case b.scores != nil && b.scores.open:
		return b.scoresDot(n, p)
	case b.dotNode == n && b.dotValue != nil && slices.EqualFunc(p.at, b.dotAt, index.Expr.Equal):
		return b.dotValue, nil
	}
	if err := b.unsplit(p.at); err != nil {
		return nil, err
	}
	axes, ok := b.resultAxes(n, p)
	if !ok || len(b.kernel.Axes)+len(a.LeftSum) > maxAxes {
		return nil, apart{n}
	}
	b.dotNode, b.dotAt = n, p.at
	if e, err := b.attention(n, p, axes); e != nil || err != nil {
		if err == nil {
			b.dotValue = b.converted(e, n.Elem)
		}
		return b.dotValue, err
	}
	along := b.sumAxes(n)
	product := (*builder).matrixProduct
	if b.plain(n, p, along) {
		product = (*builder).plainProduct
		for _, axis := range along {
			b.kernel.Axes[axis].Role = Inner
		}
	} else {
		b.turn = b.scores == nil && (b.turned(n) || b.columns(n, p, axes, along))
		b.divide(n, axes, b.turn)
	}
	e, err := product(b, n, p, along)
	if err != nil {
		return nil, err
	}
	b.dotValue = b.converted(e, n.Elem)
	return b.dotValue, nil
}

// sumAxes makes the axes along which a product adds.
func (b *builder) sumAxes(n *ir.Node) (along []int) {
	for _, d := range extents(n.In[0].Shape, n.Attr.(ir.DotAttr).LeftSum) {
		if d > 1 {
			along = append(along, len(b.kernel.Axes))
			b.kernel.Axes = append(b.kernel.Axes, Axis{d, DotSum})
		}
	}
	return along
}

// divide gives the axes of the result of a matrix product their roles, which are the other ones in a turned product.
func (b *builder) divide(n *ir.Node, axes [][]int, turned bool) {
	a := n.Attr.(ir.DotAttr)
	left := n.In[0].Rank() - len(a.LeftSum) // the axes of the batch and of the left factor
	rows, columns := DotLeft, DotRight
	if turned {
		rows, columns = columns, rows
	}
	for i, parts := range axes {
		for _, axis := range parts {
			switch {
			case i < len(a.LeftBatch):
			case i < left:
				b.kernel.Axes[axis].Role = rows
			default:
				b.kernel.Axes[axis].Role = columns
			}
		}
	}
}

// matrixProduct is a product of matrices in memory.
func (b *builder) matrixProduct(n *ir.Node, p place, along []int) (*Expr, error) {
	left, right := factorPlaces(n, p, along)
	x, err := b.factor(n.In[0], p.with(left), along)
	if err != nil {
		return nil, err
	}
	y, err := b.factor(n.In[1], p.with(right), along)
	if err != nil {
		return nil, err
	}
	if b.turn {
		x, y = y, x
	}
	return b.kernel.expr(Expr{Kind: Dot, Elem: ir.DotSum(n.In[0].Elem), Args: []*Expr{x, y}, Along: along}), nil
}

// turned reports whether a product is better that of the right factor, of few rows, and the left one, as both transposed are: where the
// left one is known when the program is compiled. Engines have vectors of columns, of which there are many then, and pack the right
// factor, which is the same in every run.
func (b *builder) turned(n *ir.Node) bool {
	a, l, r := n.Attr.(ir.DotAttr), n.In[0], n.In[1]
	few, many := rows(r, a.RightBatch, a.RightSum), rows(l, a.LeftBatch, a.LeftSum)
	return b.fixed[l] && !b.fixed[r] && few <= turnedRows && few < many
}

// columns reports whether the rows of a product's left factor are neighbours in memory, both there and in the result: as columns they are
// vectors.
func (b *builder) columns(n *ir.Node, p place, axes [][]int, along []int) bool {
	a := n.Attr.(ir.DotAttr)
	factors, ok := b.kernel.At.Affine()
	left, _ := factorPlaces(n, p, along)
	for _, parts := range axes[len(a.LeftBatch) : n.In[0].Rank()-len(a.LeftSum)] {
		for _, axis := range parts {
			if ok && factors[axis] == 1 {
				return b.neighbours(n.In[0], left, axis)
			}
		}
	}
	return false
}

// turnedRows is up to how many rows a product is turned.
const turnedRows = 32

// plain reports whether a product is made of products and their sum: where there is no matrix product for the elements, or a factor
// has so few rows that the other one, which a matrix product would read and write once more unless it is always the same, is loaded
// as fast.
func (b *builder) plain(n *ir.Node, p place, along []int) bool {
	a, l, r := n.Attr.(ir.DotAttr), n.In[0], n.In[1]
	if l.Elem.IsInt() && l.Elem.Size() > 1 || len(along) == 0 {
		return true
	}
	left, right := factorPlaces(n, p, along)
	few, large, at := rows(l, a.LeftBatch, a.LeftSum), r, right
	if other := rows(r, a.RightBatch, a.RightSum); other < few {
		few, large, at = other, l, left
	}
	if b.neighbours(large, at, along[len(along)-1]) {
		return few == 1 || few <= fewRows && !b.fixed[large]
	}
	return few == 1
}

// fewRows is how many rows are few, if neighbours in the sum are neighbours in memory.
const fewRows = 4

// neighbours reports whether neighbours along an axis are neighbours in the memory that the elements of a node are from.
func (b *builder) neighbours(n *ir.Node, at []index.Expr, axis int) bool {
	for b.buffers[n] == nil && movers[n.Op] != nil {
		at, n = movers[n.Op](n, at), n.In[0]
	}
	factors, ok := linear(n.Shape, b.orders[n], at).Affine()
	return ok && factors[axis] == 1
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

// plainProduct adds up products of elements, which may be computed, but not by folds.
func (b *builder) plainProduct(n *ir.Node, p place, along []int) (*Expr, error) {
	wide := ir.DotSum(n.In[0].Elem)
	left, right := factorPlaces(n, p, along)
	live := slices.Concat(p.live, along)
	var args []*Expr
	b.factors = true
	defer func() { b.factors = false }()
	for i, at := range [][]index.Expr{left, right} {
		x, err := b.value(n.In[i], place{at, live, p.where})
		if err != nil {
			return nil, err
		}
		args = append(args, b.converted(x, wide))
	}
	product := b.kernel.expr(Expr{Kind: Call, Elem: wide, Func: ir.FuncNamed("mul"), Args: args})
	return b.kernel.expr(Expr{Kind: Reduce, Elem: wide, Fold: ir.FoldNamed("sum"), Args: []*Expr{product}, Along: along}), nil
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
		if from, order := b.source(m); from != m && movers[from.Op] == nil && b.lies(from, order) && summable(linear(m.Shape, nil, at), along) {
			return from
		}
		at, m = movers[m.Op](m, at), m.In[0]
	}
	if b.buffers[m] == nil && summable(linear(m.Shape, b.orders[m], at), along) {
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
