package cute

import (
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/layout"
)

// Layouts and tuples in the calling program: the algebra on static integers. A mistake is kept in the value and passed on
// to what is made from it.

// Err returns the reason why the tuple could not be made, or nil.
func (t IntTuple) Err() error { return t.err }

// Err returns the reason why the layout could not be made, or nil.
func (l Layout) Err() error { return l.err }

// String returns the tuple in CuTe's notation.
func (t IntTuple) String() string {
	if t.err != nil {
		return "!(" + t.err.Error() + ")"
	}
	return t.t.String()
}

// String returns the layout in CuTe's notation: (4,8):(1,4), S<3,4,3> o 0 o (8,64):(64,1).
func (l Layout) String() string {
	switch {
	case l.err != nil:
		return "!(" + l.err.Error() + ")"
	case l.outer != nil:
		return l.outer.String()
	}
	return l.l.String()
}

func hostTuple(modes []int) IntTuple { return IntTuple{t: layout.T(leaves(modes)...)} }

func leaves(ns []int) (out []layout.Tuple) {
	for _, n := range ns {
		out = append(out, layout.Leaf(layout.N(n)))
	}
	return out
}

func hostLeaf(n int) IntTuple { return IntTuple{t: layout.Leaf(layout.N(n))} }

func hostNest(modes []IntTuple) IntTuple {
	var ts []layout.Tuple
	var err error
	for _, m := range modes {
		ts = append(ts, m.t)
		err = errors.Join(err, m.err)
	}
	return IntTuple{layout.T(ts...), err}
}

// hostInt is a static integer: 0 for one that is only known to compiled code.
func hostInt(n layout.Int) int {
	v, _ := n.Static()
	return v
}

func hostMode(t IntTuple, path []int) IntTuple {
	for _, m := range path {
		ms := t.t.Modes()
		if n, leaf := t.t.IsLeaf(); leaf && m == 0 {
			ms = []layout.Tuple{layout.Leaf(n)}
		}
		if m < 0 || m >= len(ms) {
			return IntTuple{err: errors.Join(t.err, fmt.Errorf("%s has no mode %d", t.t, m))}
		}
		t.t = ms[m]
	}
	return t
}

func hostAt(t IntTuple, path []int) int {
	n, _ := hostMode(t, path).t.IsLeaf()
	return hostInt(n)
}

func hostLess(c, s IntTuple) bool {
	n, leaf := c.t.IsLeaf()
	if leaf {
		return hostInt(n) < hostInt(s.t.Product())
	}
	cs, ss := c.t.Modes(), s.t.Modes()
	for i := range cs {
		if i >= len(ss) || !hostLess(IntTuple{t: cs[i]}, IntTuple{t: ss[i]}) {
			return false
		}
	}
	return true
}

func hostCrd(idx int, s Shape) Coord {
	t, err := layout.Coord(layout.N(idx), s.t)
	return IntTuple{t, errors.Join(s.err, err)}
}

func hostPair(a, b IntTuple, f func(a, b layout.Tuple) (layout.Tuple, error)) IntTuple {
	t, err := f(a.t, b.t)
	return IntTuple{t, errors.Join(a.err, b.err, err)}
}

func hostCoord(crd []int) Coord {
	if len(crd) == 1 {
		return hostLeaf(crd[0])
	}
	return hostTuple(crd)
}

func hostMake(shape Shape, stride []Stride) Layout {
	if len(stride) == 0 {
		l, err := layout.Compact(shape.t)
		return Layout{l: l, err: errors.Join(shape.err, err)}
	}
	l, err := layout.New(shape.t, stride[0].t)
	return Layout{l: l, err: errors.Join(shape.err, stride[0].err, err)}
}

func hostOrdered(shape, order IntTuple) Layout {
	l, err := layout.Ordered(shape.t, order.t)
	return Layout{l: l, err: errors.Join(shape.err, order.err, err)}
}

func hostTV(threads, values Layout) (Shape, Layout) {
	tiler, tv, err := layout.LayoutTV(threads.l, values.l)
	err = errors.Join(threads.err, values.err, err)
	return IntTuple{tiler, err}, Layout{l: tv, err: err}
}

func hostIdentity(shape Shape) Layout {
	l, err := layout.Identity(shape.t)
	return Layout{l: l, err: errors.Join(shape.err, err)}
}

func hostShape(l Layout) IntTuple  { return IntTuple{l.l.Shape(), l.err} }
func hostStride(l Layout) IntTuple { return IntTuple{l.l.Stride(), l.err} }

func hostCosize(l Layout) int {
	n, _ := l.l.Cosize()
	return hostInt(n)
}

func hostOffset(l Layout, crd Coord) int {
	if l.outer != nil {
		n, _ := l.outer.Index(crd.t)
		return hostInt(n)
	}
	t, err := l.l.Index(crd.t)
	n, _ := t.IsLeaf()
	if err != nil {
		return 0
	}
	return hostInt(n)
}

func hostLayoutMode(l Layout, path []int) Layout {
	return onHost(l, func(l layout.Layout) (layout.Layout, error) { return l.Mode(path...) })
}

func hostSlice(l Layout, crd []Coord) Layout {
	c := hostNest(crd)
	if len(crd) == 1 {
		c = crd[0]
	}
	if l.outer != nil {
		r, _, err := layout.SliceComposed(*l.outer, c.t)
		return Layout{r.Layout, &r, errors.Join(l.err, c.err, err)}
	}
	r, err := layout.Slice(l.l, c.t)
	return Layout{l: r, err: errors.Join(l.err, c.err, err)}
}

// onHost applies an operation to a layout.
func onHost[V View[V]](v V, f func(layout.Layout) (layout.Layout, error)) V {
	l, ok := any(v).(Layout)
	if !ok {
		panic(deviceOnly)
	}
	if l.outer != nil {
		r, err := l.outer.Inner(f)
		l = Layout{r.Layout, &r, errors.Join(l.err, err)}
	} else {
		r, err := f(l.l)
		l = Layout{l: r, err: errors.Join(l.err, err)}
	}
	return any(l).(V)
}

func sure(f func(layout.Layout) layout.Layout) func(layout.Layout) (layout.Layout, error) {
	return func(l layout.Layout) (layout.Layout, error) { return f(l), nil }
}

func joined(f func(a layout.Layout, b layout.Layout) layout.Layout) func(a, b layout.Layout) (layout.Layout, error) {
	return func(a, b layout.Layout) (layout.Layout, error) { return f(a, b), nil }
}

func byTuple[V View[V]](v V, t IntTuple, f func(layout.Layout, layout.Tuple) (layout.Layout, error)) V {
	return onHost(v, func(l layout.Layout) (layout.Layout, error) {
		r, err := f(l, t.t)
		return r, errors.Join(t.err, err)
	})
}

func byLayout(a, b Layout, f func(a, b layout.Layout) (layout.Layout, error)) Layout {
	return onHost(a, func(l layout.Layout) (layout.Layout, error) {
		r, err := f(l, b.l)
		return r, errors.Join(b.err, err)
	})
}

func byTiler[V View[V]](v V, t Tiler, f func(layout.Layout, layout.Tiler) (layout.Layout, error)) V {
	return onHost(v, func(l layout.Layout) (layout.Layout, error) {
		tiler, err := hostTiler(t)
		if err != nil {
			return layout.Layout{}, err
		}
		return f(l, tiler)
	})
}

func hostTiler(t Tiler) (layout.Tiler, error) {
	switch t := t.(type) {
	case IntTuple:
		if t.err != nil {
			return nil, t.err
		}
		return layout.Tile(t.t)
	case Layout:
		return t.l, t.err
	case Tile:
		b := layout.ByMode{}
		for _, m := range t {
			e, err := hostEntry(m)
			if err != nil {
				return nil, err
			}
			b = append(b, e)
		}
		return b, nil
	}
	return nil, errors.New("a tiler is a shape, a layout or a Tile, not nil")
}

func hostEntry(m Tiler) (layout.Entry, error) {
	switch m := m.(type) {
	case Layout:
		return layout.Entry{Layout: m.l}, m.err
	case IntTuple:
		if m.t.IsAll() {
			return layout.Entry{Whole: true}, m.err
		}
		l, err := layout.Compact(m.t)
		return layout.Entry{Layout: l}, errors.Join(m.err, err)
	}
	return layout.Entry{}, errors.New("an entry of a Tile is a layout, a shape or All")
}

func hostSelect[V View[V]](v V, modes []int) V {
	return onHost(v, func(l layout.Layout) (layout.Layout, error) { return layout.Select(l, modes...) })
}

func hostGroup[V View[V]](v V, begin, end int) V {
	return onHost(v, func(l layout.Layout) (layout.Layout, error) { return layout.Group(l, begin, end) })
}

func hostComplement(l Layout, target int) Layout {
	return onHost(l, func(l layout.Layout) (layout.Layout, error) {
		return layout.Complement(l, layout.Leaf(layout.N(target)))
	})
}

func hostTileToShape(l Layout, shape Shape, order IntTuple) Layout {
	return onHost(l, func(l layout.Layout) (layout.Layout, error) {
		r, err := layout.TileToShape(l, shape.t, order.t)
		return r, errors.Join(shape.err, order.err, err)
	})
}

func hostRecast(l Layout, to, from int) Layout {
	if l.outer != nil {
		r, err := layout.RecastComposed(to, from, *l.outer)
		return Layout{r.Layout, &r, errors.Join(l.err, err)}
	}
	return onHost(l, func(l layout.Layout) (layout.Layout, error) { return layout.Recast(to, from, l) })
}

func hostSwizzled(bits, base, shift int, l Layout) Layout {
	s, err := layout.NewSwizzle(bits, base, shift)
	return Layout{l.l, &layout.Composed{Swizzle: s, Offset: layout.N(0), Layout: l.l}, errors.Join(l.err, err)}
}
