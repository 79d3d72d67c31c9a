package vulkan

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
)

// Stream implements [engine.Stream] and [engine.Stopping]. Several goroutines may use it. Each piece of work is a submission
// that waits for the one before it.
type Stream struct {
	d     *Device
	queue *queue
	time  *timeline
	life  engine.Life

	mu      sync.Mutex // guards what follows
	pool    vulkan.CommandPool
	slots   []*slot
	next    int    // among the slots: the one whose work is oldest
	control *block // see [Code]
	scratch *block

	stopping  sync.Mutex
	destroyed bool // then there is no control block

	recentMu sync.Mutex
	recent   map[uint32]*Kernel // launched since the last wait, by number
}

// slot is what one submission takes; it is used again when that is done.
type slot struct {
	commands vulkan.CommandBuffer
	submit   vulkan.Submission
	push     []byte
	value    uint64   // of the timeline, when it is done
	holds    []*block // for the submission
}

// maxSlots bounds the submissions that a stream has in flight: beyond that a call waits.
const maxSlots = 64

// The words of a control block, see [Code].
const (
	controlStop = iota
	controlUsed
	controlRoom
	_
	controlRecords
)

// What the first of them says.
const (
	stopByHost  = 1
	stopByFault = 2
)

// NewStream makes a stream.
func (d *Device) NewStream() (engine.Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	s, err := d.newStream()
	if err != nil {
		return nil, d.fault(err)
	}
	return s, nil
}

// newStream is called with the device entered, or before anybody has it.
func (d *Device) newStream() (_ *Stream, err error) {
	s := &Stream{d: d, recent: map[uint32]*Kernel{}}
	d.mu.Lock()
	s.queue = d.queues[d.nextQ%len(d.queues)]
	d.nextQ++
	d.mu.Unlock()
	defer func() {
		if err != nil {
			s.destroy()
		}
	}()
	if s.pool, err = d.drv.CreateCommandPool(d.family.Index); err != nil {
		return nil, err
	}
	if s.control, err = d.newBlock(4*uint64(controlRecords+d.opts.Records), hostMemory); err != nil {
		return nil, err
	}
	clear(s.control.bytes)
	*s.control.word(controlRoom) = uint32(d.opts.Records)
	if s.time, err = d.newTimeline(); err != nil {
		return nil, err
	}
	d.track(s)
	return s, nil
}

func (s *Stream) order() int { return orderStream }

// destroy gives back everything but the timeline.
func (s *Stream) destroy() {
	s.stopping.Lock()
	s.destroyed = true
	s.stopping.Unlock()
	for _, sl := range s.slots {
		s.release(sl)
	}
	s.d.drv.DestroyCommandPool(s.pool)
	for _, b := range []*block{s.control, s.scratch} {
		if b != nil {
			s.d.freeBlock(b)
		}
	}
}

// enter is for calls on the stream; each needs a leave.
func (s *Stream) enter() error {
	if !s.life.Use() {
		return s.d.closedError("stream")
	}
	if err := s.d.enter(); err != nil {
		s.life.Done()
		return err
	}
	return nil
}

func (s *Stream) leave() {
	s.d.leave()
	s.life.Done()
}

// begin starts the recording of a submission, which end queues; nothing may fail in between. s.mu is held from before the
// slot is taken until after end.
func (s *Stream) begin(sl *slot) error { return s.d.fault(s.d.drv.Begin(sl.commands)) }

// freeSlot gives a slot whose work is done, or a new one.
func (s *Stream) freeSlot() (*slot, error) {
	if len(s.slots) > 0 {
		sl := s.slots[s.next]
		done, err := s.time.ask(sl.value)
		if !done && err == nil && len(s.slots) == maxSlots {
			err = s.time.awaitEntered(sl.value)
			done = err == nil
		}
		if err != nil {
			return nil, err
		}
		if done {
			s.release(sl)
			s.next = (s.next + 1) % len(s.slots)
			return sl, nil
		}
	}
	c, err := s.d.drv.AllocateCommandBuffer(s.pool)
	if err != nil {
		return nil, s.d.fault(err)
	}
	sl := &slot{commands: c, push: make([]byte, pushBytes)}
	sl.submit.Commands = c
	// It comes before the oldest one, as the newest.
	s.slots = append(s.slots, nil)
	copy(s.slots[s.next+1:], s.slots[s.next:])
	s.slots[s.next] = sl
	s.next = (s.next + 1) % len(s.slots)
	return sl, nil
}

// release gives back what a slot holds.
func (s *Stream) release(sl *slot) {
	for i, b := range sl.holds {
		s.d.host.put(s.d, b)
		sl.holds[i] = nil
	}
	sl.holds = sl.holds[:0]
}

// end queues what was recorded, behind everything that the stream has queued before and behind a point of another stream.
func (s *Stream) end(sl *slot, after vulkan.Point) error {
	s.d.drv.CmdHostBarrier(sl.commands)
	if err := s.d.drv.End(sl.commands); err != nil {
		return s.d.fault(err)
	}
	last := s.time.last.Load()
	sl.submit.Waits = [2]vulkan.Point{{Semaphore: s.time.semaphore, Value: last}, after}
	sl.submit.Signal = vulkan.Point{Semaphore: s.time.semaphore, Value: last + 1}
	s.queue.Lock()
	err := s.d.drv.Submit(s.queue.handle, &sl.submit)
	s.queue.Unlock()
	if err != nil {
		return s.d.fault(err)
	}
	sl.value = last + 1
	s.time.last.Store(last + 1)
	return nil
}

// submit queues what a function records. s.mu is held.
func (s *Stream) submit(record func(c vulkan.CommandBuffer)) error {
	sl, err := s.freeSlot()
	if err != nil {
		return err
	}
	if err := s.begin(sl); err != nil {
		return err
	}
	record(sl.commands)
	return s.end(sl, vulkan.Point{})
}

// idle reports whether everything that was queued is done.
func (s *Stream) idle() bool { return s.time.past(s.time.last.Load()) }

// Stop implements [engine.Stopping]: kernels see the word in the control block. One that does not look at it runs on. It works
// while another call waits for the stream, Close and the device's Close among them.
func (s *Stream) Stop() {
	s.stopping.Lock()
	defer s.stopping.Unlock()
	if !s.destroyed {
		atomic.CompareAndSwapUint32(s.control.word(controlStop), 0, stopByHost)
	}
}

// Failed implements [engine.Failing].
func (s *Stream) Failed() bool {
	s.stopping.Lock()
	defer s.stopping.Unlock()
	return !s.destroyed && atomic.LoadUint32(s.control.word(controlStop)) != 0
}

// Wait waits for everything that is queued and gives the first error of it.
func (s *Stream) Wait(ctx context.Context) error {
	if !s.life.Use() {
		return s.d.closedError("stream")
	}
	defer s.life.Done()
	return s.wait(ctx)
}

// wait is Wait where the stream is in use. After a fault what was queued behind it ends at once, and is waited for, too.
func (s *Stream) wait(ctx context.Context) error {
	for {
		if err := s.time.await(ctx, s.time.last.Load()); err != nil {
			return err
		}
		if err := s.d.enter(); err != nil {
			return err
		}
		s.mu.Lock()
		idle := s.idle()
		var err error
		if idle {
			err = s.collect()
		}
		failed := !idle && atomic.LoadUint32(s.control.word(controlStop)) != 0
		s.mu.Unlock()
		s.d.leave()
		if !failed {
			return err
		}
	}
}

// Close waits and frees the stream; it gives the error of work that is still queued.
func (s *Stream) Close() error {
	if !s.life.End() {
		return nil
	}
	err := s.wait(context.Background())
	if errors.Is(err, ErrClosed) { // with its device
		return nil
	}
	if s.d.lost.Load() != nil || s.time.reached.Load() < s.time.last.Load() { // the wait failed: the device's Close frees it
		return err
	}
	err = engine.Join(err, s.d.retire(s))
	s.d.freeTimeline(s.time)
	return err
}
