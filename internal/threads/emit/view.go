package emit

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// number is an extent, a stride or an index: an integer with a sign in 32 or 64 bits.
type number struct {
	v    ir.Value
	long bool
}

// view is a tensor view.
type view struct {
	base         ir.Value
	shape, steps []number
}

// number reads a scalar integer.
func (e *emitter) number(v *tileir.Value) number {
	return e.widened(e.scalar(v), e.form(typeOf(v)))
}

// widened brings an integer to 32 or 64 bits. A truth value is -1.
func (e *emitter) widened(x ir.Value, t vec.Type) number {
	switch t {
	case vec.NoType:
		return number{e.Do(vec.Select, vec.I32, x, e.Int(-1), e.Int(0)), false}
	case vec.I64:
		return number{x, true}
	case vec.I32:
		return number{x, false}
	}
	return number{e.Convert(vec.SignExtend, vec.I32, t, x), false}
}

// fixed is a number that is known.
func (e *emitter) fixed(n int64) number {
	if n == int64(int32(n)) {
		return number{e.Const(vec.I32, uint64(n)), false}
	}
	return number{e.Const(vec.I64, uint64(n)), true}
}

// wide is a number in 64 bits.
func (e *emitter) wide(n number) ir.Value {
	if n.long {
		return n.v
	}
	return e.Convert(vec.SignExtend, vec.I64, vec.I32, n.v)
}

func (e *emitter) tensorView(op *tileir.Op) {
	t := op.Results[0].Type.(*tileir.TensorViewType)
	numbers := func(list []int64, operands []*tileir.Value) (out []number) {
		for _, n := range list {
			if n != tileir.Dynamic {
				out = append(out, e.fixed(n))
				continue
			}
			out = append(out, e.number(operands[0]))
			operands = operands[1:]
		}
		return out
	}
	e.views[op.Results[0]] = &view{e.scalar(op.Operand("base")), numbers(t.Shape, op.Group(1)), numbers(t.Strides, op.Group(2))}
}

func (e *emitter) tileView(op *tileir.Op) { e.views[op.Results[0]] = e.views[op.Operands[0]] }

// result gives a number, in 64 bits, to a scalar.
func (e *emitter) result(r *tileir.Value, x ir.Value) {
	switch t := e.form(typeOf(r)); t {
	case vec.I64:
	case vec.NoType:
		x = e.Compare(vec.I64, vec.NE, e.Do(vec.And, vec.I64, x, e.Const(vec.I64, 1)), e.Const(vec.I64, 0))
	default:
		x = e.Convert(vec.Truncate, t, vec.I64, x)
	}
	e.set(r, e.p.Block.Uniform(), []ir.Value{x})
}

func (e *emitter) tensorShape(op *tileir.Op) {
	for i, r := range op.Results {
		e.result(r, e.wide(e.views[op.Operands[0]].shape[i]))
	}
}

// indexSpace counts the tiles that begin inside the tensor.
func (e *emitter) indexSpace(op *tileir.Op) {
	v, axes := e.views[op.Operands[0]], op.Operands[0].Type.(tileir.ViewType).Axes()
	for i, r := range op.Results {
		e.result(r, e.tiles(v.shape[axes[i].Dim], axes[i].Step))
	}
}

// tiles is an extent, at least 0, divided by a step and rounded up, in 64 bits.
func (e *emitter) tiles(extent number, step int64) ir.Value {
	if !extent.long { // neither the sum nor the quotient leaves 32 bits without a sign
		n := e.Do(vec.Max, vec.I32, extent.v, e.Int(0))
		if step > 1 {
			n = e.Do(vec.Add, vec.I32, n, e.Const(vec.I32, uint64(step-1)))
			n = e.over(vec.I32, n, step)
		}
		return e.Convert(vec.ZeroExtend, vec.I64, vec.I32, n)
	}
	zero := e.Const(vec.I64, 0)
	n := e.Do(vec.Max, vec.I64, extent.v, zero)
	if step == 1 {
		return n
	}
	less := e.over(vec.I64, e.Do(vec.Sub, vec.I64, n, e.Const(vec.I64, 1)), step)
	more := e.add64(less, e.Const(vec.I64, 1))
	return e.Do(vec.Select, vec.I64, e.Compare(vec.I64, vec.EQ, n, zero), zero, more)
}

// over divides a number without a sign.
func (e *emitter) over(t vec.Type, n ir.Value, by int64) ir.Value {
	if by&(by-1) == 0 {
		return e.DoImm(vec.ShrUImm, t, int64(linear.Log2(int(by))), n)
	}
	return e.Divide(ir.Quotient, t, false, n, e.Const(t, uint64(by)))
}
