package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// Space is where a tensor's elements are.
type Space string

// The spaces.
const (
	Global Space = "global"
	Shared Space = "shared"
	Rmem   Space = "rmem"
)

// Tensor is a cute.Tensor: elements at a layout.
type Tensor struct {
	Space  Space
	Elem   *Elem
	Type   types.Type // the Go type of the elements
	Base   Value      // the address of element 0: 64 bits in global memory, 32 in shared
	Off    layout.Int // elements from the base to the layout's first
	Layout *Layout
	Align  int   // bytes that divide the address of element 0
	Regs   *regs // of rmem

	At *address // of the first element, where that was computed
}

// address is a register with the address of a tensor's first element.
type address struct {
	reg simt.Reg
	in  *Region
}

// MapLeaves implements [Mapper].
func (t *Tensor) MapLeaves(em *Emitter, f func(Value) Value) Value {
	r := *t
	if t.Space != Rmem {
		r.Base = f(t.Base)
	}
	r.Off = em.IntLeaf(f)(t.Off)
	r.Layout = em.mapLayout(t.Layout, f)
	r.At = nil
	return &r
}

// SameForm implements [Former].
func (t *Tensor) SameForm(em *Emitter, b Value) bool {
	u, ok := b.(*Tensor)
	return ok && t.Space == u.Space && t.Elem == u.Elem && t.Regs == u.Regs && t.Align == u.Align && em.SameForm(t.Layout, u.Layout)
}

// Describe implements [Described].
func (t *Tensor) Describe() string {
	return "a tensor of " + t.Elem.Name + " in " + string(t.Space) + " memory with layout " + t.Layout.Text()
}

// With is the tensor with another layout, and moved by an offset.
func (t *Tensor) With(l *Layout, off layout.Int) *Tensor {
	r := *t
	r.Layout, r.Off = l, t.Off.Add(off)
	if !off.Is(0) {
		r.At = nil
	}
	return &r
}

// Index is the offset in elements of a coordinate from the tensor's first element.
func (em *Emitter) Index(l *Layout, crd layout.Tuple) layout.Int {
	var n layout.Int
	var err error
	if l.Composed != nil {
		n, err = l.Composed.Index(crd)
	} else {
		var t layout.Tuple
		if t, err = l.Layout.Index(crd); err == nil {
			n, _ = t.IsLeaf()
		}
	}
	em.Refused(err)
	return n
}

// Refused reports what the layout algebra refuses.
func (em *Emitter) Refused(err error) {
	if err != nil {
		em.Fail(em.Pos, "%v", err)
	}
}

// firstAddress gives the address of the tensor's first element as a register.
func (em *Emitter) firstAddress(t *Tensor) simt.Reg {
	if t.At != nil && em.Cur.within(t.At.in) && t.At.in.Fn == em.Fn {
		return t.At.reg
	}
	return em.AddressOf(t, t.Off)
}

// Located computes where a new tensor starts, once and here, rather than in each branch that uses it. Later would be too
// late to remember: code behind a jump may not have run.
func (em *Emitter) Located(t *Tensor) *Tensor {
	if t.Space != Rmem && !em.B.Host {
		t.At = &address{em.firstAddress(t), em.Cur}
	}
	return t
}

// AddressOf computes the address of an element.
func (em *Emitter) AddressOf(t *Tensor, off layout.Int) simt.Reg {
	base := em.PointerReg(t)
	if off.Is(0) {
		return base
	}
	bytes := int64(t.Elem.Bits / 8)
	if n, ok := off.Static(); ok {
		if t.Space == Shared {
			return em.B.Value(simt.B32, "add.s32", simt.R(base), simt.I(int64(n)*bytes)).Reg
		}
		return em.B.Value(simt.B64, "add.s64", simt.R(base), simt.I(int64(n)*bytes)).Reg
	}
	n := em.OfInt(off).(*Num)
	em.Own(n)
	if n.Class() == simt.B64 {
		em.checkRange(n, map[bool]int64{true: math.MaxInt32, false: 1 << 48}[t.Space == Shared], "the element is far outside its tensor: its offset does not fit an address")
	}
	switch {
	case t.Space == Shared:
		o := em.Operand(n, I32, false)
		if n.Class() == simt.B64 {
			o = em.Resize(n, Int, false).Op()
		}
		return em.B.Value(simt.B32, "mad.lo.s32", o, simt.I(bytes), simt.R(base)).Reg
	case n.Class() == simt.B64:
		return em.B.Value(simt.B64, "mad.lo.s64", n.Op(), simt.I(bytes), simt.R(base)).Reg
	}
	return em.B.Value(simt.B64, "mad.wide.s32", n.Op(), simt.I(bytes), simt.R(base)).Reg
}

// PointerReg is the register with a tensor's base.
func (em *Emitter) PointerReg(t *Tensor) simt.Reg {
	if t.Space == Shared {
		return em.RegOf(t.Base, I32, false).Reg
	}
	n, ok := t.Base.(*Num)
	em.Must(ok, em.Pos, "this tensor has no memory")
	em.Own(n)
	em.Must(!em.B.Host, em.Pos, "a host function cannot read or write tensors, whose memory is the device's: do it in a kernel")
	return n.Reg
}

// Element is the address of the element at a coordinate.
func (em *Emitter) Element(t *Tensor, crd layout.Tuple) simt.Operand {
	return em.ElementAt(t, em.Index(t.Layout, crd))
}

// ElementAt is the address of the element at an offset from the tensor's first.
func (em *Emitter) ElementAt(t *Tensor, n layout.Int) simt.Operand {
	if c, ok := n.Static(); ok {
		return simt.At(em.firstAddress(t), int64(c)*int64(t.Elem.Bits/8))
	}
	moved := *t
	moved.At = nil
	return simt.At(em.AddressOf(&moved, t.Off.Add(n)), 0)
}

// loadOps is the type of PTX's ld and st for an element.
func (e *Elem) LoadType() string {
	switch {
	case e == Bool:
		return "u8"
	case e.Float && e.Bits == 8:
		return "u8"
	case e.IsInt() && e.Bits < 32:
		return map[bool]string{true: "s", false: "u"}[e.Signed] + map[int]string{8: "8", 16: "16"}[e.Bits]
	}
	return e.RegClass(e.Bits == 64).String()
}

// StoreType is the type that PTX stores an element with.
func (e *Elem) StoreType() string {
	if e == Bool || e.Bits == 8 {
		return "b8"
	}
	return "b" + map[int]string{16: "16", 32: "32", 64: "64"}[e.Bits]
}

// LoadElem reads an element.
func (em *Emitter) LoadElem(t *Tensor, crd layout.Tuple) Value {
	if t.Space == Rmem {
		return em.LoadReg(t, crd)
	}
	at := em.Element(t, crd)
	if t.Elem == Bool {
		r := em.B.Value(simt.B32, "ld."+string(t.Space)+".u8", at)
		return em.Emit(Bool, "setp.ne.s32", r, simt.I(0))
	}
	if e := t.Elem; e.IsInt() && e.Bits == 16 { // registers of 16 bits are the only ones that such a load has
		half := em.B.Value(simt.B16, "ld."+string(t.Space)+".b16", at)
		return em.Emit(e, "cvt."+e.Suffix+"."+e.LoadType(), half)
	}
	return em.Emit(t.Elem, "ld."+string(t.Space)+"."+t.Elem.LoadType(), at)
}

// StoreElem writes an element.
func (em *Emitter) StoreElem(t *Tensor, crd layout.Tuple, v Value) {
	if t.Space == Rmem {
		em.StoreReg(t, crd, v)
		return
	}
	at := em.Element(t, crd)
	em.B.Emit("st."+string(t.Space)+"."+t.Elem.StoreType(), nil, at, em.InMemory(v, t.Elem))
}

// stored is a number in a register as memory has it.
func (em *Emitter) stored(v Value, e *Elem) simt.Operand {
	if e == Bool {
		if c, ok := v.(constant.Value); ok {
			return em.B.Value(simt.B32, "mov.b32", simt.B(em.Bits(c, e)))
		}
		return em.B.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), em.InReg(v, Bool))
	}
	return em.InReg(v, e)
}

// Coords is a tensor of coordinates, cute.CoordTensor: a layout whose strides are steps along modes.
type Coords struct {
	Start  layout.Tuple
	Layout *Layout
}

// MapLeaves implements [Mapper].
func (c *Coords) MapLeaves(em *Emitter, f func(Value) Value) Value {
	return &Coords{c.Start.MapInts(em.IntLeaf(f)), em.mapLayout(c.Layout, f)}
}

// SameForm implements [Former].
func (c *Coords) SameForm(em *Emitter, b Value) bool {
	d, ok := b.(*Coords)
	return ok && c.Start.Congruent(d.Start) && em.SameForm(c.Layout, d.Layout)
}

// Describe implements [Described].
func (c *Coords) Describe() string { return "a coordinate tensor with layout " + c.Layout.Text() }

// At is the coordinate at a coordinate.
func (c *Coords) At(em *Emitter, crd layout.Tuple) Shape {
	t, err := c.Layout.Layout.Index(crd)
	em.Refused(err)
	return Shape{layout.AddOffsets(c.Start, t)}
}

// ElemLess reports whether every part of a coordinate is below that of a shape.
func (em *Emitter) ElemLess(c, s layout.Tuple) Value {
	n, leaf := c.IsLeaf()
	if leaf {
		m, ok := s.IsLeaf()
		if !ok {
			m = s.Product()
		}
		return em.Binary(token.LSS, em.OfInt(n), em.OfInt(m), Int)
	}
	cs, ss := c.Modes(), s.Modes()
	em.Must(len(cs) == len(ss), em.Pos, "coordinate %s and shape %s have another number of modes", c, s)
	var all Value = constant.MakeBool(true)
	for i := range cs {
		one := em.ElemLess(cs[i], ss[i])
		all = em.both(all, one)
	}
	return all
}
