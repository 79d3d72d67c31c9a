package emit

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// dot multiplies tiles of two arrays, in loops along the axes of the sum. In attention it is the product of queries and keys.
func (e *emitter) dot(x *loops.Expr) value {
	columns := loops.DotRight
	if e.kernel.Attention != nil {
		columns = loops.Key
	}
	left, right, sum := e.tiled(loops.DotLeft), e.tiled(columns), e.tiled(loops.DotSum)
	m, n, k := e.extent(left), e.extent(right), e.extent(sum)
	l, r := x.Args[0], x.Args[1]
	start := e.Constant(tileir.SplatConstant(tileir.Tile(irElem(x.Elem), m, n), 0))
	along := e.looped(x.Along)
	first, second := e.factor(l, [2]int{left, sum}, []int{m, k}, along), e.factor(r, [2]int{sum, right}, []int{k, n}, along)
	out := e.loop(along, []*tileir.Value{start}, func(carried []*tileir.Value) []*tileir.Value {
		a, b := first(), second()
		if l.Elem.IsFloat() {
			return []*tileir.Value{e.MmaF(a, b, carried[0])}
		}
		return []*tileir.Value{e.MmaI(a, b, carried[0], signOf(l.Elem), signOf(r.Elem))}
	})
	return e.matrix(out[0], x.Elem, left, right)
}

// tiled gives the axis of a role that has tiles of several elements, or -1.
func (e *emitter) tiled(role loops.Role) int {
	for i, a := range e.kernel.Axes {
		if a.Role == role && e.axes[i].tile > 1 {
			return i
		}
	}
	return -1
}

// extent is that of the tiles along an axis, which may be -1.
func (e *emitter) extent(axis int) int {
	if axis < 0 {
		return 1
	}
	return e.axes[axis].tile
}

// matrix is the value of a product: its rows and columns lie along two axes, which may be -1.
func (e *emitter) matrix(v *tileir.Value, t dtype.Type, rows, columns int) value {
	var dims uint64
	for _, i := range []int{rows, columns} {
		if i >= 0 {
			dims |= 1 << e.axes[i].dim
		}
	}
	return value{e.reshape(v, e.shape(dims)), t, dims}
}

// factor gives what loads a matrix, in loops along the given axes that follow: its rows and columns lie along two axes, of which one may
// be -1 for a single row or column. It is repeated along an axis that it does not depend on. The view is made before the loops, where that
// is possible: engines make one product of a loop that goes along views.
func (e *emitter) factor(x *loops.Expr, matrix [2]int, shape, along []int) (load func() *tileir.Value) {
	var dims, axes []int
	for d, i := range matrix {
		if i >= 0 {
			dims, axes = append(dims, d), append(axes, i)
		}
	}
	ptr, at := e.place(x.Buffer, x.At)
	made := func() window { return e.viewAs(ptr, x.Elem, at, tileir.PadZero, axes) }
	if !slices.ContainsFunc(e.moved(at, axes), func(i int) bool { return slices.Contains(along, i) }) {
		w := made()
		made = func() window { return w }
	}
	return func() *tileir.Value {
		w := made()
		own := []int{1, 1}
		for n, d := range dims {
			if w.dims>>n&1 != 0 {
				own[d] = shape[d]
			}
		}
		v := e.reshape(e.loadWindow(w), own)
		if own[0] != shape[0] || own[1] != shape[1] {
			v = e.Broadcast(v, shape...)
		}
		return v
	}
}
