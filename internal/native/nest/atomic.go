package nest

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Atomic says how a function changes the elements of memory that a tile of pointers names: one after the other, each in one step.
type Atomic struct {
	Mode    tileir.Int
	Elem    tileir.Elem
	Compare bool // elements that are what a tile says become what another one says, whatever the mode is
	Masked  bool
	Old     bool // the elements that were there are wanted
	Words   bool // adjacent elements may be changed at once, as words of 64 bits
	Indexed bool // see [Pointers]
	Few     int  // how many elements there are, if there are less than 16; else 0
}

// Known reports whether there is a function.
func (a Atomic) Known() bool { return a.update().Known() && (!a.Compare || a.Elem.Bytes() >= 4) }

func (a Atomic) update() lane.Update { return lane.Update{Mode: a.Mode, Elem: a.Elem} }

// pointers is how the function finds elements.
func (a Atomic) pointers() Pointers {
	return Pointers{Size: a.Elem.Bytes(), Masked: a.Masked, Indexed: a.Indexed}
}

// The words of the frame of an atomic function, behind those of [Pointers].
const (
	OldBytes     = PointerWords + iota // where the old elements go
	CompareBytes                       // what elements are compared with
	RoomBytes                          // memory of its own
	AtomicWords
)

// AtomicRoom is the size of the memory of its own, in bytes.
const AtomicRoom = 2 * roomEach

const roomEach = vec.Lanes * 8

// AtomicPlaces says where a function finds what it changes elements with.
type AtomicPlaces struct {
	PointerPlaces
	Old, Compare, Room vec.Reg
}

// Build makes the function, which ends as that of [Pointers] does.
func (a Atomic) Build(name string) (*vec.Func, error) {
	b := vec.NewBuilder(name)
	places := AtomicPlaces{PointerPlaces: a.pointers().places(b), Old: b.Arg(OldBytes), Compare: b.Arg(CompareBytes), Room: b.Arg(RoomBytes)}
	if mask := b.Arg(MaskBytes); a.Masked {
		places.Mask = mask
	}
	first := b.Arg(FirstElem)
	end := a.Reach(b, places, first, b.Arg(LastElem))
	a.Emit(b, places, first, end)
	b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{end}, Mem: vec.Mem{Base: b.Arg(Done)}})
	if err := b.Verify(); err != nil {
		return nil, err
	}
	return b.Finish().Tidy(), nil
}

// changer makes the function of [Atomic].
type changer struct {
	*mover
	a        Atomic
	t        *tileir.TileType
	old, cmp vec.Reg
	room     vec.Reg
}

func (a Atomic) changer(into *vec.Builder, places AtomicPlaces) *changer {
	b := &changer{mover: a.pointers().mover(into, places.PointerPlaces), a: a, t: tileir.Tile(a.Elem), old: places.Old, cmp: places.Compare, room: places.Room}
	if a.Few > 0 {
		b.few = b.Do(vec.MFirst, vec.NoType, b.Int(int64(a.Few)))
	}
	return b
}

// Reach writes a loop that looks at addresses, and gives the first element of those sixteen of which one is not in the window; to if all
// are there.
func (a Atomic) Reach(into *vec.Builder, places AtomicPlaces, from, to vec.Reg) vec.Reg {
	b := a.changer(into, places)
	end := b.New(vec.Scalar)
	b.Set(end, to)
	b.c = b.For(from, to, vec.Lanes)
	_, bad := b.look()
	b.Do(vec.IfAny, vec.NoType, bad)
	b.Set(end, b.c)
	b.Break(0)
	b.End()
	b.End()
	return end
}

// Emit writes a loop that changes the elements from up to to, which are in the window.
func (a Atomic) Emit(into *vec.Builder, places AtomicPlaces, from, to vec.Reg) {
	b := a.changer(into, places)
	b.c = b.For(from, to, vec.Lanes)
	switch {
	case a.Few > 0:
		b.each(b.AddInt(b.c, int64(a.Few)))
	case a.Compare:
		b.each(b.AddInt(b.c, vec.Lanes))
	default:
		b.wordsOrEach()
	}
	b.End()
}

// wordsOrEach changes sixteen elements: by words if all are adjacent and take part.
func (b *changer) wordsOrEach() {
	offset, _ := b.look()
	first, others := b.adjacent(offset)
	if b.a.Masked {
		others = b.Do(vec.MOr, vec.NoType, others, b.Do(vec.MXor, vec.NoType, b.mask, b.DoImm(vec.MConst, vec.NoType, 1)))
	}
	b.Do(vec.IfAny, vec.NoType, others)
	b.each(b.AddInt(b.c, vec.Lanes))
	b.Else()
	b.together(b.Do(vec.SAdd, vec.NoType, b.Data, b.Do(vec.SMul, vec.NoType, first, b.Int(b.unit()))))
	b.End()
}

// each changes elements from the first of the sixteen up to one, each alone.
func (b *changer) each(to vec.Reg) {
	i := b.For(b.c, to, 1)
	if b.a.Masked {
		b.If(vec.EQ, b.scalar(vec.SLoadU, vec.I8, vec.Mem{Base: b.Mask, Index: i, Scale: 1}), b.Int(0))
		b.Next(0)
		b.End()
	}
	at := b.one(i, 0)
	in := func(tile vec.Reg) vec.Mem { return vec.Mem{Base: tile, Index: i, Scale: int8(b.of.Size)} }
	var old vec.Reg
	if b.a.Compare {
		old = b.swap(b.elem, at, b.scalar(vec.SLoad, b.elem, in(b.cmp)), b.scalar(vec.SLoad, b.elem, in(b.Tile)))
	} else {
		arg := lane.LoadFirst(b.Builder, b.t, in(b.Tile))
		old = b.try(b.elem, at, b.scalar(vec.SLoad, b.elem, at), func(old vec.Reg) vec.Reg {
			return lane.First(b.Builder, b.t, b.a.update().Emit(b.Builder, lane.Splat(b.Builder, b.t, old), arg))
		}, func(vec.Reg) {})
	}
	if b.a.Old {
		b.Emit(vec.Instr{Op: vec.SStore, Type: b.elem, Src: [3]vec.Reg{old}, Mem: in(b.old)})
	}
	b.End()
}

// swap puts a scalar into memory if another one is there, and gives what was there.
func (b *changer) swap(t vec.Type, at vec.Mem, old, next vec.Reg) vec.Reg {
	return b.Emit(vec.Instr{Op: vec.SSwap, Type: t, Src: [3]vec.Reg{old, next}, Mem: at})
}

// try swaps until nobody changes the memory meanwhile, and gives what was there: first is what is expected to be there. other is told
// what is there instead.
func (b *changer) try(t vec.Type, at vec.Mem, first vec.Reg, next func(old vec.Reg) vec.Reg, other func(old vec.Reg)) vec.Reg {
	old := b.New(vec.Scalar)
	b.Set(old, first)
	b.Repeat()
	got := b.swap(t, at, old, next(old))
	b.If(vec.EQ, got, old)
	b.Break(0)
	b.End()
	b.Set(old, got)
	other(old)
	b.End()
	return old
}

// together changes sixteen adjacent elements. The memory of the function has what was there, and behind that what is to be there.
func (b *changer) together(at vec.Reg) {
	olds, args := vec.Mem{Base: b.room}, b.Do(vec.SAdd, vec.NoType, b.Tile, b.Do(vec.SMul, vec.NoType, b.c, b.Int(int64(b.of.Size))))
	b.Store(b.elem, olds, b.Load(b.elem, vec.Mem{Base: at}, 0), 0)
	b.update(olds, vec.Mem{Base: args}, 0)
	begin, end := b.Int(0), b.Int(int64(vec.Lanes*b.of.Size))
	if b.a.Words && b.of.Size < wordBytes { // elements before the first word and behind the last one are alone
		lead := b.Do(vec.SAnd, vec.NoType, b.Do(vec.SSub, vec.NoType, b.Int(0), at), b.Int(wordBytes-1))
		last := b.Do(vec.SAdd, vec.NoType, lead, b.Do(vec.SAnd, vec.NoType, b.Do(vec.SSub, vec.NoType, end, lead), b.Int(-wordBytes)))
		b.words(at, args, begin, lead, b.of.Size)
		b.words(at, args, lead, last, wordBytes)
		b.words(at, args, last, end, b.of.Size)
	} else {
		b.words(at, args, begin, end, b.of.Size)
	}
	if b.a.Old {
		b.Store(b.elem, vec.Mem{Base: b.old, Index: b.c, Scale: int8(b.of.Size)}, b.Load(b.elem, olds, 0), 0)
	}
}

// wordBytes is the size of a word of several elements.
const wordBytes = 8

// words changes adjacent elements, those of some bytes at once, in the bytes from up to to.
func (b *changer) words(at, args, from, to vec.Reg, size int) {
	i, t := b.For(from, to, int64(size)), vec.IntOf(size)
	in := func(base vec.Reg, disp int32) vec.Mem { return vec.Mem{Base: base, Index: i, Scale: 1, Disp: disp} }
	some := b.Do(vec.MFirst, vec.NoType, b.Int(int64(size/b.of.Size)))
	b.try(t, in(at, 0), b.scalar(vec.SLoad, t, in(b.room, 0)), func(vec.Reg) vec.Reg {
		return b.scalar(vec.SLoad, t, in(b.room, roomEach))
	}, func(old vec.Reg) {
		b.Emit(vec.Instr{Op: vec.SStore, Type: t, Src: [3]vec.Reg{old}, Mem: in(b.room, 0)})
		b.update(in(b.room, 0), in(args, 0), some)
	})
	b.End()
}

// update computes what is to be where some elements were, which lie in the memory of the function.
func (b *changer) update(old, arg vec.Mem, mask vec.Reg) {
	x, y := lane.Load(b.Builder, b.t, old, mask), lane.Load(b.Builder, b.t, arg, mask)
	lane.Store(b.Builder, b.t, old.Plus(roomEach), b.a.update().Emit(b.Builder, x, y), mask)
}
