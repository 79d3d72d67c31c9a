package nest

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// Pointers says what a function moves between a tile and the places that a tile of pointers names.
type Pointers struct {
	Size   int // bytes of an element: 1, 2, 4 or 8
	Masked bool
	Store  bool // else it is a load, unless
	Sum    bool // the tile's elements, which are integers, are added to the places
}

// The words of the frame of a function that moves elements through pointers.
const (
	FirstElem  = iota // the first element, a multiple of 16,
	LastElem          // and the one behind the last
	Addresses         // where the addresses are, 64 bits each,
	MaskBytes         // the mask, a byte for each element,
	TileBytes         // and the elements of the tile
	WindowBase        // an address,
	WindowSize        // how many addresses from there on an element may have,
	WindowData        // and the memory that it stands for
	Done              // where the function writes the number of the first element that it did not handle
	PointerWords
)

// Build makes the function. It handles sixteen elements at a time, and ends before those of which one has an address
// outside the window, or one that is no multiple of its size: the caller handles those, which may be a fault or lie in
// another window. Elements that the mask holds back are not looked at.
func (p Pointers) Build(name string) (*vec.Func, error) {
	b := vec.NewBuilder(name)
	places := PointerPlaces{Addresses: b.Arg(Addresses), Tile: b.Arg(TileBytes), Base: b.Arg(WindowBase), Size: b.Arg(WindowSize), Data: b.Arg(WindowData)}
	if mask := b.Arg(MaskBytes); p.Masked {
		places.Mask = mask
	}
	last, done := b.Arg(LastElem), b.Arg(Done)
	p.Emit(b, places, b.Arg(FirstElem), last, func(c vec.Reg) {
		b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{c}, Mem: vec.Mem{Base: done}})
		b.DoImm(vec.Return, vec.NoType, 0)
	})
	b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{last}, Mem: vec.Mem{Base: done}})
	if err := b.Verify(); err != nil {
		return nil, err
	}
	return b.Finish().Tidy(), nil
}

// PointerPlaces says where a function finds what it moves.
type PointerPlaces struct {
	Addresses, Tile  vec.Reg                 // where they are
	Mask             vec.Reg                 // where it is; 0 for none
	Base, Size, Data vec.Reg                 // the window, see [WindowBase]
	Pad              func(c vec.Reg) vec.Reg // a vector of what a load gives for elements that the mask holds back; nil if those stay
}

// Emit writes a loop that moves elements from up to to, sixteen at a time. miss writes what happens before those of which one is
// not in the window; it must leave the loop.
func (p Pointers) Emit(into *vec.Builder, places PointerPlaces, from, to vec.Reg, miss func(c vec.Reg)) {
	b := p.mover(into, places)
	b.c = b.For(from, to, vec.Lanes)
	offset, bad := b.look()
	b.Do(vec.IfAny, vec.NoType, bad)
	miss(b.c)
	b.End()
	if p.Sum {
		b.add()
	} else {
		b.move(offset)
	}
	b.End()
}

func (p Pointers) mover(into *vec.Builder, places PointerPlaces) *mover {
	b := &mover{Builder: into, PointerPlaces: places, of: p, elem: vec.IntOf(p.Size)}
	b.origin, b.limit = b.Do(vec.Splat, vec.I64, b.Base), b.Do(vec.Splat, vec.I64, b.Size)
	b.steps = b.DoImm(vec.ShlImm, vec.I64, int64(bits.TrailingZeros(uint(p.Size))), b.Do(vec.Iota, vec.I64))
	return b
}

// look reads sixteen addresses and the mask. It gives where the elements are in the window, and those that are not there.
func (b *mover) look() (offset, bad vec.Reg) {
	address := b.Load(vec.I64, vec.Mem{Base: b.Addresses, Index: b.c, Scale: 8}, b.few)
	offset = b.Do(vec.Sub, vec.I64, address, b.origin)
	bad = b.Compare(vec.I64, vec.UGE, offset, b.limit)
	if b.of.Size > 1 {
		low := b.Do(vec.And, vec.I64, address, b.Bits(vec.I64, uint64(b.of.Size-1)))
		bad = b.Do(vec.MOr, vec.NoType, bad, b.Compare(vec.I64, vec.NE, low, b.Bits(vec.I64, 0)))
	}
	if b.of.Masked {
		b.mask = b.Compare(vec.I8, vec.NE, b.Load(vec.I8, vec.Mem{Base: b.Mask, Index: b.c, Scale: 1}, b.few), b.Bits(vec.I8, 0))
		bad = b.Do(vec.MAnd, vec.NoType, bad, b.mask)
	}
	if b.few != 0 {
		bad = b.Do(vec.MAnd, vec.NoType, bad, b.few)
	}
	return offset, bad
}

// mover makes the function of [Pointers].
type mover struct {
	*vec.Builder
	PointerPlaces
	origin, limit vec.Reg // the window, in all lanes
	few           vec.Reg // the lanes that have elements, where not all have; else 0
	of            Pointers
	elem          vec.Type
	c             vec.Reg
	steps, mask   vec.Reg
}

// move moves sixteen elements: as one vector where their places are adjacent, and else one by one. If the mask lets none
// through, their addresses mean nothing.
func (b *mover) move(offset vec.Reg) {
	first, apart := b.adjacent(offset)
	if b.of.Masked {
		b.Do(vec.IfAny, vec.NoType, b.mask)
		apart = b.Do(vec.MAnd, vec.NoType, apart, b.mask)
	}
	b.Do(vec.IfAny, vec.NoType, apart)
	each := vec.Instr{Op: vec.Gather, Type: b.elem, From: vec.I64, Src: [3]vec.Reg{offset}, Mem: vec.Mem{Base: b.Data}, Mask: b.mask, Imm: 1}
	if b.of.Store {
		each.Op, each.Src[1] = vec.Scatter, b.Load(b.elem, b.place(), 0)
		b.Emit(each)
	} else {
		b.keep(b.Emit(each))
	}
	b.Else()
	if at := (vec.Mem{Base: b.Data, Index: first, Scale: 1}); b.of.Store {
		b.Store(b.elem, at, b.Load(b.elem, b.place(), 0), b.mask)
	} else {
		b.keep(b.Load(b.elem, at, b.mask))
	}
	b.End()
	if b.of.Masked {
		if b.Pad != nil {
			b.Else()
			b.Store(b.elem, b.place(), b.Pad(b.c), 0)
		}
		b.End()
	}
}

// adjacent gives the place of the first element, and the elements that are not where they would be if all were adjacent.
func (b *mover) adjacent(offset vec.Reg) (first, apart vec.Reg) {
	first = b.Do(vec.SFirst, vec.I64, offset)
	return first, b.Compare(vec.I64, vec.NE, offset, b.Do(vec.Add, vec.I64, b.steps, b.Do(vec.Splat, vec.I64, first)))
}

// keep puts loaded elements into the tile.
func (b *mover) keep(x vec.Reg) {
	if b.Pad == nil {
		b.Store(b.elem, b.place(), x, b.mask)
		return
	}
	b.Store(b.elem, b.place(), b.Pick(b.elem, b.mask, x, b.Pad(b.c)), 0)
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
	const unrolled = 8
	i := b.For(b.c, b.AddInt(b.c, vec.Lanes), unrolled)
	for u := range unrolled {
		at := b.scalar(vec.SLoad, vec.I64, vec.Mem{Base: b.Addresses, Index: i, Scale: 8, Disp: int32(8 * u)})
		at = b.Do(vec.SSub, vec.NoType, at, b.Base)
		x := b.scalar(vec.SLoad, b.elem, vec.Mem{Base: b.Tile, Index: i, Scale: int8(b.of.Size), Disp: int32(b.of.Size * u)})
		if mask != 0 {
			on := b.Do(vec.SMin, vec.NoType, b.scalar(vec.SLoadU, vec.I8, vec.Mem{Base: mask, Index: i, Scale: 1, Disp: int32(u)}), b.Int(1))
			at, x = b.Do(vec.SMul, vec.NoType, at, on), b.Do(vec.SMul, vec.NoType, x, on)
		}
		place := vec.Mem{Base: b.Data, Index: at, Scale: 1}
		sum := b.Do(vec.SAdd, vec.NoType, b.scalar(vec.SLoad, b.elem, place), x)
		b.Emit(vec.Instr{Op: vec.SStore, Type: b.elem, Src: [3]vec.Reg{sum}, Mem: place})
	}
	b.End()
}

func (b *mover) scalar(op vec.Op, t vec.Type, m vec.Mem) vec.Reg {
	return b.Emit(vec.Instr{Op: op, Type: t, Mem: m})
}

// place is where the elements of the tile are.
func (b *mover) place() vec.Mem { return vec.Mem{Base: b.Tile, Index: b.c, Scale: int8(b.of.Size)} }
