package device

import (
	"io"
	"io/fs"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// Option is a choice for [Open].
type Option func(*options)

type options = engine.Options

// WithOutput says where tile.Print writes; the default is os.Stdout. GPUs always write to the
// standard output. A launch that is stopped, as by [Device.Close], does not wait for a writer that does not return.
func WithOutput(w io.Writer) Option { return func(o *options) { o.Output = w } }

// WithWorkers says how many goroutines of the CPU run a kernel; the default, and 0, is runtime.GOMAXPROCS. GPUs ignore it.
func WithWorkers(n int) Option { return func(o *options) { o.Workers = n } }

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
func WithChecks() Option { return func(o *options) { o.Checks = true } }

// WithLimits sets limits of compiling and running for a device.
func WithLimits(l Limits) Option {
	return func(o *options) { o.Limits = limit.Limits(l) }
}

// WithCubins makes a GPU take machine code from what cutile.Export or CUTILE_RECORD wrote, such as an embedded folder. What is
// not there is assembled, where NVIDIA's assembler is installed.
func WithCubins(files fs.FS) Option { return func(o *options) { o.Code = files } }
