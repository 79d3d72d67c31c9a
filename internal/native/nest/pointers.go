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

	// Same says that Value is added to all places, and not the elements of a tile.
	Same  bool
	Value int64

	// Indexed says that the tile of pointers is one of offsets in elements, 32 bits each, from one address.
	Indexed bool
}

// The words of the frame of a function that moves elements through pointers.
const (
	FirstElem  = iota // the first element, a multiple of 16,
	LastElem          // and the one behind the last
	Addresses         // where the addresses are, 64 bits each, or the offsets,
	MaskBytes         // the mask, a byte for each element,
	TileBytes         // and the elements of the tile
	WindowBase        // an address,
	WindowSize        // how many addresses from there on an element may have,
	WindowData        // and the memory that it stands for
	Origin            // the address that offsets count from
	Done              // where the function writes the number of the first element that it did not handle
	PointerWords
)

// Build makes the function. It handles sixteen elements at a time, and ends before those of which one has an address
// outside the window, or one that is no multiple of its size: the caller handles those, which may be a fault or lie in
// another window. Elements that the mask holds back are not looked at.
func (p Pointers) Build(name string) (*vec.Func, error) {
	b := vec.NewBuilder(name)
	places := p.places(b)
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

// places gives what the words of the frame say.
func (p Pointers) places(b *vec.Builder) PointerPlaces {
	out := PointerPlaces{Addresses: b.Arg(Addresses), Tile: b.Arg(TileBytes), Base: b.Arg(WindowBase), Size: b.Arg(WindowSize), Data: b.Arg(WindowData)}
	if p.Indexed {
		out.Origin = b.Arg(Origin)
	}
	return out
}

// PointerPlaces says where a function finds what it moves.
type PointerPlaces struct {
	Addresses, Tile  vec.Reg                 // where they are
	Origin           vec.Reg                 // what offsets count from; 0 if addresses are addresses
	Known            *Limits                 // of the offsets, if they are known; else nil
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

// EmitOnce moves sixteen elements. miss writes what happens instead if one of them is not in the window.
func (p Pointers) EmitOnce(into *vec.Builder, places PointerPlaces, miss func()) {
	b := p.mover(into, places)
	b.c = b.Int(0)
	offset, bad := b.look()
	b.Do(vec.IfAny, vec.NoType, bad)
	miss()
	b.Else()
	b.move(offset)
	b.End()
}

func (p Pointers) mover(into *vec.Builder, places PointerPlaces) *mover {
	b := &mover{Builder: into, PointerPlaces: places, of: p, elem: vec.IntOf(p.Size), start: places.Data}
	t, steps := b.form(), int64(0)
	l := Limits{places.Base, places.Size, places.Data}
	switch {
	case places.Known != nil:
		l = *places.Known
	case places.Origin != 0:
		l = p.Limits(into, places)
	default:
		steps = int64(bits.TrailingZeros(uint(p.Size)))
	}
	b.first, b.count, b.Data = b.Do(vec.Splat, t, l.First), b.Do(vec.Splat, t, l.Count), l.Data
	if b.steps = b.Do(vec.Iota, t); steps > 0 {
		b.steps = b.DoImm(vec.ShlImm, t, steps, b.steps)
	}
	return b
}

// mostOffset bounds the offsets that functions take, in elements: sums of one and a lane's number have 32 bits.
const mostOffset = 1 << 30

// Limits says which offsets lie in a window: so many from First on, and where offset 0 would be. All are scalars.
type Limits struct{ First, Count, Data vec.Reg }

// Limits finds the offsets that lie in the window. There are none if the address that they count from is no multiple of the element's
// size.
func (p Pointers) Limits(b *vec.Builder, places PointerPlaces) (l Limits) {
	shift := int64(bits.TrailingZeros(uint(p.Size)))
	from := b.Do(vec.SSub, vec.NoType, places.Origin, places.Base)
	limit := func(bytes vec.Reg) vec.Reg { // of offsets whose elements are at least so far from the origin, downwards
		n := b.Do(vec.SSub, vec.NoType, b.Int(0), b.DoImm(vec.SShrImm, vec.NoType, shift, bytes))
		return b.Do(vec.SMin, vec.NoType, b.Do(vec.SMax, vec.NoType, n, b.Int(-mostOffset)), b.Int(mostOffset))
	}
	l.First = limit(from)
	l.Count = b.Do(vec.SMax, vec.NoType, b.Do(vec.SSub, vec.NoType, limit(b.Do(vec.SSub, vec.NoType, from, places.Size)), l.First), b.Int(0))
	if p.Size > 1 {
		low := b.Do(vec.SAnd, vec.NoType, places.Origin, b.Int(int64(p.Size-1)))
		l.Count = b.Do(vec.SAnd, vec.NoType, l.Count, b.DoImm(vec.SShrImm, vec.NoType, 63, b.AddInt(low, -1)))
	}
	l.Data = b.Do(vec.SAdd, vec.NoType, places.Data, from)
	return l
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
		offset = b.Load(vec.I32, vec.Mem{Base: b.Addresses, Index: b.c, Scale: 4}, b.few)
		bad = b.Compare(vec.I32, vec.UGE, b.Do(vec.Sub, vec.I32, offset, b.first), b.count)
	} else {
		offset, bad = b.lookAddresses()
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

func (b *mover) lookAddresses() (offset, bad vec.Reg) {
	address := b.Load(vec.I64, vec.Mem{Base: b.Addresses, Index: b.c, Scale: 8}, b.few)
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

// move moves sixteen elements: as one vector where their places are adjacent, and else one by one. If the mask lets none
// through, their addresses mean nothing.
func (b *mover) move(offset vec.Reg) {
	first, apart := b.adjacent(offset)
	if b.of.Masked {
		b.Do(vec.IfAny, vec.NoType, b.mask)
		apart = b.Do(vec.MAnd, vec.NoType, apart, b.mask)
	}
	b.Do(vec.IfAny, vec.NoType, apart)
	each := vec.Instr{Op: vec.Gather, Type: b.elem, From: b.form(), Src: [3]vec.Reg{offset}, Mem: vec.Mem{Base: b.Data}, Mask: b.mask, Imm: b.unit()}
	if b.of.Store {
		each.Op, each.Src[1] = vec.Scatter, b.Load(b.elem, b.place(), 0)
		b.Emit(each)
	} else {
		b.keep(b.Emit(each))
	}
	b.Else()
	if at := (vec.Mem{Base: b.Data, Index: first, Scale: int8(b.unit())}); b.of.Store {
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
	t := b.form()
	first = b.Do(vec.SFirst, t, offset)
	return first, b.Compare(t, vec.NE, offset, b.Do(vec.Add, t, b.steps, b.Do(vec.Splat, t, first)))
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
	b.End()
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
