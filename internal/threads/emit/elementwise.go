package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// elementwise computes each register alone. What is equal is computed once.
func (e *emitter) elementwise(op *tileir.Op) {
	if len(op.Results) != 1 || len(op.Regions) > 0 {
		e.refuse("there is no rule for it")
	}
	r := op.Results[0]
	l := e.wanted(r)
	for _, v := range op.Operands { // what is at hand in one layout stays there
		if x := e.known(v); x.gen == nil && x.t.Size() > 1 {
			if len(op.Operands) == 1 {
				l = x.lay
			}
			break
		}
	}
	in := make([][]ir.Value, len(op.Operands))
	for i, v := range op.Operands {
		in[i] = e.get(v, l)
	}
	if op.Info.Opcode == tileir.OpDivI || op.Info.Opcode == tileir.OpRemI {
		e.divisor(op, in[1])
	}
	out := make([]ir.Value, l.Regs())
	seen := map[[3]ir.Value]ir.Value{}
	for k := range out {
		var key [3]ir.Value
		args := make([]ir.Value, len(in))
		for i := range in {
			args[i] = in[i][k]
			key[i] = args[i]
		}
		x, ok := seen[key]
		if !ok {
			x = e.element(op, args)
			seen[key] = x
		}
		out[k] = x
	}
	e.set(r, l, out)
}

// divisor ends the launch where a single number is divided by zero, as on the CPU engine. Tiles may have zeros outside of their tensors.
func (e *emitter) divisor(op *tileir.Op, x []ir.Value) {
	t := typeOf(op.Operands[1])
	s := e.p.Info.Span(op.Operands[1])
	lo, ok1 := s.Lo.Int64()
	hi, ok2 := s.Hi.Int64()
	if t.Rank() > 0 || ok1 && lo > 0 || ok2 && hi < 0 || e.unchecked || e.producing { // the other warps find out
		return
	}
	holds, form := x[0], e.form(t)
	if form != vec.NoType {
		holds = e.Compare(form, vec.NE, x[0], e.Const(form, 0))
	}
	e.Assert(holds, ir.DivisionByZero)
}

// uncheckedly writes what may divide by zero.
func (e *emitter) uncheckedly(write func()) {
	before := e.unchecked
	e.unchecked = true
	write()
	e.unchecked = before
}

// element computes an element operation of single elements.
func (e *emitter) element(op *tileir.Op, args []ir.Value) ir.Value {
	if f, ok := direct[op.Info.Opcode]; ok {
		if x := f(e, op, args); x != 0 {
			return x
		}
	}
	t, ok := e.templates[op]
	if !ok {
		classes := make([]vec.Class, len(op.Operands))
		for i, v := range op.Operands {
			classes[i] = e.class(typeOf(v))
		}
		t, ok = e.newTemplate(classes, func(b *vec.Builder, a []vec.Reg) (vec.Reg, bool) { return lane.Emit(b, op, a) })
		if !ok {
			e.refuse("there are no instructions for it on %v", typeOf(op.Operands[0]))
		}
		e.templates[op] = t
	}
	return e.inline(t, args...)
}
