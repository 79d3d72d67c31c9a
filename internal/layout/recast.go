package layout

import (
	"errors"
	"math/bits"
)

// Recast counts a layout of elements of oldBits in elements of newBits: strides shrink or grow, and so does the mode of
// stride 1.
func Recast(newBits, oldBits int, l Layout) (Layout, error) {
	if newBits < 1 || oldBits < 1 {
		return Layout{}, refuse("recast_layout", errors.New("an element must have at least one bit"), N(newBits), N(oldBits), l)
	}
	g := int(gcd(int64(newBits), int64(oldBits)))
	up, down := newBits/g, oldBits/g
	r := l
	if up > 1 {
		if err := stridesDivide(r, N(up)); err != nil {
			return Layout{}, refuse("recast_layout", err, N(newBits), N(oldBits), l)
		}
		r = recastLeaves(r, func(s, d Tuple) (Tuple, Tuple) { return upcast(N(up), s, d) })
	}
	if down > 1 {
		row := rowOf(r)
		if err := splits(r, row); err != nil {
			return Layout{}, refuse("recast_layout", err, N(newBits), N(oldBits), l)
		}
		i := -1
		r = recastLeaves(r, func(s, d Tuple) (Tuple, Tuple) {
			if i++; i == row {
				return Leaf(s.n.Mul(N(down))), d
			}
			return s, d.times(N(down))
		})
	}
	return finish("recast_layout", r, nil, N(newBits), N(oldBits), l)
}

func recastLeaves(l Layout, f func(s, d Tuple) (Tuple, Tuple)) Layout {
	var ss, ds []Tuple
	for _, m := range l.leafModes() {
		s, d := f(m.shape, m.stride)
		ss, ds = append(ss, s), append(ds, d)
	}
	return Layout{refill(l.shape, ss), refill(l.stride, ds)}
}

// stridesDivide demands of symbolic strides that n divides them: what a static stride below n would make of its mode, one that
// is not known cannot.
func stridesDivide(l Layout, n Int) error {
	for _, m := range l.leafModes() {
		s, d := m.shape.n, m.stride.n
		if d.isStatic() {
			continue
		}
		if err := Demand("a stride is not a whole number of the wider elements", []Int{d, s}, func() []Int { return []Int{s.Add(N(-1)), d.Mod(n)} }); err != nil {
			return err
		}
	}
	return nil
}

// rowOf is the leaf of a layout whose elements follow each other, -1 for none: of several that which has more than one, as the
// others are then steps from element to element like any.
func rowOf(l Layout) int {
	row := -1
	for i, m := range l.leafModes() {
		if n := m.stride.n; (n.Is(1) || n.Is(-1)) && (row < 0 || l.leafModes()[row].shape.n.Is(1)) {
			row = i
		}
	}
	return row
}

// splits demands of the symbolic strides of a layout without a row that none is 1: the mode whose elements are split must be
// known.
func splits(l Layout, row int) error {
	if row >= 0 {
		return nil
	}
	for _, m := range l.leafModes() {
		d := m.stride.n
		if d.isStatic() {
			continue
		}
		why := "a stride is 1, which Recast to narrower elements must know when the function is compiled"
		if err := Demand(why, []Int{d}, func() []Int { return []Int{N(2).Add(d.Mul(N(-1)))} }); err != nil {
			return err
		}
	}
	return nil
}

// upcast joins n elements to one: a mode whose stride is below n shrinks.
func upcast(n Int, s, d Tuple) (Tuple, Tuple) {
	switch {
	case d.n.Is(0):
		return s, d
	case !d.n.isStatic():
		return s, Tuple{n: d.n.Quo(n), path: d.path}
	}
	step, sign := stepAndSign(d.n)
	return Leaf(s.n.CeilDiv(n.CeilDiv(step))), Tuple{n: step.CeilDiv(n).Mul(sign), path: d.path}
}

// RecastComposed is [Recast] of a swizzled layout: the swizzled bits move along. The ratio must be a power of two, the
// offset a whole number of new elements, and no swizzled bit may fall below an element.
func RecastComposed(newBits, oldBits int, c Composed) (Composed, error) {
	l, err := Recast(newBits, oldBits, c.Layout)
	if err != nil {
		return Composed{}, err
	}
	fail := func(why string) (Composed, error) {
		return Composed{}, refuse("recast_layout", errors.New(why), N(newBits), N(oldBits), c)
	}
	g := int(gcd(int64(newBits), int64(oldBits)))
	up, down := newBits/g, oldBits/g
	if bits.OnesCount(uint(up*down)) != 1 {
		return fail("a swizzle is recast by powers of two only")
	}
	shift := bits.Len(uint(down)) - bits.Len(uint(up))
	if c.Offset.Div()%up != 0 {
		return fail("the offset is not a whole number of new elements")
	}
	sw := c.Swizzle
	if sw.Base += shift; sw.check() != nil {
		return fail("swizzled bits would lie outside an offset")
	}
	return Composed{sw, c.Offset.Mul(N(down)).Quo(N(up)), l}, nil
}
