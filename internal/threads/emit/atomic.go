package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// atomicRMW changes elements through pointers. Old values of masked elements are 0.
func (e *emitter) atomicRMW(op *tileir.Op) {
	pointers, arg, r := op.Operand("pointers"), op.Operand("arg"), op.Results[0]
	t := typeOf(arg)
	l := e.current(arg)
	c := ir.Change{Mode: tileir.Int(op.Int("mode")), Elem: t.Elem}
	args := e.get(arg, l)
	zero := e.padding(t, 0)
	e.atomically(op, r, l, e.pointerPieces(op, pointers, l), func(p piece) ir.Value {
		return e.change(op, p, t, c, args[p.first], zero)
	})
}

// atomicCAS replaces elements that have certain bits. Old values of masked elements are what they would have been compared with.
func (e *emitter) atomicCAS(op *tileir.Op) {
	pointers, cmp, val, r := op.Operand("pointers"), op.Operand("cmp"), op.Operand("val"), op.Results[0]
	t := typeOf(val)
	stored := lane.Stored(t)
	if stored.Bytes() < 4 {
		e.refuse("elements must have 4 or 8 bytes")
	}
	l := e.current(val)
	expected, by := e.get(cmp, l), e.get(val, l)
	e.atomically(op, r, l, e.pointerPieces(op, pointers, l), func(p piece) ir.Value {
		m := e.access(op, p, stored.Bytes())
		old := e.toMemory(t, expected[p.first])
		m.Else = []ir.Value{old}
		return e.fromMemory(t, e.Swap(vec.IntOf(stored.Bytes()), m, old, e.toMemory(t, by[p.first])))
	})
}

// atomically lets one of the threads that hold an element do something with it, and tells the others what came of it.
func (e *emitter) atomically(op *tileir.Op, r *tileir.Value, l *linear.Layout, pieces []piece, do func(p piece) ir.Value) {
	once := e.first(l)
	regs := make([]ir.Value, l.Regs())
	for _, p := range pieces {
		p.ok = e.both(p.ok, once)
		regs[p.first] = do(p)
	}
	if r == nil || len(e.p.Uses[r]) == 0 {
		if r != nil {
			e.set(r, l, regs)
		}
		return
	}
	if once != 0 {
		regs = e.exchange("atomic", e.form(typeOf(r)), regs, l, l, 0)
	}
	e.set(r, l, regs)
}

// reduceView changes elements through a view.
func (e *emitter) reduceView(op *tileir.Op) {
	v, value := op.Operand("view"), op.Operand("value")
	t := typeOf(value)
	l := e.current(value)
	c := ir.Change{Mode: tileir.Int(op.Int("mode")), Elem: t.Elem}
	args := e.get(value, l)
	zero := e.padding(t, 0)
	e.atomically(op, nil, l, e.viewPieces(op, v, l), func(p piece) ir.Value { return e.change(op, p, t, c, args[p.first], zero) })
}

// hardware lists what machines change by one instruction: for element types of 4 and 8 bytes all integer operations, and sums of floats.
func hardware(c ir.Change) bool {
	switch {
	case c.Elem.Bytes() < 4 || c.Elem == tileir.TF32:
		return false
	case c.Elem == tileir.F32 || c.Elem == tileir.F64:
		return c.Mode == tileir.AtomicAddF && c.Elem == tileir.F64 || c.Mode == tileir.AtomicXchg
	}
	return c.Elem.IsInt()
}

// change changes one element and gives what it was; other is what a masked one gives. What no instruction does, a loop of
// exchanges does.
func (e *emitter) change(op *tileir.Op, p piece, t *tileir.TileType, c ir.Change, arg, other ir.Value) ir.Value {
	stored := lane.Stored(t)
	size := stored.Bytes()
	if !(lane.Update{Mode: c.Mode, Elem: c.Elem}).Known() {
		e.refuse("there is no such atomic operation on %v", t.Elem)
	}
	if hardware(c) {
		m := e.access(op, p, size)
		m.Else = []ir.Value{e.toMemory(t, other)}
		return e.fromMemory(t, e.Update(vec.IntOf(size), c, m, e.toMemory(t, arg)))
	}
	word := vec.IntOf(max(4, size))
	shift := e.Int(0)
	at := e.add64(p.at, e.Const(vec.I64, uint64(p.disp)))
	if size < 4 { // the element is a part of a word
		low := e.Const(vec.I64, 3)
		shift = e.DoImm(vec.ShlImm, vec.I32, 3, e.Convert(vec.Truncate, vec.I32, vec.I64, e.Do(vec.And, vec.I64, at, low)))
		at = e.Do(vec.AndNot, vec.I64, at, low)
	}
	old := e.NewVar(word.Class())
	whole := e.access(op, piece{at: at, ok: p.ok}, word.Bytes())
	look := whole
	look.Order, look.Scope = tileir.MemoryRelaxed, whole.Scope
	e.Set([]ir.Var{old}, e.Load(word, 1, look))
	whole.Guard, whole.Turn = 0, nil
	swapping := func() {
		e.Loop(func() {
			was := e.Get(old)
			next := e.toMemory(t, e.inline(e.update(c), e.fromMemory(t, e.partOf(was, word, stored, shift)), arg))
			now := e.Swap(word, whole, was, e.replaced(was, next, word, stored, shift))
			e.Set([]ir.Var{old}, []ir.Value{now})
			e.Break(0, e.Compare(word, vec.EQ, now, was))
		})
	}
	if p.ok != 0 {
		e.If(p.ok, false, swapping, nil)
	} else {
		swapping()
	}
	x := e.fromMemory(t, e.partOf(e.Get(old), word, stored, shift))
	if p.ok != 0 {
		x = e.pick(e.form(t), p.ok, x, other)
	}
	return x
}

// partOf is the element in a word.
func (e *emitter) partOf(x ir.Value, word, stored vec.Type, shift ir.Value) ir.Value {
	if word.Bytes() == stored.Bytes() {
		return x
	}
	return e.Convert(vec.Truncate, vec.IntOf(stored.Bytes()), word, e.Do(vec.ShrU, word, x, shift))
}

// replaced is a word with another element.
func (e *emitter) replaced(x, elem ir.Value, word, stored vec.Type, shift ir.Value) ir.Value {
	if word.Bytes() == stored.Bytes() {
		return elem
	}
	mask := e.Do(vec.Shl, word, e.Const(word, 1<<(8*stored.Bytes())-1), shift)
	wide := e.Do(vec.Shl, word, e.Convert(vec.ZeroExtend, word, vec.IntOf(stored.Bytes()), elem), shift)
	return e.Do(vec.Or, word, e.Do(vec.AndNot, word, x, mask), wide)
}

// update is what becomes of an element, both in their forms.
func (e *emitter) update(c ir.Change) *template {
	key := move{kind: updateMove, elem: c.Elem, bits: uint64(c.Mode)}
	if t := e.moves[key]; t != nil {
		return t
	}
	class := e.class(tileir.Tile(c.Elem))
	t, _ := newTemplate([]vec.Class{class, class}, func(b *vec.Builder, a []vec.Reg) (vec.Reg, bool) {
		return lane.Update{Mode: c.Mode, Elem: c.Elem}.Emit(b, a[0], a[1]), true
	})
	e.moves[key] = t
	return t
}

var _ = slices.Contains[[]int]
