package nest

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/lane"
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

	// Wide says that offsets have 64 bits, for [Pointers.Limits] and [Pointers.Memory].
	Wide bool

	// Adjacent says that each of sixteen such offsets is one more than the one before: see [Adjacent].
	Adjacent bool
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
	Given            Given                   // what is in registers instead, for [Pointers.EmitOnce]
	Origin           vec.Reg                 // what offsets count from; 0 if addresses are addresses
	Known            *Limits                 // of the offsets, if they are known; else nil
	Mask             vec.Reg                 // where it is; 0 for none
	Base, Size, Data vec.Reg                 // the window, see [WindowBase]
	Pad              func(c vec.Reg) vec.Reg // a vector of what a load gives for elements that the mask holds back; nil if those stay,
	Zero             bool                    // or if they are 0
}

// Given is what a function finds in registers, an element in each lane. What is 0 is in memory, where [PointerPlaces] says.
type Given struct {
	Addresses, Mask vec.Reg
	Tile            vec.Reg // what is stored, or the register that is assigned what is loaded, with lanes of [Pointers.Size]
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

// mostOffset bounds offsets of 32 bits that functions take, in elements: differences of one and a lane's number have 32 bits, too.
const mostOffset = 1<<31 - vec.Lanes

// Limits says which offsets lie in a window: so many from First on, and where offset 0 would be. All are scalars.
type Limits struct{ First, Count, Data vec.Reg }

// Limits finds the offsets that lie in the window. There are none if the address that they count from is no multiple of the element's
// size.
func (p Pointers) Limits(b *vec.Builder, places PointerPlaces) (l Limits) {
	shift, most := int64(bits.TrailingZeros(uint(p.Size))), int64(mostOffset)
	if p.Wide {
		most = lane.FarBytes
	}
	from := b.Do(vec.SSub, vec.NoType, places.Origin, places.Base)
	limit := func(bytes vec.Reg) vec.Reg { // of offsets whose elements are at least so far from the origin, downwards
		n := b.Do(vec.SSub, vec.NoType, b.Int(0), b.DoImm(vec.SShrImm, vec.NoType, shift, bytes))
		return b.Do(vec.SMin, vec.NoType, b.Do(vec.SMax, vec.NoType, n, b.Int(-most)), b.Int(most))
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
