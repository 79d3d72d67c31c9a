package vulkan

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
)

// event implements [engine.Event].
type event struct {
	d     *Device
	time  *timeline
	value uint64
	stamp *stamp // nil where the device takes no times
	life  engine.Life
}

// Record queues an event.
func (s *Stream) Record() (engine.Event, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	stamp, err := s.d.times.get(s.d)
	if err != nil {
		return nil, s.d.fault(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.submit(func(c vulkan.CommandBuffer) {
		if stamp != nil {
			s.d.drv.CmdTimestamp(c, stamp.pool, stamp.index)
		}
	})
	if err != nil {
		s.d.times.put(stamp)
		return nil, err
	}
	e := &event{d: s.d, time: s.time, value: s.time.last.Load(), stamp: stamp}
	s.d.track(e)
	return e, nil
}

func (e *event) order() int { return orderEvent }
func (e *event) destroy()   { e.d.times.put(e.stamp) }

// WaitEvent makes later work wait for the event, which may be of another stream of the device.
func (s *Stream) WaitEvent(other engine.Event) error {
	e, ok := other.(*event)
	if !ok || e.d != s.d {
		return fmt.Errorf("%s: wait: the event belongs to another device", s.d.Name())
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if !e.life.Use() {
		return s.d.closedError("event")
	}
	defer e.life.Done()
	if e.time == s.time {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sl, err := s.freeSlot()
	if err != nil {
		return err
	}
	if err := s.begin(sl); err != nil {
		return err
	}
	return s.end(sl, vulkan.Point{Semaphore: e.time.semaphore, Value: e.value})
}

// Wait waits until the stream has come to the event.
func (e *event) Wait(ctx context.Context) error {
	if !e.life.Use() {
		return e.d.closedError("event")
	}
	defer e.life.Done()
	return e.time.await(ctx, e.value)
}

// Done reports whether the stream has come to the event, or never will: with the device lost Wait says so.
func (e *event) Done() bool {
	if !e.life.Use() {
		return true
	}
	defer e.life.Done()
	if err := e.d.enter(); err != nil {
		return true
	}
	defer e.d.leave()
	done, err := e.time.ask(e.value)
	return done || err != nil
}

// Elapsed gives the nanoseconds since another event, as exactly as the device counts them.
func (e *event) Elapsed(since engine.Event) (int64, error) {
	from, ok := since.(*event)
	if !ok || from.d != e.d {
		return 0, fmt.Errorf("%s: elapsed: the other event belongs to another device", e.d.Name())
	}
	for _, x := range []*event{from, e} { // both before the driver is asked: Mesa's lavapipe waits for all that is queued then
		if !x.Done() {
			return 0, fmt.Errorf("%s: elapsed: an event is not done yet: wait for both", e.d.Name())
		}
	}
	var ticks [2]uint64
	for i, x := range []*event{from, e} {
		var err error
		if ticks[i], err = x.ticks(); err != nil {
			return 0, err
		}
	}
	bits := 64 - e.d.family.TimestampBits // that mean nothing
	count := int64((ticks[1]-ticks[0])<<bits) >> bits
	return int64(math.Round(float64(count) * e.d.info.Device.Limits.TimestampTick)), nil
}

// ticks is the time of an event that is done.
func (e *event) ticks() (uint64, error) {
	if !e.life.Use() {
		return 0, e.d.closedError("event")
	}
	defer e.life.Done()
	if err := e.d.enter(); err != nil {
		return 0, err
	}
	defer e.d.leave()
	if e.stamp == nil {
		return 0, fmt.Errorf("%s: elapsed: the device takes no times", e.d.Name())
	}
	v, err := e.d.drv.Timestamp(e.stamp.pool, e.stamp.index)
	return v, e.d.fault(err)
}

// Close frees the event; a stream that waits for it still does.
func (e *event) Close() error {
	if !e.life.End() {
		return nil
	}
	return e.d.retire(e)
}

// stamp is a place for a time.
type stamp struct {
	pool  vulkan.QueryPool
	index uint32
}

// timestamps holds the places for times.
type timestamps struct {
	mu    sync.Mutex
	pools []vulkan.QueryPool
	free  []*stamp
}

const stampsPerPool = 64

// get gives a place; nil where the device takes no times.
func (t *timestamps) get(d *Device) (*stamp, error) {
	if d.family.TimestampBits == 0 {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) == 0 {
		pool, err := d.drv.CreateQueryPool(stampsPerPool)
		if err != nil {
			return nil, err
		}
		t.pools = append(t.pools, pool)
		for i := range uint32(stampsPerPool) {
			t.free = append(t.free, &stamp{pool, i})
		}
	}
	s := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	return s, nil
}

func (t *timestamps) put(s *stamp) {
	if s == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, s)
}

func (t *timestamps) destroy(d *Device) {
	for _, p := range t.pools {
		d.drv.DestroyQueryPool(p)
	}
}
