package cpu

import (
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// sums are atomic additions of integers whose old values nobody uses: many elements are often added to few places. They are
// first added up in a table of the worker's own, which has the form of the buffer, and the table is added to memory at the end: of
// the operation, or of the blocks that the worker does if nothing in the kernel can tell.
type sums struct {
	*pointers
	table int // its number in the frame
	late  bool
	code  *machineCode
	fn    int
	arg   slot
	one   func(f *frame, i int, m ptr) // adds an element of the tile to memory
	plain *nativeAtomic                // adds elements for which a table does not pay; nil if Go code does
}

// mostSums is the size of a buffer up to which there are tables, in bytes, and sumsEach how many elements must be added for each
// place, so that adding up pays.
const (
	mostSums = 32 << 10
	sumsEach = 2
)

// sumTable is a worker's table for an operation.
type sumTable struct {
	sums [mostSums + 8]byte // all of them are zero if size is
	size int                // of an element, if sums are still to be added to memory
	to   window             // which is here
	seen int                // elements that the worker has added otherwise since it began, for a table that lasts for several blocks
}

// newSums gives the step of an atomic addition; nil if it goes element by element.
func (c *compiler) newSums(p *pointers, op *tileir.Op, one func(f *frame, i int, m ptr)) *sums {
	code := c.plan.code
	if code == nil || !c.plan.addsUp(op) {
		return nil
	}
	add := nest.Pointers{Size: p.size, Masked: p.masked, Sum: true, Indexed: p.indexed}
	if same := lane.ConstantBits(op.Operand("arg")); same != nil {
		add.Same, add.Value = true, int64(*same)
	}
	fn, ok := code.function(add, c.entry.Name)
	if !ok {
		return nil
	}
	c.reserve(8)
	code.words = max(code.words, nest.PointerWords)
	c.notes.copies(op, "elements are added up, and their sums to memory atomically")
	c.sums++
	return &sums{p, c.sums - 1, c.plan.unseen(op, c.entry), code, fn, c.need(op.Operand("arg")), one, c.newAtomic(p, op, one)}
}

// unseen reports whether nothing in the kernel can tell when an addition happens: no operation comes after it, and none waits for
// what other blocks do.
func (p *planner) unseen(op *tileir.Op, e *tileir.Entry) bool {
	for _, v := range op.Results {
		if p.uses[v] > 0 {
			return false
		}
	}
	for o := range e.All() {
		if o.Info.AttrIndex("memory_ordering_semantics") >= 0 && o.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak) && !p.addsUp(o) {
			return false
		}
	}
	return true
}

// addsUp reports whether elements of an atomic addition may be added up before they are added to memory.
func (p *planner) addsUp(op *tileir.Op) bool {
	return op.Info.Opcode == tileir.OpAtomicRMWTko && op.Int("memory_ordering_semantics") == int64(tileir.MemoryRelaxed) && tileir.Int(op.Int("mode")) == tileir.AtomicAdd &&
		tileType(op.Operand("pointers")).Size() >= vec.Lanes && p.uses[op.Results[0]] == 0
}

// run adds all elements; false after a fault.
func (s *sums) run(f *frame) bool {
	return s.inParts(f, func(part *pointers) bool {
		w, begun, ok := f.window(part.size), false, true
		if t := f.sums[s.table]; t != nil && t.size > 0 && t.to != w {
			t.flush()
		}
		for lo := 0; ok && lo < part.n; lo += vec.Lanes {
			if s.pays(f, part, w) {
				begun = true
				if lo = s.call(f, part, w, lo); lo == part.n {
					break
				}
			} else if s.plain != nil && w.size > 0 && !begun {
				s.see(f, part, w)
				return s.plain.some(f, part, lo)
			}
			ok = s.some(f, part, lo, lo+vec.Lanes)
			if !begun {
				w = f.window(part.size)
			}
		}
		if begun {
			t := f.table(s.table)
			if t.size, t.to = part.size, w; !s.lasts(f) {
				t.flush()
			}
		}
		return ok
	})
}

// pays reports whether a table for a buffer pays: because of the elements of a part, or of those that were added before to a table that lasts
// for several blocks, since as many may follow.
func (s *sums) pays(f *frame, part *pointers, w window) bool {
	n := part.n
	if t := f.sums[s.table]; t != nil && s.lasts(f) {
		n += t.seen
	}
	return w.size > 0 && w.size <= mostSums && w.base%uint64(part.size) == 0 && uint64(n*part.size) >= sumsEach*w.size
}

// lasts reports whether the table lasts for several blocks.
func (s *sums) lasts(f *frame) bool { return s.late && f.watch == nil }

// see counts the elements of a part that are added otherwise.
func (s *sums) see(f *frame, part *pointers, w window) {
	if s.lasts(f) && w.size <= mostSums {
		f.table(s.table).seen += part.n
	}
}

// call adds elements of a part to the table, from an element on, and gives the element before which it ended.
func (s *sums) call(f *frame, part *pointers, w window, lo int) int {
	w.data = ptr(&f.table(s.table).sums)
	return s.code.throughPointers(s.fn, f, part, w, lo, unsafe.Add(f.mem, int(s.arg)+part.first*part.size))
}

// some adds elements lo to hi of a part to memory; false after a fault.
func (s *sums) some(f *frame, part *pointers, lo, hi int) bool { return part.eachOf(f, lo, hi, s.one) }

// table gives the table of an operation.
func (f *frame) table(i int) *sumTable {
	if f.sums[i] == nil {
		f.sums[i] = new(sumTable)
	}
	return f.sums[i]
}

// addLate adds to memory what is in tables.
func (f *frame) addLate() {
	for _, t := range f.sums {
		if t == nil {
			continue
		}
		if t.seen = 0; t.size > 0 {
			t.flush()
		}
	}
}

// flush adds the table to memory and clears it.
func (t *sumTable) flush() {
	bytes := int(t.to.size) + t.size - 1
	if t.size == 4 {
		for i, x := range slice[uint32](ptr(&t.sums), bytes/4) {
			if x != 0 {
				atomic.AddUint32((*uint32)(unsafe.Add(t.to.data, 4*i)), x)
			}
		}
	} else {
		for i, x := range slice[uint64](ptr(&t.sums), bytes/8) {
			if x != 0 {
				atomic.AddUint64((*uint64)(unsafe.Add(t.to.data, 8*i)), x)
			}
		}
	}
	clear(t.sums[:bytes])
	t.size, t.to, t.seen = 0, window{}, 0
}
