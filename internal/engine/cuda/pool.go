package cuda

import (
	"errors"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

var _ engine.Pooling = (*Device)(nil)

// makePool makes a pool that keeps what is freed: getting memory from it and giving it back does not wait for the device's work, as the
// driver's plain functions do. It is 0 where the driver or the device has no pools.
func (d *Device) makePool() (cudrv.MemPool, error) {
	has, err := d.drv.DeviceGetAttribute(d.handle, cudrv.MemoryPools)
	if code := cudrv.Code(err); code == cudrv.InvalidValue { // an old driver does not know the attribute
		return 0, nil
	}
	if err != nil || has == 0 {
		return 0, err
	}
	p, err := d.drv.MemPoolCreate(d.handle)
	if cudrv.Code(err) == cudrv.NotFound {
		return 0, nil
	}
	if err != nil {
		return 0, d.fault(err)
	}
	if err := d.drv.MemPoolSetAttribute(p, cudrv.PoolReleaseThreshold, math.MaxUint64); err != nil {
		return 0, errors.Join(d.fault(err), d.drv.MemPoolDestroy(p))
	}
	return p, nil
}

// dropPool frees the pool, after the memory that came from it.
func (d *Device) dropPool() error {
	if d.pool == 0 {
		return nil
	}
	return errors.Join(d.drv.StreamSynchronize(d.setup), d.drv.MemPoolDestroy(d.pool))
}

// take gets memory, within enter and leave.
func (d *Device) take(n int64) (cudrv.DevicePtr, error) {
	if d.pool == 0 {
		return d.drv.MemAlloc(n)
	}
	return d.drv.MemAllocFromPoolAsync(n, d.pool, d.setup)
}

// give gives it back. Work that uses it must have ended.
func (d *Device) give(p cudrv.DevicePtr) error {
	if d.pool == 0 {
		return d.drv.MemFree(p)
	}
	return d.drv.MemFreeAsync(p, d.setup)
}

// Alloc makes zeroed memory. No memory of zero bytes exists: such a buffer has an address all the same.
func (d *Device) Alloc(bytes int64) (engine.Buffer, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("%s: cannot allocate %d bytes", d.Name(), bytes)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	n := max(bytes, 1)
	p, err := d.take(n)
	if err != nil {
		return nil, d.allocError(bytes, err)
	}
	err = d.drv.MemsetD8Async(p, 0, n, d.setup)
	if err == nil {
		err = d.drv.StreamSynchronize(d.setup)
	}
	if err != nil {
		err = d.fault(err)
		if d.lost.Load() == nil {
			err = errors.Join(err, d.give(p))
		}
		return nil, err
	}
	b := &buffer{d: d, p: p, size: bytes}
	d.track(b)
	return b, nil
}

// allocError says how much is there.
func (d *Device) allocError(bytes int64, err error) error {
	if cudrv.Code(err) != cudrv.OutOfMemory {
		return d.fault(err)
	}
	left := ""
	if free, total, e := d.drv.MemGetInfo(); e == nil {
		left = fmt.Sprintf(" (%s of %s are free)", size(free+d.unused()), size(total))
	}
	return fmt.Errorf("%s: cannot allocate %s%s: %w", d.Name(), size(bytes), left, err)
}

// unused is what the pool holds for later buffers, as far as the driver says.
func (d *Device) unused() int64 {
	if d.pool == 0 {
		return 0
	}
	reserved, err := d.drv.MemPoolGetAttribute(d.pool, cudrv.PoolReserved)
	used, err2 := d.drv.MemPoolGetAttribute(d.pool, cudrv.PoolUsed)
	if err != nil || err2 != nil {
		return 0
	}
	return int64(reserved) - int64(used)
}

// Unused implements [engine.Pooling].
func (d *Device) Unused() int64 {
	if err := d.enter(); err != nil {
		return 0
	}
	defer d.leave()
	return d.unused()
}

// Trim implements [engine.Pooling].
func (d *Device) Trim() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if err := d.host.free(d.drv); err != nil || d.pool == 0 {
		return d.fault(err)
	}
	err := d.drv.StreamSynchronize(d.setup) // what was given back has to have come to the pool
	if err == nil {
		err = d.drv.MemPoolTrimTo(d.pool, 0)
	}
	return d.fault(err)
}
