package device

import (
	"context"
	"runtime"
	"time"

	core "github.com/cutile-go/cutile/internal/device"
)

// Event marks a position in a stream's queue.
type Event struct {
	dev  *Device
	core *core.Event
}

// Sync waits until the stream has reached the event.
func (e *Event) Sync(ctx context.Context) error {
	if e == nil || e.core == nil {
		return errNilEvent
	}
	if err := CheckContext(ctx); err != nil {
		return err
	}
	defer runtime.KeepAlive(e)
	return named("event", e.dev, e.core.Sync(ctx))
}

// Done reports whether the stream has reached the event. A closed event counts as done; its other methods return [ErrClosed].
func (e *Event) Done() bool {
	defer runtime.KeepAlive(e)
	return e != nil && e.core != nil && e.core.Done()
}

// Elapsed returns the time that passed on the device between an earlier event of the same device and this one. Both must be
// done.
func (e *Event) Elapsed(since *Event) (time.Duration, error) {
	if e == nil || since == nil || e.core == nil || since.core == nil {
		return 0, errNilEvent
	}
	defer runtime.KeepAlive(e)
	defer runtime.KeepAlive(since)
	d, err := e.core.Elapsed(since.core)
	return d, named("event", e.dev, err)
}

// Close frees the event. Streams that wait for it already still do. An event that is no longer reachable is closed some time later.
func (e *Event) Close() error {
	if e == nil || e.core == nil {
		return errNilEvent
	}
	return e.core.Close()
}
