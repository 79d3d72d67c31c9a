package vulkan

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/tools/store"
)

// pipelineCache is the driver's cache of compiled pipelines, which is kept on disk from one process to the next.
type pipelineCache struct {
	handle vulkan.PipelineCache
	key    store.Key
	before []byte // what the disk had
}

// cacheHeader is the bytes that begin the data of every pipeline cache (VkPipelineCacheHeaderVersionOne).
const cacheHeader = 32

// openCache makes a cache with what the disk has, if anything. What another device or another version of the driver has
// written is left out: not all drivers look.
func (d *Device) openCache() (*pipelineCache, error) {
	i := &d.info.Device
	c := &pipelineCache{key: store.KeyOf([]byte("vulkan pipelines"), identity(i))}
	if d.opts.Store != nil {
		found, err := d.opts.Store.Get(context.Background(), c.key, func(context.Context) ([]byte, error) { return nil, errNothing })
		if err == nil && fits(found, i) {
			c.before = found
		}
	}
	var err error
	c.handle, err = d.drv.CreatePipelineCache(c.before)
	if err != nil && c.before != nil && vulkan.Code(err) != vulkan.DeviceLost { // the driver does not like it: begin anew
		c.before = nil
		c.handle, err = d.drv.CreatePipelineCache(nil)
	}
	return c, err
}

// identity names a device with its driver, in the version of that.
func identity(i *vulkan.Info) []byte {
	return fmt.Appendf(nil, "%q %q %x %x %x %x %x", i.Name, i.Driver, i.VendorID, i.DeviceID, i.DriverVersion, i.Version, i.CacheUUID)
}

// errNothing ends the making of what is only looked for.
var errNothing = errors.New("nothing is kept")

// fits reports whether the data is of this device and driver.
func fits(data []byte, i *vulkan.Info) bool {
	le := binary.LittleEndian
	return len(data) >= cacheHeader && le.Uint32(data) == cacheHeader && le.Uint32(data[4:]) == 1 && le.Uint32(data[8:]) == i.VendorID &&
		le.Uint32(data[12:]) == i.DeviceID && bytes.Equal(data[16:32], i.CacheUUID[:])
}

// close keeps what the cache has got since it was opened, and gives it back. Failures cost time in the next process and
// nothing else.
func (c *pipelineCache) close(d *Device) {
	defer d.drv.DestroyPipelineCache(c.handle)
	if c.handle == 0 || d.opts.Store == nil || d.lost.Load() != nil {
		return
	}
	data, err := d.drv.PipelineCacheData(c.handle)
	if err != nil || len(data) <= cacheHeader || bytes.Equal(data, c.before) || !fits(data, &d.info.Device) {
		return
	}
	if d.opts.Store.Drop(c.key) == nil {
		d.opts.Store.Get(context.Background(), c.key, func(context.Context) ([]byte, error) { return data, nil })
	}
}
