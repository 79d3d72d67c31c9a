package run

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
)

// Encode writes a tensor map to memory of its own.
func Encode(d *device.Device, m engine.TensorMap) (*device.Memory, error) {
	eng, ok := d.Engine().(engine.SIMT)
	if !ok {
		return nil, fmt.Errorf("device %s does not run kernels of package cute", d.Engine().Name())
	}
	data, err := eng.TensorMap(m)
	if err != nil {
		return nil, err
	}
	mem, err := d.Alloc(int64(len(data)))
	if err != nil {
		return nil, err
	}
	return mem, mem.Write(data, 0)
}
