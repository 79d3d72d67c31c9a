package fake

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// pool is a memory pool. What it reserves is taken from its device until it is trimmed.
type pool struct {
	ctx                       *context // whose device it is of
	device                    int
	threshold, used, reserved int64
	readers                   []cudrv.Device
}

// pinned is memory of the host.
type pinned struct {
	ctx  *context
	data []byte
}

// firstPools is the first driver with pools.
const firstPools = 11020

// beginPool is begin for a call on a pool.
func (d *Driver) beginPool(name string, id cudrv.MemPool, args ...any) (*Call, *pool, error) {
	c, _, err := d.beginSince(name, firstPools, args...)
	if err != nil {
		return c, nil, err
	}
	p := d.pools[id]
	if p == nil {
		return c, nil, c.fail(cudrv.InvalidHandle)
	}
	return c, p, nil
}

// MemPoolCreate implements [cudrv.Driver].
func (d *Driver) MemPoolCreate(dev cudrv.Device) (cudrv.MemPool, error) {
	c, ctx, err := d.beginSince("cuMemPoolCreate", firstPools, dev)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if int(dev) < 0 || int(dev) >= len(d.opts.Devices) {
		return 0, c.fail(cudrv.InvalidDevice)
	}
	id := cudrv.MemPool(d.newHandle())
	d.pools[id] = &pool{ctx: ctx, device: int(dev)}
	c.Out = id
	return id, nil
}

// MemPoolDestroy implements [cudrv.Driver]. The memory of what is still allocated from it stays.
func (d *Driver) MemPoolDestroy(id cudrv.MemPool) error {
	_, p, err := d.beginPool("cuMemPoolDestroy", id, id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	p.trim(0)
	delete(d.pools, id)
	return nil
}

// trim gives back what is not used, beyond keep bytes.
func (p *pool) trim(keep int64) {
	if least := max(p.used, min(keep, p.reserved)); least < p.reserved {
		p.ctx.used -= p.reserved - least
		p.reserved = least
	}
}

// MemPoolSetAttribute implements [cudrv.Driver].
func (d *Driver) MemPoolSetAttribute(id cudrv.MemPool, a cudrv.PoolAttribute, value uint64) error {
	c, p, err := d.beginPool("cuMemPoolSetAttribute", id, id, a, value)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if a != cudrv.PoolReleaseThreshold {
		return c.fail(cudrv.InvalidValue)
	}
	p.threshold = int64(min(value, 1<<62))
	return nil
}

// MemPoolGetAttribute implements [cudrv.Driver].
func (d *Driver) MemPoolGetAttribute(id cudrv.MemPool, a cudrv.PoolAttribute) (uint64, error) {
	c, p, err := d.beginPool("cuMemPoolGetAttribute", id, id, a)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	values := map[cudrv.PoolAttribute]int64{cudrv.PoolReleaseThreshold: p.threshold, cudrv.PoolReserved: p.reserved, cudrv.PoolUsed: p.used}
	v, ok := values[a]
	if !ok {
		return 0, c.fail(cudrv.InvalidValue)
	}
	return uint64(v), nil
}

// MemPoolTrimTo implements [cudrv.Driver].
func (d *Driver) MemPoolTrimTo(id cudrv.MemPool, keep int64) error {
	_, p, err := d.beginPool("cuMemPoolTrimTo", id, id, keep)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	p.trim(keep)
	return nil
}

// MemPoolSetAccess implements [cudrv.Driver].
func (d *Driver) MemPoolSetAccess(id cudrv.MemPool, from cudrv.Device) error {
	c, p, err := d.beginPool("cuMemPoolSetAccess", id, id, from)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if !d.peers(from, cudrv.Device(p.device)) {
		return c.fail(cudrv.InvalidDevice)
	}
	p.readers = append(p.readers, from)
	return nil
}

// MemAllocFromPoolAsync implements [cudrv.Driver]. The memory is full of one odd byte.
func (d *Driver) MemAllocFromPoolAsync(n int64, id cudrv.MemPool, on cudrv.Stream) (cudrv.DevicePtr, error) {
	c, p, err := d.beginPool("cuMemAllocFromPoolAsync", id, n, id, on)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	s, code := d.stream(p.ctx, on)
	if code != cudrv.Success {
		return 0, c.fail(code)
	}
	for !s.idle() { // what is freed before on the stream serves
		d.changed.Wait()
	}
	more := max(0, p.used+n-p.reserved)
	if n <= 0 {
		return 0, c.fail(cudrv.InvalidValue)
	}
	if p.ctx.used+more > d.opts.Devices[p.device].Memory {
		return 0, c.fail(cudrv.OutOfMemory)
	}
	p.used, p.reserved, p.ctx.used = p.used+n, p.reserved+more, p.ctx.used+more
	at := d.place(n, p.ctx, p)
	c.Out = at
	return at, nil
}

// MemFreeAsync implements [cudrv.Driver].
func (d *Driver) MemFreeAsync(at cudrv.DevicePtr, on cudrv.Stream) error {
	c, s, err := d.beginStream("cuMemFreeAsync", on, at, on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if a := d.alloc(at); a == nil || a.pool == nil {
		return c.fail(cudrv.InvalidValue)
	}
	s.push(cmd{kind: cmdFree, dst: at})
	return nil
}

// MemHostAlloc implements [cudrv.Driver]. The memory is full of one odd byte.
func (d *Driver) MemHostAlloc(n int) ([]byte, error) {
	c, ctx, err := d.beginCtx("cuMemHostAlloc", n)
	defer d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if n <= 0 {
		return nil, c.fail(cudrv.InvalidValue)
	}
	b := make([]byte, n)
	fill(b, waste)
	d.pinned[unsafe.SliceData(b)] = pinned{ctx, b}
	return b, nil
}

// MemFreeHost implements [cudrv.Driver].
func (d *Driver) MemFreeHost(b []byte) error {
	c, _, err := d.beginCtx("cuMemFreeHost", len(b))
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if _, ok := d.pinned[unsafe.SliceData(b)]; !ok {
		return c.fail(cudrv.InvalidValue)
	}
	delete(d.pinned, unsafe.SliceData(b))
	fill(b, ^byte(waste)) // copies that have not ended read it
	return nil
}

// isPinned reports whether bytes lie in pinned memory.
func (d *Driver) isPinned(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for p, all := range d.pinned {
		if from := uintptr(unsafe.Pointer(p)); at >= from && at-from < uintptr(len(all.data)) {
			return true
		}
	}
	return false
}

// peers reports whether one device can access another one's memory: all can here.
func (d *Driver) peers(a, b cudrv.Device) bool {
	n := cudrv.Device(len(d.opts.Devices))
	return a != b && a >= 0 && a < n && b >= 0 && b < n
}

// DeviceCanAccessPeer implements [cudrv.Driver].
func (d *Driver) DeviceCanAccessPeer(dev, peer cudrv.Device) (bool, error) {
	_, err := d.begin("cuDeviceCanAccessPeer", dev, peer)
	defer d.mu.Unlock()
	return err == nil && d.peers(dev, peer), err
}

// MemcpyPeerAsync implements [cudrv.Driver].
func (d *Driver) MemcpyPeerAsync(dst cudrv.DevicePtr, dstCtx cudrv.Context, src cudrv.DevicePtr, srcCtx cudrv.Context, n int64, on cudrv.Stream) error {
	c, s, err := d.beginStream("cuMemcpyPeerAsync", on, dst, dstCtx, src, srcCtx, n, on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	to, from := d.alloc(dst), d.alloc(src)
	_, ok := d.span(dst, n)
	_, ok2 := d.span(src, n)
	if to == nil || from == nil || !ok || !ok2 || to.ctx.id != dstCtx || from.ctx.id != srcCtx {
		return c.fail(cudrv.InvalidValue)
	}
	s.push(cmd{kind: cmdCopy, dst: dst, src: src, n: n})
	return nil
}
