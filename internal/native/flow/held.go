package flow

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// A tile of at most sixteen elements is in a register, with an element in each lane, from the operation of the function that makes it
// to those that take it, and from turn to turn of a loop. It is written to its place in the arena where something else reads it: the
// caller, or code that works on memory. What the caller makes is read from there.

// short reports whether a value is such a tile. Its elements may still be in the arena.
func (b *builder) short(v *tileir.Value) bool {
	t := lane.TileOf(v)
	if t == nil || t.Size() > vec.Lanes || b.uniform(v) {
		return false
	}
	if _, ok := lane.Form(t); !ok {
		return false
	}
	_, ok := b.Place(v)
	return ok
}

// inRegisters reports whether a value is one for which registers are used.
func (b *builder) inRegisters(v *tileir.Value) bool { return b.uniform(v) || b.short(v) }

// kept is the type of the tile that a value is in the arena or in a register.
func (b *builder) kept(v *tileir.Value) *tileir.TileType {
	if x := b.values[v]; x != nil && x.tile != nil {
		return x.tile
	}
	return lane.TileOf(v)
}

// lanes are the lanes that have elements of a tile; 0 for all.
func (b *builder) lanes(t *tileir.TileType) vec.Reg {
	if n := t.Size(); n < vec.Lanes {
		return b.Do(vec.MFirst, vec.NoType, b.Int(int64(n)))
	}
	return 0
}

// held is the register of a value that is in one, 0 if it is in the arena.
func (b *builder) held(v *tileir.Value) vec.Reg {
	if x := b.values[v]; x != nil && b.short(v) {
		return x.vec
	}
	return 0
}

// inArena makes sure that the elements of a tile are in the arena.
func (b *builder) inArena(v *tileir.Value) {
	if b.held(v) != 0 {
		b.store(v, b.home(v))
	}
}

// holds reports whether a result of a segment is in a register behind it.
func (g *segment) holds(v *tileir.Value) bool { return g.Held(v) && g.short(v) }

// outside finds an operand from before the segment.
func (g *segment) outside(i int) (pl nest.Place) {
	o := &g.Operands[i]
	switch {
	case !o.Rows && !o.Cols && g.uniform(o.Value):
		pl.Element = g.reg(o.Value)
	case g.short(o.Value) && g.Takes(i):
		pl.Vector = g.reg(o.Value)
	default:
		g.inArena(o.Value)
		pl.Base = g.address(o.Value)
	}
	return pl
}
