package cpu

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/lane"
)

// Wrap implements engine.Wrapper. The buffer keeps the bytes reachable until it is freed.
func (d *Device) Wrap(data []byte) (engine.Buffer, error) {
	if len(data) == 0 {
		return d.Alloc(0)
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	if err := wrapped.add(span{first, first + uintptr(len(data)), d}); err != nil {
		return nil, err
	}
	b, err := d.table.wrap(d, data)
	if err != nil {
		wrapped.remove(first)
		return nil, err
	}
	return b, nil
}

// Borrow implements [engine.Borrower].
func (d *Device) Borrow(address uintptr, bytes int64) (engine.Buffer, error) {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&address)) // memory that is not Go's
	return d.Wrap(unsafe.Slice((*byte)(p), bytes))
}

// Foreign implements [engine.Shared].
func (b *Buffer) Foreign() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b.Host()))) }

// wrap makes a buffer of bytes. Its address tells how they are aligned, as that of other buffers does.
func (t *bufferTable) wrap(owner *Device, data []byte) (*Buffer, error) {
	if int64(len(data)) >= lane.FarBytes {
		return nil, fmt.Errorf("cpu: a buffer has between 0 and 2^%d bytes, not %d", offsetBits-2, len(data))
	}
	b := &Buffer{data: ptr(unsafe.SliceData(data)), keep: data, size: int64(len(data)), owner: owner, wrapped: true}
	t.mu.Lock()
	defer t.mu.Unlock()
	id, err := t.number()
	if err != nil {
		return nil, err
	}
	b.base = id<<offsetBits + offsetBias + uint64(uintptr(b.data)&(bufferAlign-1))
	t.put(id, b)
	return b, nil
}

// wrapped are the parts of the program's memory that buffers are made of, on any CPU device.
var wrapped spans

// spans are parts of memory that do not overlap, in order.
type spans struct {
	mu  sync.Mutex
	all []span
}

type span struct {
	first, end uintptr
	owner      *Device
}

// add adds a part, which must not overlap another one.
func (s *spans) add(part span) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, found := s.search(part.first)
	if found || i > 0 && s.all[i-1].end > part.first || i < len(s.all) && s.all[i].first < part.end {
		return errors.New("a part of this memory is wrapped by a tensor already: close that one first")
	}
	s.all = slices.Insert(s.all, i, part)
	return nil
}

// remove removes the part that begins at first.
func (s *spans) remove(first uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, found := s.search(first); found {
		s.all = slices.Delete(s.all, i, i+1)
	}
}

// removeOf removes the parts of a device that is closed.
func (s *spans) removeOf(d *Device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(part span) bool { return part.owner == d })
}

func (s *spans) search(first uintptr) (int, bool) {
	return slices.BinarySearchFunc(s.all, first, func(a span, first uintptr) int {
		switch {
		case a.first < first:
			return -1
		case a.first > first:
			return 1
		}
		return 0
	})
}
