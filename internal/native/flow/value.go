package flow

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// value is a value that is in registers: a single number, a tile of equal elements, a tile of one vector, or a view.
type value struct {
	vec  vec.Reg          // the element, in all lanes, or an element in each lane; 0 if it is a view
	tile *tileir.TileType // the type of what is kept; nil for the value's own: see [nest.Segment.Kept]
	int  vec.Reg          // the same as an integer with sign; 0 if it is no integer
	made bool             // vec is made of int
	args [2]vec.Reg       // of a comparison of integers
	cond vec.Cond
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

// load gives a uniform value the element in memory.
func (b *builder) load(v *tileir.Value, at vec.Mem) {
	if t := lane.TileOf(v); isInteger(t) {
		form, _ := lane.Form(t)
		b.letInt(v, b.Emit(vec.Instr{Op: vec.SLoad, Type: form, Mem: at}))
		return
	}
	b.let(v, b.read(v, at))
}

// store writes a value that is in registers to memory.
func (b *builder) store(v *tileir.Value, at vec.Mem) {
	if x := b.values[v]; x != nil && x.made {
		form, _ := lane.Form(lane.TileOf(v))
		b.Emit(vec.Instr{Op: vec.SStore, Type: form, Src: [3]vec.Reg{x.int}, Mem: at})
		return
	}
	if t := b.kept(v); b.short(v) {
		lane.Store(b.Builder, t, at, b.reg(v), b.lanes(t))
	} else {
		lane.StoreFirst(b.Builder, t, at, b.reg(v))
	}
}

// reg is the register of a value that is uniform or short.
func (b *builder) reg(v *tileir.Value) vec.Reg {
	if x := b.values[v]; x != nil && x.vec != 0 {
		return x.vec
	}
	if k := lane.ConstantBits(v); k != nil {
		return lane.Constant(b.Builder, lane.TileOf(v), *k)
	}
	return b.read(v, b.home(v))
}

// read reads a value that is uniform or short from memory.
func (b *builder) read(v *tileir.Value, at vec.Mem) vec.Reg {
	t := b.kept(v)
	if b.short(v) {
		return lane.Load(b.Builder, t, at, b.lanes(t))
	}
	return lane.LoadFirst(b.Builder, t, at)
}

// integer is a single integer or address as a scalar, with its sign.
func (b *builder) integer(v *tileir.Value) vec.Reg {
	if k, ok := b.number(v); ok {
		return b.Int(k)
	}
	if x := b.values[v]; x != nil && x.int != 0 {
		return x.int
	}
	return b.first(v, b.reg(v))
}

// first is a single integer of a vector as a scalar.
func (b *builder) first(v *tileir.Value, x vec.Reg) vec.Reg {
	form, _ := lane.Form(lane.TileOf(v))
	return b.Do(vec.SFirst, form, x)
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
	_, ok := lane.Form(t)
	return ok && t.Elem.IsInt() && t.Elem.Bits() >= 8
}

// let gives a value its register.
func (b *builder) let(v *tileir.Value, x vec.Reg) {
	b.values[v] = &value{vec: x, tile: b.kept(v)}
	if b.uniform(v) && isInteger(lane.TileOf(v)) {
		b.values[v].int = b.first(v, x)
	}
}

// variables gives values registers that are assigned on several ways. Behind these, they are to be settled.
func (b *builder) variables(vs []*tileir.Value) {
	for _, v := range vs {
		if !b.inRegisters(v) {
			continue
		}
		t := b.kept(v)
		form, _ := lane.Form(t)
		x := &value{tile: t}
		b.values[v] = x
		switch c := lane.Class(form); {
		case b.uniform(v) && isInteger(t):
			x.int, x.made = b.New(vec.Scalar), true
			b.Set(x.int, b.Int(0))
		case c == vec.Mask:
			x.vec = b.New(c)
			b.Set(x.vec, b.DoImm(vec.MConst, vec.NoType, 0))
		default:
			x.vec = b.New(c)
			b.Set(x.vec, b.Bits(vec.IntOf(c.Bytes()), 0))
		}
	}
}

// settle makes vectors of the integers among variables, for what follows.
func (b *builder) settle(vs []*tileir.Value) {
	for _, v := range vs {
		if x := b.values[v]; x != nil && x.made && b.uniform(v) {
			b.letInt(v, x.int)
		}
	}
}

// variable is the register of a variable, and from is what it is to be assigned.
func (b *builder) variable(v, from *tileir.Value) (dst, src vec.Reg) {
	if x := b.values[v]; x.made {
		return x.int, b.integer(from)
	}
	return b.reg(v), b.reg(from)
}

// fetch assigns a variable the element in memory.
func (b *builder) fetch(v *tileir.Value, at vec.Mem) {
	if x := b.values[v]; x.made {
		form, _ := lane.Form(lane.TileOf(v))
		b.Set(x.int, b.Emit(vec.Instr{Op: vec.SLoad, Type: form, Mem: at}))
		return
	}
	b.Set(b.reg(v), b.read(v, at))
}

// spill writes the values in registers and the views that operations use to the arena, where the caller reads them. Constants and
// parameters are there always. What the operations make themselves is not written: it may lie where something lies that they read.
func (b *builder) spill(ops []*tileir.Op) {
	done := map[*tileir.Value]bool{}
	for _, op := range ops {
		for o := range op.All() {
			for _, v := range o.Results {
				done[v] = true
			}
			for blk := range o.Blocks() {
				for _, v := range blk.Args {
					done[v] = true
				}
			}
		}
	}
	for _, op := range ops {
		for o := range op.All() {
			for _, v := range o.Operands {
				b.keep(v, done)
			}
			if v := b.Origin(o); v != nil {
				b.keep(v, done)
			}
		}
	}
}

// keep writes a value to the arena if it is in registers, once.
func (b *builder) keep(v *tileir.Value, done map[*tileir.Value]bool) {
	x := b.values[v]
	if x == nil || done[v] || v.Def == nil && slices.Contains(b.Params, v) {
		return
	}
	if done[v] = true; x.view != nil {
		b.keepView(x.view)
	} else {
		b.store(v, b.home(v))
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
	o := Out{Op: ops[0], Window: -1}
	if b.early != nil {
		b.spill(b.early)
		o.Early = b.early[0]
	}
	b.leave(o)
}

// leave suspends the function. The caller is told which block it is.
func (b *builder) leave(o Out) {
	if len(b.loops) > 0 {
		b.put(Done, b.before)
	}
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
