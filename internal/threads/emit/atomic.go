package emit

import (
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
		p.ok, p.solo = e.both(p.ok, once), e.alone(l)
		regs[p.first] = do(p)
	}
	if r == nil || len(e.p.Uses[r]) == 0 {
		if r != nil {
			e.set(r, l, regs)
		}
		return
	}
	if once != 0 {
		regs = e.exchange("atomic", e.form(typeOf(r)), regs, l, l)
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

// hardware reports whether machines make a change by one instruction: of integers of 4 and 8 bytes all, and sums of some floats. That of
// f32 takes subnormal numbers for zeros.
func (e *emitter) hardware(c ir.Change) bool {
	switch c.Elem {
	case tileir.I32, tileir.I64:
		return true
	case tileir.F16, tileir.F64:
		return c.Mode == tileir.AtomicAddF
	case tileir.F32:
		return c.Mode == tileir.AtomicXchg || c.Mode == tileir.AtomicAddF && !e.target.Exact
	}
	return false
}

// change changes one element and gives what it was; other is what a masked one gives. What no instruction does, a loop of
// exchanges does.
func (e *emitter) change(op *tileir.Op, p piece, t *tileir.TileType, c ir.Change, arg, other ir.Value) ir.Value {
	stored := lane.Stored(t)
	size := stored.Bytes()
	if !(lane.Update{Mode: c.Mode, Elem: c.Elem}).Known() {
		e.refuse("there is no such atomic operation on %v", t.Elem)
	}
	if e.hardware(c) {
		m := e.access(op, p, size)
		if op.Info.Opcode == tileir.OpAtomicRedViewTko || len(e.p.Uses[op.Results[0]]) == 0 {
			e.Reduce(vec.IntOf(size), c, m, e.toMemory(t, arg))
			return other
		}
		m.Else = []ir.Value{e.toMemory(t, other)}
		return e.fromMemory(t, e.Update(vec.IntOf(size), c, m, e.toMemory(t, arg)))
	}
	old := e.swapping(vec.IntOf(size), e.access(op, p, size), p.ok, func(was ir.Value) ir.Value {
		return e.toMemory(t, e.inline(e.update(c), e.fromMemory(t, was), arg))
	})
	x := e.fromMemory(t, old)
	if p.ok != 0 {
		x = e.pick(e.form(t), p.ok, x, other)
	}
	return x
}

// swapping changes a word by exchanges until no other thread was faster, where ok holds, and gives what it was.
func (e *emitter) swapping(word vec.Type, m ir.Access, ok ir.Value, become func(was ir.Value) ir.Value) ir.Value {
	old := e.NewVar(word.Class())
	look := m
	look.Order, look.Guard = tileir.MemoryRelaxed, ok
	e.Set([]ir.Var{old}, e.Load(word, 1, look))
	m.Guard, m.Turn = 0, nil
	loop := func() {
		e.Loop(func() {
			was := e.Get(old)
			now := e.Swap(word, m, was, become(was))
			e.Set([]ir.Var{old}, []ir.Value{now})
			e.Break(0, e.Compare(word, vec.EQ, now, was))
		})
	}
	if ok != 0 {
		e.If(ok, false, loop, nil)
	} else {
		loop()
	}
	return e.Get(old)
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
