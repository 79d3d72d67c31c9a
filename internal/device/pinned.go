package device

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/trace"
)

// Pinned is memory of the host, between which and other memory a device copies while the program goes on. It takes part in the order of work
// like any other memory. Where the device has none it is memory of Go, and copies are as those of other memory of the program.
type Pinned struct {
	*Memory
	plain bool // it is memory of Go
}

// The errors of what the program does with pinned memory at the wrong time.
var (
	errUsed        = errors.New("the program uses the pinned memory, as a function that Use has called has not returned")
	errNoPinned    = errors.New("the device has no pinned memory, so that copies with it cannot be captured: copy before the graph is replayed")
	errPinnedInUse = fmt.Errorf("it cannot be closed: %w", errUsed)
)

// AllocPinned makes pinned memory of zeros.
func (d *Device) AllocPinned(bytes int64) (*Pinned, error) {
	p, bytes := &Pinned{}, max(bytes, 1)
	m, err := d.obtain(kind{&d.counts.pinned, d.limits.Pinned, "pinned memory", "Pinned"}, bytes, func() (engine.Buffer, error) {
		if eng, ok := d.eng.(engine.Pinning); ok {
			buf, err := eng.AllocHost(bytes)
			if !errors.Is(err, errors.ErrUnsupported) {
				return buf, err
			}
		}
		p.plain = true
		return plainBuffer(make([]byte, bytes)), nil
	})
	p.Memory = m
	return p, err
}

// plainBuffer is memory of Go. It implements [engine.Buffer].
type plainBuffer []byte

func (b plainBuffer) Size() int64     { return int64(len(b)) }
func (b plainBuffer) Address() uint64 { return 0 }
func (b plainBuffer) Host() []byte    { return b }
func (b plainBuffer) Free() error     { return nil }

// Copy queues a copy between the pinned memory and memory of its device, after all work, on any stream, that it conflicts with: from the pinned
// memory, or to it where out says so. A stream that captures makes it part of its graph. Without pinned memory it waits where it has to, for as
// long as ctx lasts.
func (p *Pinned) Copy(ctx context.Context, s *Stream, m *Memory, offset, bytes int64, out bool) error {
	to, from := &copied{dst: m.buf, src: p.buf, dstOffset: offset, n: bytes}, "copy from pinned memory"
	if out {
		to, from = &copied{dst: p.buf, src: m.buf, srcOffset: offset, n: bytes}, "copy to pinned memory"
	}
	if p.plain {
		return p.copyPlain(ctx, s, m, offset, bytes, out)
	}
	uses := []Use{{Memory: p.Memory, Writes: out}, {Memory: m, Writes: !out}}
	d := s.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	w := work{copies: to}
	switch {
	case p.closed:
		return ErrClosed
	case p.used:
		return errUsed
	case s.capture != nil:
		return s.capture.add(s.capture.branchOf(s), w, uses)
	case d.captured(p.memory) || d.captured(m.memory):
		return errCaptured
	}
	if err := s.begin(uses); err != nil {
		return err
	}
	begun := s.traceBegin()
	if err := w.queue(s.eng); err != nil {
		traceNone(begun)
		return err
	}
	if begun != nil {
		s.traceEnd(begun, trace.Copy, from, map[string]any{"bytes": bytes})
	}
	s.noteAll(uses)
	p.copiedBy(s)
	return nil
}

// copiedBy marks the end of a copy, so that Use need not wait for what is queued behind it. dev.mu is held.
func (m *memory) copiedBy(s *Stream) {
	event, err := s.eng.Record()
	if err != nil {
		event = nil // Use waits for the stream
	}
	m.copies = slices.DeleteFunc(m.copies, func(c mark) bool {
		if c.stream != s && !c.stream.ended.Load() {
			return false
		}
		c.close()
		return true
	})
	m.copies = append(m.copies, mark{s.here(), event})
}

func (m mark) close() {
	if m.event != nil {
		m.event.Close()
	}
}

// forgetCopies frees the events of memory that is freed. dev.mu is held.
func (m *memory) forgetCopies() {
	for _, c := range m.copies {
		c.close()
	}
	m.copies = nil
}

// copyPlain copies with memory of Go.
func (p *Pinned) copyPlain(ctx context.Context, s *Stream, m *Memory, offset, bytes int64, out bool) error {
	p.dev.mu.Lock()
	captures, used, closed, wrong := s.capture != nil, p.used, p.closed || s.refuses(), usable(&Use{Memory: m, Writes: !out})
	p.dev.mu.Unlock()
	switch {
	case wrong != nil:
		return wrong
	case used:
		return errUsed
	case closed:
		return ErrClosed
	case captures:
		return errNoPinned
	case out:
		return m.Read(ctx, p.buf.Host()[:bytes], offset)
	}
	return m.Write(p.buf.Host()[:bytes], offset)
}

// Use waits for the copies that are queued and calls f with the bytes. Until f returns, other uses of the memory are errors, and Close of the
// device waits.
func (p *Pinned) Use(ctx context.Context, f func([]byte) error) error {
	if err := p.dev.enter(); err != nil {
		return err
	}
	defer p.dev.busy.Done()
	points, from, err := p.claim()
	if err != nil {
		return err
	}
	defer p.unclaim()
	for _, m := range points {
		if err := m.await(ctx, p.dev); err != nil {
			return err
		}
	}
	if err := p.failed(ctx, from); err != nil {
		return err
	}
	return f(p.buf.Host())
}

// claim gives the memory to the program, once it has waited for the work that is returned, and if what the contents come from has not failed.
func (p *Pinned) claim() (waits []mark, from origin, err error) {
	p.dev.mu.Lock()
	defer p.dev.mu.Unlock()
	switch {
	case p.closed:
		return nil, origin{}, ErrClosed
	case p.used:
		return nil, origin{}, errUsed
	case p.dev.captured(p.memory):
		return nil, origin{}, errCaptured
	}
	p.used = true
	for _, at := range append(slices.Clone(p.read), p.written) {
		if at.passed() {
			continue
		}
		i := slices.IndexFunc(p.copies, func(c mark) bool { return c.stream == at.stream && c.number >= at.number })
		if i >= 0 {
			waits = append(waits, p.copies[i])
		} else { // a graph has copied
			waits = append(waits, mark{point: at})
		}
	}
	return waits, p.origin(), nil
}

func (p *Pinned) unclaim() {
	p.dev.mu.Lock()
	defer p.dev.mu.Unlock()
	p.used = false
}

// await waits for the work before the mark, and for later work of the stream where there is no event.
func (m mark) await(ctx context.Context, d *Device) error {
	if d.observed() {
		defer d.during(trace.Wait, "pinned memory", nil)()
	}
	if m.event != nil {
		return m.event.Wait(ctx)
	}
	d.mu.Lock()
	if m.passed() {
		d.mu.Unlock()
		return nil
	}
	err := m.stream.enter()
	d.mu.Unlock()
	if err != nil {
		return err
	}
	defer m.stream.busy.Done()
	return m.stream.wait(ctx)
}

// failed gives the error of work that has failed, from which the contents come. It is told once, as the program writes the memory in Use. All
// copies to it have ended.
func (p *Pinned) failed(ctx context.Context, from origin) error {
	err := from.failure(ctx)
	if err == nil || ctx.Err() == nil {
		p.dev.mu.Lock()
		defer p.dev.mu.Unlock()
		p.written, p.sources = point{}, p.sources[:0]
	}
	return err
}

// Close gives the memory back when the copies that are queued have ended; it does not wait for that.
func (p *Pinned) Close() error {
	p.dev.mu.Lock()
	used := p.used && !p.closed && !p.dev.closed
	p.dev.mu.Unlock()
	if used {
		return errPinnedInUse
	}
	return p.Memory.Close()
}
