package cpu

import (
	"slices"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
)

// memoryPlace is where an operand of a segment lies in memory while it runs.
type memoryPlace struct {
	region
	base   ptr // of the first row
	stride int
	late   bool // it is in scratch, and is stored when the function has run
}

// settle decides where the tile of a load or store is while the function runs: in memory itself, where all of it is there
// and its rows have one distance, else in scratch.
func (r *segmentRun) settle(f *frame, st *segmentStep, m *memoryPlace) {
	pl := &r.places[st.operand]
	var ok bool
	m.base, m.stride, ok = st.access.rows(&m.region, r.Rows, r.Cols)
	if m.late = !ok; m.late {
		m.base, m.stride = unsafe.Add(f.scratch, pl.room), pl.stride
		if r.Operands[st.operand].Role == nest.Loaded {
			st.access.fetch(f, &m.region, m.base)
		}
	}
}

// rows gives the address of a region's first element and the bytes from a row to the next, if it is a whole tile with rows
// of adjacent elements at one distance.
func (a *access) rows(r *region, rows, cols int) (base ptr, stride int, ok bool) {
	if !r.whole || r.empty || a.sparse >= 0 || a.halves {
		return nil, 0, false
	}
	base = unsafe.Add(r.memory, (r.zero+a.firstElement(r))*a.size)
	if a.dense1(r) {
		return base, cols * a.size, true
	}
	last := len(a.tile) - 1
	if k := a.order[last]; a.tile[k] != cols || r.stride[k] != 1 {
		return nil, 0, false
	}
	step, n := 0, 1
	for _, i := range slices.Backward(a.order[:last]) {
		switch {
		case a.tile[i] == 1:
			continue
		case n == 1:
			step = r.stride[i]
		case r.stride[i] != n*step:
			return nil, 0, false
		}
		n *= a.tile[i]
	}
	return base, step * a.size, n == rows
}

// separate makes sure that stores do not change what the function still reads, or what another store writes. Several stores
// happen one after the other at the end, unless all of them can be done in place and apart from each other. Loads from
// where a store goes are brought to scratch. A load of exactly the stored elements may stay where all is done in one pass.
func (r *segmentRun) separate(f *frame) {
	if r.storesMeet(f) {
		for _, i := range r.stores {
			m := &f.places[i]
			m.late, m.base, m.stride = true, unsafe.Add(f.scratch, r.places[i].room), r.places[i].stride
		}
		return
	}
	for _, i := range r.stores {
		m := &f.places[i]
		if m.late {
			continue
		}
		for k := range r.Operands {
			o := &f.places[k]
			if r.Operands[k].Role != nest.Loaded || o.late || !r.meet(m, o, i, k) {
				continue
			}
			if o.base != m.base || o.stride != m.stride || r.Passes() > 1 || r.Operands[k].Bytes != r.Operands[i].Bytes {
				r.rescue(f, o, k)
			}
		}
	}
}

// storesMeet reports whether some of several stores overlap, or cannot be done in place.
func (r *segmentRun) storesMeet(f *frame) bool {
	if len(r.stores) < 2 {
		return false
	}
	for n, i := range r.stores {
		if f.places[i].late {
			return true
		}
		for _, k := range r.stores[:n] {
			if r.meet(&f.places[i], &f.places[k], i, k) {
				return true
			}
		}
	}
	return false
}

// meet reports whether two operands in memory overlap.
func (r *segmentRun) meet(a, b *memoryPlace, i, k int) bool {
	from, bytes := r.extent(a, i)
	at, n := r.extent(b, k)
	return overlap(from, bytes, at, n)
}

// extent is the memory of an operand, from its lowest byte on.
func (r *segmentRun) extent(m *memoryPlace, i int) (ptr, uintptr) {
	row := r.Cols * r.Operands[i].Bytes
	span := (r.Rows - 1) * m.stride
	if span < 0 {
		return unsafe.Add(m.base, span), uintptr(row - span)
	}
	return m.base, uintptr(row + span)
}

// rescue copies the tile of a load to scratch.
func (r *segmentRun) rescue(f *frame, m *memoryPlace, i int) {
	row, to := r.Cols*r.Operands[i].Bytes, unsafe.Add(f.scratch, r.places[i].room)
	for k := range r.Rows {
		f.copyInParts(unsafe.Add(to, k*row), unsafe.Add(m.base, k*m.stride), row)
	}
	m.base, m.stride, m.late = to, row, true
}
