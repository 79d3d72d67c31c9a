package cpu

import (
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// sums are atomic additions of integers whose old values nobody uses: many elements are often added to few places. They are
// first added up in a table of the worker's own, which has the form of the buffer, and the table is added to memory at the end.
type sums struct {
	*pointers
	code   *machineCode
	fn     int
	change update
}

// mostSums is the size of a buffer up to which there are tables, in bytes, and sumsEach how many elements must be added for each
// place, so that adding up pays.
const (
	mostSums = 32 << 10
	sumsEach = 2
)

// sumTable is a worker's table. It is zero between operations.
type sumTable [mostSums + 8]byte

// newSums gives the step of an atomic addition; nil if it goes element by element.
func (c *compiler) newSums(p *pointers, op *tileir.Op, change update) *sums {
	code := c.plan.code
	relaxed := op.Int("memory_ordering_semantics") == int64(tileir.MemoryRelaxed)
	if code == nil || !relaxed || p.n < vec.Lanes || tileir.Int(op.Int("mode")) != tileir.AtomicAdd || c.plan.uses[op.Results[0]] > 0 {
		return nil
	}
	fn, ok := code.function(nest.Pointers{Size: p.size, Masked: p.masked, Sum: true}, c.entry.Name)
	if !ok {
		return nil
	}
	c.reserve(8)
	code.words = max(code.words, nest.PointerWords)
	c.notes.copies(op, "elements are added up, and their sums to memory atomically")
	return &sums{p, code, fn, change}
}

// run adds all elements; false after a fault.
func (s *sums) run(f *frame, arg ptr) bool {
	return s.inParts(f, func(part *pointers) bool {
		at := unsafe.Add(arg, part.first*part.size)
		w, begun, ok := f.window(part.size), false, true
		for lo := 0; ok && lo < part.n; lo += vec.Lanes {
			if s.pays(part, w) {
				begun = true
				if lo = s.call(f, part, w, lo, at); lo == part.n {
					break
				}
			}
			ok = s.some(f, part, lo, lo+vec.Lanes, at)
			if !begun {
				w = f.window(part.size)
			}
		}
		if begun {
			s.flush(f, w)
		}
		return ok
	})
}

// pays reports whether a table for a buffer pays.
func (s *sums) pays(part *pointers, w window) bool {
	return w.size > 0 && w.size <= mostSums && w.base%uint64(part.size) == 0 && uint64(part.n*part.size) >= sumsEach*w.size
}

// call adds elements of a part to the table, from an element on, and gives the element before which it ended.
func (s *sums) call(f *frame, part *pointers, w window, lo int, arg ptr) int {
	if f.sums == nil {
		f.sums = new(sumTable)
	}
	w.data = ptr(f.sums)
	return s.code.throughPointers(s.fn, f, part, w, lo, arg)
}

// some adds elements lo to hi of a part to memory; false after a fault.
func (s *sums) some(f *frame, part *pointers, lo, hi int, arg ptr) bool {
	addresses, mask := part.operands(f)
	var old uint64
	for i := lo; i < hi; i++ {
		if mask != nil && mask[i] == 0 {
			continue
		}
		m, ok := part.find(f, i, addresses[i])
		if !ok {
			return false
		}
		s.change(m, unsafe.Add(arg, i*part.size), ptr(&old))
	}
	return true
}

// flush adds the table to memory and clears it.
func (s *sums) flush(f *frame, w window) {
	bytes := int(w.size) + s.size - 1
	if s.size == 4 {
		for i, x := range slice[uint32](ptr(f.sums), bytes/4) {
			if x != 0 {
				atomic.AddUint32((*uint32)(unsafe.Add(w.data, 4*i)), x)
			}
		}
	} else {
		for i, x := range slice[uint64](ptr(f.sums), bytes/8) {
			if x != 0 {
				atomic.AddUint64((*uint64)(unsafe.Add(w.data, 8*i)), x)
			}
		}
	}
	clear(f.sums[:bytes])
}
