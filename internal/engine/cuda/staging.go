package cuda

import (
	"errors"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// The device copies to and from ordinary memory by way of pinned memory. The driver has some of its own for that, but waits for the stream
// before it fills it, and copies one part after the other. Copies of leastStaged bytes or more go through ours: the program fills a part
// while the device copies the one before, and does not wait for the work that is queued in front of a write.
const (
	leastStaged = 64 << 10
	stagedPart  = 2 << 20 // bytes
	mostParts   = 16      // of a device
)

// part is pinned memory, with the event behind the last copy that uses it.
type part struct {
	data []byte
	used cudrv.Event
}

// staging is the pinned memory of a device.
type staging struct {
	mu    sync.Mutex
	idle  []*part // the longest idle first; its copy may not have ended
	count int     // of all parts
	none  bool    // the driver has no pinned memory
}

// takePart gives pinned memory that no copy uses; nil for none. The device is entered.
func (d *Device) takePart() (*part, error) {
	s := &d.stage
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) > 0 {
		if done, err := d.drv.EventQuery(s.idle[0].used); done || err != nil || s.count >= mostParts {
			return s.first(d, done, err)
		}
	}
	if s.none || s.count >= mostParts {
		return nil, nil // others use all of it
	}
	p, err := newPart(d.drv)
	if err != nil {
		if _, sticky := cudrv.Code(err).Sticky(); sticky {
			return nil, d.fault(err)
		}
		if s.none = s.count == 0; len(s.idle) > 0 {
			return s.first(d, false, nil)
		}
		return nil, nil // copies go the driver's way
	}
	s.count++
	return p, nil
}

// first takes the part that has been idle for longest, and waits until its copy has ended.
func (s *staging) first(d *Device, done bool, err error) (*part, error) {
	p := s.idle[0]
	if !done && err == nil {
		err = d.drv.EventSynchronize(p.used)
	}
	if err != nil {
		return nil, d.fault(err)
	}
	s.idle = s.idle[:copy(s.idle, s.idle[1:])]
	return p, nil
}

func newPart(drv cudrv.Driver) (*part, error) {
	data, err := drv.MemHostAlloc(stagedPart)
	if err != nil {
		return nil, err
	}
	used, err := drv.EventCreate()
	if err != nil {
		return nil, errors.Join(err, drv.MemFreeHost(data))
	}
	return &part{data, used}, nil
}

// givePart gives it back. Its copy need not have ended, as its event tells.
func (d *Device) givePart(p *part) {
	d.stage.mu.Lock()
	defer d.stage.mu.Unlock()
	d.stage.idle = append(d.stage.idle, p)
}

// free frees all parts, none of which is in use.
func (s *staging) free(drv cudrv.Driver) error {
	var errs []error
	for _, p := range s.idle {
		errs = append(errs, drv.EventDestroy(p.used), drv.MemFreeHost(p.data))
	}
	s.idle = nil
	return errors.Join(errs...)
}

// copyIn queues a copy from the program's memory, whose bytes have been read when it returns. The stream is entered.
func (s *Stream) copyIn(dst cudrv.DevicePtr, src []byte) error {
	for len(src) > 0 {
		if len(src) < leastStaged {
			return s.d.fault(s.d.drv.MemcpyHtoDAsync(dst, src, s.h))
		}
		p, err := s.d.takePart()
		if err != nil {
			return err
		}
		if p == nil {
			return s.d.fault(s.d.drv.MemcpyHtoDAsync(dst, src, s.h))
		}
		n := copy(p.data, src)
		err = s.d.drv.MemcpyHtoDAsync(dst, p.data[:n], s.h)
		if err == nil {
			err = s.d.drv.EventRecord(p.used, s.h)
		}
		if err != nil {
			s.d.drv.StreamSynchronize(s.h) // the copy may be under way, without the event that tells
		}
		s.d.givePart(p)
		if err != nil {
			return s.d.fault(err)
		}
		dst, src = dst+cudrv.DevicePtr(n), src[n:]
	}
	return nil
}

// copyOut copies to the program's memory, and waits for that. The stream is entered.
func (s *Stream) copyOut(dst []byte, src cudrv.DevicePtr) error {
	var before *part // being copied to by the device
	var rest []byte  // where its bytes belong
	for len(dst) > 0 || before != nil {
		p, part, err := s.queueOut(dst, src)
		if before != nil {
			err = errors.Join(err, s.finishOut(before, rest))
		}
		if err != nil {
			if p != nil {
				s.d.drv.StreamSynchronize(s.h) // as in copyIn
				s.d.givePart(p)
			}
			return err
		}
		before, rest = p, part
		dst, src = dst[len(part):], src+cudrv.DevicePtr(len(part))
	}
	return nil
}

// queueOut queues the copy of the first part of dst; without pinned memory it makes the copy of all, and p is nil.
func (s *Stream) queueOut(dst []byte, src cudrv.DevicePtr) (p *part, to []byte, err error) {
	if len(dst) == 0 {
		return nil, nil, nil
	}
	if len(dst) >= leastStaged {
		if p, err = s.d.takePart(); err != nil {
			return nil, nil, err
		}
	}
	drv := s.d.drv
	if p == nil {
		if err = drv.MemcpyDtoHAsync(dst, src, s.h); err == nil {
			err = drv.StreamSynchronize(s.h)
		}
		return nil, dst, s.d.fault(err)
	}
	to = dst[:min(len(dst), len(p.data))]
	if err = drv.MemcpyDtoHAsync(p.data[:len(to)], src, s.h); err == nil {
		err = drv.EventRecord(p.used, s.h)
	}
	return p, to, s.d.fault(err)
}

// finishOut waits for a copy to pinned memory and copies its bytes to where they belong.
func (s *Stream) finishOut(p *part, to []byte) error {
	defer s.d.givePart(p)
	if err := s.d.drv.EventSynchronize(p.used); err != nil {
		return s.d.fault(err)
	}
	copy(to, p.data)
	return nil
}
