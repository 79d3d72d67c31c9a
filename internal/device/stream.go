package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// Stream is a queue of work of a device. Its methods may be called from several goroutines.
type Stream struct {
	dev  *Device
	eng  engine.Stream
	busy sync.WaitGroup // calls that wait in the engine

	gaveUp atomic.Bool // a wait ended before the work did
	trace  streamTrace

	// The records of uses, guarded by dev.mu.
	queued  uint64   // how many pieces of work were queued
	reached uint64   // the work up to that number has ended, as somebody who waited knows
	seen    []point  // for other streams: what was queued up to there has ended before what is queued here from now on
	capture *capture // keeps the work that is queued; nil while nothing is captured
	closing bool     // Close was called: end is where the stream ends
	end     engine.Event
	ended   bool          // all work has ended
	closed  chan struct{} // closed when Close has ended
}

// point is a point in a stream's queue: after the work of that number.
type point struct {
	stream *Stream
	number uint64
}

// NewStream makes a queue of work.
func (d *Device) NewStream() (*Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	eng, err := d.eng.NewStream()
	if err != nil {
		return nil, err
	}
	s := &Stream{dev: d, eng: eng, closed: make(chan struct{})}
	if err := s.startTrace(); err != nil {
		return nil, errors.Join(err, eng.Close())
	}
	d.streams = append(d.streams, s)
	return s, nil
}

// Device is the device that the stream belongs to.
func (s *Stream) Device() *Device { return s.dev }

// refuses reports whether the stream takes no more work: it is being closed, or the device is, which stops all streams once. dev.mu is
// held.
func (s *Stream) refuses() bool { return s.closing || s.dev.closed }

// enter notes a call that waits in the engine, so that Close waits for it; s.busy.Done ends it. dev.mu is held.
func (s *Stream) enter() error {
	if s.refuses() {
		return ErrClosed
	}
	s.busy.Add(1)
	return nil
}

// Sync waits until everything queued has ended and gives the first error of it.
func (s *Stream) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.dev.mu.Lock()
	if s.capture != nil {
		s.dev.mu.Unlock()
		return errCapturing
	}
	err := s.enter()
	s.dev.mu.Unlock()
	if err != nil {
		return err
	}
	return s.sync(ctx)
}

// sync is Sync of a stream that was entered.
func (s *Stream) sync(ctx context.Context) error {
	defer s.busy.Done()
	if t := s.dev.tracer; t != nil {
		defer t.span("wait", "Sync", nil)()
	}
	return s.wait(ctx)
}

// wait waits for everything queued.
func (s *Stream) wait(ctx context.Context) error {
	n := s.number()
	return s.waited(ctx, n, s.eng.Wait(ctx))
}

// number is that of the last work that was queued.
func (s *Stream) number() uint64 {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	return s.queued
}

// waited notes that a wait for work up to a number has ended: memory that was closed is freed then. If the wait was given up,
// [Stream.Close] stops what still runs, where the engine can.
func (s *Stream) waited(ctx context.Context, number uint64, err error) error {
	if err != nil {
		if ctx.Err() != nil {
			s.gaveUp.Store(true)
		}
		return err // a stream that failed may not have come to the end
	}
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	s.reached = max(s.reached, number)
	s.traceRuns()
	if !s.dev.closed {
		s.dev.reap()
	}
	return nil
}

// passed reports whether the work at a point has ended, as far as is known without asking the engine. dev.mu is held.
func (p point) passed() bool {
	return p.stream == nil || p.stream.ended || p.number <= p.stream.reached
}

// Use says how work uses a memory.
type Use struct {
	Memory *Memory
	Writes bool
}

// Launch queues a kernel after all work, on any stream, whose memory it uses. It does not allocate as long as the
// memories stay with one stream.
func (s *Stream) Launch(k engine.Kernel, grid [3]uint32, args []uint64, uses []Use) error {
	return s.LaunchChecked(k, grid, args, uses, nil)
}

// LaunchChecked is Launch of a kernel that is watched as w says, where the engine can: nil for not at all.
func (s *Stream) LaunchChecked(k engine.Kernel, grid [3]uint32, args []uint64, uses []Use, w *engine.Watch) error {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if s.capture != nil {
		return s.capture.add(work{kernel: k, grid: grid, args: slices.Clone(args), watch: w}, uses)
	}
	if err := s.begin(uses); err != nil {
		return err
	}
	from := s.traceBegin()
	if err := launch(s.eng, k, grid, args, w); err != nil {
		return err
	}
	if from != nil {
		s.traceEnd(from, "kernel", s.dev.tracer.kernelName(k), map[string]any{"grid": grid})
	}
	s.noteAll(uses)
	s.dev.counts.launches.Add(1)
	return nil
}

func launch(on engine.Stream, k engine.Kernel, grid [3]uint32, args []uint64, w *engine.Watch) error {
	if w != nil {
		if c, ok := on.(engine.Checking); ok {
			return c.LaunchChecked(k, grid, args, w)
		}
	}
	return on.Launch(k, grid, args)
}

// LaunchSIMT queues a kernel of the SIMT level, in the same order. Its buffers are those of uses.
func (s *Stream) LaunchSIMT(k engine.Kernel, l engine.SIMTLaunch, uses []Use) error {
	eng, ok := s.eng.(engine.SIMTStream)
	if !ok {
		return fmt.Errorf("device %s does not run kernels of package cute", s.dev.eng.Name())
	}
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	l.Buffers = nil
	for i := range uses {
		l.Buffers = append(l.Buffers, uses[i].Memory.buf)
	}
	if s.capture != nil {
		l.Args, l.Bytes = slices.Clone(l.Args), cloned(l.Bytes)
		return s.capture.add(work{kernel: k, simt: &l}, uses)
	}
	if err := s.begin(uses); err != nil {
		return err
	}
	from := s.traceBegin()
	if err := eng.LaunchSIMT(k, l); err != nil {
		return err
	}
	if from != nil {
		s.traceEnd(from, "kernel", s.dev.tracer.kernelName(k), map[string]any{"grid": l.Grid})
	}
	s.noteAll(uses)
	s.dev.counts.launches.Add(1)
	return nil
}

// begin makes the stream wait for the work that the next work conflicts with. dev.mu is held.
func (s *Stream) begin(uses []Use) error {
	if s.refuses() {
		return ErrClosed
	}
	for i := range uses {
		if uses[i].Memory.closed {
			return ErrClosed
		}
		if err := s.after(uses[i].Memory.memory, uses[i].Writes); err != nil {
			return err
		}
	}
	return nil
}

// noteAll records the uses of work that was queued. dev.mu is held.
func (s *Stream) noteAll(uses []Use) {
	s.queued++
	for i := range uses {
		uses[i].Memory.note(s, uses[i].Writes)
	}
}

// after makes work queued from now on wait for the work of other streams on a memory that it conflicts with: the last
// write, and for a write the reads since then. It refuses writes to frozen memory. dev.mu is held.
func (s *Stream) after(m *memory, writes bool) error {
	if writes && m.frozen.Load() {
		return ErrFrozen
	}
	if err := s.afterPoint(m.written); err != nil || !writes {
		return err
	}
	for _, read := range m.read {
		if err := s.afterPoint(read); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) afterPoint(p point) error {
	if p.passed() || p.stream == s {
		return nil
	}
	at := slices.IndexFunc(s.seen, func(q point) bool { return q.stream == p.stream })
	if at >= 0 && s.seen[at].number >= p.number {
		return nil
	}
	if err := p.stream.lead(s); err != nil {
		return err
	}
	s.saw(point{p.stream, p.stream.queued})
	return nil
}

// lead makes another stream wait for everything queued on s.
func (s *Stream) lead(other *Stream) error {
	if s.closing {
		return other.eng.WaitEvent(s.end)
	}
	e, err := s.eng.Record()
	if err != nil {
		return err
	}
	if err := other.eng.WaitEvent(e); err != nil {
		return err
	}
	return e.Close()
}

// saw notes that a point of another stream comes before what is queued from now on. Streams that have ended are
// forgotten.
func (s *Stream) saw(p point) {
	s.seen = slices.DeleteFunc(s.seen, func(q point) bool { return q.stream.ended })
	for i := range s.seen {
		if s.seen[i].stream == p.stream {
			s.seen[i].number = max(s.seen[i].number, p.number)
			return
		}
	}
	s.seen = append(s.seen, p)
}

// Close waits for everything queued and frees the stream. It gives the error of the work, if there was one. An engine that
// can stops work that takes longer than Limits.Close, or at once where a wait was given up, as for a kernel that never ends.
func (s *Stream) Close() error {
	s.dev.mu.Lock()
	if s.closing {
		s.dev.mu.Unlock()
		<-s.closed // who calls may free what the work uses
		return nil
	}
	defer close(s.closed)
	last, err := s.eng.Record()
	if err != nil {
		last = nil // the stream is broken; what waits for it need not
	}
	s.closing, s.end, s.ended = true, last, last == nil
	s.dev.mu.Unlock()
	end := s.stopLate() // those that are waited for wait for the work
	s.busy.Wait()
	end()
	failed := s.finish()
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	s.endTrace()
	s.ended = true
	s.dev.streams = slices.DeleteFunc(s.dev.streams, func(other *Stream) bool { return other == s })
	if last != nil {
		last.Close()
	}
	if err := s.eng.Close(); failed == nil {
		failed = err
	}
	return failed
}

// Finish is [Stream.Close] for a stream that stays.
func (s *Stream) Finish() error {
	s.dev.mu.Lock()
	err := s.enter()
	s.dev.mu.Unlock()
	if err != nil {
		return err
	}
	defer s.busy.Done()
	return s.finish()
}

// Stops reports whether [Stream.Finish] ends work that never ends by itself.
func (s *Stream) Stops() bool {
	_, ok := s.eng.(engine.Stopping)
	return ok
}

// stopLate stops the work when the time of Close has passed, or now if a wait was given up, where the engine can do that; not any more
// after end has returned.
func (s *Stream) stopLate() (end func() bool) {
	eng, ok := s.eng.(engine.Stopping)
	if !ok {
		return func() bool { return false }
	}
	wait := s.dev.limits.Close
	if s.gaveUp.Load() {
		wait = 0
	}
	return limit.After(wait, eng.Stop)
}

// finish waits for the work within the time that Close has.
func (s *Stream) finish() error {
	defer s.stopLate()()
	defer s.gaveUp.Store(false)
	return s.eng.Wait(context.Background())
}
