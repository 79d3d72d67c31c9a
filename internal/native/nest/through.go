package nest

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// A load through a tile of pointers is a step of a segment where the segment makes the pointers, as offsets of 32 bits from one address.
// All elements lie in the buffer of that address: others belong to no buffer that 32 bits reach. So an element that does not lie there is a
// fault. The function goes on without it, and notes the first one that it meets of the first such step.

// miss is a note of elements that lie in no memory: in 64-bit words, which are 0 at first, a key that is the greater the earlier the step and the
// elements are; and then sixteen offsets, and of each whether it is one of them, in 32 bits.
const (
	missKey     = 0
	missOffsets = 1
	missOf      = missOffsets + vec.Lanes/2
	MissWords   = missOf + vec.Lanes/2 // the length of a note
	missStep    = 32                   // the bit of the key from which on it has the step
)

// Miss is the first element that a load through pointers did not find.
type Miss struct {
	Op     *tileir.Op
	Elem   int // of the tile
	Offset int32
}

// Miss reads a note; ok is false if there is nothing in it.
func (s *Segment) Miss(note []uint64) (m Miss, ok bool) {
	if note[missKey] == 0 {
		return m, false
	}
	key := math.MaxInt64 - note[missKey]
	half := func(from, i int) int32 { return int32(note[from+i/2] >> (32 * (i % 2))) }
	i := 0
	for half(missOf, i) == 0 {
		i++
	}
	return Miss{s.Steps[key>>missStep].Op, int(key&(1<<missStep-1)) + i, half(missOffsets, i)}, true
}

// through reports whether a load through pointers can be a step. The pointers must be, since no operation of another segment tells where
// its offsets are.
func (f *finder) through(op *tileir.Op, t *tileir.TileType) bool {
	_, form := lane.Form(t)
	x := f.values[op.Operand("source")]
	if !form || t.Pointer || t.Elem == tileir.I1 || t.Elem.PerByte() > 1 || f.stores || x == nil || x.step.Kind != Index || !f.columns(t) ||
		op.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak) {
		return false
	}
	for _, v := range beside(op) {
		if x := f.values[v]; x != nil && x.class != full {
			return false
		}
	}
	f.gathers = true
	return true
}

// beside lists the operands of a load through pointers that are not the pointers: the mask, and what takes the place of elements that it
// holds back.
func beside(op *tileir.Op) (list []*tileir.Value) {
	for _, name := range [...]string{"mask", "paddingValue"} {
		if v := op.Operand(name); v != nil {
			list = append(list, v)
		}
	}
	return list
}

// harmless reports whether an operation may be done earlier than loads through pointers that come before it: it has no fault, which would be
// found before theirs.
func harmless(op *tileir.Op) bool {
	return op.Info.Pure && op.Info.Opcode != tileir.OpDivI && op.Info.Opcode != tileir.OpRemI
}

// reached is the operand that stands for the memory that a load through pointers reads.
func (s *Segment) reached(op *tileir.Op) Operand {
	from := s.values[op.Operand("source")].step.Op
	return Operand{Role: Reached, Value: s.origin(from), Bytes: lane.TileOf(op.Results[0]).Elem.Bytes()}
}

// findReached gives the number of that operand, -1 if it is not listed yet.
func (s *Segment) findReached(o Operand) int {
	return slices.IndexFunc(s.Operands, func(p Operand) bool { return p.Role == Reached && p.Value == o.Value && p.Bytes == o.Bytes })
}

// memory is where the elements of a load through pointers lie: so many offsets from the first one on, each in all lanes, and the address of
// offset 0.
type memory struct{ first, count, data vec.Reg }

// Reach says in which memory a segment reads through pointers: the window of the buffer to which the address belongs that they count from, as
// [WindowBase] and the words behind it say.
type Reach struct{ Origin, Base, Size, Data uint64 }

// reachLimits finds the offsets that lie in the memory of a [Reach] at an address, of elements of so many bytes.
func reachLimits(b *vec.Builder, at vec.Reg, size int) *Limits {
	word := func(i int) vec.Reg {
		return b.Emit(vec.Instr{Op: vec.SLoad, Type: vec.I64, Mem: vec.Mem{Base: at, Disp: int32(8 * i)}})
	}
	l := Pointers{Size: size}.Limits(b, PointerPlaces{Origin: word(0), Base: word(1), Size: word(2), Data: word(3)})
	return &l
}

// lookReached reads the limits of an operand's offsets.
func (b *builder) lookReached(i int) {
	l := b.places[i].Limits
	b.reach[i] = memory{b.Do(vec.Splat, vec.I32, l.First), b.Do(vec.Splat, vec.I32, l.Count), l.Data}
}

// through reads the elements of a load through pointers.
func (e *columns) through(st *Step) vec.Reg {
	op := st.Op
	t, i := lane.TileOf(op.Results[0]), e.s.findReached(e.s.reached(op))
	offset, on := e.value(op.Operand("source")), e.tail
	mask := op.Operand("mask")
	if mask != nil {
		on = e.both(on, e.operand(st, mask))
	}
	e.from(st)
	m := e.reach[i]
	there := e.both(e.Compare(vec.I32, vec.ULT, e.Do(vec.Sub, vec.I32, offset, m.first), m.count), on)
	if on == 0 {
		on = e.DoImm(vec.MConst, vec.NoType, 1)
	}
	e.missed(i, st, offset, e.Do(vec.MXor, vec.NoType, there, on))
	x := lane.FromMemory(e.Builder, t, e.gather(st, t, offset, m.data, there))
	pad := op.Operand("paddingValue")
	if mask == nil || pad == nil || isZero(pad) {
		return x
	}
	y := e.operand(st, pad)
	form, _ := lane.Form(t)
	return e.Pick(form, on, x, y)
}

// isZero reports whether the elements of a value are known to be 0, with a sign that is +.
func isZero(v *tileir.Value) bool {
	k := lane.ConstantBits(v)
	return k != nil && *k == 0
}

// both is the lanes of two masks, the first of which may be 0 for all.
func (e *columns) both(x, y vec.Reg) vec.Reg {
	switch {
	case x == 0:
		return y
	case y == 0:
		return x
	}
	return e.Do(vec.MAnd, vec.NoType, x, y)
}

// gather reads the elements of some lanes: as one vector where they are adjacent, else one by one.
func (e *columns) gather(st *Step, t *tileir.TileType, offset, data, lanes vec.Reg) vec.Reg {
	raw := vec.IntOf(t.Elem.Bytes())
	each := vec.Instr{Op: vec.Gather, Type: raw, From: vec.I32, Src: [3]vec.Reg{offset}, Mem: vec.Mem{Base: data}, Mask: lanes, Imm: int64(raw.Bytes())}
	together := func(first vec.Reg) vec.Reg {
		return e.Load(raw, vec.Mem{Base: data, Index: first, Scale: int8(raw.Bytes())}, lanes)
	}
	far, known := distance(e.s.values[st.Op.Operand("source")].step.Op.Operands[1], e.s.same)
	if known && far == 1 {
		return together(e.Do(vec.SFirst, vec.I32, offset))
	}
	x := e.New(raw.Class())
	if known {
		e.Do(vec.IfAny, vec.NoType, lanes) // a gather of no lanes takes its time, too
		e.Set(x, e.Emit(each))
		e.Else()
		e.Set(x, e.Bits(raw, 0))
		e.End()
		return x
	}
	first := e.Do(vec.SFirst, vec.I32, offset)
	line := e.Do(vec.Add, vec.I32, e.Do(vec.Iota, vec.I32), e.Do(vec.Splat, vec.I32, first))
	e.Do(vec.IfAny, vec.NoType, e.Do(vec.MAnd, vec.NoType, e.Compare(vec.I32, vec.NE, offset, line), lanes))
	e.Set(x, e.Emit(each))
	e.Else()
	e.Set(x, together(first))
	e.End()
	return x
}

// same reports whether all elements of a value are known to be the same.
func (s *Segment) same(v *tileir.Value) bool {
	if lane.TileOf(v).Size() == 1 || lane.ConstantBits(v) != nil || s.values[v] == nil && s.splat(v) {
		return true
	}
	return v.Def != nil && v.Def.Info.Opcode == tileir.OpBroadcast && lane.TileOf(v.Def.Operands[0]).Size() == 1
}

// missed notes elements that do not lie in memory, unless there is a note of earlier ones.
func (e *columns) missed(i int, st *Step, offset, bad vec.Reg) {
	e.Do(vec.IfAny, vec.NoType, bad)
	note := e.places[i].Note
	key := e.Do(vec.SSub, vec.NoType, e.Int(math.MaxInt64-int64(st.number-1)<<missStep), e.number())
	word := vec.Mem{Base: note, Disp: 8 * missKey}
	e.If(vec.GT, key, e.Emit(vec.Instr{Op: vec.SLoad, Type: vec.I64, Mem: word}))
	e.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{key}, Mem: word})
	e.Store(vec.I32, vec.Mem{Base: note, Disp: 8 * missOffsets}, offset, 0)
	e.Store(vec.I32, vec.Mem{Base: note, Disp: 8 * missOf}, e.Pick(vec.I32, bad, e.Bits(vec.I32, 1), e.Bits(vec.I32, 0)), 0)
	e.End()
	e.End()
}
