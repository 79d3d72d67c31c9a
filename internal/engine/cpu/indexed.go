package cpu

import "github.com/cutile-go/cutile/tileir"

// indexed are the tiles of pointers of which only offsets from one address are kept, in elements: these take half the memory, and
// machine code moves elements with less work.
type indexed struct {
	origin map[*tileir.Op]*tileir.Value // that address, by the operation that makes the pointers, where this may be so
	made   map[*tileir.Op]bool          // where it is so: in segments
}

// findIndexed finds the tiles of pointers that are offsets of 32 bits from one address, and which only loads, stores and atomic
// operations take as where they find elements.
func findIndexed(b *tileir.Block, uses map[*tileir.Value]int) indexed {
	x := indexed{map[*tileir.Op]*tileir.Value{}, map[*tileir.Op]bool{}}
	others := map[*tileir.Op]int{} // uses that are something else
	for op := range b.All() {
		if from := countsFrom(op); from != nil && tileType(op.Operands[1]).Elem == tileir.I32 {
			x.origin[op], others[op] = from, others[op]+uses[op.Results[0]]
		}
		if v := pointersOf(op); v != nil && v.Def != nil {
			others[v.Def]--
		}
	}
	for op, n := range others {
		if n != 0 {
			delete(x.origin, op)
		}
	}
	return x
}

// countsFrom gives the single address from which the pointers count that an operation makes; nil if there is none, if elements share bytes, or if
// there is only one pointer.
func countsFrom(op *tileir.Op) *tileir.Value {
	if op.Info.Opcode != tileir.OpOffset {
		return nil
	}
	if t := tileType(op.Results[0]); t.Elem.PerByte() > 1 || t.Size() == 1 {
		return nil
	}
	return oneOf(op.Operands[0])
}

// oneOf gives the single pointer that is all elements of a tile; nil if they may differ.
func oneOf(v *tileir.Value) *tileir.Value {
	for tileType(v).Size() > 1 {
		if v.Def == nil || v.Def.Info.Opcode != tileir.OpBroadcast && v.Def.Info.Opcode != tileir.OpReshape {
			return nil
		}
		v = v.Def.Operands[0]
	}
	return v
}

// pointersOf gives the tile of pointers that an operation finds elements by, nil for none.
func pointersOf(op *tileir.Op) *tileir.Value {
	v := op.Address()
	if v == nil {
		return nil
	}
	if t, ok := v.Type.(*tileir.TileType); !ok || !t.Pointer {
		return nil
	}
	return v
}

// may reports whether an operation makes pointers of which offsets may be kept.
func (x *indexed) may(op *tileir.Op) bool { return x.origin[op] != nil }

// of gives the address that the offsets of an operation through pointers count from; nil if the tile has addresses.
func (x *indexed) of(op *tileir.Op) *tileir.Value {
	if v := pointersOf(op); v != nil && v.Def != nil && x.made[v.Def] {
		return x.origin[v.Def]
	}
	return nil
}
