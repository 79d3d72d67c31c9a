package emit

import "github.com/cutile-go/cutile/internal/simt"

// Raw gives the bits of a number in a register of 32 bits, or of 64 bits for elements of 64. The
// bits above those of the element are undefined.
func (em *Emitter) Raw(v Value, e *Elem) simt.Operand {
	switch {
	case e == Bool:
		return em.stored(v, e)
	case e.Class == simt.B16 && IsStatic(v):
		return em.Immediate(simt.B32, simt.I(int64(em.Bits(v, e))))
	case e.Class == simt.B16:
		return em.B.Value(simt.B32, "cvt.u32.u16", em.InReg(v, e))
	}
	return em.InReg(v, e)
}

// FromRaw makes a number of the bits that [Emitter.Raw] gave. It extends a small integer again, as
// the bits above it are undefined.
func (em *Emitter) FromRaw(r simt.Operand, e *Elem) *Num {
	n := em.NewNum(e)
	switch {
	case e == Bool:
		return em.Emit(e, "setp.ne.s32", r, simt.I(0))
	case e.Class == simt.B16:
		return em.Emit(e, "cvt.u16.u32", r)
	case e.Float && e.Bits == 8:
		// Floats of 8 bits are kept in 32, with zeros above.
		return em.Emit(e, "bfe.u32", r, simt.I(0), simt.I(8))
	}
	n.Reg = r.Reg
	if e.IsInt() && e.Bits < 32 {
		return em.Extend(n, e)
	}
	return n
}

// InMemory gives a number in the register that a store of its type takes: PTX stores 16 bits from a
// register of 16 bits only, and integers of 16 bits are kept in 32.
func (em *Emitter) InMemory(v Value, e *Elem) simt.Operand {
	r := em.stored(v, e)
	if e.IsInt() && e.Bits == 16 {
		return em.B.Value(simt.B16, "cvt.u16.u32", r)
	}
	return r
}
