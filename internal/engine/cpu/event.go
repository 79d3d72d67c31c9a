package cpu

import (
	"context"
	"errors"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
)

// Event marks a point of a stream. It implements engine.Event.
type Event struct {
	device *Device
	done   chan struct{}
	at     time.Time // valid when done is closed
}

var _ engine.Event = (*Event)(nil)

func (e *Event) finish() {
	e.at = time.Now()
	close(e.done)
}

// Wait implements engine.Event.
func (e *Event) Wait(ctx context.Context) error {
	select {
	case <-e.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Done implements engine.Event.
func (e *Event) Done() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// Elapsed implements engine.Event.
func (e *Event) Elapsed(since engine.Event) (int64, error) {
	from, ok := since.(*Event)
	if !ok || from.device != e.device {
		return 0, errors.New("cpu: the events belong to different devices")
	}
	if !e.Done() || !from.Done() {
		return 0, errors.New("cpu: an event has not happened yet; wait for it first")
	}
	return e.at.Sub(from.at).Nanoseconds(), nil
}

// Close implements engine.Event. There is nothing to free.
func (e *Event) Close() error { return nil }
