package emit

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// Space is the memory that a tensor's elements are in.
type Space string

// These are the spaces. Rmem stands for registers.
const (
	Global Space = "global"
	Shared Space = "shared"
	Rmem   Space = "rmem"
)

// Tensor is a cute.Tensor: elements at the offsets that a layout gives.
type Tensor struct {
	Space  Space
	Elem   *Elem
	Type   types.Type // the Go type of the elements
	Base   Value      // the address of element 0: 64 bits in global memory, 32 in shared memory
	Off    layout.Int // elements from the base to the first one of the layout
	Layout *Layout
	Align  int   // bytes that divide the address of element 0
	Regs   *regs // of a tensor in registers

	At *address // of the first element, if it was computed
}

// address is a register with the address of a tensor's first element, and the region that computed
// it: code that runs only after that region began can use it.
type address struct {
	reg simt.Reg
	in  *Region
}

// MapLeaves implements [Mapper]. The address that was computed is not kept, as the leaves may
// change.
func (t *Tensor) MapLeaves(em *Emitter, f func(Value) Value) Value {
	r := *t
	// A tensor in registers has no address.
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

// With gives the tensor with another layout, moved by an offset.
func (t *Tensor) With(l *Layout, off layout.Int) *Tensor {
	r := *t
	r.Layout, r.Off = l, t.Off.Add(off)
	if !off.Is(0) {
		r.At = nil
	}
	return &r
}

// Index gives the offset, in elements, of a coordinate from the first element of a layout.
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

// Refused reports an error of the layout algebra as a mistake of the program.
func (em *Emitter) Refused(err error) {
	if err != nil {
		em.Fail(em.Pos, "%v", err)
	}
}

// firstAddress gives the address of the tensor's first element as a register, and uses the one that
// [Emitter.Located] computed if it holds here.
func (em *Emitter) firstAddress(t *Tensor) simt.Reg {
	if t.At != nil && em.Cur.within(t.At.in) && t.At.in.Fn == em.Fn {
		return t.At.reg
	}
	return em.AddressOf(t, t.Off)
}

// Located computes the address of a new tensor's first element once and here, rather than in each
// branch that uses the tensor. It cannot be remembered from a later use: code behind a jump may not
// have run. internal/simt/opt removes it if nothing uses it.
func (em *Emitter) Located(t *Tensor) *Tensor {
	if t.Space != Rmem && !em.B.Host {
		t.At = &address{em.firstAddress(t), em.Cur}
	}
	return t
}

// AddressOf computes the address of the element at an offset from the tensor's base. Addresses in
// shared memory have 32 bits.
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
	// Shared memory has addresses of 32 bits, so the offset is computed in 32 bits, too.
	case t.Space == Shared:
		o := em.Operand(n, I32, false)
		if n.Class() == simt.B64 {
			o = em.Resize(n, Int, false).Op()
		}
		return em.B.Value(simt.B32, "mad.lo.s32", o, simt.I(bytes), simt.R(base)).Reg
	case n.Class() == simt.B64:
		return em.B.Value(simt.B64, "mad.lo.s64", n.Op(), simt.I(bytes), simt.R(base)).Reg
	}
	// An offset of 32 bits is multiplied to 64, so that the bytes of a large tensor do not
	// overflow.
	return em.B.Value(simt.B64, "mad.wide.s32", n.Op(), simt.I(bytes), simt.R(base)).Reg
}

// PointerReg gives the register with a tensor's base.
func (em *Emitter) PointerReg(t *Tensor) simt.Reg {
	if t.Space == Shared {
		return em.RegOf(t.Base, I32, false).Reg
	}
	n, ok := t.Base.(*Num)
	em.Must(ok, em.Pos, "this tensor has no memory")
	em.Own(n)
	em.Must(!em.B.Host, em.Pos, "a host function cannot read or write tensors, whose memory belongs to the device: do it in a kernel")
	return n.Reg
}

// Element gives the address of the element at a coordinate.
func (em *Emitter) Element(t *Tensor, crd layout.Tuple) simt.Operand {
	return em.ElementAt(t, em.Index(t.Layout, crd))
}

// ElementAt gives the address of the element at an offset from the tensor's first element. A static
// offset is part of the instruction.
func (em *Emitter) ElementAt(t *Tensor, n layout.Int) simt.Operand {
	if c, ok := n.Static(); ok {
		return simt.At(em.firstAddress(t), int64(c)*int64(t.Elem.Bits/8))
	}
	// The address of the first element does not help: one multiplication computes the sum of both
	// offsets.
	moved := *t
	moved.At = nil
	return simt.At(em.AddressOf(&moved, t.Off.Add(n)), 0)
}

// LoadType gives the type with which PTX loads an element. It extends an integer below 32 bits by
// its sign.
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

// StoreType gives the type with which PTX stores an element.
func (e *Elem) StoreType() string {
	if e == Bool || e.Bits == 8 {
		return "b8"
	}
	return "b" + map[int]string{16: "16", 32: "32", 64: "64"}[e.Bits]
}

// LoadElem reads an element of a tensor in any space.
func (em *Emitter) LoadElem(t *Tensor, crd layout.Tuple) Value {
	if t.Space == Rmem {
		return em.LoadReg(t, crd)
	}
	at := em.Element(t, crd)
	if t.Elem == Bool {
		r := em.B.Value(simt.B32, "ld."+string(t.Space)+".u8", at)
		return em.Emit(Bool, "setp.ne.s32", r, simt.I(0))
	}
	// PTX loads 16 bits into a register of 16 bits only.
	if e := t.Elem; e.IsInt() && e.Bits == 16 {
		half := em.B.Value(simt.B16, "ld."+string(t.Space)+".b16", at)
		return em.Emit(e, "cvt."+e.Suffix+"."+e.LoadType(), half)
	}
	return em.Emit(t.Elem, "ld."+string(t.Space)+"."+t.Elem.LoadType(), at)
}

// StoreElem writes an element of a tensor in any space.
func (em *Emitter) StoreElem(t *Tensor, crd layout.Tuple, v Value) {
	if t.Space == Rmem {
		em.StoreReg(t, crd, v)
		return
	}
	at := em.Element(t, crd)
	em.B.Emit("st."+string(t.Space)+"."+t.Elem.StoreType(), nil, at, em.InMemory(v, t.Elem))
}

// stored gives a number in a register as memory has it: a truth value is a predicate in registers,
// and a byte in memory.
func (em *Emitter) stored(v Value, e *Elem) simt.Operand {
	if e == Bool {
		if c, ok := v.(constant.Value); ok {
			return em.B.Value(simt.B32, "mov.b32", simt.B(em.Bits(c, e)))
		}
		return em.B.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), em.InReg(v, Bool))
	}
	return em.InReg(v, e)
}

// Coords is a tensor of coordinates, cute.CoordTensor: its layout has steps along modes as strides,
// and its elements are computed rather than stored.
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

// At gives the coordinate that is the element at crd.
func (c *Coords) At(em *Emitter, crd layout.Tuple) Shape {
	t, err := c.Layout.Layout.Index(crd)
	em.Refused(err)
	return Shape{layout.AddOffsets(c.Start, t)}
}

// ElemLess computes whether every part of a coordinate is below the same part of a shape. A
// coordinate may be coarser than the shape: one number then stands for all modes below it.
func (em *Emitter) ElemLess(c, s layout.Tuple) Value {
	n, leaf := c.IsLeaf()
	if leaf {
		m, ok := s.IsLeaf()
		if !ok {
			// The coordinate is a single number for several modes, so it counts through all their
			// elements.
			m = s.Product()
		}
		return em.Binary(token.LSS, em.OfInt(n), em.OfInt(m), Int)
	}
	cs, ss := c.Modes(), s.Modes()
	em.Must(len(cs) == len(ss), em.Pos, "coordinate %s and shape %s have different numbers of modes", c, s)
	var all Value = constant.MakeBool(true)
	for i := range cs {
		one := em.ElemLess(cs[i], ss[i])
		all = em.both(all, one)
	}
	return all
}
