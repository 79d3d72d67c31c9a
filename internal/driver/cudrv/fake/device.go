package fake

import (
	"maps"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// Init implements [cudrv.Driver].
func (d *Driver) Init() error {
	c, err := d.begin("cuInit")
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if len(d.opts.Devices) == 0 {
		return c.fail(cudrv.NoDevice)
	}
	d.ready = true
	return nil
}

// DriverGetVersion implements [cudrv.Driver].
func (d *Driver) DriverGetVersion() (int, error) {
	c, err := d.begin("cuDriverGetVersion")
	defer d.mu.Unlock()
	c.Out = d.opts.Version
	return d.opts.Version, err
}

// DeviceGetCount implements [cudrv.Driver].
func (d *Driver) DeviceGetCount() (int, error) {
	c, err := d.begin("cuDeviceGetCount")
	defer d.mu.Unlock()
	c.Out = len(d.opts.Devices)
	return len(d.opts.Devices), err
}

// DeviceGet implements [cudrv.Driver]: a device's handle is its ordinal.
func (d *Driver) DeviceGet(ordinal int) (cudrv.Device, error) {
	c, err := d.begin("cuDeviceGet", ordinal)
	defer d.mu.Unlock()
	if err == nil && (ordinal < 0 || ordinal >= len(d.opts.Devices)) {
		err = c.fail(cudrv.InvalidDevice)
	}
	return cudrv.Device(ordinal), err
}

// beginDevice is begin for a call on a device.
func (d *Driver) beginDevice(name string, dev cudrv.Device, args ...any) (*Call, *Device, error) {
	c, err := d.begin(name, append([]any{dev}, args...)...)
	if err != nil {
		return c, nil, err
	}
	if dev < 0 || int(dev) >= len(d.opts.Devices) {
		return c, nil, c.fail(cudrv.InvalidDevice)
	}
	return c, &d.opts.Devices[dev], nil
}

// DeviceGetName implements [cudrv.Driver].
func (d *Driver) DeviceGetName(dev cudrv.Device) (string, error) {
	_, info, err := d.beginDevice("cuDeviceGetName", dev)
	defer d.mu.Unlock()
	if err != nil {
		return "", err
	}
	return info.Name, nil
}

// DeviceGetAttribute implements [cudrv.Driver].
func (d *Driver) DeviceGetAttribute(dev cudrv.Device, a cudrv.Attribute) (int, error) {
	c, info, err := d.beginDevice("cuDeviceGetAttribute", dev, a)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	values := map[cudrv.Attribute]int{
		cudrv.MaxThreadsPerBlock: 1024, cudrv.MaxBlockDimX: 1024, cudrv.MaxBlockDimX + 1: 1024, cudrv.MaxBlockDimX + 2: 64,
		cudrv.MaxGridDimX: maxGrid[0], cudrv.MaxGridDimX + 1: maxGrid[1], cudrv.MaxGridDimX + 2: maxGrid[2],
		cudrv.MultiprocessorCnt: info.Multiprocessors, cudrv.ComputeMajor: info.Major, cudrv.ComputeMinor: info.Minor,
		cudrv.MaxSharedOptin: maxShared,
	}
	if d.opts.Version >= firstPools {
		values[cudrv.MemoryPools] = 1
	}
	v, ok := values[a]
	if !ok {
		return 0, c.fail(cudrv.InvalidValue)
	}
	c.Out = v
	return v, nil
}

// maxShared is the shared memory that a block may ask for, in bytes.
const maxShared = 227 << 10

// maxGrid is the greatest grid.
var maxGrid = [3]int{1<<31 - 1, 65535, 65535}

// DeviceTotalMem implements [cudrv.Driver].
func (d *Driver) DeviceTotalMem(dev cudrv.Device) (int64, error) {
	_, info, err := d.beginDevice("cuDeviceTotalMem", dev)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return info.Memory, nil
}

// DevicePrimaryCtxRetain implements [cudrv.Driver].
func (d *Driver) DevicePrimaryCtxRetain(dev cudrv.Device) (cudrv.Context, error) {
	c, _, err := d.beginDevice("cuDevicePrimaryCtxRetain", dev)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	ctx := d.primary[dev]
	if ctx == nil {
		ctx = &context{id: cudrv.Context(d.newHandle()), device: int(dev)}
		d.primary[dev] = ctx
		d.contexts[ctx.id] = ctx
	}
	ctx.refs++
	c.Out = ctx.id
	return ctx.id, nil
}

// DevicePrimaryCtxRelease implements [cudrv.Driver]. The last release destroys the context and all that it holds.
func (d *Driver) DevicePrimaryCtxRelease(dev cudrv.Device) error {
	c, _, err := d.beginDevice("cuDevicePrimaryCtxRelease", dev)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	ctx := d.primary[dev]
	if ctx == nil {
		return c.fail(cudrv.InvalidContext)
	}
	if ctx.refs--; ctx.refs == 0 {
		d.destroy(ctx)
	}
	return nil
}

// destroy drops a context's things. Its streams end by themselves.
func (d *Driver) destroy(ctx *context) {
	d.drain(ctx)
	d.primary[ctx.device] = nil
	delete(d.contexts, ctx.id)
	keep := d.allocs[:0]
	for _, a := range d.allocs {
		if a.ctx != ctx {
			keep = append(keep, a)
		}
	}
	d.allocs = keep
	for id, m := range d.modules {
		if m.ctx == ctx {
			d.unload(id)
		}
	}
	for id, s := range d.streams {
		if s.ctx == ctx {
			s.dead = true
			delete(d.streams, id)
		}
	}
	for id, e := range d.events {
		if e.ctx == ctx {
			delete(d.events, id)
		}
	}
	maps.DeleteFunc(d.graphs, func(_ cudrv.Graph, g *graph) bool { return g.ctx == ctx })
	maps.DeleteFunc(d.pools, func(_ cudrv.MemPool, p *pool) bool { return p.ctx == ctx })
	maps.DeleteFunc(d.pinned, func(_ *byte, p pinned) bool { return p.ctx == ctx })
	maps.DeleteFunc(d.execs, func(_ cudrv.Exec, g *graph) bool { return g.ctx == ctx })
	if ctx.null != nil {
		ctx.null.dead = true
	}
	d.changed.Broadcast()
}

// ErrorText implements [cudrv.Driver].
func (d *Driver) ErrorText(code cudrv.Result) (name, text string) { return code.String(), textOf(code) }

// CtxSetCurrent implements [cudrv.Driver].
func (d *Driver) CtxSetCurrent(id cudrv.Context) error {
	if d.opts.Quiet {
		return d.setCurrentQuiet(id)
	}
	c, err := d.begin("cuCtxSetCurrent", id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if id != 0 && d.contexts[id] == nil {
		return c.fail(cudrv.InvalidContext)
	}
	d.current[threadID()] = id
	return nil
}

// setCurrentQuiet is CtxSetCurrent without the notes, which would allocate.
func (d *Driver) setCurrentQuiet(id cudrv.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	code := d.fault("cuCtxSetCurrent")
	if code == cudrv.Success && id != 0 && d.contexts[id] == nil {
		code = cudrv.InvalidContext
	}
	if code != cudrv.Success {
		return (&Call{Name: "cuCtxSetCurrent"}).fail(code)
	}
	d.current[threadID()] = id
	return nil
}

// CtxSynchronize implements [cudrv.Driver].
func (d *Driver) CtxSynchronize() error {
	c, ctx, err := d.beginCtx("cuCtxSynchronize")
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	d.drain(ctx)
	return c.lost(ctx)
}
