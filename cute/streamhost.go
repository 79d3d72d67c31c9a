package cute

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/handle"
	"github.com/cutile-go/cutile/internal/host"
)

// StreamOf is a queue of a device as an argument of compiled functions; nil stands for the device's own.
func StreamOf(s *cutile.Stream) Stream {
	if s == nil {
		return Stream{}
	}
	return Stream{handle.Stream(s)}
}

// host is the queue: nil for the device's own.
func (s Stream) host() *host.Stream {
	h, _ := s.stream.(*host.Stream)
	return h
}
