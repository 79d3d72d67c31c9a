package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// Device is one GPU; it implements [engine.Device].
type Device struct {
	drv    cudrv.Driver
	opts   Options
	info   Info
	handle cudrv.Device
	ctx    cudrv.Context
	grid   [3]uint32 // greatest grid

	life   sync.RWMutex // held for reading while a call is in the driver
	closed bool
	lost   atomic.Pointer[Lost]

	setup cudrv.Stream  // of zeroing, and of the pool
	pool  cudrv.MemPool // 0 for none
	stage staging
	host  hostPool

	mu    sync.Mutex          // guards what follows
	live  map[resource]uint64 // what Close frees, by age
	age   uint64
	peers map[*Device]bool // whose pools were made accessible, as far as they can be

	choosing sync.Mutex // guards what follows; tileiras may take long to say what it is
	made     *makers    // what makes code, once it is known
}

// resource is something of the driver that a device holds.
type resource interface {
	// order says what Close frees first.
	order() int
	// destroy gives it back to the driver, whose context is current.
	destroy() error
}

// The order of Close: graphs, events and streams before the code and memory that they use.
const (
	orderGraph = iota
	orderEvent
	orderStream
	orderKernel
	orderBuffer
)

// prepare reads the limits and makes the stream for zeroing, and the pool.
func (d *Device) prepare() error {
	for i := range d.grid {
		v, err := d.drv.DeviceGetAttribute(d.handle, cudrv.MaxGridDimX+cudrv.Attribute(i))
		if err != nil {
			return err
		}
		d.grid[i] = uint32(v)
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	var err error
	if d.setup, err = d.drv.StreamCreate(); err != nil {
		return err
	}
	if d.pool, err = d.makePool(); err != nil {
		return errors.Join(err, d.drv.StreamDestroy(d.setup))
	}
	return nil
}

// Name is the device's name, such as "cuda:0".
func (d *Device) Name() string { return d.info.Name() }

// Description is text for people, such as "NVIDIA H200 (sm_90, …)".
func (d *Device) Description() string { return d.info.String() }

// Model implements [engine.Modelled].
func (d *Device) Model() string { return d.info.Speed() }

// Target is the GPU's architecture, such as "sm_90".
func (d *Device) Target() string { return d.info.Target() }

// Info describes the GPU.
func (d *Device) Info() Info { return d.info }

// enter makes the device's context current. The caller's goroutine stays on its thread until leave.
func (d *Device) enter() error {
	d.life.RLock()
	if d.closed {
		d.life.RUnlock()
		return d.closedError("device")
	}
	if l := d.lost.Load(); l != nil {
		d.life.RUnlock()
		return l
	}
	runtime.LockOSThread()
	if err := d.drv.CtxSetCurrent(d.ctx); err != nil {
		d.leave()
		return d.fault(err)
	}
	return nil
}

func (d *Device) leave() {
	runtime.UnlockOSThread()
	d.life.RUnlock()
}

func (d *Device) closedError(what string) error {
	return fmt.Errorf("%s: this %s is used after it was %w", d.Name(), what, ErrClosed)
}

// track notes what Close must free.
func (d *Device) track(r resource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.age++
	d.live[r] = d.age
}

// release destroys a resource, within enter and leave. If that fails, Close tries again.
func (d *Device) release(r resource) error {
	if err := r.destroy(); err != nil {
		return d.fault(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.live, r)
	return nil
}

// drop is release for a resource that its user closes. After the device was closed, or with its context lost, there is
// nothing left to free.
func (d *Device) drop(r resource) error {
	if d.lost.Load() != nil {
		return nil
	}
	if err := d.enter(); err != nil {
		if isClosed(err) {
			return nil
		}
		return err
	}
	defer d.leave()
	return d.release(r)
}

// Close waits for queued work and frees everything, the oldest of a kind first. It gives the errors of that, a fault of
// a kernel among them.
func (d *Device) Close() error {
	d.life.Lock()
	if d.closed {
		d.life.Unlock()
		return nil
	}
	d.closed = true
	d.life.Unlock() // no call is in the driver now, and none can begin
	var errs []error
	if l := d.lost.Load(); l == nil {
		errs = d.empty()
	}
	errs = append(errs, d.drv.DevicePrimaryCtxRelease(d.handle))
	return errors.Join(errs...)
}

// empty waits for the context's work and destroys what is left. With the context lost the driver frees all by itself.
func (d *Device) empty() []error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.drv.CtxSetCurrent(d.ctx); err != nil {
		return []error{err}
	}
	var errs []error
	if err := d.drv.CtxSynchronize(); err != nil {
		errs = append(errs, d.fault(err))
	}
	for _, r := range d.leftovers() {
		if d.lost.Load() != nil {
			break
		}
		if err := d.release(r); err != nil {
			errs = append(errs, err)
		}
	}
	if d.lost.Load() == nil {
		errs = append(errs, d.stage.free(d.drv), d.host.free(d.drv), d.dropPool(), d.drv.StreamDestroy(d.setup))
	}
	return append(errs, d.drv.CtxSetCurrent(0))
}

// leftovers lists what is alive in the order to free it.
func (d *Device) leftovers() []resource {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []resource
	for r := range d.live {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b resource) int {
		if a.order() != b.order() {
			return a.order() - b.order()
		}
		return int(d.live[a]) - int(d.live[b])
	})
	return out
}
