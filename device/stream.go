package device

import (
	"context"
	"runtime"

	core "github.com/cutile-go/cutile/internal/device"
)

// Stream is a queue of work that a device executes in order. Work on different streams may overlap, but work that uses the same
// memory is kept in the order in which it was queued. Its methods may be called from several goroutines.
//
// If a kernel fails, a stream leaves out what is queued until a call that waits has returned the error. Who reads a tensor gets the error of
// failed work that its contents come from, on whichever stream or device, until [Stream.Sync] of the stream that wrote it, or [Device.Sync], has
// returned the error, or it is written again.
type Stream struct {
	dev  *Device
	core *core.Stream
}

// Internal returns the stream for the packages of this module; nil for a nil Stream.
func (s *Stream) Internal() *core.Stream {
	if s == nil {
		return nil
	}
	return s.core
}

// Device returns the stream's device.
func (s *Stream) Device() *Device {
	if s == nil {
		return nil
	}
	return s.dev
}

// Sync waits until all queued work has ended and returns its first error, or that of work of other streams on which it depends. If ctx ends first, the work continues.
func (s *Stream) Sync(ctx context.Context) error {
	if err := s.waits(ctx); err != nil {
		return err
	}
	defer runtime.KeepAlive(s)
	return s.named(s.core.Sync(ctx))
}

// waits gives the error of a nil stream, and of a context that is nil or has ended.
func (s *Stream) waits(ctx context.Context) error {
	if s == nil || s.core == nil {
		return errNilStream
	}
	return CheckContext(ctx)
}

// Record queues an event, which is done when all work queued before it has ended.
func (s *Stream) Record() (*Event, error) {
	if s == nil || s.core == nil {
		return nil, errNilStream
	}
	c, err := s.core.Record()
	if err != nil {
		return nil, s.named(err)
	}
	runtime.KeepAlive(s)
	e := &Event{s.dev, c}
	runtime.AddCleanup(e, func(c *core.Event) { c.Close() }, c)
	return e, nil
}

// Wait makes work that is queued from now on wait for an event of another stream of the same device. Wait itself returns at
// once. Work that uses the same tensors is ordered without it. If the event is part of a capture ([Stream.Capture]), the stream takes part in
// that capture until it ends.
func (s *Stream) Wait(e *Event) error {
	switch {
	case s == nil || s.core == nil:
		return errNilStream
	case e == nil || e.core == nil:
		return errNilEvent
	}
	defer runtime.KeepAlive(s)
	defer runtime.KeepAlive(e)
	return s.named(s.core.Wait(e.core))
}

// Close waits for the work and frees the stream. It returns the error of any work that nobody waited for. Work that takes
// longer than [Limits.Close] is stopped if the device can do that. The default stream stays open until its device is closed. A stream
// that is no longer reachable is closed some time after its work has ended, which is not stopped; an error of that work stays for
// [Device.Sync], [Device.Close] and for who reads the tensors that it wrote.
func (s *Stream) Close() error {
	if s == nil || s.core == nil {
		return errNilStream
	}
	if s == s.dev.main {
		return s.named(s.core.Finish())
	}
	return s.named(s.core.Close())
}

func (s *Stream) named(err error) error {
	if err == nil {
		return nil
	}
	return named("stream of "+s.dev.Name(), s.dev, err)
}
