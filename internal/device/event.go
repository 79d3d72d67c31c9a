package device

import (
	"context"
	"errors"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
)

// Event marks a point in a stream's queue.
type Event struct {
	at  point
	eng engine.Event
}

// Record marks the point after everything queued so far.
func (s *Stream) Record() (*Event, error) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if s.refuses() {
		return nil, ErrClosed
	}
	eng, err := s.eng.Record()
	if err != nil {
		return nil, err
	}
	return &Event{point{s, s.queued}, eng}, nil
}

// Wait makes work that is queued on s from now on wait for an event of the same device.
func (s *Stream) Wait(e *Event) error {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if s.refuses() {
		return ErrClosed
	}
	if e.at.stream.dev != s.dev {
		return errors.New("the event belongs to another device")
	}
	if e.at.stream == s {
		return nil
	}
	if err := s.eng.WaitEvent(e.eng); err != nil {
		return err
	}
	s.saw(e.at)
	return nil
}

// Sync waits until the stream has come to the event.
func (e *Event) Sync(ctx context.Context) error { return e.eng.Wait(ctx) }

// Done reports whether the stream has come to the event.
func (e *Event) Done() bool { return e.eng.Done() }

// Elapsed is the time from another event of the same device to this one. Both must be done.
func (e *Event) Elapsed(since *Event) (time.Duration, error) {
	if e.at.stream.dev != since.at.stream.dev {
		return 0, errors.New("the events belong to different devices")
	}
	ns, err := e.eng.Elapsed(since.eng)
	return time.Duration(ns), err
}

// Close frees the event.
func (e *Event) Close() error { return e.eng.Close() }
