package cutile

import (
	"context"
	"time"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
)

// Target is where kernels are launched: a [Device], which stands for its default stream, a [Stream], or what the Grid
// method of either gives.
type Target interface {
	target() (*Stream, *bind.Grid)
}

// Stream is a queue of work that a device does in order. Work on different streams may overlap, but work that uses the
// same memory is kept in the order in which it was queued. Its methods may be called from several goroutines.
type Stream struct {
	dev  *Device
	host *device.Stream
}

// Device is the device of the stream.
func (s *Stream) Device() *Device {
	if s == nil {
		return nil
	}
	return s.dev
}

// Sync waits until everything queued has ended and gives the first error of it. When ctx ends first, the work goes on.
func (s *Stream) Sync(ctx context.Context) error {
	if err := s.waits(ctx); err != nil {
		return err
	}
	return s.named(s.host.Sync(ctx))
}

// waits gives the error of a nil stream, and of a context that is nil or has ended.
func (s *Stream) waits(ctx context.Context) error {
	if s == nil || s.host == nil {
		return errNilStream
	}
	return known(ctx)
}

// Record queues an event, which is done when everything queued before it has ended.
func (s *Stream) Record() (*Event, error) {
	if s == nil || s.host == nil {
		return nil, errNilStream
	}
	e, err := s.host.Record()
	if err != nil {
		return nil, s.named(err)
	}
	return &Event{e}, nil
}

// Wait makes work that is queued from now on wait for an event of another stream of the device. It does not itself wait.
// Work that uses the same tensors waits by itself.
func (s *Stream) Wait(e *Event) error {
	switch {
	case s == nil || s.host == nil:
		return errNilStream
	case e == nil || e.host == nil:
		return errNilEvent
	}
	return s.named(s.host.Wait(e.host))
}

// Close waits for the work and frees the stream. It gives the error of work that nobody waited for. Work that takes longer
// than [Limits.Close] is stopped, where the device can do that. The default stream of a device stays, and is closed with the
// device.
func (s *Stream) Close() error {
	if s == nil || s.host == nil {
		return errNilStream
	}
	if s == s.dev.main {
		return s.named(s.host.Finish())
	}
	return s.named(s.host.Close())
}

// Grid is the stream as a [Target] with a grid of x, or x by y, or x by y by z blocks. A launch needs it where no
// argument is a tile.Out.
func (s *Stream) Grid(x int, yz ...int) Target {
	t := &gridTarget{stream: s, grid: bind.Grid{x, 1, 1}, axes: 1 + len(yz)}
	copy(t.grid[1:], yz)
	return t
}

func (s *Stream) target() (*Stream, *bind.Grid) { return s, nil }

func (s *Stream) named(err error) error { return named("stream of "+s.dev.Name(), err) }

type gridTarget struct {
	stream *Stream
	grid   bind.Grid
	axes   int // as many as were given: the launch refuses more than three
}

func (t *gridTarget) target() (*Stream, *bind.Grid) { return t.stream, &t.grid }

// Event marks a place in a stream's queue.
type Event struct{ host *device.Event }

// Sync waits until the stream has come to the event.
func (e *Event) Sync(ctx context.Context) error {
	if e == nil || e.host == nil {
		return errNilEvent
	}
	if err := known(ctx); err != nil {
		return err
	}
	return named("event", e.host.Sync(ctx))
}

// Done reports whether the stream has come to the event.
func (e *Event) Done() bool { return e != nil && e.host != nil && e.host.Done() }

// Elapsed is the time that passed on the device from an earlier event of it to this one. Both must be done.
func (e *Event) Elapsed(since *Event) (time.Duration, error) {
	if e == nil || since == nil || e.host == nil || since.host == nil {
		return 0, errNilEvent
	}
	d, err := e.host.Elapsed(since.host)
	return d, named("event", err)
}

// Close frees the event.
func (e *Event) Close() error {
	if e == nil || e.host == nil {
		return errNilEvent
	}
	return e.host.Close()
}
