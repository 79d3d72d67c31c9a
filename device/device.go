package device

import (
	"context"
	"runtime"

	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// Device is a machine that runs kernels: the CPU, or one GPU. Its methods may be called from several goroutines.
type Device struct {
	core *core.Device
	main *Stream
}

// New wraps an engine's device. It is for the packages of this module.
func New(eng engine.Device, limits limit.Limits) (*Device, error) {
	c, err := core.Open(eng, limits)
	if err != nil {
		return nil, core.Named[*Error]("device "+eng.Name(), err)
	}
	d := &Device{core: c}
	runtime.AddCleanup(d, func(c *core.Device) { go c.Close() }, c)
	d.main = &Stream{dev: d, core: c.Main()}
	return d, nil
}

// Internal returns the device for the packages of this module; nil for a nil Device.
func (d *Device) Internal() *core.Device {
	if d == nil {
		return nil
	}
	return d.core
}

// Name returns the name by which [Open] finds the device, such as "cpu" or "cuda:0".
func (d *Device) Name() string {
	if d == nil || d.core == nil {
		return "nil"
	}
	return d.core.Name()
}

// Description returns human-readable text: the model, its cores or memory, and the driver.
func (d *Device) Description() string {
	if d == nil || d.core == nil {
		return "no device"
	}
	return d.core.Engine().Description()
}

// String returns text such as "device cpu".
func (d *Device) String() string { return "device " + d.Name() }

// Stream returns the device's default stream, which Launch and NewTensor use when they are given the Device. It lives as long
// as the device.
func (d *Device) Stream() *Stream {
	if d == nil {
		return nil
	}
	return d.main
}

// NewStream makes another queue of work, independent of the default stream.
func (d *Device) NewStream() (*Stream, error) {
	if d == nil || d.core == nil {
		return nil, errNilDevice
	}
	s, err := d.core.NewStream()
	if err != nil {
		return nil, d.named(err)
	}
	out := &Stream{dev: d, core: s}
	runtime.AddCleanup(out, (*core.Stream).Drop, s) // calls on the stream keep it alive until they end
	return out, nil
}

// Sync waits until all work queued on the device's streams has ended and returns its errors. While a stream captures ([Stream.Capture]), Sync
// waits for the work of the others and returns an error.
func (d *Device) Sync(ctx context.Context) error {
	if d == nil || d.core == nil {
		return errNilDevice
	}
	if err := CheckContext(ctx); err != nil {
		return err
	}
	return d.named(d.core.Sync(ctx))
}

// Close waits for all work and frees everything on the device, including tensors and streams. It returns the error of any work
// that nobody waited for. Work that takes longer than [Limits].Close, by default 5 seconds, is stopped with an error; work
// whose wait was abandoned because its context ended is stopped at once. GPUs cannot stop running work. Compilations in
// progress for the device are abandoned. A second Close does nothing. A device that is no longer reachable, together with all
// its tensors and streams, is closed some time later.
func (d *Device) Close() error {
	if d == nil || d.core == nil {
		return errNilDevice
	}
	return d.named(d.core.Close())
}

// Grid returns the device's default stream as a [Target] with a grid of x, or x by y, or x by y by z blocks. A launch needs a
// grid if no argument is a tile.Out or tile.Persistent. An extent of 0 launches nothing, and is an error where a tile.Persistent has tiles.
func (d *Device) Grid(x int, yz ...int) Target { return d.Stream().Grid(x, yz...) }

func (d *Device) named(err error) error {
	if err == nil {
		return nil
	}
	return named(d.String(), d, err)
}
