package graphtest

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// makers make one more node of a random graph, or nil where what they chose does not fit.
var makers = []func(r *generator) *ir.Node{
	(*generator).unary, (*generator).binary, (*generator).binary, (*generator).compare, (*generator).convert, (*generator).bitcast,
	(*generator).broadcast, (*generator).broadcast, (*generator).reshape, (*generator).reshape, (*generator).transpose, (*generator).transpose,
	(*generator).slice, (*generator).reverse, (*generator).pad, (*generator).window, (*generator).gather, (*generator).takeAlong,
	(*generator).dynamic, (*generator).concat, (*generator).reduce, (*generator).reduce, (*generator).normalized, (*generator).argReduce, (*generator).scan, (*generator).argSort, (*generator).scatter,
	(*generator).dot, (*generator).dot, (*generator).iota, (*generator).copied, (*generator).ordered, (*generator).attended,
	(*generator).spread,
}

// smooth are functions of floats that make no large numbers and no jumps.
var smooth = []string{"neg", "abs", "tanh", "sin", "cos", "erf", "logistic", "atan"}

func (r *generator) unary() *ir.Node {
	x := r.pick()
	var names []string
	for _, f := range ir.Funcs {
		if f.In == 1 && f.Takes.Has(x.Elem) && !f.Tests && (!x.Elem.IsFloat() || slices.Contains(smooth, f.Name)) {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return ok(r.g.Pointwise(names[r.IntN(len(names))], x))
}

// like makes a node of the same type and shape as x, by broadcasting one that fits or as a new one.
func (r *generator) like(x *ir.Node) *ir.Node {
	for range 4 {
		y := r.pick()
		if y.Elem != x.Elem {
			continue
		}
		if slices.Equal(y.Shape, x.Shape) {
			return y
		}
		if z := r.broadcastTo(y, x.Shape); z != nil {
			return z
		}
	}
	if r.IntN(2) == 0 && x.Rank() > 0 { // of some of the axes
		shape := slices.Clone(x.Shape)
		for i := range shape {
			if r.IntN(2) == 0 {
				shape[i] = 1
			}
		}
		return r.broadcastTo(r.parameterOf(x.Elem, shape), x.Shape)
	}
	return r.parameterOf(x.Elem, x.Shape)
}

// broadcastTo places the axes of a node among those of a shape.
func (r *generator) broadcastTo(x *ir.Node, shape []int) *ir.Node {
	axes := make([]int, 0, x.Rank())
	next := 0
	for _, d := range x.Shape {
		for next < len(shape) && d != 1 && shape[next] != d {
			next++
		}
		axes = append(axes, next)
		next++
	}
	return ok(r.g.Broadcast(x, shape, axes))
}

func (r *generator) binary() *ir.Node {
	x := r.pick()
	y := r.like(x)
	var names []string
	for _, f := range ir.Funcs {
		if f.In == 2 && f.Takes.Has(x.Elem) && !f.Tests && (!x.Elem.IsFloat() || slices.Contains([]string{"add", "sub", "mul", "max", "min"}, f.Name)) {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return ok(r.g.Pointwise(names[r.IntN(len(names))], x, y))
}

// compare makes a choice between two arrays by a comparison, of what is exact.
func (r *generator) compare() *ir.Node {
	x := r.pick()
	if x.Elem.IsFloat() && !r.exact[x] {
		return nil
	}
	name := []string{"eq", "ne", "lt", "le", "gt", "ge"}[r.IntN(6)]
	y := r.like(x)
	if x.Elem.IsFloat() && !r.isExact(y) {
		return nil
	}
	c := ok(r.g.Pointwise(name, x, y))
	if c == nil || r.IntN(3) == 0 {
		return c
	}
	a := r.pick()
	if !slices.Equal(a.Shape, x.Shape) {
		a = r.like(x)
	}
	return ok(r.g.Pointwise("select", c, a, r.like(a)))
}

// isExact reports whether a node only moves elements of what is exact.
func (r *generator) isExact(n *ir.Node) bool {
	return r.exact[n] || n.Op == ir.Broadcast && r.exact[n.In[0]]
}

func (r *generator) convert() *ir.Node {
	x := r.pick()
	t := r.elem()
	if x.Elem.IsFloat() && !t.IsFloat() && !r.exact[x] || r.IntN(8) == 0 && x.Elem.IsFloat() {
		return nil
	}
	if !x.Elem.IsFloat() && t.IsFloat() {
		return nil // large numbers
	}
	return ok(r.g.Convert(x, t))
}

func (r *generator) bitcast() *ir.Node {
	x := r.pick()
	if !x.Elem.IsInt() {
		return nil
	}
	for _, t := range []dtype.Type{dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.U32, dtype.I64, dtype.U64} {
		if t.Size() == x.Elem.Size() && t != x.Elem {
			return ok(r.g.Bitcast(x, t))
		}
	}
	return nil
}

func (r *generator) broadcast() *ir.Node {
	x := r.pick()
	shape := slices.Clone(x.Shape)
	axes := make([]int, len(shape))
	for i := range axes {
		axes[i] = i
	}
	for range 1 + r.IntN(2) {
		at := r.IntN(len(shape) + 1)
		shape = slices.Insert(shape, at, r.extent())
		for i := range axes {
			if axes[i] >= at {
				axes[i]++
			}
		}
	}
	for i, a := range axes {
		if x.Shape[i] == 1 && r.IntN(2) == 0 {
			shape[a] = r.extent()
		}
	}
	return ok(r.g.Broadcast(x, shape, axes))
}

// reshape splits and joins axes.
func (r *generator) reshape() *ir.Node {
	x := r.pick()
	n := x.Len()
	if n == 0 {
		return nil
	}
	var shape []int
	for n > 1 && len(shape) < 4 {
		d := 1 + r.IntN(min(n, 12))
		if n%d == 0 {
			shape, n = append(shape, d), n/d
		}
	}
	shape = append(shape, n)
	r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	return ok(r.g.Reshape(x, shape))
}

func (r *generator) copied() *ir.Node { return ok(r.g.Copy(r.pick())) }

func (r *generator) ordered() *ir.Node {
	x := r.pick()
	return ok(r.g.Ordered(x, r.Perm(x.Rank())))
}

func (r *generator) transpose() *ir.Node {
	x := r.pick()
	return ok(r.g.Transpose(x, r.Perm(x.Rank())))
}

func (r *generator) slice() *ir.Node {
	x := r.pick()
	start, limit, stride := make([]int, x.Rank()), make([]int, x.Rank()), make([]int, x.Rank())
	for i, d := range x.Shape {
		start[i] = r.IntN(d/2 + 1)
		limit[i] = start[i] + r.IntN(d-start[i]+1)
		stride[i] = 1 + r.IntN(2)*r.IntN(3)
	}
	return r.moved(ok(r.g.Slice(x, start, limit, stride)))
}

// moved notes that a node is as exact as its operand.
func (r *generator) moved(n *ir.Node) *ir.Node {
	if n != nil && len(n.In) > 0 && r.exact[n.In[0]] {
		r.exact[n] = true
	}
	return n
}

func (r *generator) reverse() *ir.Node {
	x := r.pick()
	return r.moved(ok(r.g.Reverse(x, r.axes(x))))
}

// axes chooses some axes of a node.
func (r *generator) axes(x *ir.Node) []int {
	var axes []int
	for i := range x.Shape {
		if r.IntN(2) == 0 {
			axes = append(axes, i)
		}
	}
	return axes
}

func (r *generator) pad() *ir.Node {
	x := r.pick()
	low, high, interior := make([]int, x.Rank()), make([]int, x.Rank()), make([]int, x.Rank())
	mode := ir.PadMode(r.IntN(5))
	for i := range low {
		low[i], high[i] = r.IntN(4), r.IntN(4)
		if mode == ir.PadConstant {
			low[i], high[i] = low[i]-r.IntN(2), high[i]-r.IntN(2)
			interior[i] = r.IntN(2) * r.IntN(3)
		}
	}
	if r.IntN(10) == 0 && mode != ir.PadConstant && x.Rank() > 0 {
		low[0] += 3 * x.Shape[0]
	}
	var fill *ir.Node
	if mode == ir.PadConstant {
		fill = r.parameterOf(x.Elem, nil)
	}
	return ok(r.g.Pad(x, fill, low, high, interior, mode))
}

// spread moves the elements of a fold apart, by as much as was folded for each: an axis of the result is divided into parts as long as that.
func (r *generator) spread() *ir.Node {
	x := r.pick()
	if x.Rank() < 2 || x.Len() == 0 {
		return nil
	}
	axis := r.IntN(x.Rank())
	n := x.Shape[axis]
	if n > 9 {
		return nil
	}
	names := folds(x.Elem)
	y := ok(r.g.Reduce(names[r.IntN(len(names))], x, []int{axis}))
	if y == nil {
		return nil
	}
	if r.IntN(3) == 0 {
		y = ok(r.g.Pointwise("neg", y))
	}
	if y == nil {
		return nil
	}
	low, high, interior := make([]int, y.Rank()), make([]int, y.Rank()), make([]int, y.Rank())
	i := r.IntN(y.Rank())
	low[i], interior[i] = n*r.IntN(3)-r.IntN(2), n-1
	high[i] = n*r.IntN(2) - 1 - low[i]%n // all in all a multiple of n
	return ok(r.g.Pad(y, r.parameterOf(y.Elem, nil), low, high, interior, ir.PadConstant))
}

func (r *generator) window() *ir.Node {
	x := r.pick()
	if x.Rank() == 0 || x.Rank() > 3 {
		return nil
	}
	size, stride, dilation := make([]int, x.Rank()), make([]int, x.Rank()), make([]int, x.Rank())
	for i, d := range x.Shape {
		size[i], stride[i], dilation[i] = 1+r.IntN(min(3, max(d, 1))), 1+r.IntN(2), 1+r.IntN(2)
	}
	return ok(r.g.Window(x, size, stride, dilation))
}
