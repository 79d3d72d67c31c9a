package vulkan

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
)

// chunk bounds the memory that a copy between the program and the device goes through at a time.
const chunk = 16 << 20

// Write queues a copy from the program's memory. Where the program sees the buffer and nothing is queued, it is done at
// once; otherwise the bytes go through memory that the program sees, which is filled when Write returns.
func (s *Stream) Write(dst engine.Buffer, offset int64, src []byte) error {
	b, at, err := s.d.span(dst, offset, int64(len(src)), "write")
	if err != nil {
		return err
	}
	defer b.life.Done()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.block.bytes != nil && s.idle() {
		copy(b.block.bytes[offset:], src)
		return nil
	}
	for before := s.time.last.Load(); len(src) > 0; {
		n := min(len(src), chunk)
		if last := s.time.last.Load(); last > before+1 { // two chunks are on their way
			if err := s.time.awaitEntered(last - 1); err != nil {
				return err
			}
		}
		if err := s.writeChunk(b.block, at, src[:n]); err != nil {
			return s.d.fault(err)
		}
		at, src = at+uint64(n), src[n:]
	}
	return nil
}

func (s *Stream) writeChunk(to *block, at uint64, src []byte) error {
	sl, err := s.freeSlot()
	if err != nil {
		return err
	}
	from, err := s.d.host.get(s.d, uint64(len(src)))
	if err != nil {
		return err
	}
	sl.holds = append(sl.holds, from)
	copy(from.bytes, src)
	if err := s.begin(sl); err != nil {
		return err
	}
	s.d.drv.CmdCopyBuffer(sl.commands, from.buffer, to.buffer, from.offset, at, uint64(len(src)))
	return s.end(sl, vulkan.Point{})
}

// Read waits for the stream and copies to the program's memory. When ctx ends first, dst may be written in part.
func (s *Stream) Read(ctx context.Context, dst []byte, src engine.Buffer, offset int64) error {
	b, at, err := s.d.span(src, offset, int64(len(dst)), "read")
	if err != nil {
		return err
	}
	defer b.life.Done()
	if err := s.Wait(ctx); err != nil {
		return err
	}
	if b.block.bytes != nil {
		if err := s.enter(); err != nil {
			return err
		}
		defer s.leave()
		copy(dst, b.block.bytes[offset:])
		return nil
	}
	for len(dst) > 0 {
		n := min(len(dst), chunk)
		if err := s.readChunk(ctx, dst[:n], b.block, at); err != nil {
			return err
		}
		at, dst = at+uint64(n), dst[n:]
	}
	return nil
}

// readChunk copies through memory that the program sees.
func (s *Stream) readChunk(ctx context.Context, dst []byte, from *block, at uint64) error {
	to, value, err := s.queueRead(from, at, uint64(len(dst)))
	if err != nil {
		return err
	}
	if err := s.time.await(ctx, value); err != nil {
		return engine.Join(err, s.d.retire(to))
	}
	if err := s.d.enter(); err != nil {
		return err // Close frees the memory
	}
	defer s.d.leave()
	copy(dst, to.block.bytes)
	if s.d.untrack(to) {
		s.d.host.put(s.d, to.block)
	}
	return nil
}

// queueRead queues a copy and gives where it goes to, which the device frees with itself.
func (s *Stream) queueRead(from *block, at, n uint64) (to *buffer, value uint64, err error) {
	if err := s.enter(); err != nil {
		return nil, 0, err
	}
	defer s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.d.host.get(s.d, n)
	if err != nil {
		return nil, 0, s.d.fault(err)
	}
	to = &buffer{d: s.d, block: b}
	s.d.track(to)
	err = s.submit(func(c vulkan.CommandBuffer) { s.d.drv.CmdCopyBuffer(c, from.buffer, b.buffer, at, b.offset, n) })
	if err != nil {
		if s.d.lost.Load() == nil && s.d.untrack(to) {
			s.d.host.put(s.d, b)
		}
		return nil, 0, err
	}
	return to, s.time.last.Load(), nil
}

// Copy queues a copy between two buffers of the device. Source and destination must not overlap.
func (s *Stream) Copy(dst engine.Buffer, dstOffset int64, src engine.Buffer, srcOffset, bytes int64) error {
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submit(func(c vulkan.CommandBuffer) {
		s.d.drv.CmdCopyBuffer(c, from.block.buffer, to.block.buffer, q, p, uint64(bytes))
	})
}

func overlap(a, b, n int64) bool { return a < b+n && b < a+n }

// zero fills a block and waits. The device has been entered.
func (s *Stream) zero(b *block) error {
	s.mu.Lock()
	err := s.submit(func(c vulkan.CommandBuffer) { s.d.drv.CmdFillBuffer(c, b.buffer, b.offset, (b.size+3)&^3, 0) })
	value := s.time.last.Load()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.time.awaitEntered(value)
}
