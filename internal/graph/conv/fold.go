package conv

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Fold folds the elements of windows along all axes of an array. fill lies around it.
func Fold(g *ir.Graph, fold *ir.Fold, x, fill *ir.Node, o Options) (*ir.Node, error) {
	order := x.Order
	if order == nil {
		order = count(0, x.Rank())
	}
	v := view{builder: builder{g: g}, fill: fill}
	x = v.open(v.transpose(x, order...), 0, o.ordered(order))
	if v.err != nil {
		return nil, v.err
	}
	t := x.Elem
	if t.IsFloat() && (fold.Name == "sum" || fold.Name == "prod") {
		x, v.fill = v.converted(x, ir.DotSum(t)), v.converted(fill, ir.DotSum(t)) // each part of a window would be rounded
	}
	y := v.converted(v.fold(fold, x), t)
	back := make([]int, len(order))
	for i, a := range order {
		back[a] = i
	}
	y = v.transpose(y, back...)
	if !slices.IsSorted(order) {
		y = v.do(func() (*ir.Node, error) { return g.Ordered(y, order) })
	}
	return y, v.err
}

// fold folds the windows.
func (v *view) fold(fold *ir.Fold, x *ir.Node) (y *ir.Node) {
	if elements(v.counts()) == 0 {
		return v.broadcast(v.fill, v.counts(), nil)
	}
	n := len(v.windows)
	x = v.phases(x)
	for _, p := range v.parts() {
		y = v.join(fold.Of(x.Elem).Func, y, v.reduce(fold.Name, v.part(x, p), count(n, n)))
	}
	return y
}

// ordered gives the options of the axes in another order.
func (o Options) ordered(axes []int) Options {
	take := func(of []int) (out []int) {
		for _, a := range axes {
			out = append(out, of[a])
		}
		return out
	}
	return Options{Size: take(o.Size), Stride: take(o.Stride), Dilation: take(o.Dilation), Low: take(o.Low), High: take(o.High), BaseDilation: take(o.BaseDilation)}
}
