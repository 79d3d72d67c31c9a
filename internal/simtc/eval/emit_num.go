package eval

import (
	"go/constant"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// in32 reports whether 32 bits hold a range of integers.
func in32(e *Elem, r interval.Range) bool {
	return r.Within(interval.Type{Bits: 32, Signed: e.Signed}.Range())
}

// newNum is a number in a new register of which only the type is known.
func (em *emitter) newNum(e *Elem) *num {
	n := &num{elem: e, fn: em.b.Func, wide: e.isInt() && e.Bits == 64, in: e.all(), div: 1}
	n.reg = em.b.NewReg(n.class())
	return n
}

// emit appends an instruction whose result is a number of a type.
func (em *emitter) emit(e *Elem, op string, src ...simt.Operand) *num {
	n := em.newNum(e)
	em.b.Emit(op, []simt.Operand{n.op()}, src...)
	return n
}

// ranged is a new integer of a known range; an int that 32 bits hold takes 32.
func (em *emitter) ranged(e *Elem, in interval.Range) *num {
	n := span{e, in}.num()
	n.fn = em.b.Func
	n.reg = em.b.NewReg(n.class())
	return n
}

// rangeIn is the range of a number of a type: all of that where no more is known, nothing where it is no integer.
func (em *emitter) rangeIn(v value, e *Elem) interval.Range {
	switch v := v.(type) {
	case *num:
		if v.elem.isInt() {
			return v.in
		}
	case constant.Value:
		if n, ok := interval.Constant(v); ok && e.isInt() {
			return interval.One(n)
		}
	}
	return e.all()
}

// divOf is the divisor of an integer that is known.
func divOf(v value) int {
	switch v := v.(type) {
	case *num:
		return max(v.div, 1)
	case constant.Value:
		if n, ok := constant.Int64Val(v); ok && n != math.MinInt64 {
			return int(max(n, -n))
		}
	}
	return 1
}

// elemOf is the type of a dynamic number, or that which a constant has without a type.
func (em *emitter) elemOf(v value) *Elem {
	switch v := v.(type) {
	case *num:
		return v.elem
	case nonFinite:
		return f64Elem
	case constant.Value:
		switch v.Kind() {
		case constant.Bool:
			return boolElem
		case constant.Int:
			return intElem
		}
		return f64Elem
	}
	return nil
}

// operand gives a number as an operand of a register's width. Constants are immediates.
func (em *emitter) operand(v value, e *Elem, wide bool) simt.Operand {
	n, ok := v.(*num)
	if !ok {
		return simt.B(em.bits(v, e))
	}
	em.own(n)
	if n.elem.isInt() && e.isInt() && n.class() != e.regClass(wide) {
		return em.resize(n, e, wide).op()
	}
	return n.op()
}

// class is the register class of an element, of an int by its width.
func (e *Elem) regClass(wide bool) simt.Class {
	if e.isInt() && e.Bits == 64 && !wide {
		return simt.B32
	}
	return e.Class
}

// resize gives an integer in a register of the other width.
func (em *emitter) resize(n *num, e *Elem, wide bool) *num {
	r := *n
	r.wide, r.mut = wide, false
	r.fn = em.b.Func
	if e.regClass(wide) == simt.B64 {
		r.reg = em.b.Value(simt.B64, "cvt."+signed(n.elem, 64)+"."+signed(n.elem, 32), n.op()).Reg
	} else {
		r.reg = em.b.Value(simt.B32, "cvt.u32.u64", n.op()).Reg
	}
	return &r
}

func signed(e *Elem, bits int) string {
	if e.Signed {
		return [...]string{32: "s32", 64: "s64"}[bits]
	}
	return [...]string{32: "u32", 64: "u64"}[bits]
}

// inReg gives a number of a type in a register of the type's full width.
func (em *emitter) inReg(v value, e *Elem) simt.Operand {
	op := em.operand(v, e, e.Bits == 64)
	if op.Kind == simt.Register {
		return op
	}
	return em.immediate(e.regClass(e.Bits == 64), op)
}

// immediate puts an immediate operand into a register.
func (em *emitter) immediate(c simt.Class, op simt.Operand) simt.Operand {
	if c == simt.Pred {
		return em.b.Value(c, "setp.ne.s32", em.b.Value(simt.B32, "mov.b32", op), simt.I(0))
	}
	return em.b.Value(c, "mov."+movSuffix(c), op)
}

// dynamic gives a number as a dynamic one.
func (em *emitter) dynamic(v value, e *Elem) *num {
	if n, ok := v.(*num); ok {
		return n
	}
	n := span{e, em.rangeIn(v, e)}.num()
	n.fn, n.div = em.b.Func, divOf(v)
	n.reg = em.immediate(n.class(), em.operand(v, e, n.wide)).Reg
	return n
}
