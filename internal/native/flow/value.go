package flow

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// value is a value that is in registers: a single number, a tile of equal elements, or a view.
type value struct {
	vec  vec.Reg // the element, in all lanes; 0 if it is a view
	int  vec.Reg // the same as an integer with sign; 0 if nobody has made it
	view *view
}

// uniform reports whether a value is one element, or has equal ones of which only one is kept.
func (b *builder) uniform(v *tileir.Value) bool {
	t := lane.TileOf(v)
	if t == nil {
		return false
	}
	if _, ok := lane.Form(t); !ok {
		return false
	}
	p, ok := b.Place(v)
	return t.Size() == 1 || ok && p.Splat || lane.ConstantBits(v) != nil
}

// at is the address of an offset in the arena.
func (b *builder) at(offset int) vec.Mem { return vec.Mem{Base: b.arena, Disp: int32(offset)} }

// home is where a value lies in the arena.
func (b *builder) home(v *tileir.Value) vec.Mem {
	p, ok := b.Place(v)
	if !ok {
		b.refuse("a value of type %s has no place", v.Type)
	}
	return b.at(p.Offset)
}

// read reads the element of a uniform value from the arena.
func (b *builder) read(v *tileir.Value) vec.Reg {
	return lane.LoadFirst(b.Builder, lane.TileOf(v), b.home(v))
}

// reg is the register of a uniform value.
func (b *builder) reg(v *tileir.Value) vec.Reg {
	if x := b.values[v]; x != nil && x.vec != 0 {
		return x.vec
	}
	if k := lane.ConstantBits(v); k != nil {
		return lane.Constant(b.Builder, lane.TileOf(v), *k)
	}
	return b.read(v)
}

// integer is a single integer or address as a scalar, with its sign.
func (b *builder) integer(v *tileir.Value) vec.Reg {
	if k, ok := b.number(v); ok {
		return b.Int(k)
	}
	if x := b.values[v]; x != nil && x.int != 0 {
		return x.int
	}
	form, _ := lane.Form(lane.TileOf(v))
	return b.Do(vec.SFirst, form, b.reg(v))
}

// number is the value of an integer constant.
func (b *builder) number(v *tileir.Value) (int64, bool) {
	t := lane.TileOf(v)
	k := lane.ConstantBits(v)
	if k == nil || !t.Elem.IsInt() || t.Elem == tileir.I1 {
		return 0, false
	}
	n := 64 - 8*t.Elem.Bytes()
	return int64(*k<<n) >> n, true
}

// isInteger reports whether [builder.integer] takes values of a type.
func isInteger(t *tileir.TileType) bool {
	if t == nil || t.Pointer {
		return t != nil
	}
	form, ok := lane.Form(t)
	return ok && t.Elem.IsInt() && form != vec.NoType
}

// let gives a value its register.
func (b *builder) let(v *tileir.Value, x vec.Reg) { b.values[v] = &value{vec: x} }

// zero makes a register with some value, for one that is assigned on several ways.
func (b *builder) zero(v *tileir.Value) vec.Reg {
	form, _ := lane.Form(lane.TileOf(v))
	c := lane.Class(form)
	r := b.New(c)
	if c == vec.Mask {
		b.Set(r, b.DoImm(vec.MConst, vec.NoType, 0))
	} else {
		b.Set(r, b.Bits(vec.IntOf(c.Bytes()), 0))
	}
	return r
}

// spill writes the uniform values that operations use to the arena, where the caller reads them. Constants and parameters are
// there always, and so are views. What the operations make themselves is not written: it may lie where something lies that they
// read.
func (b *builder) spill(ops []*tileir.Op) {
	done := map[*tileir.Value]bool{}
	for _, op := range ops {
		for o := range op.All() {
			for _, v := range o.Results {
				done[v] = true
			}
		}
	}
	for _, op := range ops {
		for o := range op.All() {
			for _, v := range o.Operands {
				x := b.values[v]
				if x == nil || x.vec == 0 || done[v] || v.Def == nil && slices.Contains(b.Params, v) {
					continue
				}
				done[v] = true
				lane.StoreFirst(b.Builder, lane.TileOf(v), b.home(v), x.vec)
			}
		}
	}
}

// out lets the caller do operations, which are one step of it. Their results are in the arena.
func (b *builder) out(ops []*tileir.Op) {
	if returns(ops[0]) {
		b.refuse("%s leaves the kernel, and has no machine code", ops[0])
	}
	b.spill(ops)
	if more := b.With(ops[0]); more != nil {
		b.spill([]*tileir.Op{more})
	}
	b.leave(Out{Op: ops[0], Window: -1})
}

// leave suspends the function.
func (b *builder) leave(o Out) {
	b.Suspend(FirstOut + len(b.outs))
	b.outs = append(b.outs, o)
}

// returns reports whether an operation may leave a region around it.
func returns(op *tileir.Op) bool {
	for o := range op.All() {
		if o.Info.Opcode == tileir.OpReturn {
			return true
		}
	}
	switch op.Info.Opcode {
	case tileir.OpIf:
		return leavesLoop(op)
	case tileir.OpYield, tileir.OpContinue, tileir.OpBreak:
		return true
	}
	return false
}

// leavesLoop reports whether a branch has a break or continue of a loop around it.
func leavesLoop(op *tileir.Op) bool {
	for blk := range op.Blocks() {
		for _, o := range blk.Ops {
			switch o.Info.Opcode {
			case tileir.OpContinue, tileir.OpBreak:
				return true
			case tileir.OpIf:
				if leavesLoop(o) {
					return true
				}
			}
		}
	}
	return false
}
