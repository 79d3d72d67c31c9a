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
	errCapturedEvent   = errors.New("the event is part of a capture: only streams can wait for it, before the capture ends, and those that do not capture anything else")
	errWaitInCapture   = errors.New("the stream captures: wait for events of other streams before the capture, or before the graph is replayed")
	errCopyBetween     = errors.New("several captures have used the tensors of a copy, so that it cannot be told of which one it is part: copy before the captures, or with a kernel")
	errBeside          = errors.New("the work uses a tensor that was written during the capture by what is no part of the graph, so that a replay would not repeat it: " +
		"a launch on another stream, a transfer such as Write or Fill, or a copy between tensors that nothing captured had used. Do it before the capture, or by a kernel on a stream that takes part: " +
		"the stream that captures, and those that wait for an event recorded on it")
	errEmpty = errors.New("the function queued nothing on the stream that captures, and launches on other streams of the device: give them the stream, or its Grid, " +
		"or let the others first wait for an event recorded on the stream that captures")
)

// maxCaptured is the most work of a capture.
const maxCaptured = 1 << 20

var errTooMany = fmt.Errorf("the stream has captured %d launches and copies, which is the most that a graph holds: make several", maxCaptured)

// capture is work that streams keep instead of doing it. dev.mu guards it.
type capture struct {
	dev      *Device
	branches []*branch // the first is that of the stream on which the capture began
	work     []work    // each behind all that it waits for
	kernels  int64     // of the work
	uses     []Use     // of all work, each memory once
	users    []users   // of the memory of uses
	at       map[*memory]int
	written  map[*memory]bool // meanwhile, by what is no part of it, but may have been meant to be
	since    int64            // how much memory the device had made when the capture began
	others   bool             // meanwhile, launches were queued that are no part of it
	ended    bool
}

// work is a kernel or a copy that was captured.
type work struct {
	uses   []Use
	branch int
	after  []int // the numbers of work of other branches that comes before it, at most one of each branch

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
	d := s.dev
	c := &capture{dev: d, at: map[*memory]int{}, written: map[*memory]bool{}, since: d.made.Load()}
	d.mu.Lock()
	switch {
	case s.refuses():
		d.mu.Unlock()
		return nil, ErrClosed
	case s.capture != nil:
		d.mu.Unlock()
		return nil, errNested
	}
	c.join(s, nil)
	d.captures = append(d.captures, c)
	d.mu.Unlock()
	done := false
	defer func() { // also if f panics
		d.mu.Lock()
		defer d.mu.Unlock()
		c.end()
		d.captures = slices.DeleteFunc(d.captures, func(other *capture) bool { return other == c })
		if !done {
			c.release()
		}
	}()
	if err := f(); err != nil {
		return nil, err
	}
	if err := c.notEmpty(); err != nil {
		return nil, err
	}
	done = true
	return c, nil
}

// end lets the streams do again what is queued on them.
func (c *capture) end() {
	c.ended = true
	for _, b := range c.branches {
		if b.stream == nil {
			continue
		}
		b.stream.capture = nil
		if b.stream.dropped.Load() { // meanwhile
			go b.stream.drop()
		}
	}
}

// add keeps work on a branch, after the checks that queueing it makes. dev.mu is held.
func (c *capture) add(branch int, w work, uses []Use) error {
	if s := c.branches[branch].stream; s != nil && s.refuses() {
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
	if err := c.notBeside(uses); err != nil {
		return err
	}
	w.uses = slices.Clone(uses)
	c.place(branch, w)
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

// keep notes a use, keeps the memory, and gives who uses it.
func (c *capture) keep(u Use) *users {
	i, ok := c.at[u.Memory.memory]
	if ok {
		c.uses[i].Writes = c.uses[i].Writes || u.Writes
		return &c.users[i]
	}
	u.keeps = !u.Writes
	i = len(c.uses)
	c.at[u.Memory.memory] = i
	c.uses, c.users = append(c.uses, u), append(c.users, users{wrote: none})
	u.Memory.kept++
	return &c.users[i]
}

// release gives the memory of all work free. dev.mu is held.
func (c *capture) release() {
	for _, u := range c.uses {
		u.Memory.kept--
		u.Memory.giveBack()
	}
	c.uses = nil
}

// notBeside gives the error of work that uses what was written beside the capture.
func (c *capture) notBeside(uses []Use) error {
	for i := range uses {
		if c.written[uses[i].Memory.memory] {
			return errBeside
		}
	}
	return nil
}

// notEmpty gives the error of a capture of nothing, if there was other work that may have been meant.
func (c *capture) notEmpty() error {
	c.dev.mu.Lock()
	defer c.dev.mu.Unlock()
	if len(c.work) == 0 && c.others {
		return errEmpty
	}
	return nil
}

// besideCaptures notes that work which is no part of the captures under way writes a memory. What is made during a capture may be written beside
// it: constants that the captured work reads. dev.mu is held.
func (m *memory) besideCaptures() {
	for _, c := range m.dev.captures {
		if m.born <= c.since {
			c.written[m] = true
		}
	}
}

// capturing finds the capture under way that uses the most of two memories; nil if none uses one. It is an error if several use as many. mu is
// held.
func (d *Device) capturing(dst, src *memory) (found *capture, err error) {
	most := 0
	for _, c := range d.captures {
		n := 0
		for _, m := range []*memory{dst, src} {
			if _, ok := c.at[m]; ok {
				n++
			}
		}
		switch {
		case n > most:
			found, most, err = c, n, nil
		case n == most && n > 0:
			found, err = nil, errCopyBetween
		}
	}
	return found, err
}

// captured reports whether a capture under way uses a memory. mu is held.
func (d *Device) captured(m *memory) bool {
	return slices.ContainsFunc(d.captures, func(c *capture) bool {
		_, ok := c.at[m]
		return ok
	})
}

// user gives the branch of the last work that uses one of two memories, of which at least one is used.
func (c *capture) user(dst, src *memory) int {
	last := none
	for _, m := range []*memory{dst, src} {
		if i, ok := c.at[m]; ok {
			last = max(last, c.users[i].wrote)
			for _, r := range c.users[i].read {
				last = max(last, r)
			}
		}
	}
	return c.work[last].branch
}

// captureCopy makes a copy part of the capture that has used its memories. Else it is not captured and the caller makes it: that the captures
// under way do not mean it shows when their work does not use what it writes. dev.mu is held.
func (m *memory) captureCopy(offset int64, src *Memory, srcOffset, bytes int64) (captured bool, err error) {
	c, err := m.dev.capturing(m, src.memory)
	if err != nil {
		return true, err
	}
	if c != nil {
		uses := []Use{{Memory: &Memory{m}, Writes: true}, {Memory: src}}
		return true, c.add(c.user(m, src.memory), work{copies: &copied{m.buf, src.buf, offset, srcOffset, bytes}}, uses)
	}
	m.copiedBesideCaptures()
	return false, nil
}

// copiedBesideCaptures notes that a copy between tensors which is no part of the captures under way writes a memory. dev.mu is held.
func (m *memory) copiedBesideCaptures() {
	for _, c := range m.dev.captures {
		c.written[m] = true
	}
}
