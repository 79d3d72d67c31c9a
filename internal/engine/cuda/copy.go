package cuda

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
)

// Write queues a copy from the program's memory. src has been read when it returns.
func (s *Stream) Write(dst engine.Buffer, offset int64, src []byte) error {
	b, p, err := s.d.span(dst, offset, int64(len(src)), "write")
	if err != nil {
		return err
	}
	defer b.life.Done()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.copyIn(p, src)
}

// Read waits for the stream and copies to the program's memory. When ctx ends first, dst is not written.
func (s *Stream) Read(ctx context.Context, dst []byte, src engine.Buffer, offset int64) error {
	b, p, err := s.d.span(src, offset, int64(len(dst)), "read")
	if err != nil {
		return err
	}
	defer b.life.Done()
	// The copy itself cannot be cancelled: it comes after the wait, which can.
	if err := s.Wait(ctx); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.keep(s.copyOut(dst, p))
}

// Copy queues a copy between two buffers of the device, of which one may be pinned memory. Source and destination must not overlap.
func (s *Stream) Copy(dst engine.Buffer, dstOffset int64, src engine.Buffer, srcOffset, bytes int64) error {
	if h, ok := dst.(*hostBuffer); ok {
		return s.copyPinned(h, dstOffset, src, srcOffset, bytes, true)
	}
	if h, ok := src.(*hostBuffer); ok {
		return s.copyPinned(h, srcOffset, dst, dstOffset, bytes, false)
	}
	to, p, err := s.d.span(dst, dstOffset, bytes, "copy to")
	if err != nil {
		return err
	}
	defer to.life.Done()
	if from, ok := src.(*buffer); ok && from == to && overlap(dstOffset, srcOffset, bytes) {
		return fmt.Errorf("%s: copy: %d bytes from offset %d to offset %d of one buffer overlap; copy through another buffer",
			s.d.Name(), bytes, srcOffset, dstOffset)
	}
	from, q, err := s.d.span(src, srcOffset, bytes, "copy from")
	if err != nil {
		return err
	}
	defer from.life.Done()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if bytes == 0 {
		return nil
	}
	return s.d.fault(s.d.drv.MemcpyDtoDAsync(p, q, bytes, s.h))
}

func overlap(a, b, n int64) bool { return a < b+n && b < a+n }

// keep stores the first error of queued work, which every later wait gives.
func (s *Stream) keep(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	if s.err == nil {
		s.recent, s.more = [len(s.recent)]*Kernel{}, false
	}
	return s.err
}

// Record queues an event.
func (s *Stream) Record() (engine.Event, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	h, err := s.d.drv.EventCreate()
	if err != nil {
		return nil, s.d.fault(err)
	}
	e := &event{d: s.d, h: h}
	if err := s.d.drv.EventRecord(h, s.h); err != nil {
		err = s.d.fault(err)
		if s.d.lost.Load() == nil {
			err = engine.Join(err, e.destroy())
		}
		return nil, err
	}
	s.d.track(e)
	return e, nil
}

// WaitEvent makes later work wait for the event, which may be of another GPU of the same driver.
func (s *Stream) WaitEvent(e engine.Event) error {
	own, ok := e.(*event)
	if !ok || own.d.drv != s.d.drv {
		return fmt.Errorf("%s: wait: the event belongs to another engine", s.d.Name())
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := use(&own.life, own.d, "event"); err != nil {
		return err
	}
	defer own.life.Done()
	return s.d.fault(s.d.drv.StreamWaitEvent(s.h, own.h))
}

// Wait waits for everything that is queued.
func (s *Stream) Wait(ctx context.Context) error {
	if err := use(&s.life, s.d, "stream"); err != nil {
		return err
	}
	defer s.life.Done()
	err := s.d.wait(ctx, s)
	if err != nil && err == ctx.Err() {
		return err
	}
	return s.keep(err)
}

func (s *Stream) query() (bool, error) { return s.d.drv.StreamQuery(s.h) }
func (s *Stream) sync() error          { return s.d.drv.StreamSynchronize(s.h) }

// Close waits and frees the stream; it gives the error of work that is still queued.
func (s *Stream) Close() error {
	if !s.life.End() {
		return nil
	}
	err := s.keep(s.d.wait(context.Background(), s))
	if isClosed(err) { // with its device
		return nil
	}
	return engine.Join(err, s.d.drop(s))
}
