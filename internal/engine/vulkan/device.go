package vulkan

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
)

// Device is an open device; it implements [engine.Device].
type Device struct {
	drv    *vulkan.Device
	opts   Options
	info   Info
	caps   Caps
	family vulkan.QueueFamily
	layout vulkan.PipelineLayout
	cache  *pipelineCache
	queues []*queue
	setup  *Stream // for zeroing
	host   hostPool
	slabs  slabs
	times  timestamps
	output output

	life   sync.RWMutex // held for reading while a call is in the driver
	closed bool
	lost   atomic.Pointer[Lost]

	mu      sync.Mutex          // guards what follows; nothing else is locked while it is held, but Stream.recentMu
	live    map[resource]uint64 // what Close frees, by age
	made    uint64
	retired []retired
	// all that were made, and those among them that no stream has
	timelines, spare []*timeline
	used             []uint64 // bytes, by heap
	pipes            map[pipelineKey]*pipeline
	nextQ            int
	kernelID         uint32
}

// queue is a queue of the driver, which takes one submission at a time.
type queue struct {
	sync.Mutex
	handle vulkan.Queue
}

// maxQueues bounds the queues that streams are spread over.
const maxQueues = 4

// resource is something of the driver that a device holds.
type resource interface {
	// order says what Close frees first.
	order() int
	// destroy gives it back to the driver; nothing that was queued uses it.
	destroy()
}

// The order of Close.
const (
	orderEvent = iota
	orderStream
	orderKernel
	orderBuffer
)

// output is where kernels print.
type output struct {
	sync.Mutex
	to io.Writer
}

func open(p *vulkan.Physical, info Info, o Options) (*Device, error) {
	d := &Device{opts: o, info: info, caps: capsOf(&info.Device), family: *computeFamily(&info.Device), output: output{to: o.Output},
		live: map[resource]uint64{}, used: make([]uint64, len(info.Device.Heaps)), pipes: map[pipelineKey]*pipeline{}, slabs: slabs{full: map[*slab]bool{}}}
	var err error
	if d.drv, err = p.Open(d.family.Index, int(min(d.family.Count, maxQueues))); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	for _, q := range d.drv.Queues() {
		d.queues = append(d.queues, &queue{handle: q})
	}
	err = d.prepare()
	if err == nil && o.Compiler != nil {
		if err = d.probe(); err == nil {
			d.probeMatrices()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), engine.Join(err, d.Close()))
	}
	return d, nil
}

// prepare makes what kernels and streams share.
func (d *Device) prepare() (err error) {
	if d.layout, err = d.drv.CreatePipelineLayout(pushBytes); err != nil {
		return err
	}
	if d.cache, err = d.openCache(); err != nil {
		return err
	}
	d.setup, err = d.newStream()
	return err
}

// Name is the device's name, such as "vulkan:0".
func (d *Device) Name() string { return d.info.Name() }

// Description is text for people, such as "AMD Radeon 780M (integrated GPU, …)".
func (d *Device) Description() string { return d.info.String() }

// Model implements [engine.Modelled].
func (d *Device) Model() string {
	return fmt.Sprintf("%s (%s)", d.info.Device.Name, d.info.Device.Type)
}

// Target names what code is made for: devices that can do the same have the same.
func (d *Device) Target() string { return d.caps.target() }

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// Caps is what kernels may use.
func (d *Device) Caps() Caps { return d.caps }

// enter begins a call into the driver, which leave ends. A call that has entered must not enter again.
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
	return nil
}

func (d *Device) leave() { d.life.RUnlock() }

func (d *Device) closedError(what string) error {
	return fmt.Errorf("%s: this %s is used after it was %w", d.Name(), what, ErrClosed)
}

// track notes what Close must free.
func (d *Device) track(r resource) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.made++
	d.live[r] = d.made
}

// untrack forgets it; it reports whether it was there.
func (d *Device) untrack(r resource) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.live[r]
	delete(d.live, r)
	return ok
}

// Close waits for queued work and frees everything. It gives the errors of that, a fault of a kernel among them.
func (d *Device) Close() error {
	d.life.Lock()
	if d.closed {
		d.life.Unlock()
		return nil
	}
	d.closed = true
	d.life.Unlock() // no call is in the driver now, and none can begin
	var errs []error
	if err := d.drv.WaitIdle(); err != nil && d.lost.Load() == nil {
		errs = append(errs, d.fault(err))
	}
	for _, r := range d.leftovers() {
		if s, ok := r.(*Stream); ok && d.lost.Load() == nil {
			errs = append(errs, s.collect())
		}
		r.destroy()
	}
	for _, t := range d.timelines {
		d.drv.DestroySemaphore(t.semaphore)
	}
	d.host.drop(d)
	d.trimSlabs()
	d.times.destroy(d)
	if d.cache != nil {
		d.cache.close(d)
	}
	d.drv.DestroyPipelineLayout(d.layout)
	d.drv.Destroy()
	return errors.Join(errs...)
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
	for _, r := range d.retired {
		out = append(out, r.resource)
	}
	d.retired = nil
	return out
}

var _ engine.Device = (*Device)(nil)
