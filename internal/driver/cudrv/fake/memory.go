package fake

import (
	"sort"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// alloc is one piece of device memory.
type alloc struct {
	base cudrv.DevicePtr
	data []byte
	ctx  *context
	pool *pool // nil for memory that is in none
}

const (
	align = 256 // no more than CUDA promises
	guard = 256 // no address between two allocations is valid
	waste = 0xA5
)

// find gives the memory from p to the end of its allocation.
func (d *Driver) find(p cudrv.DevicePtr) ([]byte, bool) {
	a := d.alloc(p)
	if a == nil {
		return nil, false
	}
	return a.data[p-a.base:], true
}

// span gives n bytes at p, which must lie in one allocation.
func (d *Driver) span(p cudrv.DevicePtr, n int64) ([]byte, bool) {
	b, ok := d.find(p)
	if !ok || n < 0 || int64(len(b)) < n {
		return nil, n == 0
	}
	return b[:n], true
}

// MemGetInfo implements [cudrv.Driver].
func (d *Driver) MemGetInfo() (free, total int64, err error) {
	_, ctx, err := d.beginCtx("cuMemGetInfo")
	defer d.mu.Unlock()
	if err != nil {
		return 0, 0, err
	}
	total = d.opts.Devices[ctx.device].Memory
	return total - ctx.used, total, nil
}

// MemAlloc implements [cudrv.Driver]. The memory is full of one odd byte.
func (d *Driver) MemAlloc(n int64) (cudrv.DevicePtr, error) {
	c, ctx, err := d.beginCtx("cuMemAlloc", n)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if n <= 0 {
		return 0, c.fail(cudrv.InvalidValue)
	}
	if ctx.used+n > d.opts.Devices[ctx.device].Memory {
		return 0, c.fail(cudrv.OutOfMemory)
	}
	ctx.used += n
	at := d.place(n, ctx, nil)
	c.Out = at
	return at, nil
}

// place makes an allocation.
func (d *Driver) place(n int64, ctx *context, p *pool) cudrv.DevicePtr {
	a := &alloc{base: d.space, data: make([]byte, n), ctx: ctx, pool: p}
	fill(a.data, waste)
	d.space = (d.space + cudrv.DevicePtr(n) + guard + align - 1) / align * align
	d.allocs = append(d.allocs, a)
	return a.base
}

// alloc finds the allocation with an address; nil for none.
func (d *Driver) alloc(p cudrv.DevicePtr) *alloc {
	i := sort.Search(len(d.allocs), func(i int) bool { return d.allocs[i].base > p })
	if i == 0 || p-d.allocs[i-1].base >= cudrv.DevicePtr(len(d.allocs[i-1].data)) {
		return nil
	}
	return d.allocs[i-1]
}

// free removes the allocation that begins at an address.
func (d *Driver) free(p cudrv.DevicePtr) bool {
	for i, a := range d.allocs {
		if a.base != p {
			continue
		}
		if a.pool != nil {
			a.pool.used -= int64(len(a.data))
		} else {
			a.ctx.used -= int64(len(a.data))
		}
		d.allocs = append(d.allocs[:i], d.allocs[i+1:]...)
		return true
	}
	return false
}

func fill(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// MemFree implements [cudrv.Driver]. Like the real one it waits for the context's work first.
func (d *Driver) MemFree(p cudrv.DevicePtr) error {
	c, ctx, err := d.beginCtx("cuMemFree", p)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	d.drain(ctx)
	if err := c.lost(ctx); err != nil {
		return err
	}
	if !d.free(p) {
		return c.fail(cudrv.InvalidValue)
	}
	return nil
}

// MemcpyHtoD implements [cudrv.Driver], on the default stream.
func (d *Driver) MemcpyHtoD(dst cudrv.DevicePtr, src []byte) error {
	return d.copyIn("cuMemcpyHtoD", dst, src, 0, true)
}

// MemcpyDtoH implements [cudrv.Driver], on the default stream.
func (d *Driver) MemcpyDtoH(dst []byte, src cudrv.DevicePtr) error {
	return d.copyOut("cuMemcpyDtoH", dst, src, 0)
}

// MemcpyHtoDAsync implements [cudrv.Driver]; src is copied at once, unless it is pinned.
func (d *Driver) MemcpyHtoDAsync(dst cudrv.DevicePtr, src []byte, s cudrv.Stream) error {
	return d.copyIn("cuMemcpyHtoDAsync", dst, src, s, false)
}

// MemcpyDtoHAsync implements [cudrv.Driver]; it waits, as the real one does where dst is ordinary memory, unless dst is pinned.
func (d *Driver) MemcpyDtoHAsync(dst []byte, src cudrv.DevicePtr, s cudrv.Stream) error {
	return d.copyOut("cuMemcpyDtoHAsync", dst, src, s)
}

func (d *Driver) copyIn(name string, dst cudrv.DevicePtr, src []byte, on cudrv.Stream, wait bool) error {
	c, s, err := d.beginStream(name, on, dst, len(src), on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if _, ok := d.span(dst, int64(len(src))); !ok {
		return c.fail(cudrv.InvalidValue)
	}
	if !d.isPinned(src) {
		src = append([]byte(nil), src...)
	}
	s.push(cmd{kind: cmdWrite, dst: dst, host: src, n: int64(len(src))})
	if wait {
		return d.await(c, s)
	}
	return nil
}

func (d *Driver) copyOut(name string, dst []byte, src cudrv.DevicePtr, on cudrv.Stream) error {
	c, s, err := d.beginStream(name, on, src, len(dst), on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if _, ok := d.span(src, int64(len(dst))); !ok {
		return c.fail(cudrv.InvalidValue)
	}
	s.push(cmd{kind: cmdRead, src: src, host: dst, n: int64(len(dst))})
	if d.isPinned(dst) && name == "cuMemcpyDtoHAsync" {
		return nil
	}
	return d.await(c, s)
}

// MemcpyDtoDAsync implements [cudrv.Driver]. A copy onto itself is refused; the real driver leaves it undefined.
func (d *Driver) MemcpyDtoDAsync(dst, src cudrv.DevicePtr, n int64, on cudrv.Stream) error {
	c, s, err := d.beginStream("cuMemcpyDtoDAsync", on, dst, src, n, on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	_, ok := d.span(dst, n)
	_, ok2 := d.span(src, n)
	overlap := dst < src+cudrv.DevicePtr(n) && src < dst+cudrv.DevicePtr(n)
	if !ok || !ok2 || overlap {
		return c.fail(cudrv.InvalidValue)
	}
	s.push(cmd{kind: cmdCopy, dst: dst, src: src, n: n})
	return nil
}

// MemsetD8Async implements [cudrv.Driver].
func (d *Driver) MemsetD8Async(dst cudrv.DevicePtr, value byte, n int64, on cudrv.Stream) error {
	c, s, err := d.beginStream("cuMemsetD8Async", on, dst, value, n, on)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if _, ok := d.span(dst, n); !ok {
		return c.fail(cudrv.InvalidValue)
	}
	s.push(cmd{kind: cmdSet, dst: dst, value: value, n: n})
	return nil
}

// PointerGetDevice implements [cudrv.Driver].
func (d *Driver) PointerGetDevice(p cudrv.DevicePtr) (int, error) {
	c, _, err := d.beginCtx("cuPointerGetAttribute", p)
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	a := d.alloc(p)
	if a == nil {
		return 0, c.fail(cudrv.InvalidValue)
	}
	return a.ctx.device, nil
}
