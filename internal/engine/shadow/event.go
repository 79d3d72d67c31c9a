package shadow

import (
	"context"
	"fmt"
	"sync"

	"github.com/cutile-go/cutile/internal/engine"
)

// event implements [engine.Event]. It happens when the work before it has ended, on the device as well as on the CPU.
type event struct {
	d    *device
	done chan struct{}

	mu     sync.Mutex
	real   engine.Event // nil until it has happened, after an error, and once it is closed
	err    error        // of the device
	closed bool
}

// Record implements [engine.Stream].
func (s *stream) Record() (engine.Event, error) {
	e := &event{d: s.d, done: make(chan struct{})}
	err := s.push(work{always: true, do: func(context.Context) error {
		real, err := s.real.Record()
		if err == nil {
			err = real.Wait(context.Background())
		}
		e.happened(real, err)
		return nil // those that wait for the event, or for work, are told of the error
	}})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// happened ends the waits for the event.
func (e *event) happened(real engine.Event, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
	if e.closed && real != nil {
		real.Close()
	} else {
		e.real = real
	}
	close(e.done)
}

// WaitEvent implements [engine.Stream].
func (s *stream) WaitEvent(e engine.Event) error {
	own, ok := e.(*event)
	if !ok {
		return fmt.Errorf("%s: the event belongs to another engine", s.d.Name())
	}
	return s.push(work{always: true, do: func(ctx context.Context) error {
		select {
		case <-own.done:
			return nil
		case <-ctx.Done():
			return stopped("unknown")
		}
	}})
}

// Wait implements [engine.Event].
func (e *event) Wait(ctx context.Context) error {
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done implements [engine.Event].
func (e *event) Done() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// Elapsed implements [engine.Event].
func (e *event) Elapsed(since engine.Event) (int64, error) {
	from, ok := since.(*event)
	if !ok || from.d != e.d {
		return 0, fmt.Errorf("%s: elapsed: the other event belongs to another device", e.d.Name())
	}
	a, b := from.happenedAt(), e.happenedAt()
	if a == nil || b == nil {
		return 0, fmt.Errorf("%s: elapsed: an event is not done yet, or closed: wait for both", e.d.Name())
	}
	return b.Elapsed(a)
}

// happenedAt is the event of the device; nil if there is none.
func (e *event) happenedAt() engine.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.real
}

// Close implements [engine.Event].
func (e *event) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	real := e.real
	e.real, e.closed = nil, true
	if real == nil {
		return nil
	}
	return real.Close()
}
