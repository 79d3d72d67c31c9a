package gomlx

import (
	"fmt"
	"sync/atomic"

	"github.com/cutile-go/cutile/device"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
)

// Name is the name of the back end: what stands before the colon in GOMLX_BACKEND.
const Name = "cutile"

func init() { backends.Register(Name, New) }

// New opens the device that config names, as device.Open does: "" is a GPU if there is one, else the CPU.
func New(config string) (backends.Backend, error) {
	dev, err := device.Open(config)
	if err != nil {
		return nil, fmt.Errorf("cutile: GoMLX's configuration %q: %w", Name+":"+config, err)
	}
	b := &Backend{dev: dev}
	if probe, err := device.Wrap(dev, make([]byte, 16)); err == nil {
		b.shared = true
		probe.Close()
	}
	return b, nil
}

// Backend runs GoMLX's computations on one device. Its methods may be called from several goroutines.
type Backend struct {
	dev    *device.Device
	shared bool // the device's memory is the program's
	closed atomic.Bool
}

var _ backends.Backend = (*Backend)(nil)

// Name returns "cutile".
func (b *Backend) Name() string { return Name }

// String returns "cutile".
func (b *Backend) String() string { return Name }

// Description returns text about the library and the device.
func (b *Backend) Description() string {
	return "cuTile for Go on " + b.dev.Name() + ": " + b.dev.Description()
}

// NumDevices returns 1.
func (b *Backend) NumDevices() int { return 1 }

// DeviceDescription returns text about the device.
func (b *Backend) DeviceDescription(backends.DeviceNum) string { return b.dev.Description() }

// Device returns the device that the back end runs on.
func (b *Backend) Device() *device.Device { return b.dev }

// Finalize closes the device, which waits for all work and frees all buffers.
func (b *Backend) Finalize() {
	if !b.closed.Swap(true) {
		b.dev.Close() // errors of work come from those who read its results
	}
}

// IsFinalized reports whether Finalize was called.
func (b *Backend) IsFinalized() bool { return b.closed.Load() }

// Capabilities lists the operations and data types.
func (b *Backend) Capabilities() backends.Capabilities {
	c := backends.Capabilities{Operations: map[backends.OpType]bool{}, DTypes: map[dtypes.DType]bool{}}
	for t := backends.OpTypeInvalid + 1; t < backends.OpTypeLast; t++ {
		c.Operations[t] = !missing[t]
	}
	for _, d := range dataTypes() {
		c.DTypes[d] = true
	}
	return c
}

// missing are the operations in GoMLX's list that the back end lacks.
var missing = map[backends.OpType]bool{
	// For several devices.
	backends.OpTypeAllReduce: true, backends.OpTypeCollectiveBroadcast: true, backends.OpTypeAllGather: true,
	// In GoMLX's list, but not among the methods of a Builder.
	backends.OpTypeBroadcast: true, backends.OpTypeSelectAndScatterSum: true,
}

// usable returns an error after Finalize.
func (b *Backend) usable() error {
	if b.IsFinalized() {
		return fmt.Errorf("cutile: the back end was finalized: make another one by backends.New")
	}
	return nil
}

// checkDevice checks the number of a device.
func checkDevice(n backends.DeviceNum) error {
	if n != 0 {
		return fmt.Errorf("cutile: device %d: a back end has one device, number 0; make a back end for another one, as by \"cutile:cuda:1\"", n)
	}
	return nil
}
