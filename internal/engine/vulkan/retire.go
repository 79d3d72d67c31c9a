package vulkan

import (
	"errors"
	"slices"
)

// Vulkan wants that nothing which is submitted uses what is given back. A device keeps such things until the streams have
// come past what was queued when they were given up.

// retired is a resource that is to be given back.
type retired struct {
	resource resource
	until    []point
}

// point is a place of a stream.
type point struct {
	timeline *timeline
	value    uint64
}

// retire gives back a resource that its user closes, as soon as nothing uses it. With the device closed nothing is left to
// give back; where it is lost, Close does that.
func (d *Device) retire(r resource) error {
	if err := d.enter(); err != nil {
		if errors.Is(err, ErrClosed) || d.lost.Load() != nil {
			return nil
		}
		return err
	}
	defer d.leave()
	if !d.untrack(r) {
		return nil
	}
	d.later(r)
	d.sweep()
	return nil
}

// later notes a resource that is not tracked any more, with what is queued now.
func (d *Device) later(r resource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	until := []point{}
	for _, t := range d.timelines {
		if last := t.last.Load(); t.reached.Load() < last {
			until = append(until, point{t, last})
		}
	}
	d.retired = append(d.retired, retired{r, until})
}

// sweep gives back what can be. The device has been entered.
func (d *Device) sweep() {
	d.mu.Lock()
	if len(d.retired) == 0 {
		d.mu.Unlock()
		return
	}
	list := d.retired
	d.retired = nil
	d.mu.Unlock()
	var kept []retired
	for _, r := range list {
		r.until = slices.DeleteFunc(r.until, func(p point) bool { return p.timeline.past(p.value) })
		if len(r.until) == 0 {
			r.resource.destroy()
		} else {
			kept = append(kept, r)
		}
	}
	if len(kept) > 0 {
		d.mu.Lock()
		d.retired = append(d.retired, kept...)
		d.mu.Unlock()
	}
}
