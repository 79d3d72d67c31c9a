package emit

import (
	"go/constant"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
)

// in32 reports whether 32 bits hold a range of integers of type e.
func in32(e *Elem, r interval.Range) bool {
	return r.Within(interval.Type{Bits: 32, Signed: e.Signed}.Range())
}

// NewNum makes a number in a new register, of which only the type is known.
func (em *Emitter) NewNum(e *Elem) *Num {
	n := &Num{Elem: e, fn: em.B.Func, wide: e.IsInt() && e.Bits == 64, in: e.All(), Div: 1}
	n.Reg = em.B.NewReg(n.Class())
	return n
}

// Emit appends an instruction whose result is a number of type e.
func (em *Emitter) Emit(e *Elem, op string, src ...simt.Operand) *Num {
	n := em.NewNum(e)
	em.B.Emit(op, []simt.Operand{n.Op()}, src...)
	return n
}

// Ranged makes an integer with a known range in a new register, of 32 bits if these hold the range.
func (em *Emitter) Ranged(e *Elem, in interval.Range) *Num {
	n := Span{e, in}.num()
	n.fn = em.B.Func
	n.Reg = em.B.NewReg(n.Class())
	return n
}

// rangeIn gives the range of a number of type e: all of the type if no more is known, and no range
// if it is not an integer.
func (em *Emitter) rangeIn(v Value, e *Elem) interval.Range {
	switch v := v.(type) {
	case *Num:
		if v.Elem.IsInt() {
			return v.in
		}
	case constant.Value:
		if n, ok := interval.Constant(v); ok && e.IsInt() {
			return interval.One(n)
		}
	}
	return e.All()
}

// divOf gives the largest number that is known to divide an integer.
func divOf(v Value) int {
	switch v := v.(type) {
	case *Num:
		return max(v.Div, 1)
	case constant.Value:
		if n, ok := constant.Int64Val(v); ok && n != math.MinInt64 {
			return int(max(n, -n))
		}
	}
	return 1
}

// ElemOf gives the type of a dynamic number, or the default type of a constant.
func (em *Emitter) ElemOf(v Value) *Elem {
	switch v := v.(type) {
	case *Num:
		return v.Elem
	case nonFinite:
		return F64
	case constant.Value:
		switch v.Kind() {
		case constant.Bool:
			return Bool
		case constant.Int:
			return Int
		}
		return F64
	}
	return nil
}

// Operand gives a number as an operand, an int with 64 bits if wide is set and else with 32.
// Constants are immediates.
func (em *Emitter) Operand(v Value, e *Elem, wide bool) simt.Operand {
	n, ok := v.(*Num)
	if !ok {
		return simt.B(em.Bits(v, e))
	}
	em.Own(n)
	// The range of a number chose its register, and an instruction may need the other width.
	if n.Elem.IsInt() && e.IsInt() && n.Class() != e.RegClass(wide) {
		return em.Resize(n, e, wide).Op()
	}
	return n.Op()
}

// RegClass gives the class of the registers that hold an element. For an int, wide tells whether it
// takes 64 bits.
func (e *Elem) RegClass(wide bool) simt.Class {
	if e.IsInt() && e.Bits == 64 && !wide {
		return simt.B32
	}
	return e.Class
}

// Resize gives an integer in a register of the other width.
func (em *Emitter) Resize(n *Num, e *Elem, wide bool) *Num {
	r := *n
	r.wide, r.Mut = wide, false
	r.fn = em.B.Func
	// Widening copies the sign. Narrowing drops the upper bits, of which the caller knows that they
	// do not matter.
	if e.RegClass(wide) == simt.B64 {
		r.Reg = em.B.Value(simt.B64, "cvt."+signed(n.Elem, 64)+"."+signed(n.Elem, 32), n.Op()).Reg
	} else {
		r.Reg = em.B.Value(simt.B32, "cvt.u32.u64", n.Op()).Reg
	}
	return &r
}

// signed gives PTX's type of integers of that many bits, with the sign of e.
func signed(e *Elem, bits int) string {
	if e.Signed {
		return [...]string{32: "s32", 64: "s64"}[bits]
	}
	return [...]string{32: "u32", 64: "u64"}[bits]
}

// InReg gives a number of type e in a register of the type's full width.
func (em *Emitter) InReg(v Value, e *Elem) simt.Operand {
	op := em.Operand(v, e, e.Bits == 64)
	if op.Kind == simt.Register {
		return op
	}
	return em.Immediate(e.RegClass(e.Bits == 64), op)
}

// Immediate puts an immediate operand into a register. PTX has no immediate predicates, so a
// comparison makes them.
func (em *Emitter) Immediate(c simt.Class, op simt.Operand) simt.Operand {
	if c == simt.Pred {
		return em.B.Value(c, "setp.ne.s32", em.B.Value(simt.B32, "mov.b32", op), simt.I(0))
	}
	return em.B.Value(c, "mov."+movSuffix(c), op)
}

// Dynamic gives a number as a dynamic one: a static number is put into a register, and its range
// and divisor stay known.
func (em *Emitter) Dynamic(v Value, e *Elem) *Num {
	if n, ok := v.(*Num); ok {
		return n
	}
	n := Span{e, em.rangeIn(v, e)}.num()
	n.fn, n.Div = em.B.Func, divOf(v)
	n.Reg = em.Immediate(n.Class(), em.Operand(v, e, n.wide)).Reg
	return n
}
