package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// scopes are those of Vulkan. The program does not look at memory while kernels run on it, and so the system is the device.
var scopes = map[tileir.Int]spirv.Scope{
	tileir.ScopeTileBlock: spirv.ScopeWorkgroup, tileir.ScopeDevice: spirv.ScopeDevice, tileir.ScopeSystem: spirv.ScopeDevice,
}

func scope(m *ir.Access) spirv.Scope {
	if s, ok := scopes[m.Scope]; ok && m.Order != tileir.MemoryWeak {
		return s
	}
	return spirv.ScopeDevice
}

var semantics = map[tileir.Int]spirv.MemorySemantics{
	tileir.MemoryAcquire: spirv.MemorySemanticsAcquire | spirv.MemorySemanticsUniformMemory,
	tileir.MemoryRelease: spirv.MemorySemanticsRelease | spirv.MemorySemanticsUniformMemory,
	tileir.MemoryAcqRel:  spirv.MemorySemanticsAcquireRelease | spirv.MemorySemanticsUniformMemory,
}

// loadOrdered reads elements that other threads may be writing. Vulkan has atomic reads of 32 and 64 bits; narrower elements are part of
// a word.
func (w *writer) loadOrdered(m *ir.Access, t vec.Type, n int) []spirv.ID {
	return w.each(n, w.address(m), t, func(_ int, at spirv.ID) spirv.ID {
		if t.Bytes() >= 4 {
			return w.b.Atomic(spirv.OpAtomicLoad, w.whole(t, at), scope(m), semantics[m.Order])
		}
		word := w.word(t, at)
		return word.part(w, w.b.Atomic(spirv.OpAtomicLoad, word.p, scope(m), semantics[m.Order]))
	})
}

func (w *writer) storeOrdered(m *ir.Access, t vec.Type, x []spirv.ID) {
	w.each(len(x), w.address(m), t, func(i int, at spirv.ID) spirv.ID {
		if t.Bytes() >= 4 {
			w.b.AtomicStore(w.whole(t, at), scope(m), semantics[m.Order], x[i])
			return x[i]
		}
		w.change(m, t, at, func(spirv.ID) spirv.ID { return x[i] })
		return x[i]
	})
}

// whole points to an element that atomic operations take as it is. Two words are none.
func (w *writer) whole(t vec.Type, at spirv.ID) spirv.ID {
	if t.Bytes() == 8 && (w.b.pairs || !w.t.Has[spirv.CapabilityInt64Atomics]) {
		w.refuse("the device has no %s", optional[spirv.CapabilityInt64Atomics])
	}
	return w.b.At(w.typ(t), at)
}

// word is the word around a narrow element of memory.
type word struct {
	t    vec.Type
	p    spirv.ID // points to it
	by   spirv.ID // where the element begins, in bits
	mask spirv.ID // its bits
}

func (w *writer) word(t vec.Type, at spirv.ID) *word {
	b := w.b
	p := b.At(b.Uint(32), b.Binary(spirv.OpBitwiseAnd, at, w.num(vec.I64, ^3)))
	by := b.Convert(spirv.OpUConvert, b.Uint(32), b.Binary(spirv.OpBitwiseAnd, at, w.num(vec.I64, 3)))
	by = b.Binary(spirv.OpShiftLeftLogical, by, w.num(vec.I32, 3))
	return &word{t, p, by, b.Binary(spirv.OpShiftLeftLogical, w.num(vec.I32, 1<<(8*t.Bytes())-1), by)}
}

// part is the element in what the word holds.
func (o *word) part(w *writer, all spirv.ID) spirv.ID {
	return w.b.Convert(spirv.OpUConvert, w.typ(o.t), w.b.Binary(spirv.OpShiftRightLogical, all, o.by))
}

// with is what the word holds with another element.
func (o *word) with(w *writer, all, x spirv.ID) spirv.ID {
	b := w.b
	x = b.Binary(spirv.OpShiftLeftLogical, b.Convert(spirv.OpUConvert, b.Uint(32), x), o.by)
	rest := b.Binary(spirv.OpBitwiseAnd, all, b.Unary(spirv.OpNot, o.mask))
	return b.Binary(spirv.OpBitwiseOr, rest, x)
}

// change replaces an element by what f makes of it, by exchanges until no other thread was in between, and gives what it was.
func (w *writer) change(m *ir.Access, t vec.Type, at spirv.ID, f func(old spirv.ID) spirv.ID) spirv.ID {
	b := w.b
	part, with := func(all spirv.ID) spirv.ID { return all }, func(_, x spirv.ID) spirv.ID { return x }
	var p spirv.ID
	if t.Bytes() >= 4 {
		p = w.whole(t, at)
	} else {
		o := w.word(t, at)
		p = o.p
		part = func(all spirv.ID) spirv.ID { return o.part(w, all) }
		with = func(all, x spirv.ID) spirv.ID { return o.with(w, all, x) }
	}
	first := b.Atomic(spirv.OpAtomicLoad, p, scope(m), spirv.MemorySemanticsRelaxed)
	last := b.Loop([]spirv.ID{first}, func(l *spirv.Loop, v []spirv.ID) []spirv.ID {
		got := b.CompareExchange(p, scope(m), semantics[m.Order], with(v[0], f(part(v[0]))), v[0])
		l.BreakUnless(b.Compare(spirv.OpINotEqual, got, v[0]), v[0])
		return []spirv.ID{got}
	})
	return part(last[0])
}

// changes are the instructions that change integers.
var changes = map[tileir.Int]spirv.Op{
	tileir.AtomicAdd: spirv.OpAtomicIAdd, tileir.AtomicAnd: spirv.OpAtomicAnd, tileir.AtomicOr: spirv.OpAtomicOr, tileir.AtomicXor: spirv.OpAtomicXor,
	tileir.AtomicMax: spirv.OpAtomicSMax, tileir.AtomicMin: spirv.OpAtomicSMin, tileir.AtomicUMax: spirv.OpAtomicUMax,
	tileir.AtomicUMin: spirv.OpAtomicUMin, tileir.AtomicXchg: spirv.OpAtomicExchange,
}

// update changes an element. Sums of floats are exchanged, as few devices have instructions for them.
func (w *writer) update(in *ir.Instr) {
	m := in.Mem
	x := w.guarded(m, in.Type, func() []spirv.ID {
		at, arg := w.address(m), w.vals[in.Src[0]]
		if op, ok := changes[in.Change.Mode]; ok && in.Type.Bytes() >= 4 {
			return []spirv.ID{w.b.Atomic(op, w.whole(in.Type, at), scope(m), semantics[m.Order], arg)}
		}
		sum := sums[in.Change.Elem]
		if in.Change.Mode != tileir.AtomicAddF || sum == nil {
			panic("BUG: threads: SPIR-V has no such atomic operation on " + in.Change.Elem.String())
		}
		return []spirv.ID{w.change(m, in.Type, at, func(old spirv.ID) spirv.ID { return w.sum(sum, old, arg) })}
	})
	if len(in.Dst) > 0 {
		w.vals[in.Dst[0]] = x[0]
	}
}

// sums are the operations that add floats: those that widen, add, and narrow. f16 is rounded right also if it is rounded to f32 before.
var sums = map[tileir.Elem][]Numeric{
	tileir.F16: {{vec.FConvert, vec.F32, vec.F16}, {vec.FAdd, vec.F32, vec.NoType}, {vec.FConvert, vec.F16, vec.F32}},
	tileir.F32: {{vec.FAdd, vec.F32, vec.NoType}},
	tileir.F64: {{vec.FAdd, vec.F64, vec.NoType}},
}

// sum adds floats, given by their bits.
func (w *writer) sum(how []Numeric, x, y spirv.ID) spirv.ID {
	if len(how) == 1 {
		return w.do(how[0], x, y)
	}
	return w.do(how[2], w.do(how[1], w.do(how[0], x), w.do(how[0], y)))
}

// exchange writes a Swap.
func (w *writer) exchange(in *ir.Instr) {
	m, b := in.Mem, w.b
	x := w.guarded(m, in.Type, func() []spirv.ID {
		at, expected, by := w.address(m), w.vals[in.Src[0]], w.vals[in.Src[1]]
		if in.Type.Bytes() >= 4 {
			return []spirv.ID{b.CompareExchange(w.whole(in.Type, at), scope(m), semantics[m.Order], by, expected)}
		}
		return []spirv.ID{w.change(m, in.Type, at, func(old spirv.ID) spirv.ID {
			return b.Select(b.Compare(spirv.OpIEqual, old, expected), by, old)
		})}
	})
	w.vals[in.Dst[0]] = x[0]
}

func (w *writer) fence(in *ir.Instr) {
	w.b.Fence(scopes[in.Scope], spirv.MemorySemanticsAcquireRelease|spirv.MemorySemanticsUniformMemory|spirv.MemorySemanticsWorkgroupMemory)
}
