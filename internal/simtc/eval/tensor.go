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

func (t *tensor) mapLeaves(ev *evaluator, f func(value) value) value {
	r := *t
	if t.space != rmem {
		r.base = f(t.base)
	}
	r.off = ev.intLeaf(f)(t.off)
	r.lay = ev.mapLayout(t.lay, f)
	r.at = nil
	return &r
}

func (t *tensor) sameForm(ev *evaluator, b value) bool {
	u, ok := b.(*tensor)
	return ok && t.space == u.space && t.elem == u.elem && t.regs == u.regs && t.align == u.align && ev.sameForm(t.lay, u.lay)
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
func (ev *evaluator) index(l *layoutVal, crd layout.Tuple) layout.Int {
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
	ev.refused(err)
	return n
}

// refused reports what the layout algebra refuses.
func (ev *evaluator) refused(err error) {
	if err != nil {
		ev.Fail(ev.pos, "%v", err)
	}
}

// firstAddress gives the address of the tensor's first element as a register.
func (ev *evaluator) firstAddress(t *tensor) simt.Reg {
	if t.at != nil && ev.cur.within(t.at.in) && t.at.in.fn == ev.fn {
		return t.at.reg
	}
	return ev.addressOf(t, t.off)
}

// located computes where a new tensor starts, once and here, rather than in each branch that uses it. Later would be too
// late to remember: code behind a jump may not have run.
func (ev *evaluator) located(t *tensor) *tensor {
	if t.space != rmem && !ev.b.Host {
		t.at = &address{ev.firstAddress(t), ev.cur}
	}
	return t
}

// addressOf computes the address of an element.
func (ev *evaluator) addressOf(t *tensor, off layout.Int) simt.Reg {
	base := ev.pointerReg(t)
	if off.Is(0) {
		return base
	}
	bytes := int64(t.elem.Bits / 8)
	if n, ok := off.Static(); ok {
		if t.space == shared {
			return ev.b.Value(simt.B32, "add.s32", simt.R(base), simt.I(int64(n)*bytes)).Reg
		}
		return ev.b.Value(simt.B64, "add.s64", simt.R(base), simt.I(int64(n)*bytes)).Reg
	}
	n := ev.ofInt(off).(*num)
	ev.own(n)
	switch {
	case t.space == shared:
		o := ev.operand(n, i32Elem, false)
		if n.class() == simt.B64 {
			o = ev.resize(n, intElem, false).op()
		}
		return ev.b.Value(simt.B32, "mad.lo.s32", o, simt.I(bytes), simt.R(base)).Reg
	case n.class() == simt.B64:
		return ev.b.Value(simt.B64, "mad.lo.s64", n.op(), simt.I(bytes), simt.R(base)).Reg
	}
	return ev.b.Value(simt.B64, "mad.wide.s32", n.op(), simt.I(bytes), simt.R(base)).Reg
}

// pointerReg is the register with a tensor's base.
func (ev *evaluator) pointerReg(t *tensor) simt.Reg {
	if t.space == shared {
		return ev.regOf(t.base, i32Elem, false).Reg
	}
	n, ok := t.base.(*num)
	ev.Must(ok, ev.pos, "this tensor has no memory")
	ev.own(n)
	ev.Must(!ev.b.Host, ev.pos, "a host function cannot read or write tensors, whose memory is the device's: do it in a kernel")
	return n.reg
}

// element is the address of the element at a coordinate.
func (ev *evaluator) element(t *tensor, crd layout.Tuple) simt.Operand {
	return ev.elementAt(t, ev.index(t.lay, crd))
}

// elementAt is the address of the element at an offset from the tensor's first.
func (ev *evaluator) elementAt(t *tensor, n layout.Int) simt.Operand {
	if c, ok := n.Static(); ok {
		return simt.At(ev.firstAddress(t), int64(c)*int64(t.elem.Bits/8))
	}
	moved := *t
	moved.at = nil
	return simt.At(ev.addressOf(&moved, t.off.Add(n)), 0)
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
	return e.class(e.Bits == 64).String()
}

func (e *Elem) storeType() string {
	if e == boolElem || e.Bits == 8 {
		return "b8"
	}
	return "b" + map[int]string{16: "16", 32: "32", 64: "64"}[e.Bits]
}

// loadElem reads an element.
func (ev *evaluator) loadElem(t *tensor, crd layout.Tuple) value {
	if t.space == rmem {
		return ev.loadReg(t, crd)
	}
	at := ev.element(t, crd)
	if t.elem == boolElem {
		r := ev.b.Value(simt.B32, "ld."+string(t.space)+".u8", at)
		return ev.emit(boolElem, "setp.ne.s32", r, simt.I(0))
	}
	if e := t.elem; e.isInt() && e.Bits == 16 { // registers of 16 bits are the only ones that such a load has
		half := ev.b.Value(simt.B16, "ld."+string(t.space)+".b16", at)
		return ev.emit(e, "cvt."+e.Suffix+"."+e.loadType(), half)
	}
	return ev.emit(t.elem, "ld."+string(t.space)+"."+t.elem.loadType(), at)
}

// storeElem writes an element.
func (ev *evaluator) storeElem(t *tensor, crd layout.Tuple, v value) {
	if t.space == rmem {
		ev.storeReg(t, crd, v)
		return
	}
	at := ev.element(t, crd)
	ev.b.Emit("st."+string(t.space)+"."+t.elem.storeType(), nil, at, ev.inMemory(v, t.elem))
}

// stored is a number in a register as memory has it.
func (ev *evaluator) stored(v value, e *Elem) simt.Operand {
	if e == boolElem {
		if c, ok := v.(constant.Value); ok {
			return ev.b.Value(simt.B32, "mov.b32", simt.B(ev.bits(c, e)))
		}
		return ev.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), ev.inReg(v, boolElem))
	}
	return ev.inReg(v, e)
}

// coords is a tensor of coordinates, cute.CoordTensor: a layout whose strides are steps along modes.
type coords struct {
	start layout.Tuple
	lay   *layoutVal
}

func (c *coords) mapLeaves(ev *evaluator, f func(value) value) value {
	return &coords{c.start.MapInts(ev.intLeaf(f)), ev.mapLayout(c.lay, f)}
}

func (c *coords) sameForm(ev *evaluator, b value) bool {
	d, ok := b.(*coords)
	return ok && c.start.Congruent(d.start) && ev.sameForm(c.lay, d.lay)
}

func (c *coords) describe() string { return "a coordinate tensor with layout " + c.lay.text() }

// at is the coordinate at a coordinate.
func (c *coords) at(ev *evaluator, crd layout.Tuple) shape {
	t, err := c.lay.Layout.Index(crd)
	ev.refused(err)
	return shape{layout.AddOffsets(c.start, t)}
}

// elemLess reports whether every part of a coordinate is below that of a shape.
func (ev *evaluator) elemLess(c, s layout.Tuple) value {
	n, leaf := c.IsLeaf()
	if leaf {
		m, ok := s.IsLeaf()
		if !ok {
			m = s.Product()
		}
		return ev.binary(token.LSS, ev.ofInt(n), ev.ofInt(m), intElem)
	}
	cs, ss := c.Modes(), s.Modes()
	ev.Must(len(cs) == len(ss), ev.pos, "coordinate %s and shape %s have another number of modes", c, s)
	var all value = constant.MakeBool(true)
	for i := range cs {
		one := ev.elemLess(cs[i], ss[i])
		all = ev.both(all, one)
	}
	return all
}
