package flow

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// letInt gives a single integer its scalar, which has the sign of the type.
func (b *builder) letInt(v *tileir.Value, x vec.Reg) {
	b.values[v] = &value{int: x, made: true, vec: b.splat(v, x)}
}

// splat brings a scalar to all lanes.
func (b *builder) splat(v *tileir.Value, x vec.Reg) vec.Reg {
	form, _ := lane.Form(lane.TileOf(v))
	return b.Do(vec.Splat, form, x)
}

// extended is a scalar whose low bits are a number of a value's type.
func (b *builder) extended(v *tileir.Value, x vec.Reg) vec.Reg {
	form, _ := lane.Form(lane.TileOf(v))
	if form == vec.I64 {
		return x
	}
	return b.Do(vec.SExtend, form, x)
}

// integers does operations on single integers as scalars.
func integers(b *builder, op *tileir.Op) bool {
	r := scalarRules[op.Info.Opcode]
	if r == nil || !b.uniform(op.Results[0]) || !isInteger(lane.TileOf(op.Results[0])) && op.Info.Opcode != tileir.OpCmpI {
		return false
	}
	args := make([]vec.Reg, len(op.Operands))
	for i, v := range op.Operands {
		if !b.uniform(v) || !isInteger(lane.TileOf(v)) {
			return false
		}
		args[i] = b.integer(v)
	}
	return r(b, op, args)
}

// scalarRule does an operation on scalars, or reports that it does not take it.
type scalarRule func(b *builder, op *tileir.Op, args []vec.Reg) bool

var scalarRules = map[int]scalarRule{
	tileir.OpAddI: scalar(vec.SAdd, true), tileir.OpSubI: scalar(vec.SSub, true), tileir.OpMulI: scalar(vec.SMul, true),
	tileir.OpAndI: scalar(vec.SAnd, false), tileir.OpOrI: scalar(vec.SOr, false), tileir.OpXOrI: scalar(vec.SXor, false),
	tileir.OpMaxI: signed(scalar(vec.SMax, false)), tileir.OpMinI: signed(scalar(vec.SMin, false)),
	tileir.OpCmpI: compare, tileir.OpOffset: pointerOffset,
	tileir.OpTruncI: func(b *builder, op *tileir.Op, args []vec.Reg) bool {
		b.letInt(op.Results[0], b.extended(op.Results[0], args[0]))
		return true
	},
	tileir.OpExtI: signed(func(b *builder, op *tileir.Op, args []vec.Reg) bool {
		b.letInt(op.Results[0], args[0])
		return true
	}),
}

// scalar is an operation on two scalars, whose result may have more bits than the type.
func scalar(do vec.Op, grows bool) scalarRule {
	return func(b *builder, op *tileir.Op, args []vec.Reg) bool {
		x := b.Do(do, vec.NoType, args...)
		if grows {
			x = b.extended(op.Results[0], x)
		}
		b.letInt(op.Results[0], x)
		return true
	}
}

// signed takes operations on numbers with sign only.
func signed(r scalarRule) scalarRule {
	return func(b *builder, op *tileir.Op, args []vec.Reg) bool {
		return op.Int("signedness") == int64(tileir.Signed) && r(b, op, args)
	}
}

// compare compares two integers. A branch on the result needs no mask.
func compare(b *builder, op *tileir.Op, args []vec.Reg) bool {
	if !numbers(b, op) {
		return false
	}
	x := b.values[op.Results[0]]
	x.cond, x.args = lane.IntCond(op), [2]vec.Reg{args[0], args[1]}
	return true
}

// pointerOffset moves an address by elements.
func pointerOffset(b *builder, op *tileir.Op, args []vec.Reg) bool {
	t := lane.TileOf(op.Operands[0])
	if t.Elem.PerByte() > 1 {
		return false
	}
	size := int64(t.Elem.Bytes())
	to := b.add(args[0], b.scalar(b.times(number{reg: args[1]}, size)))
	if lane.TileOf(op.Operands[1]).Elem == tileir.I64 {
		most := int64(lane.FarBytes) / size
		near := b.New(vec.Scalar)
		b.Set(near, to)
		b.If(vec.UGE, b.AddInt(args[1], most), b.Int(2*most+1))
		b.Set(near, b.Int(lane.Nowhere))
		b.End()
		to = near
	}
	b.letInt(op.Results[0], to)
	return true
}
