package nest

import "github.com/cutile-go/cutile/internal/native/vec"

// mover makes the function of [Pointers].
type mover struct {
	*vec.Builder
	PointerPlaces
	first, count vec.Reg // of the addresses or offsets in the window, in all lanes
	start        vec.Reg // where the window's memory is; Data is where offset 0 is
	few          vec.Reg // the lanes that have elements, where not all have; else 0
	of           Pointers
	elem         vec.Type
	c            vec.Reg
	steps, mask  vec.Reg
}

// form is the type of what says where elements are: of offsets in bytes into the window, or of those in elements.
func (b *mover) form() vec.Type {
	if b.Origin != 0 {
		return vec.I32
	}
	return vec.I64
}

// unit is the bytes that an offset counts.
func (b *mover) unit() int64 {
	if b.Origin != 0 {
		return int64(b.of.Size)
	}
	return 1
}

// look reads sixteen addresses or offsets and the mask. It gives where the elements are from Data on, and those that are not in the
// window.
func (b *mover) look() (offset, bad vec.Reg) {
	if b.Origin != 0 {
		offset = b.addresses(vec.I32)
		bad = b.Compare(vec.I32, vec.UGE, b.Do(vec.Sub, vec.I32, offset, b.first), b.count)
	} else {
		offset, bad = b.lookAddresses()
	}
	if b.of.Masked {
		if b.mask = b.Given.Mask; b.mask == 0 {
			b.mask = b.Compare(vec.I8, vec.NE, b.Load(vec.I8, vec.Mem{Base: b.Mask, Index: b.c, Scale: 1}, b.few), b.Bits(vec.I8, 0))
		}
		bad = b.Do(vec.MAnd, vec.NoType, bad, b.mask)
	}
	if b.few != 0 {
		bad = b.Do(vec.MAnd, vec.NoType, bad, b.few)
	}
	return offset, bad
}

// addresses are what says where elements are, with lanes of a type.
func (b *mover) addresses(t vec.Type) vec.Reg {
	if x := b.Given.Addresses; x != 0 {
		return x
	}
	return b.Load(t, vec.Mem{Base: b.Addresses, Index: b.c, Scale: int8(t.Bytes())}, b.few)
}

func (b *mover) lookAddresses() (offset, bad vec.Reg) {
	address := b.addresses(vec.I64)
	offset = b.Do(vec.Sub, vec.I64, address, b.first)
	bad = b.Compare(vec.I64, vec.UGE, offset, b.count)
	if b.of.Size > 1 {
		low := b.Do(vec.And, vec.I64, address, b.Bits(vec.I64, uint64(b.of.Size-1)))
		bad = b.Do(vec.MOr, vec.NoType, bad, b.Compare(vec.I64, vec.NE, low, b.Bits(vec.I64, 0)))
	}
	return offset, bad
}

// one is where an element is, that of number i plus so many.
func (b *mover) one(i vec.Reg, plus int) vec.Mem {
	if b.Origin != 0 {
		at := b.scalar(vec.SLoad, vec.I32, vec.Mem{Base: b.Addresses, Index: i, Scale: 4, Disp: int32(4 * plus)})
		return vec.Mem{Base: b.Data, Index: at, Scale: int8(b.of.Size)}
	}
	at := b.scalar(vec.SLoad, vec.I64, vec.Mem{Base: b.Addresses, Index: i, Scale: 8, Disp: int32(8 * plus)})
	return vec.Mem{Base: b.Data, Index: b.Do(vec.SSub, vec.NoType, at, b.Base), Scale: 1}
}

// move moves sixteen elements. If the mask lets none through, their addresses mean nothing.
func (b *mover) move(offset vec.Reg) {
	if b.of.Masked {
		b.Do(vec.IfAny, vec.NoType, b.mask)
	}
	if b.of.Adjacent {
		b.moveTogether(b.Do(vec.SFirst, b.form(), offset))
	} else {
		b.moveEach(offset)
	}
	if !b.of.Masked {
		return
	}
	switch {
	case b.Pad != nil:
		b.Else()
		b.put(b.Pad(b.c), 0)
	case b.Zero:
		b.Else()
		b.put(b.Bits(b.elem, 0), 0)
	}
	b.End()
}

// moveEach moves sixteen elements: as one vector where their places are adjacent, and else one by one.
func (b *mover) moveEach(offset vec.Reg) {
	first, apart := b.adjacent(offset)
	if b.of.Masked {
		apart = b.Do(vec.MAnd, vec.NoType, apart, b.mask)
	}
	b.Do(vec.IfAny, vec.NoType, apart)
	each := vec.Instr{Op: vec.Gather, Type: b.elem, From: b.form(), Src: [3]vec.Reg{offset}, Mem: vec.Mem{Base: b.Data}, Mask: b.mask, Imm: b.unit()}
	if b.of.Store {
		each.Op, each.Src[1] = vec.Scatter, b.stored()
		b.Emit(each)
	} else {
		b.keep(b.Emit(each))
	}
	b.Else()
	b.moveTogether(first)
	b.End()
}

// moveTogether moves sixteen elements that are adjacent, from the first one's place on.
func (b *mover) moveTogether(first vec.Reg) {
	at := vec.Mem{Base: b.Data, Index: first, Scale: int8(b.unit())}
	if b.of.Store {
		b.Store(b.elem, at, b.stored(), b.mask)
	} else {
		b.keep(b.Load(b.elem, at, b.mask))
	}
}

// adjacent gives the place of the first element, and the elements that are not where they would be if all were adjacent.
func (b *mover) adjacent(offset vec.Reg) (first, apart vec.Reg) {
	t := b.form()
	first = b.Do(vec.SFirst, t, offset)
	return first, b.Compare(t, vec.NE, offset, b.Do(vec.Add, t, b.steps, b.Do(vec.Splat, t, first)))
}

// keep puts loaded elements into the tile. Those that the mask holds back are 0.
func (b *mover) keep(x vec.Reg) {
	switch {
	case b.Pad != nil:
		b.put(b.Pick(b.elem, b.mask, x, b.Pad(b.c)), 0)
	case b.Zero:
		b.put(x, 0)
	default:
		b.put(x, b.mask)
	}
}

// put writes elements of the tile.
func (b *mover) put(x, mask vec.Reg) {
	if to := b.Given.Tile; to != 0 {
		b.Set(to, x)
		return
	}
	b.Store(b.elem, b.place(), x, mask)
}

// stored are the elements of the tile that a store writes.
func (b *mover) stored() vec.Reg {
	if x := b.Given.Tile; x != 0 {
		return x
	}
	return b.Load(b.elem, b.place(), 0)
}

// add adds sixteen elements one by one, since their places may be the same.
func (b *mover) add() {
	if !b.of.Masked {
		b.addEach(0)
		return
	}
	b.Do(vec.IfAny, vec.NoType, b.Do(vec.MXor, vec.NoType, b.mask, b.DoImm(vec.MConst, vec.NoType, 1)))
	b.addEach(b.Mask)
	b.Else()
	b.addEach(0)
	b.End()
}

// addEach adds sixteen elements. What a mask, which may be 0, holds back is 0, added to the first place.
func (b *mover) addEach(mask vec.Reg) {
	i, each := b.c, vec.Lanes
	if mask != 0 { // each takes more instructions
		each /= 2
		i = b.For(b.c, b.AddInt(b.c, vec.Lanes), int64(each))
	}
	for u := range each {
		place := b.one(i, u)
		x := b.Int(b.of.Value)
		if !b.of.Same {
			x = b.scalar(vec.SLoad, b.elem, vec.Mem{Base: b.Tile, Index: i, Scale: int8(b.of.Size), Disp: int32(b.of.Size * u)})
		}
		if mask != 0 {
			on := b.Do(vec.SMin, vec.NoType, b.scalar(vec.SLoadU, vec.I8, vec.Mem{Base: mask, Index: i, Scale: 1, Disp: int32(u)}), b.Int(1))
			place, x = b.within(place, on), b.Do(vec.SMul, vec.NoType, x, on)
		}
		sum := b.Do(vec.SAdd, vec.NoType, b.scalar(vec.SLoad, b.elem, place), x)
		b.Emit(vec.Instr{Op: vec.SStore, Type: b.elem, Src: [3]vec.Reg{sum}, Mem: place})
	}
	if mask != 0 {
		b.End()
	}
}

// within is a place, or the first one of the window if on is 0 and not 1.
func (b *mover) within(place vec.Mem, on vec.Reg) vec.Mem {
	at := b.Do(vec.SMul, vec.NoType, place.Index, b.Int(int64(place.Scale)))
	at = b.Do(vec.SAdd, vec.NoType, at, b.Do(vec.SSub, vec.NoType, b.Data, b.start))
	return vec.Mem{Base: b.start, Index: b.Do(vec.SMul, vec.NoType, at, on), Scale: 1}
}

func (b *mover) scalar(op vec.Op, t vec.Type, m vec.Mem) vec.Reg {
	return b.Emit(vec.Instr{Op: op, Type: t, Mem: m})
}

// place is where the elements of the tile are.
func (b *mover) place() vec.Mem { return vec.Mem{Base: b.Tile, Index: b.c, Scale: int8(b.of.Size)} }
