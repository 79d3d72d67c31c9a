package device

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
)

// Event marks a point in a stream's queue.
type Event struct {
	at      point
	sources []point // of the work before it
	eng     engine.Event

	captured *capture // the event is part of a capture, and has no eng
	behind   []int    // captured work
	closed   atomic.Bool
}

// Record marks the point after everything queued so far.
func (s *Stream) Record() (*Event, error) {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if s.refuses() {
		return nil, ErrClosed
	}
	if s.capture != nil {
		return &Event{at: s.here(), captured: s.capture, behind: s.capture.branches[s.capture.branchOf(s)].here()}, nil
	}
	s.look()
	eng, err := s.eng.Record()
	if err != nil {
		return nil, err
	}
	return &Event{at: s.here(), sources: slices.Clone(s.sources), eng: eng}, nil
}

// Wait makes work that is queued on s from now on wait for an event of the same device. If that is part of a capture under way, the stream takes
// part in the capture from now on.
func (s *Stream) Wait(e *Event) error {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if s.refuses() {
		return ErrClosed
	}
	if e.at.stream.dev != s.dev {
		return errors.New("the event belongs to another device")
	}
	switch {
	case e.closed.Load():
		return errEventClosed
	case e.captured != nil:
		return e.captured.wait(s, e)
	case s.capture != nil:
		return errWaitInCapture
	case e.at.stream == s:
		return nil
	}
	if err := s.eng.WaitEvent(e.eng); err != nil {
		return err
	}
	s.saw(e.at)
	return nil
}

// Sync waits until the stream has come to the event, and gives the error of work before it that nobody was told of when the event was recorded.
// Waits for the stream give it, too.
func (e *Event) Sync(ctx context.Context) error {
	if e.closed.Load() {
		return errEventClosed
	}
	if e.captured != nil {
		return errCapturedEvent
	}
	if err := e.eng.Wait(ctx); err != nil {
		return err
	}
	if err := e.at.err(); err != nil {
		return err
	}
	return firstError(e.sources)
}

// Done reports whether the stream has come to the event. It never comes to an event that was captured, and a closed one is done: Sync says why.
func (e *Event) Done() bool { return e.closed.Load() || e.captured == nil && e.eng.Done() }

var errEventClosed error = &Of{"the event", ErrClosed}

// Elapsed is the time from another event of the same device to this one. Both must be done.
func (e *Event) Elapsed(since *Event) (time.Duration, error) {
	if e.at.stream.dev != since.at.stream.dev {
		return 0, errors.New("the events belong to different devices")
	}
	if e.closed.Load() || since.closed.Load() {
		return 0, errEventClosed
	}
	if e.captured != nil || since.captured != nil {
		return 0, errCapturedEvent
	}
	ns, err := e.eng.Elapsed(since.eng)
	return time.Duration(ns), err
}

// Close frees the event.
func (e *Event) Close() error {
	if e.closed.Swap(true) || e.captured != nil {
		return nil
	}
	return e.eng.Close()
}
