package eval

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
)

// copyWords are the words that copy between tensors.
var copyWords = map[string]intrinsic{
	"copy":    func(c *ctx) []value { c.copyVectors(c.tensor(0), c.tensor(1), c.predicates(2), false); return nil },
	"cpasync": func(c *ctx) []value { c.copyVectors(c.tensor(0), c.tensor(1), c.predicates(2), true); return nil },
	"overlay": (*ctx).overlay,
}

// atomElem is an element as package atom calls it; a truth value is a byte there.
func atomElem(e *Elem) atom.Elem {
	if e == boolElem {
		return atom.U8
	}
	return atom.Elem(elem.Table[e.DType].PTX)
}

// copyVectors copies all elements in accesses as wide as layouts and alignments allow.
func (c *ctx) copyVectors(src, dst *tensor, preds func(n int) *tensor, async bool) {
	n := c.staticSize(src.lay)
	c.Must(n == c.staticSize(dst.lay), c.pos, "%s takes tensors of one size, not of shapes %s and %s", c.called(), src.lay.Shape(), dst.lay.Shape())
	pred := preds(n)
	width, order := c.vectors(src, dst, n, pred)
	if async {
		c.Must(src.space == global && dst.space == shared, c.pos, "CpAsync copies from global to shared memory, not from %s to %s", src.space, dst.space)
		c.Must(width*src.elem.Bits >= 32, c.pos, "CpAsync copies 4, 8 or 16 bytes at once, but of tensors with layouts %s and %s and alignments of %d and %d bytes only %d are side by side",
			src.lay.text(), dst.lay.text(), c.alignment(src), c.alignment(dst), width*src.elem.Bits/8)
	}
	for i := 0; i < n; i += width {
		m := &move{ctx: c, src: src, dst: dst, n: width, at: place(order(i)), pred: c.predAt(pred, order(i))}
		switch {
		case async:
			m.cpAsync(asyncOps[width*src.elem.Bits == 128])
		case width*src.elem.Bits < 32:
			m.element()
		default:
			m.vector()
		}
	}
}

// predicates finds the optional argument with predicates for so many places.
func (c *ctx) predicates(i int) func(n int) *tensor {
	return func(n int) *tensor { return c.predicate(i, n, n) }
}

// without is no predicates.
func without(int) *tensor { return nil }

// predicate is the optional argument with predicates for n places; or for fewer, one for each of several.
func (c *ctx) predicate(i int, sizes ...int) *tensor {
	rest := c.rest(i)
	if len(rest) == 0 {
		return nil
	}
	p, ok := rest[0].(*tensor)
	c.Must(ok && len(rest) == 1, c.pos, "%s takes one tensor of predicates at most", c.called())
	n := c.staticSize(p.lay)
	for _, s := range sizes {
		if s == n {
			return p
		}
	}
	c.Fail(c.pos, "the tensor of predicates has shape %s, which is not %d predicates", p.lay.Shape(), sizes[0])
	return nil
}

// predAt is the predicate at a place: nil for none.
func (c *ctx) predAt(pred *tensor, i int) *simt.Operand {
	if pred == nil {
		return nil
	}
	p := c.inReg(c.loadElem(pred, place(i)), boolElem)
	return &p
}

// alignment is what is known to divide the address of a tensor's first element, in bytes.
func (c *ctx) alignment(t *tensor) int {
	bytes := max(t.elem.Bits/8, 1)
	offs := []layout.Int{t.off}
	if t.lay.comp != nil {
		offs = append(offs, t.lay.comp.Offset)
	}
	a := uint(max(t.align, bytes))
	for _, o := range offs {
		if !o.Is(0) {
			a |= uint(o.Div() * bytes)
		}
	}
	return 1 << bits.TrailingZeros(a)
}

// vectors finds how many elements one access may move, and the coordinate of the i-th of all, vector by vector.
func (c *ctx) vectors(src, dst *tensor, n int, pred *tensor) (width int, order func(i int) int) {
	e := src.elem
	most := atom.VectorBits(src.lay.Layout, dst.lay.Layout, atomElem(e), c.alignment(src), c.alignment(dst)) / e.Bits
	for width = most; width > 1 && width*e.Bits >= 32; width /= 2 {
		common, err := layout.MaxCommon(src.lay.Layout, dst.lay.Layout)
		c.refused(err)
		v, err := layout.Compose(common, layout.TileOf(width)[0].Layout)
		c.refused(err)
		all, err := layout.Compact(place(n))
		c.refused(err)
		all, err = layout.LogicalDivide(all, v)
		c.refused(err)
		order = func(i int) int { return c.offset(&layoutVal{Layout: all}, i) }
		if c.keeps(src.lay, width) && c.keeps(dst.lay, width) && c.alike(pred, n, width, order) {
			return width, order
		}
	}
	return 1, func(i int) int { return i }
}

// offset is a layout of a place, both known.
func (c *ctx) offset(l *layoutVal, i int) int {
	n, _ := c.index(l, place(i)).Static()
	return n
}

// keeps reports whether a swizzle leaves vectors of a width together.
func (c *ctx) keeps(l *layoutVal, width int) bool {
	return l.comp == nil || 1<<l.comp.Swizzle.Base >= width
}

// alike reports whether the elements of each vector have one predicate.
func (c *ctx) alike(pred *tensor, n, width int, order func(int) int) bool {
	if pred == nil {
		return true
	}
	for i := range n {
		if c.offset(pred.lay, order(i)) != c.offset(pred.lay, order(i-i%width)) {
			return false
		}
	}
	return true
}

// overlay is memory of a tensor in shared memory as another tensor.
func (c *ctx) overlay() []value {
	t, e, l := c.tensor(0), c.elemArg(0), c.layout(2)
	c.Must(t.space == shared, c.pos, "Overlay takes a tensor in shared memory, not %s", t.describe())
	offset, size, align := c.int(1), e.Bits/8, c.alignment(t)
	c.Must(offset.Is(0) || offset.Div()%size == 0, c.pos, "the offset of an Overlay must be known to be a multiple of the %d bytes of an element", size)
	c.Must(align%size == 0, c.pos, "an Overlay of %s begins at a multiple of %d bytes, but the memory is known to be at a multiple of %d only", e.Name, size, align)
	c.inside(t, e, l, offset)
	base := *c.dynamic(t.base, i32Elem)
	base.reg = c.addressOf(t, t.off)
	return give(&tensor{space: shared, elem: e, typ: c.typeArg(0), base: &base, off: offset.Quo(layout.N(size)), lay: l, align: align})
}

// inside reports it where an overlay is known to reach beyond the memory under it.
func (c *ctx) inside(t *tensor, e *Elem, l *layoutVal, offset layout.Int) {
	has, err := t.lay.Cosize()
	c.refused(err)
	wants, err := l.Cosize()
	c.refused(err)
	h, hOK := has.Static()
	w, wOK := wants.Static()
	o, oOK := offset.Static()
	h, w = h*t.elem.Bits/8, o+w*e.Bits/8
	c.Must(!hOK || !wOK || !oOK || o >= 0 && w <= h, c.pos, "the Overlay ends at byte %d, and begins at byte %d, of memory that has %d", w, o, h)
}
