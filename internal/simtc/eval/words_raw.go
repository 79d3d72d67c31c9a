package eval

import "github.com/cutile-go/cutile/internal/simt"

// raw gives a number's bits in a register of 32 bits, or of 64 for elements of 64. Bits above the element's are any.
func (ev *evaluator) raw(v value, e *Elem) simt.Operand {
	switch {
	case e == boolElem:
		return ev.stored(v, e)
	case e.Class == simt.B16 && isStatic(v):
		return ev.immediate(simt.B32, simt.I(int64(ev.bits(v, e))))
	case e.Class == simt.B16:
		return ev.b.Value(simt.B32, "cvt.u32.u16", ev.inReg(v, e))
	}
	return ev.inReg(v, e)
}

// fromRaw makes a number of bits in a register as raw gives it.
func (ev *evaluator) fromRaw(r simt.Operand, e *Elem) *num {
	n := ev.newNum(e)
	switch {
	case e == boolElem:
		return ev.emit(e, "setp.ne.s32", r, simt.I(0))
	case e.Class == simt.B16:
		return ev.emit(e, "cvt.u16.u32", r)
	case e.Float && e.Bits == 8:
		return ev.emit(e, "bfe.u32", r, simt.I(0), simt.I(8))
	}
	n.reg = r.Reg
	if e.isInt() && e.Bits < 32 {
		return ev.extend(n, e)
	}
	return n
}

// inMemory is a number in a register as a store of its type takes it: stores of 16 bits take registers of 16 bits alone.
func (ev *evaluator) inMemory(v value, e *Elem) simt.Operand {
	r := ev.stored(v, e)
	if e.isInt() && e.Bits == 16 {
		return ev.b.Value(simt.B16, "cvt.u16.u32", r)
	}
	return r
}

// called is the function of package cute that the user called.
func (c *ctx) called() string {
	name := c.fv.name
	for i := len(c.active) - 1; i >= 0 && c.active[i].pkg.Src.Lang; i-- {
		name = c.active[i].name
	}
	return name
}
