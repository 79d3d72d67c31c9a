// Package cuda runs kernels on NVIDIA GPUs: the implementation of package engine over the CUDA driver.
//
// A module is written as Tile IR bytecode, an [Assembler] makes a cubin of it (NVIDIA's tileiras, as a child process), and
// the driver loads that. Where tileiras is missing or fails, where the GPU or its driver is too old for it, and by choice, our own
// compiler (package threads) makes PTX, which the driver compiles: see [Choose]. Streams, events and memory are the driver's. The device uses the primary context, which it
// shares with other users of CUDA in the process.
package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// MinDriver is the oldest driver that runs Tile IR kernels, as the driver counts: CUDA 13.0, release R580.
const MinDriver = 13000

// OldestDriver is the oldest driver that is taken for kernels of our own compiler: CUDA 11.4, release R470.
const OldestDriver = 11040

// ErrClosed is what [errors.Is] finds where a device, stream, event, kernel or buffer is used after its Close or Free.
var ErrClosed = errors.New("closed")

// ErrNoDriver is what [errors.Is] finds where the machine has no usable CUDA driver.
var ErrNoDriver = cudrv.ErrNoDriver

// Options are the choices of [Open]. The zero value is the usual one.
type Options struct {
	Driver    cudrv.Driver   // nil for the machine's
	Assembler Assembler      // the only one; nil for what Choose says, at the first Compile
	Choice    string         // of the user: AssemblerTileiras, AssemblerOwn, or "" for none
	Cubins    fs.FS          // what [Prebuilt] reads, before the assembler is asked
	Version   tileir.Version // of the bytecode; 0 for the newest that the assembler reads
	Oldest    int            // driver that is taken; 0 for MinDriver with tileiras alone, else OldestDriver; kernels of the SIMT level can do with less
}

// Info describes a GPU.
type Info struct {
	Ordinal         int
	Model           string // such as "NVIDIA H200"
	Major, Minor    int    // compute capability
	Memory          int64  // bytes
	Multiprocessors int
	Shared          int // bytes of shared memory that a block may have
	Driver          int // newest CUDA version of the driver: 1000*major + 10*minor
}

// Name is how users ask for the device, such as "cuda:0".
func (i Info) Name() string { return fmt.Sprintf("cuda:%d", i.Ordinal) }

// Target is what code is made for, such as "sm_90".
func (i Info) Target() string { return fmt.Sprintf("sm_%d%d", i.Major, i.Minor) }

// String is for people, such as "NVIDIA H200 (sm_90, 132 multiprocessors, 139.8 GiB, driver for CUDA 13.4)".
func (i Info) String() string {
	return fmt.Sprintf("%s (%s, %d multiprocessors, %s, driver for CUDA %s)", i.Model, i.Target(), i.Multiprocessors,
		size(i.Memory), cudrv.VersionName(i.Driver))
}

// Speed names the model, and how much of it the device has: drivers change it as little as another machine does.
func (i Info) Speed() string {
	return fmt.Sprintf("%s, %d multiprocessors", i.Model, i.Multiprocessors)
}

// size writes a number of bytes for people.
func size(n int64) string {
	for _, u := range []struct {
		shift uint
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<u.shift {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(int64(1)<<u.shift), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Devices lists the GPUs. A nil driver is the machine's. Without a driver the error is [ErrNoDriver]; a driver without a
// GPU gives an empty list.
func Devices(drv cudrv.Driver) ([]Info, error) {
	drv, version, err := start(drv)
	if cudrv.Code(err) == cudrv.NoDevice {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n, err := drv.DeviceGetCount()
	if err != nil {
		return nil, err
	}
	infos := make([]Info, n)
	for i := range infos {
		if _, infos[i], err = describe(drv, i, version); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// start opens and initialises a driver and gives its version.
func start(drv cudrv.Driver) (cudrv.Driver, int, error) {
	if drv == nil {
		var err error
		if drv, err = cudrv.Open(); err != nil {
			return nil, 0, err
		}
	}
	if err := drv.Init(); err != nil {
		return nil, 0, err
	}
	version, err := drv.DriverGetVersion()
	return drv, version, err
}

func describe(drv cudrv.Driver, ordinal, version int) (cudrv.Device, Info, error) {
	info := Info{Ordinal: ordinal, Driver: version}
	dev, err := drv.DeviceGet(ordinal)
	if err != nil {
		return 0, info, err
	}
	if info.Model, err = drv.DeviceGetName(dev); err != nil {
		return 0, info, err
	}
	if info.Memory, err = drv.DeviceTotalMem(dev); err != nil {
		return 0, info, err
	}
	for _, a := range []struct {
		attr cudrv.Attribute
		to   *int
	}{{cudrv.ComputeMajor, &info.Major}, {cudrv.ComputeMinor, &info.Minor}, {cudrv.MultiprocessorCnt, &info.Multiprocessors},
		{cudrv.MaxSharedOptin, &info.Shared}} {
		if *a.to, err = drv.DeviceGetAttribute(dev, a.attr); err != nil {
			return 0, info, err
		}
	}
	return dev, info, nil
}

// Open opens the GPU with the given number and retains its primary context until Close.
func Open(ordinal int, opts Options) (*Device, error) {
	drv, version, err := start(opts.Driver)
	if err != nil {
		return nil, err
	}
	n, err := drv.DeviceGetCount()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= n {
		return nil, fmt.Errorf("cuda:%d: no such GPU: %s; see nvidia-smi -L and CUDA_VISIBLE_DEVICES", ordinal, countText(n))
	}
	if err := opts.checkDriver(version); err != nil {
		return nil, fmt.Errorf("cuda:%d: %w", ordinal, err)
	}
	handle, info, err := describe(drv, ordinal, version)
	if err != nil {
		return nil, err
	}
	d := &Device{drv: drv, opts: opts, info: info, handle: handle, live: map[resource]uint64{}, peers: map[*Device]bool{}}
	if d.ctx, err = drv.DevicePrimaryCtxRetain(handle); err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		return nil, errors.Join(err, drv.DevicePrimaryCtxRelease(handle))
	}
	return d, nil
}

// checkDriver refuses a driver that is too old for what is to make code.
func (o *Options) checkDriver(version int) error {
	oldest, release := OldestDriver, "R470"
	if o.Assembler != nil || o.Choice == AssemblerTileiras {
		oldest, release = MinDriver, "R580, for code of tileiras"
	}
	if version >= cmp.Or(o.Oldest, oldest) {
		return nil
	}
	return fmt.Errorf("the NVIDIA driver supports CUDA %s; kernels need %s (release %s) or later: update the driver", cudrv.VersionName(version),
		cudrv.VersionName(oldest), release)
}

func countText(n int) string {
	switch n {
	case 0:
		return "none is visible"
	case 1:
		return "only cuda:0 is visible"
	}
	return fmt.Sprintf("cuda:0 to cuda:%d are visible", n-1)
}

var _ engine.Device = (*Device)(nil)

// Promises implements [engine.Promising]: what lies inside needs no mask.
func (d *Device) Promises() bool { return d.opts.Version == 0 || d.opts.Version >= tileir.V13_4 }

// Parallel implements [engine.Parallel].
func (d *Device) Parallel() int { return d.info.Multiprocessors }
