package nest

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// A load through a tile of pointers is a step of a segment that makes the pointers, from a single address and offsets. The step takes the
// offsets. All elements are to lie in the buffer of the address, since offsets reach no other one (see [lane.FarBytes]): an element that does
// not lie there is a fault. The function goes on without such elements, and notes the first ones of the first step that has some.

// The words of a note of elements that were missed, which are 0 at first. The key is the greater the earlier the step and the elements are.
const (
	missKey   = 0
	missAt    = 1                    // sixteen offsets
	missOf    = missAt + vec.Lanes   // and of each whether it is missed, in 32 bits
	MissWords = missOf + vec.Lanes/2 // the length of a note
	missStep  = 32                   // the bit of the key from which on it has the step
)

// Miss is the first element that a load through pointers did not find.
type Miss struct {
	Op     *tileir.Op
	Elem   int   // of the tile
	Offset int64 // in elements, from the address
}

// Miss reads a note; ok is false if there is nothing in it.
func (s *Segment) Miss(note []uint64) (m Miss, ok bool) {
	if note[missKey] == 0 {
		return m, false
	}
	key, i := math.MaxInt64-note[missKey], 0
	for uint32(note[missOf+i/2]>>(32*(i%2))) == 0 {
		i++
	}
	return Miss{s.Steps[key>>missStep].Op, int(key&(1<<missStep-1)) + i, int64(note[missAt+i])}, true
}

// pointers is the step that makes the pointers of a load.
func (s *Segment) pointers(op *tileir.Op) *Step { return s.values[op.Operand("source")].step }

// offsets are those of the pointers of a load.
func (s *Segment) offsets(op *tileir.Op) *tileir.Value { return s.pointers(op).Op.Operands[1] }

// From gives the address from which the pointers of a load count that is a step.
func (s *Segment) From(op *tileir.Op) *tileir.Value { return s.from(s.pointers(op).Op) }

// through reports whether a load through pointers can be a step. The segment must make its pointers, and the address from which they count
// must be known before.
func (f *finder) through(op *tileir.Op, t *tileir.TileType) bool {
	_, form := lane.Form(t)
	x := f.values[op.Operand("source")]
	if !form || t.Pointer || t.Elem == tileir.I1 || t.Elem.PerByte() > 1 || f.stores || x == nil || x.class != full || !f.columns(t) ||
		op.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak) {
		return false
	}
	if from := f.from(x.step.Op); from == nil || f.inside(from) {
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
	return Operand{Role: Reached, Value: s.From(op), Bytes: lane.TileOf(op.Results[0]).Elem.Bytes(), Wide: lane.TileOf(s.offsets(op)).Elem == tileir.I64}
}

// findReached gives the number of that operand, -1 if it is not listed yet.
func (s *Segment) findReached(o Operand) int {
	return slices.IndexFunc(s.Operands, func(p Operand) bool {
		return p.Role == Reached && p.Value == o.Value && p.Bytes == o.Bytes && p.Wide == o.Wide
	})
}

// Reach says in which memory a segment reads through pointers: the address from which they count, and the window of its buffer, see
// [WindowBase].
type Reach struct{ Origin, Base, Size, Data uint64 }

// memory is what an operand reaches in the memory that a [Reach] at an address says.
func (o *Operand) memory(b *vec.Builder, at vec.Reg) *Memory {
	word := func(i int) vec.Reg {
		return b.Emit(vec.Instr{Op: vec.SLoad, Type: vec.I64, Mem: vec.Mem{Base: at, Disp: int32(8 * i)}})
	}
	p := o.Pointers()
	return p.Memory(b, p.Limits(b, PointerPlaces{Origin: word(0), Base: word(1), Size: word(2), Data: word(3)}))
}

// Pointers says how an operand is reached through pointers.
func (o *Operand) Pointers() Pointers { return Pointers{Size: o.Bytes, Wide: o.Wide} }

// Memory is what loads through pointers read, in registers.
type Memory struct {
	first, count vec.Reg  // the first offset of it and how many there are, in all lanes
	data         vec.Reg  // where offset 0 is
	form         vec.Type // of offsets
}

// Memory brings limits into registers.
func (p Pointers) Memory(b *vec.Builder, l Limits) *Memory {
	m := &Memory{data: l.Data, form: vec.I32}
	if p.Wide {
		m.form = vec.I64
	}
	m.first, m.count = b.Do(vec.Splat, m.form, l.First), b.Do(vec.Splat, m.form, l.Count)
	return m
}

// through reads the elements of a load through pointers.
func (e *columns) through(st *Step) vec.Reg {
	op := st.Op
	t, i := lane.TileOf(op.Results[0]), e.s.findReached(e.s.reached(op))
	m, at, on := e.places[i].Memory, e.offset(op), e.tail
	mask := op.Operand("mask")
	if mask != nil {
		on = e.both(on, e.operand(st, mask))
	}
	e.from(st)
	there := e.both(e.Compare(m.form, vec.ULT, e.Do(vec.Sub, m.form, at, m.first), m.count), on)
	if on == 0 {
		on = e.DoImm(vec.MConst, vec.NoType, 1)
	}
	e.missed(i, st, at, e.Do(vec.MXor, vec.NoType, there, on))
	x := lane.FromMemory(e.Builder, t, e.gather(st, vec.IntOf(t.Elem.Bytes()), m, at, there))
	pad := op.Operand("paddingValue")
	if mask == nil || pad == nil || isZero(pad) {
		return x
	}
	y := e.operand(st, pad)
	form, _ := lane.Form(t)
	return e.Pick(form, on, x, y)
}

// offset gives the offsets of a load's pointers, which have 32 or 64 bits.
func (e *columns) offset(op *tileir.Op) vec.Reg {
	st, v := e.s.pointers(op), e.s.offsets(op)
	x := e.operand(st, v)
	if form, _ := lane.Form(lane.TileOf(v)); form != vec.I32 && form != vec.I64 {
		e.from(st)
		x = e.Convert(vec.SignExtend, vec.I32, form, x)
	}
	return x
}

// isZero reports whether the elements of a value are known to be 0, with a sign that is +.
func isZero(v *tileir.Value) bool {
	k := lane.ConstantBits(v)
	return k != nil && *k == 0
}

// both is the lanes of two masks, each of which may be 0 for all.
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
func (e *columns) gather(st *Step, elem vec.Type, m *Memory, at, lanes vec.Reg) vec.Reg {
	x := e.New(elem.Class())
	each := func() {
		e.Set(x, e.Emit(vec.Instr{Op: vec.Gather, Type: elem, From: m.form, Src: [3]vec.Reg{at}, Mem: vec.Mem{Base: m.data}, Mask: lanes, Imm: int64(elem.Bytes())}))
	}
	together := func(first vec.Reg) vec.Reg {
		return e.Load(elem, vec.Mem{Base: m.data, Index: first, Scale: int8(elem.Bytes())}, lanes)
	}
	switch far, known := distance(e.s.offsets(st.Op), e.s.same); {
	case known && far == 1:
		return together(e.Do(vec.SFirst, m.form, at))
	case known: // a gather of no lanes takes its time, too
		e.Do(vec.IfAny, vec.NoType, lanes)
		each()
		e.Else()
		e.Set(x, e.Bits(elem, 0))
	default:
		first := e.Do(vec.SFirst, m.form, at)
		line := e.Do(vec.Add, m.form, e.Do(vec.Iota, m.form), e.Do(vec.Splat, m.form, first))
		e.Do(vec.IfAny, vec.NoType, e.Do(vec.MAnd, vec.NoType, e.Compare(m.form, vec.NE, at, line), lanes))
		each()
		e.Else()
		e.Set(x, together(first))
	}
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
func (e *columns) missed(i int, st *Step, at, bad vec.Reg) {
	e.Do(vec.IfAny, vec.NoType, bad)
	note := e.places[i].Note
	word := func(n int) vec.Mem { return vec.Mem{Base: note, Disp: int32(8 * n)} }
	key := e.Do(vec.SSub, vec.NoType, e.Int(math.MaxInt64-int64(st.number-1)<<missStep), e.number())
	e.If(vec.GT, key, e.Emit(vec.Instr{Op: vec.SLoad, Type: vec.I64, Mem: word(missKey)}))
	e.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{key}, Mem: word(missKey)})
	if e.places[i].Memory.form == vec.I32 {
		at = e.Convert(vec.SignExtend, vec.I64, vec.I32, at)
	}
	e.Store(vec.I64, word(missAt), at, 0)
	e.Store(vec.I32, word(missOf), e.Pick(vec.I32, bad, e.Bits(vec.I32, 1), e.Bits(vec.I32, 0)), 0)
	e.End()
	e.End()
}
