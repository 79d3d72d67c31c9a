package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// Stream is a queue of work in order. It implements engine.Stream. A goroutine runs the work; it starts with the first
// command and ends with Close.
//
// After an error, commands that are queued already or later are skipped until Wait, Read or Close has returned the
// error once; then the stream is ready for use again. Events are recorded all the same.
type Stream struct {
	device *Device
	mu     sync.Mutex
	wake   sync.Cond // the goroutine: there is a command
	done   sync.Cond // waiters: a command has ended
	queue  []command // a ring
	head   int
	count  int   // commands in the ring, with the one that runs
	ended  int64 // commands that have ended since the stream was made
	added  int64
	queued atomic.Uint64                  // is added, for who does not hold mu
	now    atomic.Pointer[engine.Stretch] // of the commands that are queued next
	until  int64                          // the least number of ended commands that somebody waits for
	err    error
	start  bool
	closed bool
	gaveUp bool          // a wait ended before the work did
	halt   bool          // launches end at once, until the queue is empty
	halted chan struct{} // closed with halt
	cancel func()        // ends the emulator, while it runs
	exited chan struct{}
	job    job

	records bool    // work is kept in the queue, for a graph, instead of being run
	replays command // the command of a graph that runs
}

var (
	_ engine.Stream   = (*Stream)(nil)
	_ engine.Numbered = (*Stream)(nil)
)

// command is a piece of work. Its slices are used again by later commands in the same place of the ring.
type command struct {
	kind   commandKind
	kernel *Kernel
	grid   [3]uint32
	args   []uint64
	dst    []byte
	src    []byte
	event  *Event
	halted <-chan struct{}
	simt   *simtWork
	watch  *engine.Watch
	graph  []command // which are not changed
	call   func() error
}

type commandKind uint8

const (
	cmdLaunch commandKind = iota
	cmdSIMT
	cmdGraph
	cmdCall
	cmdCopy
	cmdRecord
	cmdWait
)

func newStream(d *Device) *Stream {
	s := &Stream{device: d, exited: make(chan struct{}), queue: make([]command, 16), halted: make(chan struct{}), until: math.MaxInt64}
	s.wake.L, s.done.L = &s.mu, &s.mu
	s.now.Store(new(engine.Stretch))
	return s
}

// push gives the next free place of the ring, under the lock.
func (s *Stream) push() *command {
	if s.count == len(s.queue) {
		bigger := make([]command, 2*len(s.queue))
		for i := range s.count {
			bigger[i] = s.queue[(s.head+i)%len(s.queue)]
		}
		s.queue, s.head = bigger, 0
	}
	c := &s.queue[(s.head+s.count)%len(s.queue)]
	s.count++
	s.added++
	s.queued.Store(uint64(s.added))
	if s.records {
		return c
	}
	if !s.start {
		s.start = true
		go s.serve()
	}
	s.wake.Signal()
	return c
}

// serve runs commands until the stream is closed and the queue is empty.
func (s *Stream) serve() {
	defer close(s.exited)
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for s.count == 0 && !s.closed {
			s.wake.Wait()
		}
		if s.count == 0 {
			return
		}
		c := s.queue[s.head]
		skip := s.err != nil && c.kind <= cmdCopy
		s.job.stop.Store(s.halt)
		c.halted = s.halted
		s.mu.Unlock()
		var err error
		if !skip {
			err = s.run(&c)
		}
		s.mu.Lock()
		if err != nil && s.err == nil {
			s.err = err
			s.now.Load().Fail(uint64(s.ended+1), err)
		}
		place := &s.queue[s.head]
		place.kernel, place.dst, place.src, place.event, place.simt, place.watch = nil, nil, nil, nil, nil, nil
		place.graph, place.call = nil, nil
		s.head = (s.head + 1) % len(s.queue)
		s.count--
		s.ended++
		if s.halt && s.count == 0 {
			s.halt, s.halted = false, make(chan struct{})
		}
		// A waiter that is woken after each command makes another thread run between any two of them.
		if s.ended >= s.until {
			s.until = math.MaxInt64
			s.done.Broadcast()
		}
	}
}

// do does the work of one command.
func (s *Stream) do(c *command) error {
	switch c.kind {
	case cmdLaunch:
		if q := s.compare(c); q != nil {
			return q.check(s.runLaunch(c))
		}
		return s.runLaunch(c)
	case cmdSIMT:
		return s.emulate(c.simt)
	case cmdGraph:
		return s.replay(c)
	case cmdCall:
		select {
		case <-c.halted:
			return &engine.Fault{Text: stopped}
		default:
			return c.call()
		}
	case cmdCopy:
		copy(c.dst, c.src)
	case cmdRecord:
		c.event.finish()
	case cmdWait:
		select {
		case <-c.event.done:
		case <-c.halted:
			return &engine.Fault{Text: stopped}
		}
	}
	return nil
}

// runLaunch runs the blocks of a launch.
func (s *Stream) runLaunch(c *command) error {
	v, err := c.kernel.choose(c)
	if err != nil {
		return err
	}
	defer v.leave()
	j := &s.job
	j.set(v, c.grid, c.args, s.device.workers)
	if c.watch != nil {
		if err := j.begin(c.watch); err != nil {
			return err
		}
		defer j.end()
	}
	j.sharePanels()
	if s.device.limits.Run > 0 {
		s.runTimed(j)
	} else {
		s.device.pool.run(j)
	}
	j.releasePanels()
	j.kernel = nil
	if j.fault != nil {
		return j.fault
	}
	return j.err
}

// runTimed runs a job that must not take longer than Limits.Run.
func (s *Stream) runTimed(j *job) {
	late := s.timed(func() { j.stop.Store(true) })
	s.device.pool.run(j)
	if late() && j.fault != nil && j.fault.Text == stopped {
		j.fault.Text = s.device.tooLong()
	}
}

// timed calls stop when a launch takes longer than it may. late ends that, and reports whether it happened.
func (s *Stream) timed(stop func()) (late func() bool) {
	most := s.device.limits.Run
	if most <= 0 {
		return func() bool { return false }
	}
	return limit.After(most, stop)
}

// tooLong is the text of the fault of a launch that took longer than it may.
func (d *Device) tooLong() string {
	return fmt.Sprintf("the launch took longer than %v: %s; or it does not end, as where blocks wait for each other", d.limits.Run, limit.Hint("Run"))
}

// Wait implements engine.Stream. It returns an error once and forgets it.
func (s *Stream) Wait(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.ended < s.added {
		if err := s.await(ctx, s.added); err != nil {
			return err
		}
	}
	s.gaveUp = false
	return s.tell()
}

// tell gives the error, and forgets it, under the lock.
func (s *Stream) tell() error {
	err := s.err
	if err != nil {
		s.err = nil
		s.now.Swap(new(engine.Stretch)).Tell()
	}
	return err
}

// Failed implements [engine.Failing].
func (s *Stream) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// Stretch implements [engine.Numbered].
func (s *Stream) Stretch() *engine.Stretch { return s.now.Load() }

// Queued implements [engine.Numbered].
func (s *Stream) Queued() uint64 { return s.queued.Load() }

// Stop ends the launch that runs, and those that are queued, at the next iteration of a loop or the next block. The
// next call that waits returns an [*engine.Fault] with the text "stopped". It does nothing when no work is queued.
func (s *Stream) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopLocked()
}

func (s *Stream) stopLocked() {
	if s.count > 0 {
		if !s.halt {
			close(s.halted)
		}
		s.halt = true
		s.job.stop.Store(true)
		if s.cancel != nil {
			s.cancel()
		}
	}
}

// stopAbandoned stops the work of a stream that somebody gave up waiting for.
func (s *Stream) stopAbandoned() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gaveUp {
		s.stopLocked()
	}
}

// await waits under the lock until the given number of commands have ended.
func (s *Stream) await(ctx context.Context, until int64) error {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() {
			s.mu.Lock()
			s.done.Broadcast()
			s.mu.Unlock()
		})
		defer stop()
	}
	for s.ended < until {
		if err := ctx.Err(); err != nil {
			if s.gaveUp = true; s.device.cancels {
				s.stopLocked()
			}
			return err
		}
		s.until = min(s.until, until)
		s.done.Wait()
	}
	return nil
}

// Record implements engine.Stream.
func (s *Stream) Record() (engine.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	e := &Event{device: s.device, done: make(chan struct{})}
	if s.records {
		return e, nil
	}
	c := s.push()
	c.kind, c.event = cmdRecord, e
	return e, nil
}

// WaitEvent implements engine.Stream.
func (s *Stream) WaitEvent(e engine.Event) error {
	event, ok := e.(*Event)
	if !ok {
		return errors.New("cpu: the event belongs to another engine")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.records { // the event is behind what was recorded before
		return nil
	}
	c := s.push()
	c.kind, c.event = cmdWait, event
	return nil
}

// Close implements engine.Stream. It returns an error that no call has returned before. It waits for queued work, unless
// the last wait for it was given up: then it stops that work as Stop does.
func (s *Stream) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	s.closed = true
	if s.gaveUp {
		s.stopLocked()
	}
	s.wake.Signal()
	started := s.start
	s.mu.Unlock()
	if started {
		<-s.exited
	}
	s.device.mu.Lock()
	delete(s.device.streams, s)
	s.device.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tell()
}
