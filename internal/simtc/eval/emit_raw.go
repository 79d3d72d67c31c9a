package eval

import "github.com/cutile-go/cutile/internal/simt"

// raw gives a number's bits in a register of 32 bits, or of 64 for elements of 64. Bits above the element's are any.
func (em *emitter) raw(v value, e *Elem) simt.Operand {
	switch {
	case e == boolElem:
		return em.stored(v, e)
	case e.Class == simt.B16 && isStatic(v):
		return em.immediate(simt.B32, simt.I(int64(em.bits(v, e))))
	case e.Class == simt.B16:
		return em.b.Value(simt.B32, "cvt.u32.u16", em.inReg(v, e))
	}
	return em.inReg(v, e)
}

// fromRaw makes a number of bits in a register as raw gives it.
func (em *emitter) fromRaw(r simt.Operand, e *Elem) *num {
	n := em.newNum(e)
	switch {
	case e == boolElem:
		return em.emit(e, "setp.ne.s32", r, simt.I(0))
	case e.Class == simt.B16:
		return em.emit(e, "cvt.u16.u32", r)
	case e.Float && e.Bits == 8:
		return em.emit(e, "bfe.u32", r, simt.I(0), simt.I(8))
	}
	n.reg = r.Reg
	if e.isInt() && e.Bits < 32 {
		return em.extend(n, e)
	}
	return n
}

// inMemory is a number in a register as a store of its type takes it: stores of 16 bits take registers of 16 bits alone.
func (em *emitter) inMemory(v value, e *Elem) simt.Operand {
	r := em.stored(v, e)
	if e.isInt() && e.Bits == 16 {
		return em.b.Value(simt.B16, "cvt.u16.u32", r)
	}
	return r
}
