package cute

import (
	"errors"

	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
)

// StreamOf returns a stream of a device as an argument of compiled functions, for the program that calls them; nil stands for
// the device's default stream. A stream that no device made is reported by the call that it is passed to.
func StreamOf(s *device.Stream) Stream {
	if s == nil {
		return Stream{}
	}
	return Stream{s} // the queue of the engine alone would not keep the device open
}

// host is the queue: nil for the device's own.
func (s Stream) host() *core.Stream {
	q, _ := s.stream.(*device.Stream)
	return q.Internal()
}

// err is why there is no such queue.
func (s Stream) err() error {
	if s.stream != nil && s.host() == nil {
		return errors.New("cute: the stream was not made by Device.NewStream or Device.Stream")
	}
	return nil
}
