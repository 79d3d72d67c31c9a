package layout

import (
	"errors"
	"fmt"
)

// Index is the offset of a coordinate (CuTe's crd2idx): an integer, or a coordinate where the strides are basis
// strides. An integer coordinate of a nested mode is taken apart first mode fastest, and may go beyond the last one.
func (l Layout) Index(crd Tuple) (Tuple, error) {
	if crd.hasAll() {
		return Tuple{}, refuse("crd2idx", errors.New("a coordinate must not have an underscore here"), crd, l)
	}
	off, err := index(crd, l)
	if err == nil {
		err = arithmetic(off)
	}
	if err != nil {
		return Tuple{}, refuse("crd2idx", err, crd, l)
	}
	return off, nil
}

// At is [Layout.Index] of integer coordinates, one for each mode, or a single one for the whole layout.
func (l Layout) At(crd ...Int) (Int, error) {
	c := T()
	for _, i := range crd {
		c.list = append(c.list, Leaf(i))
	}
	if len(crd) == 1 {
		c = c.list[0]
	}
	off, err := l.Index(c)
	if err == nil && off.form == list {
		err = refuse("crd2idx", errors.New("the layout maps to coordinates"), c, l)
	}
	return off.n, err
}

// index sums the products of coordinate and stride; an underscore counts as 0.
func index(crd Tuple, l Layout) (Tuple, error) {
	switch {
	case crd.form == list && (l.shape.form != list || len(crd.list) != len(l.shape.list)):
		return Tuple{}, fmt.Errorf("the coordinate %v does not fit the shape %v", crd, l.shape)
	case crd.form == underscore:
		return origin(l), nil
	case crd.form == leaf && l.shape.form != list:
		return offsetAlong(l.stride, crd.n), nil
	}
	sum := Leaf(N(0))
	rest := crd.n
	ms := l.Modes()
	for i, m := range ms {
		c := Leaf(rest)
		switch size := m.Size(); {
		case crd.form == list:
			c = crd.list[i]
		case i+1 < len(ms):
			c = Leaf(rest.Mod(size))
			rest = rest.Quo(size)
		}
		off, err := index(c, m)
		if err != nil {
			return Tuple{}, err
		}
		sum = AddOffsets(sum, off)
	}
	return sum, nil
}

// offsetAlong is n times a stride: an integer, or the coordinate that lies n steps along a mode.
func offsetAlong(stride Tuple, n Int) Tuple {
	v := Leaf(stride.n.Mul(n))
	for i := len(stride.path) - 1; i >= 0; i-- {
		outer := T(make([]Tuple, stride.path[i]+1)...)
		outer.list[stride.path[i]] = v
		v = outer
	}
	return v
}

// origin is the offset of the coordinate of zeros, with as many modes as the strides speak of.
func origin(l Layout) Tuple {
	sum := Leaf(N(0))
	for _, d := range l.stride.Leaves() {
		sum = AddOffsets(sum, offsetAlong(d, N(0)))
	}
	return sum
}

// AddOffsets adds what [Layout.Index] gives: integers, or coordinates. A coordinate with fewer modes, or the plain 0,
// counts 0 in the others.
func AddOffsets(a, b Tuple) Tuple {
	switch {
	case a.form != list && b.form != list:
		return Leaf(a.n.Add(b.n))
	case a.form != list && a.is(0):
		return b
	case b.form != list && b.is(0):
		return a
	case a.form != list || b.form != list: // an integer added to a coordinate goes to its first mode
		return AddOffsets(T(a.Modes()...), T(b.Modes()...))
	}
	if len(a.list) < len(b.list) {
		a, b = b, a
	}
	sum := T(append([]Tuple{}, a.list...)...)
	for i, m := range b.list {
		sum.list[i] = AddOffsets(sum.list[i], m)
	}
	return sum
}

// Coord is the coordinate of an integer in a shape (CuTe's idx2crd), first mode fastest; it wraps around at the end.
func Coord(idx Int, shape Tuple) (Tuple, error) {
	before := N(1)
	c := shape.mapLeaves(func(s Tuple) Tuple {
		i := idx.Quo(before).Mod(s.n)
		before = before.Mul(s.n)
		return Leaf(i)
	})
	if err := arithmetic(c, Leaf(before)); err != nil {
		return Tuple{}, refuse("idx2crd", err, Leaf(idx), shape)
	}
	return c, nil
}

// FlatCoord is the coordinate, one integer for each mode, at which a compact layout has the offset idx: the place of
// thread idx in a layout of threads.
func (l Layout) FlatCoord(idx Int) (Tuple, error) {
	c := T()
	for _, m := range l.Modes() {
		at, before := N(0), N(1)
		for _, s := range m.leafModes() {
			if len(s.stride.path) > 0 {
				return Tuple{}, refuse("get_flat_coord", errors.New("the layout maps to coordinates"), Leaf(idx), l)
			}
			i := N(0)
			if !s.stride.is(0) {
				i = idx.Quo(s.stride.n).Mod(s.shape.n)
			}
			at = at.Add(i.Mul(before))
			before = before.Mul(s.shape.n)
		}
		c.list = append(c.list, Leaf(at))
	}
	if err := arithmetic(c); err != nil {
		return Tuple{}, refuse("get_flat_coord", err, Leaf(idx), l)
	}
	return c, nil
}
