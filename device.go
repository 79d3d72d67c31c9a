package cutile

import (
	"io"
	"io/fs"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
)

// Device is a machine that runs kernels: the CPU, or one GPU. Package device documents its methods.
type Device = device.Device

// Stream is a queue of work that a device does in order. Package device documents its methods.
type Stream = device.Stream

// Event marks a place in a stream's queue. Package device documents its methods.
type Event = device.Event

// Target is where kernels are launched: a [Device], which stands for its default stream, a [Stream], or what the Grid
// method of either gives.
type Target = device.Target

// Tensor is an array of any rank on a device, or a view of another tensor's memory. Package device documents its methods:
// they give its shape, make views, and copy elements to and from Go's memory.
type Tensor[E dtype.Elem] = device.Tensor[E]

// TensorOf is what typed launches take: a Tensor, or a type of yours that stands for one. [Launch] takes such types, too.
type TensorOf[E dtype.Elem] = device.TensorOf[E]

// NewTensor makes a tensor of zeros. No shape at all makes a tensor of rank 0, which holds one element.
func NewTensor[E dtype.Elem](dev *Device, shape ...int) (*Tensor[E], error) {
	return device.NewTensor[E](dev, shape...)
}

// FromSlice makes a tensor of the given shape with the elements of data in row-major order. Without a shape the tensor
// has rank 1 and the length of data. data is copied.
func FromSlice[E dtype.Elem](dev *Device, data []E, shape ...int) (*Tensor[E], error) {
	return device.FromSlice(dev, data, shape...)
}

// Devices lists the names of the devices that Open can open, the one that it prefers first.
func Devices() []string { return device.Devices() }

// Open opens a device by its name: "cpu", "cuda:1", or "cuda" for the first GPU. The empty name stands for the one that the
// environment variable CUTILE_DEVICE names, else for a GPU if there is one, else for the CPU. A name that is not there
// is [ErrNoDevice], with a list of what is.
//
// For machines without NVIDIA's assembler, a program that runs with CUTILE_RECORD=folder and CUTILE_ARCHS=sm_90,sm_100
// keeps the machine code of every kernel that it compiles there, on whatever device it runs; the same program with
// CUTILE_CUBINS=folder, or a zip archive of it, then needs no assembler. [Export] and [WithCubins] do the same from within.
func Open(name string, opts ...Option) (*Device, error) { return device.Open(name, opts...) }

// Option is a choice for [Open].
type Option = device.Option

// WithOutput says where tile.Print writes; the default is os.Stdout. GPUs always write to the
// standard output. A launch that is stopped, as by [Device.Close], does not wait for a writer that does not return.
func WithOutput(w io.Writer) Option { return device.WithOutput(w) }

// WithWorkers says how many goroutines of the CPU run a kernel; the default, and 0, is runtime.GOMAXPROCS. GPUs ignore it.
func WithWorkers(n int) Option { return device.WithWorkers(n) }

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
func WithChecks() Option { return device.WithChecks() }

// Limits bound the work that a small input can make large: [device.Limits] says what each field bounds. A field that is 0
// stands for its default; what goes beyond a limit is an error that names the construct, its position and the limit.
type Limits = device.Limits

// WithLimits sets limits of compiling and running for a device.
func WithLimits(l Limits) Option { return device.WithLimits(l) }

// WithCubins makes a GPU take machine code from what [Export] or CUTILE_RECORD wrote, such as an embedded folder. What is not
// there is assembled, where NVIDIA's assembler is installed.
func WithCubins(files fs.FS) Option { return device.WithCubins(files) }
