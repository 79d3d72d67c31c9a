package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// guarded does an access where its guard holds, and gives what it reads or what stands for it elsewhere. do gives values of a type.
func (w *writer) guarded(m *ir.Access, t vec.Type, do func() []spirv.ID) []spirv.ID {
	if m.Guard == 0 {
		return do()
	}
	n := 0
	cond := w.vals[m.Guard]
	otherwise := func() []spirv.ID {
		if m.Else != nil {
			return w.values(m.Else)
		}
		out := make([]spirv.ID, n)
		for i := range out {
			out[i] = w.num(t, 0)
		}
		return out
	}
	return w.b.If(cond, func() []spirv.ID { x := do(); n = len(x); return x }, otherwise)
}

// address is where an access to global memory begins.
func (w *writer) address(m *ir.Access) spirv.ID {
	at := w.vals[m.At]
	if m.Disp != 0 {
		at = w.b.Binary(spirv.OpIAdd, at, w.num(vec.I64, m.Disp))
	}
	return at
}

// align is the alignment that an access of n elements promises: a power of two that is no more than drivers use.
func align(m *ir.Access, t vec.Type, n int) int {
	size := t.Bytes()
	if m.Align <= 0 {
		return size
	}
	return max(size, min(m.Align&-m.Align, size*n, 16))
}

func (w *writer) load(in *ir.Instr) {
	x := w.guarded(in.Mem, in.Type, func() []spirv.ID {
		switch {
		case in.Mem.Space == ir.Shared:
			return w.loadShared(in.Mem, in.Type, len(in.Dst))
		case in.Mem.Order != tileir.MemoryWeak:
			return w.loadOrdered(in.Mem, in.Type, len(in.Dst))
		}
		return w.loadGlobal(in.Mem, in.Type, len(in.Dst))
	})
	for i, d := range in.Dst {
		w.vals[d] = x[i]
	}
}

func (w *writer) loadGlobal(m *ir.Access, t vec.Type, n int) []spirv.ID {
	b, at := w.b, w.address(m)
	if n == 1 {
		return []spirv.ID{b.LoadAt(w.typ(t), at, align(m, t, 1))}
	}
	if align(m, t, n) < t.Bytes()*n { // no vector
		return w.each(n, at, t, func(_ int, at spirv.ID) spirv.ID { return b.LoadAt(w.typ(t), at, t.Bytes()) })
	}
	return b.loadVector(w.typ(t), n, at, align(m, t, n))
}

// each does something at the places of neighbours.
func (w *writer) each(n int, at spirv.ID, t vec.Type, f func(i int, at spirv.ID) spirv.ID) []spirv.ID {
	out := make([]spirv.ID, n)
	for i := range out {
		here := at
		if i > 0 {
			here = w.b.Binary(spirv.OpIAdd, at, w.num(vec.I64, int64(i*t.Bytes())))
		}
		out[i] = f(i, here)
	}
	return out
}

func (w *writer) store(in *ir.Instr) {
	m := in.Mem
	do := w.storeGlobal
	switch {
	case m.Space == ir.Shared:
		do = w.storeShared
	case m.Order != tileir.MemoryWeak:
		do = w.storeOrdered
	}
	if m.Guard == 0 {
		do(m, in.Type, w.values(in.Src))
		return
	}
	w.when(w.vals[m.Guard], func() { do(m, in.Type, w.values(in.Src)) })
}

func (w *writer) storeGlobal(m *ir.Access, t vec.Type, x []spirv.ID) {
	b, at := w.b, w.address(m)
	if len(x) > 1 && align(m, t, len(x)) == t.Bytes()*len(x) {
		b.storeVector(at, x, align(m, t, len(x)))
		return
	}
	w.each(len(x), at, t, func(i int, at spirv.ID) spirv.ID {
		b.StoreAt(at, x[i], t.Bytes())
		return x[i]
	})
}

// array is a buffer of shared memory: an array of elements of a type.
type array struct {
	id   spirv.ID
	unit vec.Type
	at   int64 // where the buffer begins, in bytes
}

// memory makes the arrays of shared memory, and gives buffers whose address is taken places in scratch memory.
func (w *writer) memory() {
	w.arrays, w.windows = map[*ir.Buffer]*array{}, map[*ir.Buffer]int64{}
	taken := scratch(w.k)
	units := w.units()
	least, total := vec.I64, 0
	for _, buf := range w.k.Buffers {
		switch u, used := units[buf]; {
		case taken[buf]:
			size := int64(buf.Align)
			w.c.Scratch = (w.c.Scratch + size - 1) / size * size
			w.windows[buf] = w.c.Scratch
			w.c.Scratch += int64(buf.Bytes)
		case used:
			total += buf.Bytes
			least = min(least, u)
		}
	}
	w.c.Scratch = (w.c.Scratch + 15) / 16 * 16
	apart := total <= w.t.Shared
	var common *array
	for _, buf := range w.k.Buffers {
		unit, used := units[buf]
		switch {
		case taken[buf] || !used:
		case apart:
			w.arrays[buf] = w.array(unit, buf.Bytes)
		default:
			if common == nil {
				common = w.array(least, w.k.Shared)
			}
			w.arrays[buf] = &array{common.id, least, int64(buf.Offset)}
		}
	}
	w.shuffles()
}

// units gives the narrowest elements by which each buffer is accessed.
func (w *writer) units() map[*ir.Buffer]vec.Type {
	out := map[*ir.Buffer]vec.Type{}
	touch := func(m *ir.Access, t vec.Type) {
		if u, ok := out[m.Buffer]; !ok || t < u {
			out[m.Buffer] = t
		}
	}
	w.k.Body.All(func(in *ir.Instr) {
		switch m := in.Mem; {
		case in.Op == ir.LoadSum || in.Op == ir.StoreSum:
			touch(m, vec.IntOf(in.Sums.Unit.Acc.Bytes()))
		case m != nil && m.Space == ir.Shared:
			touch(m, vec.IntOf(in.Type.Bytes()))
		}
		if in.Op == ir.MultiplySums {
			touch(&in.Left.Access, vec.IntOf(in.Sums.Unit.A.Bytes()))
			touch(&in.Right.Access, vec.IntOf(in.Sums.Unit.B.Bytes()))
		}
	})
	return out
}

func (w *writer) array(unit vec.Type, bytes int) *array {
	n := (bytes + unit.Bytes() - 1) / unit.Bytes()
	w.c.Shared += n * unit.Bytes()
	return &array{id: w.b.Shared(w.typ(unit), n), unit: unit}
}

// elements calls f with pointers to the n elements of an array that an access of a type touches.
func (w *writer) elements(m *ir.Access, t vec.Type, n int, f func(i int, p spirv.ID)) {
	b, a := w.b, w.arrays[m.Buffer]
	shift := log2(a.unit.Bytes())
	disp := m.Disp + a.at
	var index spirv.ID
	if m.At != 0 {
		at := w.vals[m.At]
		if disp != 0 {
			at = b.Binary(spirv.OpIAdd, at, w.num(vec.I32, disp))
		}
		index = at
		if shift > 0 {
			index = b.Binary(spirv.OpShiftRightLogical, at, w.num(vec.I32, int64(shift)))
		}
	}
	for i := range n * t.Bytes() / a.unit.Bytes() {
		switch {
		case m.At == 0:
			f(i, b.Index(a.id, w.num(vec.I32, disp>>shift+int64(i))))
		case i == 0:
			f(i, b.Index(a.id, index))
		default:
			f(i, b.Index(a.id, b.Binary(spirv.OpIAdd, index, w.num(vec.I32, int64(i)))))
		}
	}
}

func (w *writer) loadShared(m *ir.Access, t vec.Type, n int) []spirv.ID {
	unit := w.arrays[m.Buffer].unit
	var parts, out []spirv.ID
	w.elements(m, t, n, func(_ int, p spirv.ID) { parts = append(parts, w.b.Load(p)) })
	each := t.Bytes() / unit.Bytes()
	for i := range n {
		out = append(out, w.join(t, unit, parts[i*each:(i+1)*each]))
	}
	return out
}

func (w *writer) storeShared(m *ir.Access, t vec.Type, x []spirv.ID) {
	unit := w.arrays[m.Buffer].unit
	var parts []spirv.ID
	for _, v := range x {
		parts = append(parts, w.split(t, unit, v)...)
	}
	w.elements(m, t, len(x), func(i int, p spirv.ID) { w.b.Store(p, parts[i]) })
}

// window is the address of a buffer in the scratch memory of the block.
func (w *writer) window(in *ir.Instr) spirv.ID {
	b := w.b
	here, all := b.BuiltIn(spirv.BuiltInWorkgroupId), b.BuiltIn(spirv.BuiltInNumWorkgroups)
	number := b.Extract(here, 2)
	for _, i := range []int{1, 0} {
		number = b.Binary(spirv.OpIAdd, b.Binary(spirv.OpIMul, number, b.Extract(all, i)), b.Extract(here, i))
	}
	at := b.Binary(spirv.OpIMul, b.Convert(spirv.OpUConvert, b.Uint(64), number), w.num(vec.I64, w.c.Scratch))
	at = b.Binary(spirv.OpIAdd, at, b.PushConstant(pushScratch))
	return b.Binary(spirv.OpIAdd, at, w.num(vec.I64, w.windows[in.Buf]))
}

// meet writes a barrier: one of the warp as that of a subgroup, if a warp is one.
func (w *writer) meet(in *ir.Instr) {
	if in.Imm != 0 && w.t.Subgroups {
		w.b.SubgroupBarrier(spirv.MemorySemanticsWorkgroupMemory)
		return
	}
	w.barrier()
}

// barrier lets the threads of the block meet, and see what the others wrote to any memory.
func (w *writer) barrier() {
	w.b.Barrier(spirv.MemorySemanticsWorkgroupMemory | spirv.MemorySemanticsUniformMemory)
}
