package cpu

import (
	"math"
	"runtime"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// nativeAtomic changes elements through a tile of pointers by machine code, as far as they lie in the buffer that was used last. The
// others go one by one, sixteen at a time.
type nativeAtomic struct {
	*pointers
	code          *machineCode
	fn            int
	old, arg, cmp slot
	one           func(f *frame, i int, m ptr) // changes an element of the tile
}

// pairedAtomics says that an atomic access of eight bytes and one of fewer bytes inside them are atomic to each other.
const pairedAtomics = runtime.GOARCH == "amd64"

// atomicElems is how many elements a call changes, so that it returns soon.
const atomicElems = 1 << 12

// atomicOf gives what machine code does of an atomic operation; ok is false if it is interpreted.
func (p *planner) atomicOf(op *tileir.Op) (a nest.Atomic, ok bool) {
	t := tileType(op.Operand("pointers"))
	a = nest.Atomic{Mode: tileir.AtomicXchg, Elem: t.Elem, Masked: op.Operand("mask") != nil, Old: p.uses[op.Results[0]] > 0, Words: pairedAtomics, Indexed: p.indexed.of(op) != nil}
	if a.Compare = op.Info.Opcode == tileir.OpAtomicCASTko; !a.Compare {
		a.Mode = tileir.Int(op.Int("mode"))
	}
	if t.Size() < vec.Lanes {
		a.Few = t.Size()
	}
	return a, p.code != nil && a.Known()
}

// newAtomic gives what changes the elements of an operation; nil if it is interpreted. one changes a single element.
func (c *compiler) newAtomic(p *pointers, op *tileir.Op, one func(f *frame, i int, m ptr)) *nativeAtomic {
	a, ok := c.plan.atomicOf(op)
	if !ok {
		return nil
	}
	n := &nativeAtomic{pointers: p, old: c.off(op.Results[0]), one: one}
	if !n.make(c, a) {
		return nil
	}
	if a.Compare {
		n.cmp, n.arg = c.need(op.Operand("cmp")), c.need(op.Operand("val"))
	} else {
		n.arg = c.need(op.Operand("arg"))
	}
	c.notes.copies(op, "elements are changed one after the other, or by words")
	return n
}

// make makes the function, which has memory of its own in scratch, and behind it that for the number of an element.
func (n *nativeAtomic) make(c *compiler, a nest.Atomic) (ok bool) {
	n.code = c.plan.code
	if n.fn, ok = n.code.function(a, c.entry.Name); ok {
		c.reserve(atomicScratch)
		n.code.words = max(n.code.words, nest.AtomicWords)
	}
	return ok
}

// atomicScratch is how much of scratch a function uses.
const atomicScratch = nest.AtomicRoom + 64

// run changes all elements; false after a fault.
func (n *nativeAtomic) run(f *frame) bool {
	return n.inParts(f, func(part *pointers) bool { return n.some(f, part, 0) })
}

// some changes the elements of a part from one on.
func (n *nativeAtomic) some(f *frame, part *pointers, lo int) bool {
	at := slot(part.first * part.size)
	for lo < part.n {
		hi := min(lo+atomicElems, part.n)
		words := f.words
		part.words(f)
		words[nest.TileBytes], words[nest.OldBytes], words[nest.CompareBytes] = f.address(n.arg+at), f.address(n.old+at), f.address(n.cmp+at)
		if lo = n.call(f, f.window(part.size), lo, hi); lo < hi {
			next := min(lo+vec.Lanes, part.n)
			if !part.eachOf(f, lo, next, n.one) {
				return false
			}
			lo = next
		}
		if lo < part.n {
			f.poll()
		}
	}
	return true
}

// call runs the function for elements lo to hi, and gives the element before which it ended.
func (n *nativeAtomic) call(f *frame, w window, lo, hi int) int {
	words, done := f.words, unsafe.Add(f.scratch, nest.AtomicRoom)
	words[nest.FirstElem], words[nest.LastElem] = uint64(lo), uint64(hi)
	words[nest.WindowBase], words[nest.WindowSize], words[nest.WindowData] = w.base, w.size, uint64(uintptr(w.data))
	words[nest.RoomBytes], words[nest.Done] = uint64(uintptr(f.scratch)), uint64(uintptr(done))
	n.code.call(n.fn, words)
	return int(*(*int64)(done))
}

// address is a place in the arena as a word for machine code.
func (f *frame) address(s slot) uint64 { return uint64(uintptr(unsafe.Add(f.mem, s))) }

// atomicView changes elements through a view by machine code: it lists where those of a run are.
type atomicView struct {
	nativeAtomic
	size int
}

// newAtomicView gives what changes runs of elements of a view; nil if that is interpreted.
func (c *compiler) newAtomicView(a *access, op *tileir.Op) *atomicView {
	spec := nest.Atomic{Mode: tileir.Int(op.Int("mode")), Elem: a.elem, Words: pairedAtomics}
	if c.plan.code == nil || len(a.tile) == 0 || a.tile[len(a.tile)-1] < vec.Lanes || !spec.Known() {
		return nil
	}
	v := &atomicView{size: a.size}
	if !v.make(c, spec) {
		return nil
	}
	c.reserve(atomicScratch + 8*viewRun)
	c.notes.copies(op, "elements of runs are changed one after the other, or by words")
	return v
}

// viewRun is how many elements of a run are changed in one call.
const viewRun = 512

// run changes n elements, of which neighbours are stride elements apart. What is left of less than sixteen goes one by one.
func (v *atomicView) run(f *frame, m, arg ptr, n, stride int, one update) {
	list := slice[uint64](unsafe.Add(f.scratch, atomicScratch), viewRun)
	done := 0
	for lo := 0; lo == done && n-lo >= vec.Lanes; lo += viewRun {
		some := min(viewRun, (n-lo)&^(vec.Lanes-1))
		for i := range some {
			list[i] = uint64(uintptr(unsafe.Add(m, (lo+i)*stride*v.size)))
		}
		f.words[nest.Addresses], f.words[nest.TileBytes] = uint64(uintptr(ptr(&list[0]))), uint64(uintptr(unsafe.Add(arg, lo*v.size)))
		done = lo + v.call(f, window{size: math.MaxUint64}, 0, some)
	}
	var old uint64
	for i := done; i < n; i++ {
		one(unsafe.Add(m, i*stride*v.size), unsafe.Add(arg, i*v.size), ptr(&old))
	}
}
