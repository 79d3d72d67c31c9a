package device

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/trace"
)

// Stream is a queue of work of a device. Its methods may be called from several goroutines.
type Stream struct {
	dev  *Device
	eng  engine.Stream
	busy sync.WaitGroup // calls that wait in the engine

	gaveUp  atomic.Bool // a wait ended before the work did
	dropped atomic.Bool // Drop was called

	reached atomic.Uint64          // the work up to that number was done, as somebody who waited knows
	synced  atomic.Uint64          // of the work up to that number, whoever called Sync knows whether it failed
	ended   atomic.Bool            // all work has ended
	broken  atomic.Pointer[broken] // with ended: the error of the work; nil for none
	numbers engine.Numbered        // eng, if it is one

	awaited  []engine.Event // behind which memory of others goes back to them; guarded by dev.mu
	awaiting bool           // a goroutine waits for the first of them; guarded by dev.mu
	trace    streamTrace

	// The records of uses, guarded by dev.mu.
	queued  uint64   // how many pieces of work were queued
	seen    []point  // for other streams: what was queued up to there has ended before what is queued here from now on
	capture *capture // keeps the work that is queued; nil while nothing is captured
	closing bool     // Close was called: end is where the stream ends
	end     engine.Event
	endErr  error         // why there is no end
	closed  chan struct{} // closed when Close has ended

	stretch *engine.Stretch // of the work that is queued next
	found   []point         // the sources of the work that is being queued
	sources []point         // and of all work that nobody has waited for
}

// point is a point in a stream's queue: after the work of that number.
type point struct {
	stream  *Stream
	number  uint64
	stretch *engine.Stretch // nil where the engine has none
	at      uint64          // the number of that work for the engine
}

// NewStream makes a queue of work.
func (d *Device) NewStream() (*Stream, error) {
	defer d.tracer.flush()
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
	s.numbers, _ = eng.(engine.Numbered)
	s.look()
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

// Sync waits until everything queued has ended and gives the first error of it, or else of other streams' work on which it depends.
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
	return s.waitAll(ctx, func(ctx context.Context) error {
		if s.dev.observed() {
			return s.waitTraced(ctx, "Sync")
		}
		return s.wait(ctx)
	})
}

// waitTraced is wait, for a trace in which it is apart from what comes then.
func (s *Stream) waitTraced(ctx context.Context, name string) error {
	defer s.dev.during(trace.Wait, name, nil)()
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
		} else if s.dropped.Load() {
			go s.drop() // which has waited for somebody who is told of the error
		}
		return err // a stream that failed may not have come to the end
	}
	defer s.dev.tracer.flush()
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	raise(&s.reached, number)
	s.traceRuns()
	if !s.dev.closed {
		s.dev.reap()
	}
	return nil
}

// passed reports whether the work at a point has ended, as far as is known without asking the engine. dev.mu is held.
func (p point) passed() bool {
	return p.stream == nil || p.stream.ended.Load() || p.number <= p.stream.reached.Load()
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
	return s.close()
}

// close is Close of a stream that is open. dev.mu is held, and is not any more when close returns.
func (s *Stream) close() error {
	defer s.dev.tracer.flush()
	defer close(s.closed)
	last, err := s.eng.Record()
	if err != nil {
		last = nil // nobody can wait for the work before it has ended, which is waited for here
	}
	s.closing, s.end, s.endErr = true, last, err
	s.dev.mu.Unlock()
	end := s.stopLate() // those that are waited for wait for the work
	s.busy.Wait()
	end()
	failed := s.finish()
	if failed != nil {
		s.broken.Store(&broken{failed})
	}
	s.synced.Store(math.MaxUint64)
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	s.endTrace()
	s.ended.Store(true)
	s.dev.streams = slices.DeleteFunc(s.dev.streams, func(other *Stream) bool { return other == s })
	if last != nil {
		last.Close()
	}
	if err := s.eng.Close(); failed == nil {
		failed = err
	}
	if failed == nil {
		failed = firstError(s.sources)
	}
	if !s.dev.closed {
		s.dev.reap()
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
	_, taken := s.takeSources()
	if err := s.finish(); err != nil {
		return err
	}
	return firstError(taken)
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
	n := s.number()
	err := s.eng.Wait(context.Background())
	raise(&s.synced, n)
	return err
}
