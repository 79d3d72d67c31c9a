package flow

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// loadPointers moves elements from where a tile of pointers says to a tile.
func (b *builder) loadPointers(op *tileir.Op) bool {
	v := op.Results[0]
	return lane.TileOf(v).Elem != tileir.I1 && b.pointers(op, v, op.Operand("source"), op.Operand("mask"), op.Operand("paddingValue"), false)
}

func (b *builder) storePointers(op *tileir.Op) bool {
	return b.pointers(op, op.Operand("value"), op.Operand("destination"), op.Operand("mask"), nil, true)
}

// pointers moves elements that lie in the window of the operation. Where some do not, the caller does the operation.
func (b *builder) pointers(op *tileir.Op, tile, address, mask, padding *tileir.Value, store bool) bool {
	t := lane.TileOf(tile)
	n := t.Size()
	if t.Pointer || t.Elem.PerByte() > 1 || n%vec.Lanes != 0 || n > mostPointers || op.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak) {
		return false
	}
	if mask != nil && lane.ConstantBits(mask) != nil {
		if *lane.ConstantBits(mask) == 0 {
			return false
		}
		mask = nil
	}
	window, word := b.newWindow(1 + limitsWindows)
	p := nest.Pointers{
		Size: t.Elem.Bytes(), Masked: mask != nil, Store: store,
		Adjacent: b.Origin(op) != nil && nest.Adjacent(address.Def.Operands[1], b.uniform),
	}
	places := b.pointerPlaces(op, address, word)
	places.Tile = b.AddInt(b.arena, int64(b.home(tile).Disp))
	if mask != nil {
		places.Mask = b.AddInt(b.arena, int64(b.home(mask).Disp))
		if !store {
			places.Pad, places.Zero = b.padding(padding, p.Size)
		}
	}
	miss := func() {
		b.spill([]*tileir.Op{op})
		b.leave(Out{Op: op, Window: window})
		b.forgetLimits(op, word)
	}
	if n == vec.Lanes {
		b.pointersOnce(p, places, tile, address, mask, miss)
		return true
	}
	missed := b.New(vec.Scalar)
	b.Set(missed, b.Int(0))
	p.Emit(b.Builder, places, b.Int(0), b.Int(int64(n)), func(vec.Reg) {
		b.Set(missed, b.Int(1))
		b.Break(0)
	})
	b.If(vec.NE, missed, b.Int(0))
	miss()
	b.End()
	return true
}

// pointersOnce moves sixteen elements, between registers where their tile, the pointers and the mask are in some.
func (b *builder) pointersOnce(p nest.Pointers, places nest.PointerPlaces, tile, address, mask *tileir.Value, miss func()) {
	g := &places.Given
	g.Addresses = b.held(address)
	if mask != nil {
		g.Mask = b.held(mask)
	}
	t := lane.TileOf(tile)
	switch {
	case !b.short(tile):
		p.EmitOnce(b.Builder, places, miss)
		return
	case p.Store:
		g.Tile = lane.ToMemory(b.Builder, t, b.reg(tile))
		p.EmitOnce(b.Builder, places, miss)
		return
	}
	raw := vec.IntOf(p.Size)
	g.Tile = b.New(raw.Class())
	p.EmitOnce(b.Builder, places, func() {
		miss()
		b.Set(g.Tile, b.Load(raw, b.home(tile), 0))
	})
	b.let(tile, lane.FromMemory(b.Builder, t, g.Tile))
}

// pointerPlaces says where an operation's tile of pointers is, and its window, whose first word is known.
func (b *builder) pointerPlaces(op *tileir.Op, address *tileir.Value, window int) nest.PointerPlaces {
	p := nest.PointerPlaces{Addresses: b.AddInt(b.arena, int64(b.home(address).Disp))}
	if v := b.Origin(op); v != nil {
		p.Origin = b.integer(v)
		p.Known = b.limits(nest.Pointers{Size: lane.TileOf(address).Elem.Bytes()}, p, window, func() {})
	} else {
		p.Base, p.Size, p.Data = b.Arg(window+WindowBase), b.Arg(window+WindowSize), b.Arg(window+WindowData)
	}
	return p
}

// The words of the limits of offsets, which are in two windows behind that of the memory: the address that they were found for, and what
// they are.
const (
	limitsOf = WindowWords + iota
	limitsFirst
	limitsCount
	limitsData
	limitsWindows = 2
)

// limits gives the limits of offsets from an address, in a window. They are found once for each address that is another one than the last time,
// after what find writes, and once more after the memory was looked for: see forgetLimits. No offset lies in the memory at first, when all words
// are 0.
func (b *builder) limits(of nest.Pointers, p nest.PointerPlaces, window int, find func()) *nest.Limits {
	b.If(vec.NE, p.Origin, b.Arg(window+limitsOf))
	find()
	p.Base, p.Size, p.Data = b.Arg(window+WindowBase), b.Arg(window+WindowSize), b.Arg(window+WindowData)
	l := of.Limits(b.Builder, p)
	for i, x := range [...]vec.Reg{p.Origin, l.First, l.Count, l.Data} {
		b.put(window+limitsOf+i, x)
	}
	b.End()
	return &nest.Limits{First: b.Arg(window + limitsFirst), Count: b.Arg(window + limitsCount), Data: b.Arg(window + limitsData)}
}

// forgetLimits makes the function find the limits of the offsets from an operation's window again.
func (b *builder) forgetLimits(op *tileir.Op, window int) {
	if b.Origin(op) != nil {
		b.put(window+limitsOf, b.Int(0))
	}
}

// mostPointers bounds the elements that are moved before the function looks at its budget.
const mostPointers = 1 << 15

// padding gives the elements that the mask holds back, or says that they are 0.
func (b *builder) padding(v *tileir.Value, size int) (pad func(c vec.Reg) vec.Reg, zero bool) {
	t := vec.IntOf(size)
	if v == nil || lane.ConstantBits(v) != nil && *lane.ConstantBits(v) == 0 {
		return nil, true
	}
	b.inArena(v)
	at := b.home(v)
	return func(c vec.Reg) vec.Reg {
		at := at
		at.Index, at.Scale = c, int8(size)
		return b.Load(t, at, 0)
	}, false
}
