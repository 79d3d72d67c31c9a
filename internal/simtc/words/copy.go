package words

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// copyWords lists the words that copy between tensors.
var copyWords = map[string]intrinsic{
	"copy": func(c *call) []emit.Value {
		c.copyVectors(c.tensor(0), c.tensor(1), c.predicates(2), false)
		return nil
	},
	"cpasync": func(c *call) []emit.Value { c.copyVectors(c.tensor(0), c.tensor(1), c.predicates(2), true); return nil },
	"overlay": (*call).overlay,
}

// atomElem gives an element type as package atom names it. A truth value is a byte there, since
// copies move it only.
func atomElem(e *emit.Elem) atom.Elem {
	if e == emit.Bool {
		return atom.U8
	}
	return atom.Elem(elem.Table[e.DType].PTX)
}

// copyVectors copies all elements from src to dst, in accesses as wide as the layouts and the
// alignments allow. Wide accesses are the point of a GPU's copies: they need fewer instructions for
// the same bytes.
func (c *call) copyVectors(src, dst *emit.Tensor, preds func(n int) *emit.Tensor, async bool) {
	n := c.staticSize(src.Layout)
	c.Must(n == c.staticSize(dst.Layout), c.pos, "%s takes tensors of the same size, not of shapes %s and %s", c.called(), src.Layout.Shape(), dst.Layout.Shape())
	pred := preds(n)
	// All of this is decided while the kernel is compiled, so that the copy is a fixed list of
	// instructions.
	width, order := c.vectors(src, dst, n, pred)
	if async {
		c.Must(src.Space == emit.Global && dst.Space == emit.Shared, c.pos, "CpAsync copies from global to shared memory, not from %s to %s", src.Space, dst.Space)
		c.Must(width*src.Elem.Bits >= 32, c.pos, "CpAsync copies 4, 8 or 16 contiguous bytes at once, but tensors with layouts %s and %s and alignments of %d and %d bytes allow only %d",
			src.Layout.Text(), dst.Layout.Text(), c.alignment(src), c.alignment(dst), width*src.Elem.Bits/8)
	}
	for i := 0; i < n; i += width {
		// Each move is one instruction to a register or from one, and two between memories.
		m := &move{call: c, src: src, dst: dst, n: width, at: place(order(i)), pred: c.predAt(pred, order(i))}
		switch {
		case async:
			m.cpAsync(asyncOps[width*src.Elem.Bits == 128])
		// An access of less than 32 bits moves single elements, which may have to be extended.
		case width*src.Elem.Bits < 32:
			m.element()
		default:
			m.vector()
		}
	}
}

// predicates gives a function that finds the optional argument with n predicates.
func (c *call) predicates(i int) func(n int) *emit.Tensor {
	return func(n int) *emit.Tensor { return c.predicate(i, n, n) }
}

// without gives no predicates.
func without(int) *emit.Tensor { return nil }

// predicate gives the optional argument with predicates. Their number must be one of sizes: one
// predicate for each element, or one for each access.
func (c *call) predicate(i int, sizes ...int) *emit.Tensor {
	rest := c.rest(i)
	if len(rest) == 0 {
		return nil
	}
	// The functions of package cute take the predicates as a variadic parameter, which makes them
	// optional.
	p, ok := rest[0].(*emit.Tensor)
	c.Must(ok && len(rest) == 1, c.pos, "%s takes one tensor of predicates at most", c.called())
	n := c.staticSize(p.Layout)
	for _, s := range sizes {
		if s == n {
			return p
		}
	}
	c.Fail(c.pos, "the tensor of predicates has shape %s, but %d predicates are needed", p.Layout.Shape(), sizes[0])
	return nil
}

// predAt gives the predicate at an index, or nil if there are no predicates.
func (c *call) predAt(pred *emit.Tensor, i int) *simt.Operand {
	if pred == nil {
		return nil
	}
	p := c.InReg(c.LoadElem(pred, place(i)), emit.Bool)
	return &p
}

// alignment gives the number of bytes that is known to divide the address of a tensor's first
// element. It follows from the alignment of the memory and from the divisors of the offsets; the
// lowest bit that any of them may have decides.
func (c *call) alignment(t *emit.Tensor) int {
	bytes := max(t.Elem.Bits/8, 1)
	offs := []layout.Int{t.Off}
	if t.Layout.Composed != nil {
		offs = append(offs, t.Layout.Composed.Offset)
	}
	a := uint(max(t.Align, bytes))
	for _, o := range offs {
		if !o.Is(0) {
			// An offset that is not zero may clear lower bits of the alignment.
			a |= uint(o.Div() * bytes)
		}
	}
	return 1 << bits.TrailingZeros(a)
}

// vectors gives the number of elements that one access may move, and the order of all elements,
// vector by vector.
//
// The two layouts must have a vector in common: elements that are contiguous in both. Swizzles and
// predicates may cut it into shorter ones, so shorter ones are tried, down to 32 bits.
func (c *call) vectors(src, dst *emit.Tensor, n int, pred *emit.Tensor) (width int, order func(i int) int) {
	e := src.Elem
	most := atom.VectorBits(src.Layout.Layout, dst.Layout.Layout, atomElem(e), c.alignment(src), c.alignment(dst)) / e.Bits
	for width = most; width > 1 && width*e.Bits >= 32; width /= 2 {
		// These are the elements that are contiguous in both tensors, from the first one on.
		common, err := layout.MaxCommon(src.Layout.Layout, dst.Layout.Layout)
		c.Refused(err)
		v, err := layout.Compose(common, layout.TileOf(width)[0].Layout)
		c.Refused(err)
		// Dividing all elements by the vector gives an order in which each vector comes as a whole.
		all, err := layout.Compact(place(n))
		c.Refused(err)
		all, err = layout.LogicalDivide(all, v)
		c.Refused(err)
		order = func(i int) int { return c.offset(&emit.Layout{Layout: all}, i) }
		if c.keeps(src.Layout, width) && c.keeps(dst.Layout, width) && c.alike(pred, n, width, order) {
			return width, order
		}
	}
	return 1, func(i int) int { return i }
}

// offset gives the offset of the i-th element of a static layout.
func (c *call) offset(l *emit.Layout, i int) int {
	n, _ := c.Index(l, place(i)).Static()
	return n
}

// keeps reports whether a swizzle leaves vectors of that width contiguous: it moves no bits below
// its base.
func (c *call) keeps(l *emit.Layout, width int) bool {
	return l.Composed == nil || 1<<l.Composed.Swizzle.Base >= width
}

// alike reports whether the elements of each vector share a predicate. One access has one
// predicate.
func (c *call) alike(pred *emit.Tensor, n, width int, order func(int) int) bool {
	if pred == nil {
		return true
	}
	for i := range n {
		if c.offset(pred.Layout, order(i)) != c.offset(pred.Layout, order(i-i%width)) {
			return false
		}
	}
	return true
}

// overlay gives memory of a tensor in shared memory as another tensor, so that phases of a kernel
// can use the same bytes.
func (c *call) overlay() []emit.Value {
	t, e, l := c.tensor(0), c.elemArg(0), c.layout(2)
	c.Must(t.Space == emit.Shared, c.pos, "Overlay takes a tensor in shared memory, not %s", t.Describe())
	offset, size, align := c.int(1), e.Bits/8, c.alignment(t)
	c.Must(offset.Is(0) || offset.Div()%size == 0, c.pos, "the offset of an Overlay must be known to be a multiple of the %d bytes of an element", size)
	c.Must(align%size == 0, c.pos, "an Overlay of %s must begin at a multiple of %d bytes, but the memory is only known to begin at a multiple of %d", e.Name, size, align)
	c.inside(t, e, l, offset)
	// The base is where the tensor begins, so that the offset of the overlay counts from there.
	base := *c.Dynamic(t.Base, emit.I32)
	base.Reg = c.AddressOf(t, t.Off)
	return give(&emit.Tensor{Space: emit.Shared, Elem: e, Type: c.typeArg(0), Base: &base, Off: offset.Quo(layout.N(size)), Layout: l, Align: align})
}

// inside refuses an overlay that is known to reach beyond the memory under it.
func (c *call) inside(t *emit.Tensor, e *emit.Elem, l *emit.Layout, offset layout.Int) {
	has, err := t.Layout.Cosize()
	c.Refused(err)
	wants, err := l.Cosize()
	c.Refused(err)
	h, hOK := has.Static()
	w, wOK := wants.Static()
	o, oOK := offset.Static()
	// In bytes: what there is, and where the overlay ends.
	h, w = h*t.Elem.Bits/8, o+w*e.Bits/8
	c.Must(!hOK || !wOK || !oOK || o >= 0 && w <= h, c.pos, "the Overlay takes bytes %d to %d of memory that has %d bytes", o, w, h)
}
