package cpu

import (
	"context"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
)

// maxBlocks is the most blocks of a grid.
const maxBlocks = 1 << 62

// Launch implements engine.Stream.
func (s *Stream) Launch(k engine.Kernel, grid [3]uint32, args []uint64) error {
	return s.launch(k, grid, args, nil)
}

// LaunchChecked implements [engine.Checking]. Without Options.CheckAssumes it is Launch.
func (s *Stream) LaunchChecked(k engine.Kernel, grid [3]uint32, args []uint64, w *engine.Watch) error {
	if !s.device.assumes {
		w = nil
	}
	return s.launch(k, grid, args, w)
}

func (s *Stream) launch(k engine.Kernel, grid [3]uint32, args []uint64, w *engine.Watch) error {
	kernel, ok := k.(*Kernel)
	if !ok || kernel.device != s.device {
		return errors.New("cpu: the kernel was compiled for another device")
	}
	if len(args) != len(kernel.params) {
		return fmt.Errorf("cpu: kernel %s takes %d arguments, but got %d", kernel.name, len(kernel.params), len(args))
	}
	if grid[0] == 0 || grid[1] == 0 || grid[2] == 0 {
		return fmt.Errorf("cpu: kernel %s: every extent of the grid must be at least 1, but got %v", kernel.name, grid)
	}
	if blocks := float64(grid[0]) * float64(grid[1]) * float64(grid[2]); blocks > maxBlocks {
		return fmt.Errorf("cpu: kernel %s: a grid of %v has more than 2^62 blocks", kernel.name, grid)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	c := s.push()
	c.kind, c.kernel, c.grid, c.watch = cmdLaunch, kernel, grid, w
	c.args = append(c.args[:0], args...)
	return nil
}

// Call implements [engine.Hosting]. The stream's own goroutine calls f, no worker waits for it.
func (s *Stream) Call(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	c := s.push()
	c.kind, c.call = cmdCall, f
	return nil
}

// part checks a range of a buffer of this device and gives its bytes.
func (s *Stream) part(b engine.Buffer, offset, bytes int64) ([]byte, error) {
	buf, ok := b.(*Buffer)
	if !ok || buf.owner != s.device {
		return nil, errors.New("cpu: the buffer belongs to another device")
	}
	if offset < 0 || bytes < 0 || offset > buf.size || bytes > buf.size-offset {
		return nil, fmt.Errorf("cpu: bytes %d to %d of a buffer of %d bytes", offset, offset+bytes, buf.size)
	}
	return buf.Host()[offset : offset+bytes], nil
}

// Write implements engine.Stream. It copies at once when the stream is idle, else it takes a copy of src.
func (s *Stream) Write(dst engine.Buffer, offset int64, src []byte) error {
	part, err := s.part(dst, offset, int64(len(src)))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.count == 0 && s.err == nil {
		copy(part, src)
		return nil
	}
	c := s.push()
	c.kind, c.dst, c.src = cmdCopy, part, append([]byte(nil), src...)
	return nil
}

// Copy implements engine.Stream. The ranges may overlap.
func (s *Stream) Copy(dst engine.Buffer, dstOffset int64, src engine.Buffer, srcOffset, bytes int64) error {
	to, err := s.part(dst, dstOffset, bytes)
	if err != nil {
		return err
	}
	from, err := s.part(src, srcOffset, bytes)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	c := s.push()
	c.kind, c.dst, c.src = cmdCopy, to, from
	return nil
}

// Read implements engine.Stream.
func (s *Stream) Read(ctx context.Context, dst []byte, src engine.Buffer, offset int64) error {
	part, err := s.part(src, offset, int64(len(dst)))
	if err != nil {
		return err
	}
	if err := s.Wait(ctx); err != nil {
		return err
	}
	copy(dst, part)
	return nil
}
