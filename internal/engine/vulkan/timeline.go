package vulkan

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
)

// timeline counts the submissions of a stream. It outlives its stream as long as other streams may wait for it; then
// everything is past.
type timeline struct {
	d         *Device
	semaphore vulkan.Semaphore
	last      atomic.Uint64 // submitted
	reached   atomic.Uint64 // known to be done
	life      life
}

func (t *timeline) order() int { return orderTimeline }
func (t *timeline) destroy()   { t.d.drv.DestroySemaphore(t.semaphore) }

// newTimeline is called with the device entered.
func (d *Device) newTimeline() (*timeline, error) {
	s, err := d.drv.CreateTimeline()
	if err != nil {
		return nil, err
	}
	t := &timeline{d: d, semaphore: s}
	d.track(t)
	return t, nil
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
	if !t.life.use() {
		return true, nil
	}
	defer t.life.done()
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
	if !t.life.use() {
		return true, nil
	}
	defer t.life.done()
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
