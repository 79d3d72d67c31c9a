package eval

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// space is where a tensor's elements are.
type space string

// The spaces.
const (
	global space = "global"
	shared space = "shared"
	rmem   space = "rmem"
)

// tensor is a cute.Tensor: elements at a layout.
type tensor struct {
	space space
	elem  *Elem
	typ   types.Type // the Go type of the elements
	base  value      // the address of element 0: 64 bits in global memory, 32 in shared
	off   layout.Int // elements from the base to the layout's first
	lay   *layoutVal
	align int   // bytes that divide the address of element 0
	regs  *regs // of rmem

	at *address // of the first element, where that was computed
}

// address is a register with the address of a tensor's first element.
type address struct {
	reg simt.Reg
	in  *region
}

func (t *tensor) mapLeaves(em *emitter, f func(value) value) value {
	r := *t
	if t.space != rmem {
		r.base = f(t.base)
	}
	r.off = em.intLeaf(f)(t.off)
	r.lay = em.mapLayout(t.lay, f)
	r.at = nil
	return &r
}

func (t *tensor) sameForm(em *emitter, b value) bool {
	u, ok := b.(*tensor)
	return ok && t.space == u.space && t.elem == u.elem && t.regs == u.regs && t.align == u.align && em.sameForm(t.lay, u.lay)
}

func (t *tensor) describe() string {
	return "a tensor of " + t.elem.Name + " in " + string(t.space) + " memory with layout " + t.lay.text()
}

// with is the tensor with another layout, and moved by an offset.
func (t *tensor) with(l *layoutVal, off layout.Int) *tensor {
	r := *t
	r.lay, r.off = l, t.off.Add(off)
	if !off.Is(0) {
		r.at = nil
	}
	return &r
}

// index is the offset in elements of a coordinate from the tensor's first element.
func (em *emitter) index(l *layoutVal, crd layout.Tuple) layout.Int {
	var n layout.Int
	var err error
	if l.comp != nil {
		n, err = l.comp.Index(crd)
	} else {
		var t layout.Tuple
		if t, err = l.Layout.Index(crd); err == nil {
			n, _ = t.IsLeaf()
		}
	}
	em.refused(err)
	return n
}

// refused reports what the layout algebra refuses.
func (em *emitter) refused(err error) {
	if err != nil {
		em.Fail(em.pos, "%v", err)
	}
}

// firstAddress gives the address of the tensor's first element as a register.
func (em *emitter) firstAddress(t *tensor) simt.Reg {
	if t.at != nil && em.cur.within(t.at.in) && t.at.in.fn == em.fn {
		return t.at.reg
	}
	return em.addressOf(t, t.off)
}

// located computes where a new tensor starts, once and here, rather than in each branch that uses it. Later would be too
// late to remember: code behind a jump may not have run.
func (em *emitter) located(t *tensor) *tensor {
	if t.space != rmem && !em.b.Host {
		t.at = &address{em.firstAddress(t), em.cur}
	}
	return t
}

// addressOf computes the address of an element.
func (em *emitter) addressOf(t *tensor, off layout.Int) simt.Reg {
	base := em.pointerReg(t)
	if off.Is(0) {
		return base
	}
	bytes := int64(t.elem.Bits / 8)
	if n, ok := off.Static(); ok {
		if t.space == shared {
			return em.b.Value(simt.B32, "add.s32", simt.R(base), simt.I(int64(n)*bytes)).Reg
		}
		return em.b.Value(simt.B64, "add.s64", simt.R(base), simt.I(int64(n)*bytes)).Reg
	}
	n := em.ofInt(off).(*num)
	em.own(n)
	switch {
	case t.space == shared:
		o := em.operand(n, i32Elem, false)
		if n.class() == simt.B64 {
			o = em.resize(n, intElem, false).op()
		}
		return em.b.Value(simt.B32, "mad.lo.s32", o, simt.I(bytes), simt.R(base)).Reg
	case n.class() == simt.B64:
		return em.b.Value(simt.B64, "mad.lo.s64", n.op(), simt.I(bytes), simt.R(base)).Reg
	}
	return em.b.Value(simt.B64, "mad.wide.s32", n.op(), simt.I(bytes), simt.R(base)).Reg
}

// pointerReg is the register with a tensor's base.
func (em *emitter) pointerReg(t *tensor) simt.Reg {
	if t.space == shared {
		return em.regOf(t.base, i32Elem, false).Reg
	}
	n, ok := t.base.(*num)
	em.Must(ok, em.pos, "this tensor has no memory")
	em.own(n)
	em.Must(!em.b.Host, em.pos, "a host function cannot read or write tensors, whose memory is the device's: do it in a kernel")
	return n.reg
}

// element is the address of the element at a coordinate.
func (em *emitter) element(t *tensor, crd layout.Tuple) simt.Operand {
	return em.elementAt(t, em.index(t.lay, crd))
}

// elementAt is the address of the element at an offset from the tensor's first.
func (em *emitter) elementAt(t *tensor, n layout.Int) simt.Operand {
	if c, ok := n.Static(); ok {
		return simt.At(em.firstAddress(t), int64(c)*int64(t.elem.Bits/8))
	}
	moved := *t
	moved.at = nil
	return simt.At(em.addressOf(&moved, t.off.Add(n)), 0)
}

// loadOps is the type of PTX's ld and st for an element.
func (e *Elem) loadType() string {
	switch {
	case e == boolElem:
		return "u8"
	case e.Float && e.Bits == 8:
		return "u8"
	case e.isInt() && e.Bits < 32:
		return map[bool]string{true: "s", false: "u"}[e.Signed] + map[int]string{8: "8", 16: "16"}[e.Bits]
	}
	return e.regClass(e.Bits == 64).String()
}

func (e *Elem) storeType() string {
	if e == boolElem || e.Bits == 8 {
		return "b8"
	}
	return "b" + map[int]string{16: "16", 32: "32", 64: "64"}[e.Bits]
}

// loadElem reads an element.
func (em *emitter) loadElem(t *tensor, crd layout.Tuple) value {
	if t.space == rmem {
		return em.loadReg(t, crd)
	}
	at := em.element(t, crd)
	if t.elem == boolElem {
		r := em.b.Value(simt.B32, "ld."+string(t.space)+".u8", at)
		return em.emit(boolElem, "setp.ne.s32", r, simt.I(0))
	}
	if e := t.elem; e.isInt() && e.Bits == 16 { // registers of 16 bits are the only ones that such a load has
		half := em.b.Value(simt.B16, "ld."+string(t.space)+".b16", at)
		return em.emit(e, "cvt."+e.Suffix+"."+e.loadType(), half)
	}
	return em.emit(t.elem, "ld."+string(t.space)+"."+t.elem.loadType(), at)
}

// storeElem writes an element.
func (em *emitter) storeElem(t *tensor, crd layout.Tuple, v value) {
	if t.space == rmem {
		em.storeReg(t, crd, v)
		return
	}
	at := em.element(t, crd)
	em.b.Emit("st."+string(t.space)+"."+t.elem.storeType(), nil, at, em.inMemory(v, t.elem))
}

// stored is a number in a register as memory has it.
func (em *emitter) stored(v value, e *Elem) simt.Operand {
	if e == boolElem {
		if c, ok := v.(constant.Value); ok {
			return em.b.Value(simt.B32, "mov.b32", simt.B(em.bits(c, e)))
		}
		return em.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), em.inReg(v, boolElem))
	}
	return em.inReg(v, e)
}

// coords is a tensor of coordinates, cute.CoordTensor: a layout whose strides are steps along modes.
type coords struct {
	start layout.Tuple
	lay   *layoutVal
}

func (c *coords) mapLeaves(em *emitter, f func(value) value) value {
	return &coords{c.start.MapInts(em.intLeaf(f)), em.mapLayout(c.lay, f)}
}

func (c *coords) sameForm(em *emitter, b value) bool {
	d, ok := b.(*coords)
	return ok && c.start.Congruent(d.start) && em.sameForm(c.lay, d.lay)
}

func (c *coords) describe() string { return "a coordinate tensor with layout " + c.lay.text() }

// at is the coordinate at a coordinate.
func (c *coords) at(em *emitter, crd layout.Tuple) shape {
	t, err := c.lay.Layout.Index(crd)
	em.refused(err)
	return shape{layout.AddOffsets(c.start, t)}
}

// elemLess reports whether every part of a coordinate is below that of a shape.
func (em *emitter) elemLess(c, s layout.Tuple) value {
	n, leaf := c.IsLeaf()
	if leaf {
		m, ok := s.IsLeaf()
		if !ok {
			m = s.Product()
		}
		return em.binary(token.LSS, em.ofInt(n), em.ofInt(m), intElem)
	}
	cs, ss := c.Modes(), s.Modes()
	em.Must(len(cs) == len(ss), em.pos, "coordinate %s and shape %s have another number of modes", c, s)
	var all value = constant.MakeBool(true)
	for i := range cs {
		one := em.elemLess(cs[i], ss[i])
		all = em.both(all, one)
	}
	return all
}
