package emit

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// direct has the operations that GPUs compute by other instructions than the templates, with the same result. A rule gives 0
// where it does not apply.
var direct = map[int]func(e *emitter, op *tileir.Op, args []ir.Value) ir.Value{
	tileir.OpMaxF: extremum(ir.MaxNum), tileir.OpMinF: extremum(ir.MinNum),
	tileir.OpBitcast: func(e *emitter, op *tileir.Op, args []ir.Value) ir.Value {
		if in, out := typeOf(op.Operands[0]).Elem, typeOf(op.Results[0]).Elem; in == out || in.Bits() == 4 {
			return args[0] // all elements of four bits have the same form
		}
		return 0
	},
	tileir.OpOffset: (*emitter).offsetHalves,
	tileir.OpFToF:   (*emitter).floats8,
	tileir.OpDivI:   (*emitter).divide, tileir.OpRemI: (*emitter).remainder,
}

// extremum is maximum or minimum of floats. NaN has the bits that the machine gives it.
func extremum(kind ir.Op) func(e *emitter, op *tileir.Op, args []ir.Value) ir.Value {
	return func(e *emitter, op *tileir.Op, args []ir.Value) ir.Value {
		form, x, y := e.form(typeOf(op.Results[0])), args[0], args[1]
		nan := op.Int("propagate_nan") != 0
		switch {
		case op.Int("flush_to_zero") != 0:
			return 0
		case form == vec.F16:
			wide := func(v ir.Value) ir.Value { return e.Convert(vec.FConvert, vec.F32, vec.F16, v) }
			return e.Convert(vec.FConvert, vec.F16, vec.F32, e.Extremum(kind, vec.F32, nan, wide(x), wide(y)))
		case !form.Float():
			return 0
		}
		return e.Extremum(kind, form, nan, x, y)
	}
}

// numbers brings integers to a type that machines divide, and gives what brings the result back.
func (e *emitter) numbers(op *tileir.Op, args []ir.Value) (t vec.Type, signed bool, x, y ir.Value, back func(ir.Value) ir.Value) {
	signed = op.Int("signedness") == int64(tileir.Signed)
	t = e.form(typeOf(op.Results[0]))
	x, y = args[0], args[1]
	switch t {
	case vec.NoType: // true is -1 with a sign, and 1 without
		one := e.Const(vec.I32, 1)
		if signed {
			one = e.Const(vec.I32, 1<<32-1)
		}
		wide := func(v ir.Value) ir.Value { return e.Do(vec.Select, vec.I32, v, one, e.Int(0)) }
		back = func(v ir.Value) ir.Value {
			return e.Compare(vec.I32, vec.NE, e.Do(vec.And, vec.I32, v, e.Int(1)), e.Int(0))
		}
		return vec.I32, signed, wide(x), wide(y), back
	case vec.I8, vec.I16:
		from, extend := t, vec.ZeroExtend
		if signed {
			extend = vec.SignExtend
		}
		wide := func(v ir.Value) ir.Value { return e.Convert(extend, vec.I32, from, v) }
		back = func(v ir.Value) ir.Value { return e.Convert(vec.Truncate, from, vec.I32, v) }
		return vec.I32, signed, wide(x), wide(y), back
	}
	return t, signed, x, y, func(v ir.Value) ir.Value { return v }
}

// quotient divides toward zero; what is divided by 0 gives 0.
func (e *emitter) quotient(t vec.Type, signed bool, x, y ir.Value) (q, divisor ir.Value) {
	zero := e.Const(t, 0)
	if bits, ok := e.Known(y); ok && bits != 0 {
		return e.Divide(ir.Quotient, t, signed, x, y), y
	}
	none := e.Compare(t, vec.EQ, y, zero)
	divisor = e.Do(vec.Select, t, none, e.Const(t, 1), y)
	return e.Do(vec.Select, t, none, zero, e.Divide(ir.Quotient, t, signed, x, divisor)), divisor
}

func (e *emitter) divide(op *tileir.Op, args []ir.Value) ir.Value {
	mode := tileir.Int(op.Int("rounding"))
	if mode != tileir.RoundingZero && mode != tileir.RoundingNegativeInf && mode != tileir.RoundingPositiveInf {
		return 0
	}
	t, signed, x, y, back := e.numbers(op, args)
	q, _ := e.quotient(t, signed, x, y)
	zero := e.Const(t, 0)
	if mode == tileir.RoundingZero || mode == tileir.RoundingNegativeInf && !signed {
		return back(q)
	}
	rest := e.Do(vec.Sub, t, x, e.Do(vec.Mul, t, q, y))
	off := e.Do(vec.MAnd, vec.NoType, e.Compare(t, vec.NE, rest, zero), e.Compare(t, vec.NE, y, zero))
	step := e.Const(t, 1)
	if signed {
		apart := e.Compare(t, vec.LT, e.Do(vec.Xor, t, rest, y), zero) // the quotient is negative
		if mode == tileir.RoundingNegativeInf {
			off, step = e.Do(vec.MAnd, vec.NoType, off, apart), e.Const(t, ^uint64(0))
		} else {
			off = e.Do(vec.MAndNot, vec.NoType, off, apart)
		}
	}
	return back(e.Do(vec.Add, t, q, e.Do(vec.Select, t, off, step, zero)))
}

func (e *emitter) remainder(op *tileir.Op, args []ir.Value) ir.Value {
	t, signed, x, y, back := e.numbers(op, args)
	q, _ := e.quotient(t, signed, x, y)
	return back(e.Do(vec.Sub, t, x, e.Do(vec.Mul, t, q, y)))
}

// upperHalf is set in the address of an element that lies in the upper half of a byte.
const upperHalf = 1 << 63

// offsetHalves moves the addresses of elements of half a byte.
func (e *emitter) offsetHalves(op *tileir.Op, args []ir.Value) ir.Value {
	if typeOf(op.Operands[0]).Elem.PerByte() == 1 {
		return 0
	}
	by := e.wide(e.widened(args[1], e.form(typeOf(op.Operands[1]))))
	one := e.Const(vec.I64, 1)
	half := e.DoImm(vec.ShrUImm, vec.I64, 63, args[0])
	n := e.add64(e.add64(e.DoImm(vec.ShlImm, vec.I64, 1, args[0]), half), by)
	at := e.Do(vec.AndNot, vec.I64, e.DoImm(vec.ShrUImm, vec.I64, 1, n), e.Const(vec.I64, upperHalf))
	return e.Do(vec.Or, vec.I64, at, e.DoImm(vec.ShlImm, vec.I64, 63, e.Do(vec.And, vec.I64, n, one)))
}
