package cutile

import (
	"context"
	"io"
	"io/fs"
	"runtime"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Device is a machine that runs kernels: the CPU, or one GPU. Its methods may be called from several goroutines.
type Device struct {
	host   *device.Device
	main   *Stream
	loaded *cache.Cache[codeKey, loaded]

	promises bool // code that relies on proofs is better here
	checks   bool // launches are watched

	closing func() error
}

// Option is a choice for [Open].
type Option func(*options)

type options struct {
	output  io.Writer
	workers int
	checks  bool
	limits  limit.Limits
	cubins  fs.FS
}

// WithOutput says where tile.Print writes; the default is os.Stdout. GPUs always write to the
// standard output. A launch that is stopped, as by [Device.Close], does not wait for a writer that does not return.
func WithOutput(w io.Writer) Option { return func(o *options) { o.output = w } }

// WithWorkers says how many goroutines of the CPU run a kernel; the default, and 0, is runtime.GOMAXPROCS. GPUs ignore it.
func WithWorkers(n int) Option { return func(o *options) { o.workers = n } }

// WithChecks makes the CPU report, at some cost, what a GPU leaves undefined, as errors with the position in the kernel:
//   - a promise that a kernel or the launcher makes about values and that does not hold;
//   - a load or store of a tile that lies wholly outside its view, unless the kernel has the directive //cutile:outside;
//   - an access through a tile.Ptr beyond the tensor that the pointer came from;
//   - a data race between blocks: two of them reach the same bytes, one writes, and no atomic operations that release and
//     acquire order them;
//   - a data race between threads of kernels of package cute;
//   - a composition or Recast of package cute of dynamic numbers that do not divide one another.
//
// So that results which depend on the order of blocks show, it changes from launch to launch of a kernel: forward, backward,
// then shuffled. Blocks that print, or wait for others in a loop, keep the usual one. The search for races takes up to 24
// bytes for each element that is touched of a tensor that is written, and 256 MiB at most for a launch: what is touched beyond
// is not searched. GPUs ignore the option.
//
// In tests, programs that go test has built, devices check unasked, unless benchmarks run. The environment variable
// CUTILE_CHECKS=off or =on decides for every device of a program that is opened without WithChecks.
func WithChecks() Option { return func(o *options) { o.checks = true } }

func newDevice(eng engine.Device, o *options, limits limit.Limits) (*Device, error) {
	h, err := device.Open(eng)
	if err != nil {
		return nil, named("device "+eng.Name(), err)
	}
	h.Limit(limits)
	d := &Device{host: h, loaded: cache.New[codeKey, loaded](keepFailure), checks: o.checks}
	code := d.loaded
	d.closing = func() error { // not of d, which it must outlive
		return h.Close(func() { code.Clear(func(l loaded) { l.kernel.Close() }) })
	}
	runtime.AddCleanup(d, func(closing func() error) { go closing() }, d.closing)
	d.main = &Stream{dev: d, host: h.Main()}
	if p, ok := eng.(engine.Promising); ok {
		d.promises = p.Promises()
	}
	return d, nil
}

// Name is how [Open] knows the device: "cpu", "cuda:0".
func (d *Device) Name() string {
	if d == nil || d.host == nil {
		return "nil"
	}
	return d.host.Engine().Name()
}

// Description is for people: the model, its cores or memory, the driver.
func (d *Device) Description() string {
	if d == nil || d.host == nil {
		return "no device"
	}
	return d.host.Engine().Description()
}

// String is such as "device cpu".
func (d *Device) String() string { return "device " + d.Name() }

// Stream is the default stream, which Launch and NewTensor use for a Device. It lives as long as the device.
func (d *Device) Stream() *Stream {
	if d == nil {
		return nil
	}
	return d.main
}

// NewStream makes a queue of work beside the default one.
func (d *Device) NewStream() (*Stream, error) {
	if d == nil || d.host == nil {
		return nil, errNilDevice
	}
	s, err := d.host.NewStream()
	if err != nil {
		return nil, d.named(err)
	}
	return &Stream{dev: d, host: s}, nil
}

// Sync waits until everything queued on the device's streams has ended and gives the errors of it.
func (d *Device) Sync(ctx context.Context) error {
	if d == nil || d.host == nil {
		return errNilDevice
	}
	if err := known(ctx); err != nil {
		return err
	}
	return d.named(d.host.Sync(ctx))
}

// Close waits for all work and frees everything on the device: tensors and streams, too. It gives the error of work that
// nobody waited for. Work that takes longer than [Limits].Close, 5 seconds if nothing else was said, is stopped, with an
// error; so is at once what a wait was given up for, as its context had ended. GPUs cannot stop what runs. Kernels that
// are being compiled for the device are given up. A second Close does nothing. A device that was forgotten, with all its
// tensors and streams, is closed some time later.
func (d *Device) Close() error {
	if d == nil || d.host == nil {
		return errNilDevice
	}
	return d.named(d.closing())
}

// Grid is the device's default stream as a [Target] with a grid of x, or x by y, or x by y by z blocks. A launch needs it
// where no argument is a tile.Out. An extent of 0 launches nothing.
func (d *Device) Grid(x int, yz ...int) Target {
	main, _ := d.target()
	return main.Grid(x, yz...)
}

func (d *Device) target() (*Stream, *bind.Grid) {
	if d == nil {
		return nil, nil
	}
	return d.main, nil
}

func (d *Device) named(err error) error { return named(d.String(), err) }

// codeKey names compiled code: a kernel with the facts of its arguments.
type codeKey struct {
	kernel *compile.Kernel
	facts  string
	limits string // a text that names those of the compiler
}

// loaded is code on a device.
type loaded struct {
	code   *compile.Code
	kernel engine.Kernel
}
