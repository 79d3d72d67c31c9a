package conv

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Fold folds the elements of windows along all axes of an array. fill lies around it.
func Fold(g *ir.Graph, fold *ir.Fold, x, fill *ir.Node, o Options) (*ir.Node, error) {
	if along := o.windowed(); fold.Idempotent && len(along) > 1 && elements(o.Size) > fewPlaces {
		for _, a := range along {
			var err error
			if x, err = Fold(g, fold, x, fill, o.only(a)); err != nil {
				return nil, err
			}
		}
		return x, nil
	}
	order := x.Order
	if order == nil {
		order = o.order(x.Shape)
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

// fewPlaces is how many places of a window are folded faster at once than along one axis after another, as these go through memory. Sums are
// not folded so: their order would be another one, and fill would count more than once.
const fewPlaces = 16

// windowed lists the axes along which windows are not all of the single elements as they lie.
func (o Options) windowed() (along []int) {
	for i := range o.Size {
		if o.Size[i] != 1 || o.Stride[i] != 1 || o.Low[i] != 0 || o.High[i] != 0 || o.BaseDilation != nil && o.BaseDilation[i] != 1 {
			along = append(along, i)
		}
	}
	return along
}

// only gives options with what concerns one axis.
func (o Options) only(axis int) Options {
	one := func(of []int, otherwise int) []int {
		if of == nil {
			return nil
		}
		list := slices.Repeat([]int{otherwise}, len(of))
		list[axis] = of[axis]
		return list
	}
	return Options{Size: one(o.Size, 1), Stride: one(o.Stride, 1), Dilation: one(o.Dilation, 1), Low: one(o.Low, 0), High: one(o.High, 0), BaseDilation: one(o.BaseDilation, 1)}
}

// order is the order in memory of the axes of an array that has none of its own: where windows along the last axis start at a distance, an axis
// without windows comes last, if it has enough elements.
func (o Options) order(shape []int) []int {
	order := count(0, len(shape))
	if n := len(shape); n == 0 || o.Stride[n-1] == 1 {
		return order
	}
	along := o.windowed()
	for i, n := range slices.Backward(shape) {
		if n >= run && !slices.Contains(along, i) {
			return append(slices.Delete(order, i, i+1), i)
		}
	}
	return order
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
