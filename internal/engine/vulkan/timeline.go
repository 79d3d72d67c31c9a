package vulkan

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
)

// timeline counts the submissions of a stream. When the stream is closed the next one counts on: events of the old stream
// are past, and the semaphore lives as long as the device. Mesa's queues still touch the semaphores that a submission has
// waited for when it has told that it is done, so that giving them back then would be a fault.
type timeline struct {
	d         *Device
	semaphore vulkan.Semaphore
	last      atomic.Uint64 // submitted
	reached   atomic.Uint64 // known to be done
}

// newTimeline is called with the device entered.
func (d *Device) newTimeline() (*timeline, error) {
	d.mu.Lock()
	if n := len(d.spare); n > 0 {
		t := d.spare[n-1]
		d.spare = d.spare[:n-1]
		d.mu.Unlock()
		return t, nil
	}
	d.mu.Unlock()
	s, err := d.drv.CreateTimeline()
	if err != nil {
		return nil, err
	}
	t := &timeline{d: d, semaphore: s}
	d.mu.Lock()
	d.timelines = append(d.timelines, t)
	d.mu.Unlock()
	return t, nil
}

// freeTimeline takes back one whose submissions are done.
func (d *Device) freeTimeline(t *timeline) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spare = append(d.spare, t)
}

// know notes that a value is reached.
func (t *timeline) know(v uint64) {
	for old := t.reached.Load(); old < v && !t.reached.CompareAndSwap(old, v); old = t.reached.Load() {
	}
}

// ask reports whether a value is reached. The device has been entered.
func (t *timeline) ask(v uint64) (bool, error) {
	if t.reached.Load() >= v {
		return true, nil
	}
	now, err := t.d.drv.Value(t.semaphore)
	if err != nil {
		return false, t.d.fault(err)
	}
	if last := t.last.Load(); now > last {
		now = last // what some drivers say of a lost device
	}
	t.know(now)
	return now >= v, nil
}

// past is ask where an error means no.
func (t *timeline) past(v uint64) bool {
	ok, err := t.ask(v)
	return ok && err == nil
}

// wait waits for a value for some time and reports whether it is reached. The device has been entered.
func (t *timeline) wait(v uint64, patience time.Duration) (bool, error) {
	if t.reached.Load() >= v {
		return true, nil
	}
	done, err := t.d.drv.Wait(t.semaphore, v, patience)
	if done {
		t.know(v)
	}
	return done, t.d.fault(err)
}

// A wait blocks in the driver for this long at a time: a blocked call can neither be given up nor see that another call lost
// the device.
const (
	longSlice  = 100 * time.Millisecond
	shortSlice = 5 * time.Millisecond // where the wait may be given up
)

// await waits for a value. It enters the device for each slice.
func (t *timeline) await(ctx context.Context, v uint64) error {
	slice := longSlice
	if ctx.Done() != nil {
		slice = shortSlice
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.d.enter(); err != nil {
			return err
		}
		done, err := t.wait(v, slice)
		t.d.leave()
		if done || err != nil {
			return err
		}
	}
}

// awaitEntered is await without an end, where the device has been entered already.
func (t *timeline) awaitEntered(v uint64) error {
	for {
		if l := t.d.lost.Load(); l != nil {
			return l
		}
		if done, err := t.wait(v, longSlice); done || err != nil {
			return err
		}
	}
}
