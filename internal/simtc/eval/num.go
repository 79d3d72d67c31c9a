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
func (ev *evaluator) newNum(e *Elem) *num {
	n := &num{elem: e, fn: ev.b.Func, wide: e.isInt() && e.Bits == 64, in: e.all(), div: 1}
	n.reg = ev.b.NewReg(n.class())
	return n
}

// emit appends an instruction whose result is a number of a type.
func (ev *evaluator) emit(e *Elem, op string, src ...simt.Operand) *num {
	n := ev.newNum(e)
	ev.b.Emit(op, []simt.Operand{n.op()}, src...)
	return n
}

// ranged is a new integer of a known range; an int that 32 bits hold takes 32.
func (ev *evaluator) ranged(e *Elem, in interval.Range) *num {
	n := span{e, in}.num()
	n.fn = ev.b.Func
	n.reg = ev.b.NewReg(n.class())
	return n
}

// rangeIn is the range of a number of a type: all of that where no more is known, nothing where it is no integer.
func (ev *evaluator) rangeIn(v value, e *Elem) interval.Range {
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
func (ev *evaluator) elemOf(v value) *Elem {
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
func (ev *evaluator) operand(v value, e *Elem, wide bool) simt.Operand {
	n, ok := v.(*num)
	if !ok {
		return simt.B(ev.bits(v, e))
	}
	ev.own(n)
	if n.elem.isInt() && e.isInt() && n.class() != e.class(wide) {
		return ev.resize(n, e, wide).op()
	}
	return n.op()
}

// class is the register class of an element, of an int by its width.
func (e *Elem) class(wide bool) simt.Class {
	if e.isInt() && e.Bits == 64 && !wide {
		return simt.B32
	}
	return e.Class
}

// resize gives an integer in a register of the other width.
func (ev *evaluator) resize(n *num, e *Elem, wide bool) *num {
	r := *n
	r.wide, r.mut = wide, false
	r.fn = ev.b.Func
	if e.class(wide) == simt.B64 {
		r.reg = ev.b.Value(simt.B64, "cvt."+signed(n.elem, 64)+"."+signed(n.elem, 32), n.op()).Reg
	} else {
		r.reg = ev.b.Value(simt.B32, "cvt.u32.u64", n.op()).Reg
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
func (ev *evaluator) inReg(v value, e *Elem) simt.Operand {
	op := ev.operand(v, e, e.Bits == 64)
	if op.Kind == simt.Register {
		return op
	}
	return ev.immediate(e.class(e.Bits == 64), op)
}

// immediate puts an immediate operand into a register.
func (ev *evaluator) immediate(c simt.Class, op simt.Operand) simt.Operand {
	if c == simt.Pred {
		return ev.b.Value(c, "setp.ne.s32", ev.b.Value(simt.B32, "mov.b32", op), simt.I(0))
	}
	return ev.b.Value(c, "mov."+movSuffix(c), op)
}

// dynamic gives a number as a dynamic one.
func (ev *evaluator) dynamic(v value, e *Elem) *num {
	if n, ok := v.(*num); ok {
		return n
	}
	n := span{e, ev.rangeIn(v, e)}.num()
	n.fn, n.div = ev.b.Func, divOf(v)
	n.reg = ev.immediate(n.class(), ev.operand(v, e, n.wide)).Reg
	return n
}
