package layout

import (
	"errors"
	"math/bits"
	"slices"
)

// Swizzle exchanges bits of an offset: bits Base to Base+Bits (the target) get the exclusive or of themselves and the
// Bits bits that lie Shift further up (the source; further down where Shift is negative). It is its own inverse where
// the two do not overlap. Offsets are not negative.
type Swizzle struct{ Bits, Base, Shift int }

// NewSwizzle is S<bits,base,shift>. It refuses negative bits or base and bits beyond the 62nd.
func NewSwizzle(nbits, base, shift int) (Swizzle, error) {
	s := Swizzle{nbits, base, shift}
	if err := s.check(); err != nil {
		return Swizzle{}, refuse("make_swizzle", err, s)
	}
	return s, nil
}

func (s Swizzle) check() error {
	if s.Bits < 0 || s.Base < 0 || s.Bits > 62 || s.Base > 62 || s.Shift < -62 || s.Shift > 62 || s.top() > 62 {
		return errors.New("bits must lie between 0 and 62")
	}
	return nil
}

// target and source are the lowest bits of the two groups, top is behind the highest bit of both.
func (s Swizzle) target() int { return s.Base + max(0, -s.Shift) }
func (s Swizzle) source() int { return s.Base + max(0, s.Shift) }
func (s Swizzle) top() int    { return max(s.target(), s.source()) + s.Bits }

// mask has the bits of a group set.
func (s Swizzle) mask(low int) Int { return Int{n: (1<<s.Bits - 1) << low} }

// overlaps reports whether source and target share a bit.
func (s Swizzle) overlaps() bool { return s.Bits > max(s.Shift, -s.Shift) }

// Apply swizzles an offset. A swizzle that [NewSwizzle] would refuse gives an overflow.
func (s Swizzle) Apply(off Int) Int {
	switch {
	case s.check() != nil:
		return Int{kind: overflowed}
	case s.Bits == 0:
		return off
	}
	return off.Xor(off.And(s.mask(s.source())).Shift(-s.Shift))
}

// plain is the swizzle that the reference prints for "no swizzle".
var plain = Swizzle{0, 4, 3}

// Composed is a swizzle after an offset after a layout: c maps to Swizzle(Offset + Layout(c)). Operations that only
// rearrange coordinates act on the layout, see [Composed.Inner].
type Composed struct {
	Swizzle Swizzle
	Offset  Int
	Layout  Layout
}

// Inner replaces the layout by what f makes of it: composition, divides, products, coalescing and tiling of a swizzled
// layout are those of the layout inside.
func (c Composed) Inner(f func(Layout) (Layout, error)) (Composed, error) {
	l, err := f(c.Layout)
	return Composed{c.Swizzle, c.Offset, l}, err
}

// Index is the offset of a coordinate, see [Layout.Index].
func (c Composed) Index(crd Tuple) (Int, error) {
	off, err := c.Layout.Index(crd)
	if err == nil && off.form == list {
		err = refuse("crd2idx", errors.New("a coordinate is not swizzled"), crd, c)
	}
	if err != nil {
		return Int{}, err
	}
	r := c.Swizzle.Apply(c.Offset.Add(off.n))
	if err := arithmetic(Leaf(r)); err != nil {
		return Int{}, refuse("crd2idx", err, crd, c)
	}
	return r, nil
}

// SliceComposed is [SliceAndOffset] of a swizzled layout: c.Index at the coordinate is off plus r.Index of what the
// underscores stand for, where those stay inside the layout. Where the slice never moves both bits of a swizzled pair,
// r has the trivial swizzle S<0,4,3> and the exchange has gone into its strides. A coordinate without underscores is
// refused.
func SliceComposed(c Composed, crd Tuple) (r Composed, off Int, err error) {
	fail := func(err error) (Composed, Int, error) {
		return Composed{}, Int{}, refuse("slice", err, c, crd)
	}
	if c.Swizzle.Bits > 0 && !crd.hasAll() {
		return fail(errors.New("a coordinate of a swizzled layout must have an underscore"))
	}
	if err := c.Swizzle.check(); err != nil {
		return fail(err)
	}
	l, at, err := SliceAndOffset(c.Layout, crd)
	if err != nil {
		return fail(err)
	}
	if at.form == list {
		return fail(errors.New("a coordinate is not swizzled"))
	}
	if number := func(c Tuple) bool { return !c.IsAll() }; !slices.ContainsFunc(crd.Leaves(), number) {
		return Composed{c.Swizzle, c.Offset, l}, N(0), nil
	}
	if c.Swizzle.overlaps() {
		return fail(errors.New("the swizzle's source and target bits overlap"))
	}
	base := c.Offset.Add(at.n)
	touched, known := touchedBits(l, base, c.Swizzle.top())
	if !known || !base.isStatic() {
		return Composed{c.Swizzle, base, l}, N(0), nil
	}
	source, target := c.Swizzle.mask(c.Swizzle.source()).n, c.Swizzle.mask(c.Swizzle.target()).n
	if pairs := shift(touched&source, -c.Swizzle.Shift) & touched; pairs == 0 {
		if straight, err := straighten(c.Swizzle.around(base.n), l, c.Swizzle.top()); err == nil {
			return Composed{plain, N(0), straight}, c.Swizzle.Apply(base), nil
		}
	}
	inside := base.n & (source | target)
	return Composed{c.Swizzle, Int{n: inside}, l}, Int{n: base.n - inside}, nil
}

// straighten composes the leaves of l that move bits below top.
func straighten(around, l Layout, top int) (Layout, error) {
	if l.Depth() == 0 {
		if l.stride.n.outside(top) {
			return l, nil
		}
		return composeLayout(around, l)
	}
	ms := l.Modes()
	for i := range ms {
		m, err := straighten(around, ms[i], top)
		if err != nil {
			return Layout{}, err
		}
		ms[i] = m
	}
	return Join(ms...), nil
}

// outside reports whether multiples of a stride move no bit below top.
func (a Int) outside(top int) bool { return a.n%(1<<top) == 0 }

func shift(v int64, n int) int64 {
	if n < 0 {
		return v >> -n
	}
	return v << n
}

// around is the swizzled function near an offset whose other bits do not change, as a layout from powers of two: bits
// of the source also move their target, and what a bit does depends on its partner in the offset. Bits that the offset
// has are not moved by a slice, so what is said of them does not matter.
func (s Swizzle) around(base int64) Layout {
	l := Join()
	for i := range s.top() {
		bit := int64(1) << i
		d := s.Apply(Int{n: base ^ bit}).n - s.Apply(Int{n: base}).n
		l = Append(l, Layout{Leaf(N(2)), Leaf(Int{n: d})})
	}
	return Append(l, Layout{Leaf(N(1)), Leaf(Int{n: int64(1) << s.top()})})
}

// touchedBits gives the bits below top that a layout's offsets set, if each leaf moves bits of its own that base does
// not have, so that sums never carry.
func touchedBits(l Layout, base Int, top int) (touched int64, known bool) {
	for _, m := range Filter(l).leafModes() {
		s, d := m.shape.n, m.stride.n
		if s.Is(1) || d.outside(top) {
			continue
		}
		if !s.isStatic() || !d.isStatic() || s.n < 0 || d.n < 0 ||
			bits.OnesCount64(uint64(s.n)) != 1 || bits.OnesCount64(uint64(d.n)) != 1 {
			return 0, false
		}
		moved := d.Mul(s).Add(Int{n: -d.n})
		if moved.bad() || touched&moved.n != 0 || base.isStatic() && base.n&moved.n != 0 {
			return 0, false
		}
		touched |= moved.n
	}
	return touched, true
}
