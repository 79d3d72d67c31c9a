package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
)

// This file does what a segment needs that loads through pointers: it finds the buffer of the address that the pointers count from, and says
// which element is the fault where one is not in it.

// lookThrough finds the memory of each operand that is reached through pointers.
func (r *segmentRun) lookThrough(f *frame) {
	for _, i := range r.reach {
		from := *at[uint64](f, r.places[i].off)
		w := f.windowOf(from, r.Operands[i].Bytes)
		*r.reached(f, i) = nest.Reach{Origin: from, Base: w.base, Size: w.size, Data: uint64(uintptr(w.data))}
	}
	if len(r.reach) > 0 {
		clear(r.noteIn(f))
	}
}

// reached is where the memory of an operand is said.
func (r *segmentRun) reached(f *frame, i int) *nest.Reach {
	return (*nest.Reach)(unsafe.Add(f.scratch, r.places[i].room))
}

// noteIn is the note of missed elements.
func (r *segmentRun) noteIn(f *frame) []uint64 {
	return slice[uint64](unsafe.Add(f.scratch, r.note), nest.MissWords)
}

// windowOf is where elements of a size may begin in the buffer that an address belongs to.
func (f *frame) windowOf(address uint64, elem int) window {
	if f.allocation(address) == nil {
		return window{}
	}
	return f.window(elem)
}

// missed is the fault of an element that a note has; there is none without one.
func (s *nativeSegment) missed(f *frame, note []uint64) signal {
	m, ok := s.Miss(note)
	if !ok {
		return sigNext
	}
	t := tileType(m.Op.Results[0])
	p := pointers{op: m.Op, elem: t.Elem, size: t.Elem.Bytes()}
	address := moved(*at[uint64](f, s.origins[m.Op]), m.Offset, int64(p.size))
	if _, ok := p.find(f, m.Elem, address); ok {
		f.fail(m.Op, "element %d: offset %d is in an allocation, but machine code takes offsets of 32 bits only below 2^31-16; "+
			"offsets of 64 bits and CUTILE_CPU=interpreter have no such limit", m.Elem, m.Offset)
	}
	return sigFault
}
