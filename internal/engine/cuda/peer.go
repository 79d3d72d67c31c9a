package cuda

import (
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

var _ engine.PeerStream = (*Stream)(nil)

// CopyPeer implements [engine.PeerStream] for GPUs of the same driver.
func (s *Stream) CopyPeer(dst engine.Buffer, dstOffset int64, src engine.Buffer, srcOffset, bytes int64) error {
	from, ok := src.(*buffer)
	if !ok || from.d.drv != s.d.drv {
		return fmt.Errorf("%s: copy: the other device is of another engine: %w", s.d.Name(), errors.ErrUnsupported)
	}
	to, p, err := s.d.span(dst, dstOffset, bytes, "copy to")
	if err != nil {
		return err
	}
	defer to.life.Done()
	_, q, err := from.d.span(src, srcOffset, bytes, "copy from")
	if err != nil {
		return err
	}
	defer from.life.Done()
	// A lock of its life that waited could wait for a Close that waits for a copy in the other direction.
	if !from.d.life.TryRLock() {
		return from.d.closedError("device")
	}
	defer from.d.life.RUnlock()
	if from.d.closed {
		return from.d.closedError("device")
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if bytes == 0 {
		return nil
	}
	s.d.accesses(from.d)
	err = s.d.drv.MemcpyPeerAsync(p, s.d.ctx, q, from.d.ctx, bytes, s.h)
	if cudrv.Code(err) == cudrv.NotFound {
		return fmt.Errorf("%s: copy: the driver copies within a device only: %w", s.d.Name(), errors.ErrUnsupported)
	}
	return s.d.fault(err)
}

// accesses lets the device read the memory pool of another one, once, where the hardware can: copies take the direct way then. Without it
// they go through the host.
func (d *Device) accesses(from *Device) {
	d.mu.Lock()
	known := d.peers[from]
	d.peers[from] = true
	d.mu.Unlock()
	if known || from.pool == 0 || from == d {
		return
	}
	if can, err := d.drv.DeviceCanAccessPeer(d.handle, from.handle); err == nil && can {
		_ = d.drv.MemPoolSetAccess(from.pool, d.handle) // for speed alone
	}
}
