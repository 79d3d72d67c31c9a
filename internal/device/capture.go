package device

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
)

// The errors of what cannot be part of a capture.
var (
	errNested          = errors.New("the stream captures already: a capture cannot begin in another one of the same stream")
	errCapturing       = errors.New("the stream captures: its work has not run, so that there is nothing to wait for")
	errCapturingDevice = errors.New("a stream captures: its work has not run, so that there is nothing to wait for; the work of the others has ended")
	errCaptured        = errors.New("work that was captured uses its memory and has not run: read and write it before the capture, or after the graph was replayed")
	errCapturedEvent   = errors.New("the event is part of a capture: only work of the same capture can wait for it")
	errWaitInCapture   = errors.New("the stream captures: wait for events of other streams before the capture, or before the graph is replayed")
	errCopyOutside     = errors.New("a copy while streams of the device capture must be between tensors by which it can be told of which capture it is part: " +
		"work of that one has used them before, and of no other; copy before the capture, or with a kernel")
)

// maxCaptured is the most work of a capture.
const maxCaptured = 1 << 20

var errTooMany = fmt.Errorf("the stream has captured %d launches and copies, which is the most that a graph holds: make several", maxCaptured)

// capture is work that a stream keeps instead of doing it. dev.mu guards it.
type capture struct {
	stream  *Stream
	work    []work
	kernels int64 // of the work
	uses    []Use // of all work, each memory once
	at      map[*memory]int
}

// work is a kernel or a copy that was captured.
type work struct {
	kernel engine.Kernel
	grid   [3]uint32
	args   []uint64
	watch  *engine.Watch
	simt   *engine.SIMTLaunch // of a kernel of the SIMT level
	copies *copied            // nil for a kernel
}

// copied is a copy within a device.
type copied struct {
	dst, src                engine.Buffer
	dstOffset, srcOffset, n int64
}

// queue queues the work.
func (w *work) queue(on engine.Stream) error {
	switch {
	case w.copies != nil:
		return on.Copy(w.copies.dst, w.copies.dstOffset, w.copies.src, w.copies.srcOffset, w.copies.n)
	case w.simt != nil:
		return on.(engine.SIMTStream).LaunchSIMT(w.kernel, *w.simt)
	}
	return launch(on, w.kernel, w.grid, w.args, w.watch)
}

// captureWork calls f, and gives what f queued on the stream, which is not done. The memory of that work is kept.
func (s *Stream) captureWork(f func() error) (*capture, error) {
	c := &capture{stream: s, at: map[*memory]int{}}
	d := s.dev
	d.mu.Lock()
	switch {
	case s.refuses():
		d.mu.Unlock()
		return nil, ErrClosed
	case s.capture != nil:
		d.mu.Unlock()
		return nil, errNested
	}
	s.capture = c
	d.captures = append(d.captures, c)
	d.mu.Unlock()
	done := false
	defer func() { // also if f panics
		d.mu.Lock()
		defer d.mu.Unlock()
		s.capture = nil
		d.captures = slices.DeleteFunc(d.captures, func(other *capture) bool { return other == c })
		if !done {
			c.release()
		}
	}()
	if err := f(); err != nil {
		return nil, err
	}
	done = true
	return c, nil
}

// add keeps work, after the checks that queueing it makes. dev.mu is held.
func (c *capture) add(w work, uses []Use) error {
	if c.stream.refuses() {
		return ErrClosed
	}
	if len(c.work) == maxCaptured {
		return errTooMany
	}
	for i := range uses {
		if err := usable(&uses[i]); err != nil {
			return err
		}
	}
	for _, u := range uses {
		c.keep(u)
	}
	c.work = append(c.work, w)
	if w.copies == nil {
		c.kernels++
	}
	return nil
}

// usable gives the error of work on memory that was closed or frozen.
func usable(u *Use) error {
	switch {
	case u.Memory.closed:
		return &Of{"a tensor that the work uses", ErrClosed}
	case u.Writes && u.Memory.frozen.Load():
		return &Of{"a tensor that the work writes", ErrFrozen}
	}
	return nil
}

// keep notes a use, and keeps the memory.
func (c *capture) keep(u Use) {
	if i, ok := c.at[u.Memory.memory]; ok {
		c.uses[i].Writes = c.uses[i].Writes || u.Writes
		return
	}
	c.at[u.Memory.memory] = len(c.uses)
	c.uses = append(c.uses, u)
	u.Memory.kept++
}

// release gives the memory of all work free. dev.mu is held.
func (c *capture) release() {
	for _, u := range c.uses {
		u.Memory.kept--
		u.Memory.giveBack()
	}
	c.uses = nil
}

// capturing finds the capture under way that uses the most of some memories, one at least; nil if there is none, or more than one. mu is held.
func (d *Device) capturing(memories ...*memory) (found *capture) {
	most := 0
	for _, c := range d.captures {
		n := 0
		for _, m := range memories {
			if _, ok := c.at[m]; ok {
				n++
			}
		}
		switch {
		case n > most:
			found, most = c, n
		case n == most:
			found = nil
		}
	}
	return found
}

// captured reports whether a capture under way uses a memory. mu is held.
func (d *Device) captured(m *memory) bool {
	return slices.ContainsFunc(d.captures, func(c *capture) bool {
		_, ok := c.at[m]
		return ok
	})
}

// captureCopy is [memory.Copy] while streams of the device capture: the copy is part of the capture that uses the memories. dev.mu is held.
func (m *memory) captureCopy(offset int64, src *Memory, srcOffset, bytes int64) error {
	c := m.dev.capturing(m, src.memory)
	if c == nil {
		return errCopyOutside
	}
	uses := []Use{{Memory: &Memory{m}, Writes: true}, {Memory: src}}
	return c.add(work{copies: &copied{m.buf, src.buf, offset, srcOffset, bytes}}, uses)
}
