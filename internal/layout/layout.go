package layout

import (
	"errors"
	"fmt"
	"slices"
)

// Layout is a shape and a stride of the same nesting: a function from coordinates in the shape to offsets. The zero
// value is 0:0; layouts are made by [New], [Compact], [Ordered], [Identity], [Parse] and the operations. A Layout is
// never changed.
type Layout struct{ shape, stride Tuple }

// New is the layout of a shape and a stride. It refuses tuples of different nesting, underscores, basis leaves in the
// shape, and a size that does not fit 64 bits.
func New(shape, stride Tuple) (Layout, error) {
	l := Layout{shape, stride}
	if !shape.Congruent(stride) {
		return Layout{}, refuse("make_layout", errors.New("shape and stride have different nesting"), shape, stride)
	}
	for _, s := range shape.Leaves() {
		if s.IsAll() || len(s.path) > 0 {
			return Layout{}, refuse("make_layout", errors.New("a shape must hold only integers"), shape)
		}
	}
	for _, d := range stride.Leaves() {
		if d.IsAll() || slices.ContainsFunc(d.path, func(i int) bool { return i < 0 || i > maxPath }) {
			return Layout{}, refuse("make_layout", fmt.Errorf("%v is not a stride", d), stride)
		}
	}
	if err := arithmetic(shape, stride, Leaf(shape.Product())); err != nil {
		return Layout{}, refuse("make_layout", err, shape, stride)
	}
	return l, nil
}

// Compact is the layout of a shape without gaps, first mode fastest: (4,8) gives (4,8):(1,4). Modes of size 1 have
// stride 0.
func Compact(shape Tuple) (Layout, error) {
	return New(shape, compactFrom(shape, N(1)))
}

// compactFrom gives the strides that start at first.
func compactFrom(shape Tuple, first Int) Tuple {
	return shape.mapLeaves(func(s Tuple) Tuple {
		if s.is(1) {
			return Leaf(N(0))
		}
		d := first
		first = first.Mul(s.n)
		return Leaf(d)
	})
}

// compact1 is the one-mode layout n:1, or 1:0.
func compact1(n Int) Layout { return Layout{Leaf(n), compactFrom(Leaf(n), N(1))} }

// Ordered is the layout without gaps in which the leaf of the lowest order is fastest: shape (4,32), order (1,0) gives
// (4,32):(32,1). Leaves of the same order get the same stride. A leaf of order stands for everything below it, in its
// natural order; symbolic orders come last, from left to right.
func Ordered(shape, order Tuple) (Layout, error) {
	if !order.WeaklyCongruent(shape) || order.hasAll() {
		return Layout{}, refuse("make_ordered_layout", errors.New("the order does not fit the shape"), shape, order)
	}
	type mode struct {
		shape Tuple
		order int64
	}
	var modes []mode
	last := int64(0)
	for _, o := range order.Leaves() {
		if o.n.isStatic() {
			last = max(last, o.n.n)
		}
	}
	var collect func(s, o Tuple)
	collect = func(s, o Tuple) {
		if o.form == list {
			for i := range o.list {
				collect(s.list[i], o.list[i])
			}
			return
		}
		if !o.n.isStatic() {
			last++
			o.n = Int{n: last}
		}
		modes = append(modes, mode{s, o.n.n})
	}
	collect(shape, order)
	var strides []Tuple
	for _, m := range modes {
		first := N(1)
		for _, faster := range modes {
			if faster.order < m.order {
				first = first.Mul(faster.shape.Product())
			}
		}
		strides = append(strides, compactFrom(m.shape, first).Leaves()...)
	}
	return New(shape, refill(shape, strides))
}

// refill gives leaves the nesting of shape.
func refill(shape Tuple, leaves []Tuple) Tuple {
	i := -1
	return shape.mapLeaves(func(Tuple) Tuple {
		i++
		return leaves[i]
	})
}

// Identity is the layout that maps a coordinate in the shape to itself: (4,8):(1@0,1@1).
func Identity(shape Tuple) (Layout, error) {
	var strides func(s Tuple, path []int) Tuple
	strides = func(s Tuple, path []int) Tuple {
		if s.form != list {
			return Basis(N(1), path...)
		}
		r := T()
		for i, m := range s.list {
			r.list = append(r.list, strides(m, append(slices.Clone(path), i)))
		}
		return r
	}
	return New(shape, strides(shape, nil))
}

// Shape gives the shape.
func (l Layout) Shape() Tuple { return l.shape }

// Stride gives the stride.
func (l Layout) Stride() Tuple { return l.stride }

// Rank is the number of modes.
func (l Layout) Rank() int { return l.shape.Rank() }

// Depth is the depth of nesting, 0 for 4:1.
func (l Layout) Depth() int { return l.shape.Depth() }

// Size is the number of coordinates.
func (l Layout) Size() Int { return l.shape.Product() }

// Cosize is one more than the largest offset; strides count without their sign. It refuses basis strides and numbers
// beyond 64 bits.
func (l Layout) Cosize() (Int, error) {
	sum := N(0)
	for _, m := range l.leafModes() {
		if len(m.stride.path) > 0 {
			return Int{}, refuse("cosize", errors.New("a coordinate layout has no cosize"), l)
		}
		sum = sum.Add(m.shape.n.Add(N(-1)).Mul(m.stride.n.Abs()))
	}
	sum = sum.Add(N(1))
	if err := arithmetic(Leaf(sum)); err != nil {
		return Int{}, refuse("cosize", err, l)
	}
	return sum, nil
}

// Modes gives the modes; a layout of depth 0 is its own only mode.
func (l Layout) Modes() []Layout {
	if l.shape.form != list {
		return []Layout{l}
	}
	ms := make([]Layout, len(l.shape.list))
	for i := range ms {
		ms[i] = Layout{l.shape.list[i], l.stride.list[i]}
	}
	return ms
}

// Mode gives the mode at a path: Mode(1, 0) is mode 0 of mode 1. Mode 0 of a layout of depth 0 is the layout itself.
func (l Layout) Mode(path ...int) (Layout, error) {
	at := l
	for _, i := range path {
		ms := at.Modes()
		if i < 0 || i >= len(ms) {
			return Layout{}, refuse("get", fmt.Errorf("there is no mode %v", path), l)
		}
		at = ms[i]
	}
	return at, nil
}

// leafModes gives the leaves as layouts of depth 0.
func (l Layout) leafModes() []Layout {
	ss, ds := l.shape.Leaves(), l.stride.Leaves()
	ms := make([]Layout, len(ss))
	for i := range ms {
		ms[i] = Layout{ss[i], ds[i]}
	}
	return ms
}

// Join makes each layout a mode of one: (4:1, 8:4) gives (4,8):(1,4).
func Join(modes ...Layout) Layout {
	s, d := T(), T()
	for _, m := range modes {
		s.list, d.list = append(s.list, m.shape), append(d.list, m.stride)
	}
	return Layout{s, d}
}

// Equal reports whether both have the same text, as far as numbers are known, see [Int.Equal].
func (l Layout) Equal(m Layout) bool { return l.shape.Equal(m.shape) && l.stride.Equal(m.stride) }

func (l Layout) isStatic() bool {
	for _, m := range l.leafModes() {
		if !m.shape.n.isStatic() || !m.stride.n.isStatic() {
			return false
		}
	}
	return true
}

// MapInts replaces every integer of the shape and the stride.
func (l Layout) MapInts(f func(Int) Int) Layout {
	return Layout{l.shape.MapInts(f), l.stride.MapInts(f)}
}
