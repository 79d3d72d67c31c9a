package fake

import (
	"time"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// EventCreate implements [cudrv.Driver].
func (d *Driver) EventCreate() (cudrv.Event, error) {
	c, ctx, err := d.beginCtx("cuEventCreate")
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	id := cudrv.Event(d.newHandle())
	d.events[id] = &event{ctx: ctx}
	c.Out = id
	return id, nil
}

// beginEvent is begin for a call on an event.
func (d *Driver) beginEvent(name string, id cudrv.Event, args ...any) (*Call, *event, error) {
	c, _, err := d.beginCtx(name, args...)
	if err != nil {
		return c, nil, err
	}
	e := d.events[id]
	if e == nil {
		return c, nil, c.fail(cudrv.InvalidHandle)
	}
	return c, e, nil
}

// EventDestroy implements [cudrv.Driver].
func (d *Driver) EventDestroy(id cudrv.Event) error {
	_, _, err := d.beginEvent("cuEventDestroy", id, id)
	defer d.mu.Unlock()
	if err == nil {
		delete(d.events, id)
	}
	return err
}

// EventRecord implements [cudrv.Driver].
func (d *Driver) EventRecord(id cudrv.Event, on cudrv.Stream) error {
	c, e, err := d.beginEvent("cuEventRecord", id, id, on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	s, code := d.stream(e.ctx, on)
	if code != cudrv.Success {
		return c.fail(code)
	}
	if e.capture = nil; s.capture == nil {
		e.recorded++
	}
	s.push(cmd{kind: cmdRecord, event: e, gen: e.recorded})
	return nil
}

// EventSynchronize implements [cudrv.Driver].
func (d *Driver) EventSynchronize(id cudrv.Event) error {
	c, e, err := d.beginEvent("cuEventSynchronize", id, id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if e.capture != nil {
		return c.fail(cudrv.CapturedEvent)
	}
	for e.done < e.recorded {
		d.changed.Wait()
	}
	return c.lost(e.ctx)
}

// EventQuery implements [cudrv.Driver].
func (d *Driver) EventQuery(id cudrv.Event) (bool, error) {
	c, e, err := d.beginEvent("cuEventQuery", id, id)
	defer d.mu.Unlock()
	if err != nil {
		return false, err
	}
	if e.capture != nil {
		return false, c.fail(cudrv.CapturedEvent)
	}
	return e.done == e.recorded, nil
}

// EventElapsedTime implements [cudrv.Driver].
func (d *Driver) EventElapsedTime(from, to cudrv.Event) (float32, error) {
	c, a, err := d.beginEvent("cuEventElapsedTime", from, from, to)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	b := d.events[to]
	if b == nil || a.recorded == 0 || b.recorded == 0 {
		return 0, c.fail(cudrv.InvalidHandle)
	}
	if a.capture != nil || b.capture != nil {
		return 0, c.fail(cudrv.CapturedEvent)
	}
	if a.done < a.recorded || b.done < b.recorded {
		return 0, c.fail(cudrv.NotReady)
	}
	return float32(b.at.Sub(a.at)) / float32(time.Millisecond), nil
}
