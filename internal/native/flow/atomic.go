package flow

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// mostAtomic bounds the elements that are changed before the function looks at its budget.
const mostAtomic = 1 << 11

// atomic changes elements that lie in the window of the operation. Where some do not, the caller does the operation, of which nothing
// is done then.
func (b *builder) atomic(op *tileir.Op) bool {
	a, ok := b.Atomic(op)
	n := lane.TileOf(op.Results[0]).Size()
	mask := op.Operand("mask")
	if !ok || n > mostPointers || mask != nil && lane.ConstantBits(mask) != nil {
		return false
	}
	b.spill([]*tileir.Op{op})
	window, word := b.newWindow(1 + limitsWindows)
	places, end := b.atomicPlaces(op, a, word), b.Int(int64(n))
	reached := a.Reach(b.Builder, places, b.Int(0), end)
	b.If(vec.LT, reached, end)
	b.leave(Out{Op: op, Window: window})
	b.forgetLimits(op, word)
	b.Else()
	if a.Masked && a.Old {
		b.oldOfMasked(op, a)
	}
	from := b.Int(0)
	if n > mostAtomic {
		from = b.For(from, end, mostAtomic)
		b.poll(mostAtomic)
		end = b.AddInt(from, mostAtomic)
	}
	a.Emit(b.Builder, places, from, end)
	if n > mostAtomic {
		b.End()
	}
	b.End()
	return true
}

// atomicPlaces says where the operands of an atomic operation are, and its window, whose first word is known.
func (b *builder) atomicPlaces(op *tileir.Op, a nest.Atomic, window int) (p nest.AtomicPlaces) {
	at := func(name string) vec.Reg { return b.AddInt(b.arena, int64(b.home(op.Operand(name)).Disp)) }
	p.PointerPlaces = b.pointerPlaces(op, op.Operand("pointers"), window)
	p.Old, p.Room = b.AddInt(b.arena, int64(b.home(op.Results[0]).Disp)), b.scratch
	b.room = max(b.room, nest.AtomicRoom)
	if a.Masked {
		p.Mask = at("mask")
	}
	if a.Compare {
		p.Tile, p.Compare = at("val"), at("cmp")
	} else {
		p.Tile = at("arg")
	}
	return p
}

// oldOfMasked fills in what elements that the mask holds back have as their old values.
func (b *builder) oldOfMasked(op *tileir.Op, a nest.Atomic) {
	to, t := b.home(op.Results[0]), lane.TileOf(op.Results[0])
	bytes := t.Size() * t.Elem.Bytes()
	if a.Compare {
		b.copy(to, b.home(op.Operand("cmp")), bytes)
		return
	}
	b.parts(vec.I64, bytes, func(t vec.Type, i, mask vec.Reg) {
		to := to
		to.Index, to.Scale = i, 1
		b.Store(t, to, b.Bits(t, 0), mask)
	})
}
