package cpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// Making machine code takes longer than interpreting a small launch does. So a kernel of a device with [Options.Early] is compiled for the
// interpreter, and a goroutine makes its machine code. Until that is there, small launches are interpreted, and others wait for it.
// Results are the same either way.
//
// A program usually launches what it has compiled at once. The goroutine starts when that launch has ended, since the launch would take
// longer next to it where others have the cores. For the same reason a launch that has to wait makes the code itself, if nobody has begun:
// on a busy machine a goroutine may need milliseconds to get a core.

// makingDelay is how long the goroutine waits for a first launch.
const makingDelay = time.Millisecond

// early is what launches of a kernel may run before its machine code is there.
type early struct {
	make  func()             // makes the machine code
	begun atomic.Bool        // somebody does
	stop  context.CancelFunc // of the making
	made  chan struct{}      // closed when the machine code is there, or err is set
	err   error

	mu          sync.Mutex
	entry       *tileir.Entry
	most        work     // of a launch that does not wait; negative when the machine code is there
	interpreted *variant // nil when it is gone
	launches    int      // that run it
	gone        error    // of freeing it
}

// compileEarly compiles the kernel for the interpreter and starts to make its machine code. It reports false, and does nothing, if no launch
// would be small, or if the kernel cannot be interpreted.
func (k *Kernel) compileEarly(ctx context.Context, m *tileir.Module, e *tileir.Entry) bool {
	most := makingWork(e)
	if least, ok := blockWork(e); !ok || least > most || !k.device.beginMaking() {
		return false
	}
	v, err := k.compile(ctx, m, e, true)
	if err != nil {
		k.device.making.Done()
		return false
	}
	making, stop := context.WithCancel(k.device.open)
	k.early = &early{make: func() { k.makeCode(making, m, e) }, stop: stop, made: make(chan struct{}), entry: e, most: most, interpreted: v}
	v.before = k.early
	time.AfterFunc(makingDelay, k.early.beginLate)
	context.AfterFunc(making, k.early.begin) // which ends at once then
	return true
}

// begin starts a goroutine that makes the machine code, once.
func (w *early) begin() {
	if !w.begun.Swap(true) {
		go w.make()
	}
}

// beginLate begins the making, unless the end of a launch that runs will do that.
func (w *early) beginLate() {
	w.mu.Lock()
	running := w.launches > 0
	w.mu.Unlock()
	if !running {
		w.begin()
	}
}

// beginMaking makes [Device.Close] wait for the end of a making; false if the device is closed.
func (d *Device) beginMaking() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.making.Add(1)
	return true
}

// makeCode makes the variant with machine code. The one that is interpreted stays if a block of the other takes too much memory.
func (k *Kernel) makeCode(ctx context.Context, m *tileir.Module, e *tileir.Entry) {
	defer k.device.making.Done()
	v, err := k.compile(ctx, m, e, false)
	if _, refused := errors.AsType[*CompileError](err); refused {
		v, err = k.compile(ctx, m, e, true)
	}
	w := k.early
	w.stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.err = fmt.Errorf("kernel %s: %w", k.name, err)
	} else {
		k.ready.Store(v)
	}
	w.most, w.entry, w.make = -1, nil, nil
	w.drop()
	close(w.made)
}

// choose gives the variant that a launch runs, until it calls leave.
func (k *Kernel) choose(c *command) (*variant, error) {
	if v := k.ready.Load(); v != nil {
		return v, nil
	}
	w := k.early
	if v := w.enter(c); v != nil {
		return v, nil
	}
	if !w.begun.Swap(true) {
		w.make()
	}
	select {
	case <-w.made:
		return k.ready.Load(), w.err
	case <-c.halted:
		return nil, &engine.Fault{Kernel: k.name, Text: stopped}
	}
}

// enter gives the variant that is interpreted, if it is still needed and the launch is small.
func (w *early) enter(c *command) *variant {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.most < 0 {
		return nil
	}
	if n, ok := launchWork(w.entry, ranges.Launch{Grid: c.grid, Bits: c.args}); !ok || n > w.most {
		return nil
	}
	w.launches++
	return w.interpreted
}

// leave says that a launch has ended.
func (v *variant) leave() {
	if w := v.before; w != nil {
		w.begin()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.launches--
		w.drop()
	}
}

// drop frees the variant that is interpreted if nothing will need it.
func (w *early) drop() {
	if w.most < 0 && w.launches == 0 && w.interpreted != nil {
		w.gone, w.interpreted = w.interpreted.free(), nil
	}
}

// close stops the making and waits for its end. It gives the error of freeing the variant that is interpreted.
func (w *early) close() error {
	w.stop()
	<-w.made
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone
}
