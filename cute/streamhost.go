package cute

import (
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/handle"
)

// StreamOf is a queue of a device as an argument of compiled functions, made by the program that calls them; nil stands for
// the device's own. A stream that no device made is the mistake of the call it is passed to.
func StreamOf(s *cutile.Stream) Stream {
	if s == nil {
		return Stream{}
	}
	return Stream{s} // the queue of the engine alone would not keep the device open
}

// host is the queue: nil for the device's own.
func (s Stream) host() *device.Stream {
	return handle.Stream(s.stream)
}

// err is why there is no such queue.
func (s Stream) err() error {
	if s.stream != nil && s.host() == nil {
		return errors.New("cute: the stream was not made by Device.NewStream or Device.Stream")
	}
	return nil
}
