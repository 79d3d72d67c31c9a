package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// asHalves makes the f16 of a product's factor of floats of 8 bits, if that is known already.
func (e *emitter) asHalves(x *plan.Product, i int) {
	v, wide := x.Wide[i], x.Op.Operands[i]
	from := e.vals[v]
	if from == nil || e.vals[wide] != nil && e.vals[wide].stage != nil {
		return
	}
	t := typeOf(wide)
	switch {
	case from.gen != nil:
		e.vals[wide] = &tile{t: t, gen: func(l *linear.Layout) []ir.Value { return e.widen(typeOf(v).Elem, from.gen(l)) }}
	case from.stage != nil:
		l := e.beside(from)
		regs := make([]ir.Value, l.Regs())
		e.read(from.stage, regs, l, all)
		e.vals[wide] = &tile{t: t, lay: l, regs: e.widen(typeOf(v).Elem, regs)}
	default:
		l := e.current(v)
		e.vals[wide] = &tile{t: t, lay: l, regs: e.widen(typeOf(v).Elem, e.get(v, l))}
	}
}

// beside is a layout in which a thread has neighbours of a tile in shared memory.
func (e *emitter) beside(x *tile) *linear.Layout {
	shape := linear.Shape(x.t.Shape)
	order := linear.RowMajor(len(shape))
	for i, d := range order {
		if x.stage.offset(1<<shape.Shift(d)) == x.t.Elem.Bytes() {
			order[0], order[i] = order[i], order[0]
			break
		}
	}
	n := min(plan.Widest/x.t.Elem.Bytes(), shape[order[0]], max(1, shape.Size()/e.p.Block.Threads()))
	return e.p.Block.Blocked(shape, order, n)
}

// widen makes f16 of floats of 8 bits.
func (e *emitter) widen(elem tileir.Elem, regs []ir.Value) []ir.Value {
	if !e.target.Floats8 {
		out := slices.Clone(regs)
		for i, v := range out {
			out[i] = e.converted(v, elem, tileir.F16, 0)
		}
		return out
	}
	var out []ir.Value
	for i := 0; i < len(regs); i += 2 {
		pair := []ir.Value{regs[i], regs[min(i+1, len(regs)-1)]}
		out = append(out, e.Widen(elem == tileir.F8E5M2, pair[0], pair[1])...)
	}
	return out[:len(regs)]
}

// floats8 converts to and from floats of 8 bits.
func (e *emitter) floats8(op *tileir.Op, args []ir.Value) ir.Value {
	in, out := typeOf(op.Operands[0]).Elem, typeOf(op.Results[0]).Elem
	if !e.target.Floats8 || in == out {
		return 0
	}
	nearest := op.Int("rounding_mode") == int64(tileir.RoundingNearestEven)
	switch x := args[0]; {
	case isFloat8(in) && (out == tileir.F16 || out == tileir.F32):
		half := e.Widen(in == tileir.F8E5M2, x, e.Const(vec.I8, 0))[0]
		if out == tileir.F16 {
			return half
		}
		return e.Convert(vec.FConvert, vec.F32, vec.F16, half)
	case isFloat8(out) && nearest && in == tileir.F16:
		return e.Float8(out == tileir.F8E5M2, e.Convert(vec.FConvert, vec.F32, vec.F16, x))
	case isFloat8(out) && nearest && (in == tileir.F32 || in == tileir.BF16):
		return e.Float8(out == tileir.F8E5M2, x)
	}
	return 0
}

func isFloat8(e tileir.Elem) bool { return e == tileir.F8E4M3FN || e == tileir.F8E5M2 }
