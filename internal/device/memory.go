package device

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/trace"
)

// Memory is a buffer of a device. It is freed by Close, or some time after the program dropped it.
type Memory struct {
	*memory
}

// memory is the part of a Memory that is kept until it is freed, even if nothing refers to the Memory any more.
type memory struct {
	dev *Device
	buf engine.Buffer

	counted *tally // among which memory it is

	busy sync.WaitGroup // transfers under way

	release func() // tells the owner of borrowed memory; nil for none
	others  bool   // the bytes are not the device's, and go back to their owner soon after the last use

	frozen atomic.Bool // nothing may write it any more; set under dev.mu

	// The records of uses, guarded by dev.mu.
	closed  bool
	born    int64   // how much memory the device had made before
	kept    int     // by so many graphs and captures: it is given back when they are gone
	unused  bool    // it is closed, and no transfer is under way
	written point   // the last write
	sources []point // work of other streams and devices on which the contents depend, the last of each
	read    []point // the reads since, the last of each stream
	copies  []mark  // of pinned memory: the last copy of each stream
	used    bool    // of pinned memory: the program has it, see [Pinned.Use]
}

// Device is the device that the memory belongs to.
func (m *memory) Device() *Device { return m.dev }

// Address is what a pointer to the first byte holds in a kernel.
func (m *memory) Address() uint64 { return m.buf.Address() }

// Foreign is what other libraries know the first byte by. It is an error where they know nothing of such memory.
func (m *memory) Foreign() (uintptr, error) {
	if b, ok := m.buf.(engine.Shared); ok {
		return b.Foreign(), nil
	}
	return 0, m.dev.lacks("give its memory to other libraries", func(engine.Device) bool {
		b, ok := m.buf.(engine.ShadowedBuffer)
		if ok {
			_, ok = b.Real().(engine.Shared)
		}
		return ok
	}, "copy the elements with Slice")
}

// Await waits for the work that is queued on the memory, so that others may read it, or write it where writes says so.
func (m *memory) Await(ctx context.Context, writes bool) error {
	s, from, err := m.begin(writes, false)
	if err != nil {
		return err
	}
	defer m.end(s)
	if err := s.wait(ctx); err != nil {
		return err
	}
	return from.failure(ctx)
}

// Size is the number of bytes.
func (m *memory) Size() int64 { return m.buf.Size() }

// Freeze ends writing: it waits for the writes that are queued, and every later one fails with [ErrFrozen]. The engine is told that the
// bytes do not change any more.
func (m *memory) Freeze(ctx context.Context) error {
	before := m.setFrozen(true) // first, so that no write follows the one that is waited for
	if err := m.Await(ctx, false); err != nil {
		m.setFrozen(before)
		return err
	}
	if f, ok := m.buf.(engine.Fixer); ok {
		f.Fix()
	}
	return nil
}

// Frozen reports whether Freeze was called.
func (m *memory) Frozen() bool { return m.frozen.Load() }

// setFrozen gives what it was before.
func (m *memory) setFrozen(frozen bool) bool {
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	return m.frozen.Swap(frozen)
}

// Closed reports whether Close was called, for the memory or its device.
func (m *memory) Closed() bool {
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	return m.closed || m.dev.closed
}

// Close gives the memory back when the work that is queued on it has ended, and when no graph keeps it; it does not wait for that.
func (m *memory) Close() error {
	m.dev.mu.Lock()
	if m.closed || m.dev.closed { // a closed device has freed it
		m.closed = true
		m.dev.mu.Unlock()
		return nil
	}
	m.closed = true
	m.dev.mu.Unlock()
	m.busy.Wait()
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	m.unused = true
	m.giveBack()
	return nil
}

// giveBack frees memory that is closed and that no graph keeps, when the work that is queued on it has ended. dev.mu is held.
func (m *memory) giveBack() {
	if m.dev.closed || !m.unused || m.kept > 0 {
		return
	}
	g := garbage{memory: m}
	for _, p := range append(m.read, m.written) {
		if p.passed() {
			continue
		}
		var event engine.Event
		if !p.stream.closing {
			event, _ = p.stream.eng.Record() // without one the memory is freed when somebody has waited for the stream, or with the device
		}
		g.after = append(g.after, mark{p, event})
	}
	m.dev.garbage = append(m.dev.garbage, g)
	m.dev.reap()
	if m.others {
		m.dev.returnsSoon(g)
	}
}

// note records a use. dev.mu is held.
func (m *memory) note(s *Stream, writes bool) {
	now := s.here()
	if writes {
		m.written = now
		m.read = m.read[:0]
		return
	}
	for i := range m.read {
		if m.read[i].stream == s {
			m.read[i] = now
			return
		}
	}
	m.read = append(slices.DeleteFunc(m.read, func(p point) bool { return p.stream.ended.Load() }), now)
}

// home is the stream for transfers: the one of the last write, so that a reader learns of its errors. dev.mu is held.
func (m *memory) home() *Stream {
	if s := m.written.stream; s != nil && !s.closing {
		return s
	}
	return m.dev.main
}

// begin prepares a transfer: it gives the stream, ordered after the work that the transfer conflicts with, and what the contents come from.
// all says that it writes all of the memory. end must be called.
func (m *memory) begin(writes, all bool) (*Stream, origin, error) {
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	if m.closed || m.dev.closed {
		return nil, origin{}, ErrClosed
	}
	if m.dev.captured(m) {
		return nil, origin{}, errCaptured
	}
	s := m.home()
	if err := s.enter(); err != nil {
		return nil, origin{}, err
	}
	if err := s.after(m, writes); err != nil {
		s.busy.Done()
		return nil, origin{}, err
	}
	from := m.origin()
	s.queued++
	if writes {
		m.transferred(s, all)
		m.besideCaptures()
	} else {
		m.note(s, false)
	}
	m.busy.Add(1)
	return s, from, nil
}

// transferred notes a write of all or a part of the memory, other than by a kernel.
func (m *memory) transferred(s *Stream, all bool) {
	s.found = s.found[:0]
	if !all {
		s.takes(m, true)
	}
	m.note(s, true)
	s.gives(m)
}

func (m *memory) end(s *Stream) {
	m.busy.Done()
	s.busy.Done()
}

// Read copies bytes to the program's memory after all writes that are queued.
func (m *memory) Read(ctx context.Context, dst []byte, offset int64) error {
	s, from, err := m.begin(false, false)
	if err != nil {
		return err
	}
	defer m.end(s)
	n := s.number()
	if s.dev.observed() {
		if err := s.waitTraced(ctx, "read"); err != nil {
			return err
		}
		defer s.dev.during(trace.Copy, "read", map[string]any{"bytes": len(dst)})()
	}
	if err := s.waited(ctx, n, s.eng.Read(ctx, dst, m.buf, offset)); err != nil {
		return err
	}
	return from.failure(ctx)
}

// Write copies bytes from the program's memory; src may be used again at once.
func (m *memory) Write(src []byte, offset int64) error {
	s, _, err := m.begin(true, offset == 0 && int64(len(src)) == m.Size())
	if err != nil {
		return err
	}
	defer m.end(s)
	if s.dev.observed() {
		defer s.dev.during(trace.Copy, "write", map[string]any{"bytes": len(src)})()
	}
	err = s.eng.Write(m.buf, offset, src)
	m.wrote(s)
	return err
}

// wrote notes that a transfer was queued, behind what other goroutines have queued since begin.
func (m *memory) wrote(s *Stream) {
	if s.numbers == nil {
		return
	}
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	if m.written.stream == s {
		m.written.at = s.numbers.Queued()
	}
}

// Mapped reports whether the program can access the bytes themselves: Map is possible.
func (m *memory) Mapped() bool { return m.buf.Host() != nil }

// Map waits for the work that is queued on the memory and hands its bytes to f, which may write them where writes says so. A trace has how many bytes
// f copies.
func (m *memory) Map(ctx context.Context, writes bool, bytes int, f func([]byte)) error {
	s, from, err := m.begin(writes, int64(bytes) == m.Size())
	if err != nil {
		return err
	}
	defer m.end(s)
	if !s.dev.observed() {
		if err := s.wait(ctx); err != nil {
			return err
		}
	} else {
		name := "read"
		if writes {
			name = "write"
		}
		if err := s.waitTraced(ctx, name); err != nil {
			return err
		}
		defer s.dev.during(trace.Copy, name, map[string]any{"bytes": bytes})()
	}
	if !writes {
		if err := from.failure(ctx); err != nil {
			return err
		}
	}
	f(m.buf.Host())
	return nil
}

// copiedFrom notes a copy to all or a part of the memory.
func (m *memory) copiedFrom(s *Stream, src *memory, all bool) {
	s.found = s.found[:0]
	s.takes(src, false)
	if !all {
		s.takes(m, true)
	}
	s.follows()
	m.note(s, true)
	s.gives(m)
}

// Copy queues a copy from another memory of the device, or from another part of m that does not overlap.
func (m *memory) Copy(offset int64, src *Memory, srcOffset, bytes int64) error {
	m.dev.mu.Lock()
	defer m.dev.mu.Unlock()
	if m.closed || src.closed || m.dev.closed {
		return ErrClosed
	}
	if len(m.dev.captures) > 0 {
		if captured, err := m.captureCopy(offset, src, srcOffset, bytes); captured || err != nil {
			return err
		}
	}
	s := m.home()
	for _, err := range []error{s.after(m, true), s.after(src.memory, false)} {
		if err != nil {
			return err
		}
	}
	from := s.traceBegin()
	if err := s.eng.Copy(m.buf, offset, src.buf, srcOffset, bytes); err != nil {
		traceNone(from)
		return err
	}
	if from != nil {
		s.traceEnd(from, trace.Copy, "copy", map[string]any{"bytes": bytes})
	}
	s.queued++
	m.copiedFrom(s, src.memory, offset == 0 && bytes == m.Size())
	src.note(s, false)
	return nil
}
