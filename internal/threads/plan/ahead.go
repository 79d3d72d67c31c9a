package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/tileir"
)

// moves reports whether a load may be made in another turn of its loop than its own, and why not.
func (p *Plan) moves(op, loop *tileir.Op) (why Why, ok bool) {
	switch {
	case p.awaited(op, loop):
		return TokenUsed, false
	case op.Info.Opcode == tileir.OpLoadViewTko && !p.outside(op.Operand("view"), loop):
		return ChangingView, false
	case op.Operand("token") != nil && !p.outside(op.Operand("token"), loop):
		return Waits, false
	case p.awaits(op):
		return Written, false
	}
	for _, v := range Where(op) {
		if !p.counted(v, loop) {
			return OtherIndex, false
		}
	}
	return 0, true
}

// Where gives the values that say where in memory, or in its view, a load reads in a turn of a loop, and which elements.
func Where(load *tileir.Op) []*tileir.Value {
	if load.Info.Opcode == tileir.OpLoadViewTko {
		return load.Group(load.Info.OperandIndex("index"))
	}
	where := []*tileir.Value{load.Operand("source")}
	if mask := load.Operand("mask"); mask != nil {
		where = append(where, mask)
	}
	return where
}

// padsZero reports whether the elements that a load does not read are zero, or may be.
func padsZero(load *tileir.Op) bool {
	if load.Info.Opcode == tileir.OpLoadViewTko {
		return load.Operand("view").Type.(tileir.ViewType).PaddingValue() <= tileir.PadZero
	}
	padding := load.Operand("paddingValue")
	return padding == nil || Zero(padding)
}

// awaits reports whether a load comes after what may write the same memory, perhaps by other addresses, or after what makes other blocks' writes
// visible: its copies would have to wait for the block's other threads.
func (p *Plan) awaits(load *tileir.Op) bool {
	a := p.Info.Access(load)
	for op := range p.Entry.All() {
		if op.Info.Opcode == tileir.OpMemoryFenceAliasTko && p.Info.Behind(op, a) {
			return true
		}
	}
	return slices.ContainsFunc(p.Info.Accesses(), func(b *access.Access) bool {
		order := tileir.Int(b.Op.Int("memory_ordering_semantics"))
		before := b.Writes && p.Info.MayTouch(a, b) || order == tileir.MemoryAcquire || order == tileir.MemoryAcqRel
		return before && p.Info.Ordered(b, a)
	})
}

// awaited reports whether what tokens put behind a load, in a loop that copies its tile ahead, may write the same memory, or makes what the block
// has done visible to others. What is ordered behind it and comes after the loop meets no copy any more.
func (p *Plan) awaited(load, loop *tileir.Op) bool {
	a := p.Info.Access(load)
	return len(p.Uses[load.Results[1]]) > 0 && slices.ContainsFunc(p.Info.Accesses(), func(b *access.Access) bool {
		order := tileir.Int(b.Op.Int("memory_ordering_semantics"))
		after := b.Writes && p.Info.MayTouch(a, b) || order == tileir.MemoryRelease || order == tileir.MemoryAcqRel
		return after && contains(loop, func(o *tileir.Op) bool { return o == b.Op }) && p.Info.Ordered(a, b)
	})
}

// outside reports whether a value comes from before a loop.
func (p *Plan) outside(v *tileir.Value, loop *tileir.Op) bool {
	return !slices.Contains(loop.Regions[0].Args, v) && (v.Def == nil || !slices.Contains(loop.Regions[0].Ops, v.Def)) && p.Info.Invariant(v, loop)
}

// counted reports whether a value is made of the loop's counter, and of what comes from before the loop, by pure operations, by loads that wait for
// nothing, and by choices between such.
func (p *Plan) counted(v *tileir.Value, loop *tileir.Op) bool {
	if v == loop.Regions[0].Args[0] || p.outside(v, loop) {
		return true
	}
	if v.Def == nil || !slices.Contains(loop.Regions[0].Ops, v.Def) || !p.timeless(v.Def) {
		return false
	}
	return !slices.ContainsFunc(Reads(v.Def), func(o *tileir.Value) bool { return !p.counted(o, loop) })
}

// timeless reports whether an operation may be executed at another time, and does nothing else.
func (p *Plan) timeless(op *tileir.Op) bool {
	switch op.Info.Opcode {
	case tileir.OpYield:
		return true
	case tileir.OpIf:
		for b := range op.Blocks() {
			if slices.ContainsFunc(b.Ops, func(o *tileir.Op) bool { return !p.timeless(o) }) {
				return false
			}
		}
		return true
	}
	return len(op.Regions) == 0 && (op.Info.Pure || p.unordered(op))
}

// Reads gives the values from outside that an operation reads, with its blocks.
func Reads(op *tileir.Op) []*tileir.Value {
	if len(op.Regions) == 0 {
		return op.Operands
	}
	var reads []*tileir.Value
	inside := map[*tileir.Value]bool{}
	var visit func(o *tileir.Op)
	visit = func(o *tileir.Op) {
		reads = append(reads, o.Operands...)
		for b := range o.Blocks() {
			for _, a := range b.Args {
				inside[a] = true
			}
			for _, inner := range b.Ops {
				visit(inner)
				for _, r := range inner.Results {
					inside[r] = true
				}
			}
		}
	}
	visit(op)
	return slices.DeleteFunc(reads, func(v *tileir.Value) bool { return inside[v] })
}

// unordered reports whether an operation is a load that no token puts behind a write, so that it may be made before its turn.
func (p *Plan) unordered(op *tileir.Op) bool {
	switch op.Info.Opcode {
	case tileir.OpLoadViewTko, tileir.OpLoadPtrTko:
		return tileir.Int(op.Int("memory_ordering_semantics")) == tileir.MemoryWeak && !p.awaits(op)
	}
	return false
}
