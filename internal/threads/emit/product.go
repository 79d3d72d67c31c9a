package emit

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// product multiplies by matrix instructions, or by fused operations of single elements.
func (e *emitter) product(op *tileir.Op) {
	x := e.p.Products[op]
	if x != nil {
		for i := range x.Wide {
			e.asHalves(x, i)
		}
		for i := range x.Pairs {
			e.asPairs(x, i)
		}
	}
	switch {
	case x == nil:
	case x.Unit.Kind == ir.WarpGroup:
		e.multiplyGroup(x)
		return
	case x.Unit.Kind == ir.TensorMem:
		e.multiplyTensor(x)
		return
	case x.Unit.Kind == ir.Cooperative:
		e.multiplyCooperative(x)
		return
	default:
		e.multiply(x)
		return
	}
	e.multiplySingle(op)
}

// converted brings an element to another type: signedness is that of integers.
func (e *emitter) converted(x ir.Value, from, to tileir.Elem, signedness int64) ir.Value {
	if from == to {
		return x
	}
	return e.inline(e.conversion(from, to, signedness), x)
}

// conversion is the template of a conversion that loses nothing, or rounds to the nearest.
func (e *emitter) conversion(from, to tileir.Elem, signedness int64) *template {
	key := move{kind: convertMove, elem: from, bits: uint64(to)<<1 | uint64(signedness)}
	if t := e.moves[key]; t != nil {
		return t
	}
	source := &tileir.Value{Type: tileir.Tile(from)}
	code, attrs := tileir.OpFToF, []tileir.NamedAttr{{Name: "rounding_mode", Value: tileir.RoundingNearestEven}}
	if from.IsInt() {
		code, attrs = tileir.OpExtI, []tileir.NamedAttr{{Name: "signedness", Value: tileir.Int(signedness)}}
	}
	info := tileir.LookupOpcode(code)
	op := tileir.NewOp(info, [][]*tileir.Value{{source}}, tileir.Attrs(info, attrs...), nil, nil, tileir.Loc{})
	op.Results = []*tileir.Value{{Type: tileir.Tile(to), Def: op}}
	t, ok := newTemplate([]vec.Class{e.class(tileir.Tile(from))}, func(b *vec.Builder, a []vec.Reg) (vec.Reg, bool) { return lane.Emit(b, op, a) })
	if !ok {
		e.refuse("elements of %v cannot become %v", from, to)
	}
	e.moves[key] = t
	return t
}

// stage puts a tile into shared memory as memory has it, along the dimension of which a thread has neighbours.
func (e *emitter) stage(name string, v *tileir.Value) *staged { return e.stagePart(name, v, 0, 0) }

// stagePart is stage for the elements whose numbers have the bits part under mask. The places do not depend on the bits under mask.
func (e *emitter) stagePart(name string, v *tileir.Value, mask, part int) *staged {
	t := typeOf(v)
	l := e.current(v)
	if mask != 0 && !l.Permutes() {
		l = e.p.Block.Blocked(t.Shape, linear.RowMajor(t.Rank()), 1)
	}
	shape := linear.Shape(t.Shape)
	unit := len(shape) - 1
	for d := range shape {
		if shape.Mask(d)&^mask != 0 && l.Run(1<<shape.Shift(d), plan.Widest) > l.Run(1<<shape.Shift(unit), plan.Widest) {
			unit = d
		}
	}
	return e.put(name, v, l, unit, 128, mask, part)
}

// put puts a part of a tile, in a layout, into shared memory along a dimension, at a multiple of so many bytes.
func (e *emitter) put(name string, v *tileir.Value, l *linear.Layout, unit, align, mask, part int) *staged {
	t := typeOf(v)
	whole, shape, stored := linear.Shape(t.Shape), linear.Shape(slices.Clone(t.Shape)), lane.Stored(t)
	for d := range shape {
		shape[d] >>= bits.OnesCount(uint(mask & whole.Mask(d)))
	}
	bytes := shape.Size() * stored.Bytes()
	if bytes > e.target.Shared {
		e.refuse("a factor of %d bytes has to lie in shared memory, of which there are %d bytes: use smaller tiles", bytes, e.target.Shared)
	}
	inner := plan.Place(shape, unit, stored.Bytes())
	s := &staged{buf: e.NewBuffer(name, bytes, align), form: stored, unit: 1 << whole.Shift(unit), offset: func(n int) int { return inner(linear.Squeeze(n, mask)) }}
	regs := make([]ir.Value, l.Regs())
	for i, x := range e.get(v, l) {
		regs[i] = e.toMemory(t, x)
	}
	guard, thread := e.first(l), l.Thread()
	if by := mask & thread.Span(); by != 0 { // some threads have nothing of this part
		mine := e.linear(e.thread(), thread.Mapped(func(n int) int { return n & by }))
		guard = e.both(guard, e.Compare(vec.I32, vec.EQ, mine, e.Int(part&by)))
	}
	e.write(s, regs, l, guard, func(n int) bool { return (n^part)&mask&^thread.Span() == 0 })
	return s
}
