package tileblas

import (
	"slices"
	"sync"
	"unsafe"
)

// inUse is the memory that calls of this package have wrapped, on any device. cutile.Wrap refuses memory of which a part is
// wrapped already, but runs the garbage collector before it does so: calls look here first, and copy such a matrix.
var inUse spans

// spans are parts of memory that do not overlap, in no order. There are as many as running calls have operands: few.
type spans struct {
	mu  sync.Mutex
	all []span
}

type span struct{ first, end uintptr }

// spanOf is the memory of a slice that has elements.
func spanOf[E float](data []E) span {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	return span{first, first + uintptr(len(data))*unsafe.Sizeof(data[0])}
}

// take notes memory, unless a part of it is noted.
func (s *spans) take(x span) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.all, func(y span) bool { return x.first < y.end && y.first < x.end }) {
		return false
	}
	s.all = append(s.all, x)
	return true
}

// leave forgets memory that was noted.
func (s *spans) leave(x span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.all, x)
	s.all[i] = s.all[len(s.all)-1]
	s.all = s.all[:len(s.all)-1]
}
