package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

// event implements [engine.Event].
type event struct {
	d    *Device
	h    cudrv.Event
	life engine.Life
}

func (e *event) order() int           { return orderEvent }
func (e *event) destroy() error       { return e.d.drv.EventDestroy(e.h) }
func (e *event) query() (bool, error) { return e.d.drv.EventQuery(e.h) }
func (e *event) sync() error          { return e.d.drv.EventSynchronize(e.h) }

// Wait waits until the stream has come to the event.
func (e *event) Wait(ctx context.Context) error {
	if err := use(&e.life, e.d, "event"); err != nil {
		return err
	}
	defer e.life.Done()
	return e.d.wait(ctx, e)
}

// Done reports whether the stream has come to the event, or never will: after a fault Wait says so.
func (e *event) Done() bool {
	if err := use(&e.life, e.d, "event"); err != nil {
		return true
	}
	defer e.life.Done()
	if err := e.d.enter(); err != nil {
		return true
	}
	defer e.d.leave()
	done, err := e.query()
	return done || e.d.fault(err) != nil
}

// Elapsed gives the nanoseconds since another event, accurate to about half a microsecond.
func (e *event) Elapsed(since engine.Event) (int64, error) {
	from, ok := since.(*event)
	if !ok || from.d != e.d {
		return 0, fmt.Errorf("%s: elapsed: the other event belongs to another device", e.d.Name())
	}
	for _, x := range []*event{from, e}[:distinct(from, e)] {
		if err := use(&x.life, e.d, "event"); err != nil {
			return 0, err
		}
		defer x.life.Done()
	}
	if err := e.d.enter(); err != nil {
		return 0, err
	}
	defer e.d.leave()
	ms, err := e.d.drv.EventElapsedTime(from.h, e.h)
	if cudrv.Code(err) == cudrv.NotReady {
		return 0, fmt.Errorf("%s: elapsed: an event is not done yet: wait for both", e.d.Name())
	}
	return int64(math.Round(float64(ms) * 1e6)), e.d.fault(err)
}

// distinct is 1 where both are one event, whose life must not be locked twice.
func distinct(a, b *event) int {
	if a == b {
		return 1
	}
	return 2
}

// Close frees the event; a stream that waits for it still does.
func (e *event) Close() error {
	if !e.life.End() {
		return nil
	}
	return e.d.drop(e)
}

// waiter is a stream or an event.
type waiter interface {
	query() (bool, error)
	sync() error
}

// Between two questions to the driver a wait that may be given up sleeps a part of the time that it has waited, within
// these bounds: short waits stay exact, long ones cost nothing.
const (
	spinTime  = 50 * time.Microsecond
	leastNap  = 20 * time.Microsecond
	mostNap   = time.Millisecond
	napFactor = 16
)

// wait blocks in the driver where ctx never ends, and asks again and again where it may.
func (d *Device) wait(ctx context.Context, w waiter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if ctx.Done() == nil {
		if err := d.enter(); err != nil {
			return err
		}
		defer d.leave()
		return d.fault(w.sync())
	}
	start := time.Now()
	for {
		done, err := d.ask(w)
		if done || err != nil {
			return err
		}
		waited := time.Since(start)
		if waited < spinTime {
			continue
		}
		nap := time.NewTimer(min(max(waited/napFactor, leastNap), mostNap))
		select {
		case <-ctx.Done():
			nap.Stop()
			return ctx.Err()
		case <-nap.C:
		}
	}
}

func (d *Device) ask(w waiter) (bool, error) {
	if err := d.enter(); err != nil {
		return false, err
	}
	defer d.leave()
	done, err := w.query()
	return done, d.fault(err)
}

func isClosed(err error) bool { return errors.Is(err, ErrClosed) }
