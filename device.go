package cutile

import (
	"context"
	"io"
	"io/fs"
	"log/slog"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
)

// Device is a machine that runs kernels: the CPU, or one GPU. Package device documents its methods.
type Device = device.Device

// Stream is a queue of work that a device executes in order. Package device documents its methods.
type Stream = device.Stream

// Event marks a position in a stream's queue. Package device documents its methods.
type Event = device.Event

// Foreign is memory as libraries of other languages know it. Package device documents its fields; package interop has DLPack.
type Foreign = device.Foreign

// FromForeign makes a tensor of memory that something else owns, such as a C library, without a copy. See [device.FromForeign] for the rules.
func FromForeign(dev *Device, f Foreign) (device.AnyTensor, error) { return device.FromForeign(dev, f) }

// Share waits for the work on a tensor and says where its elements lie, for libraries of other languages. See [device.Share] for the rules.
func Share(ctx context.Context, t device.AnyTensor) (Foreign, error) { return device.Share(ctx, t) }

// LaunchGraph is a sequence of launches that was captured once and can be replayed, as a CUDA graph. [Stream.Capture] makes one, and package
// device documents its methods.
type LaunchGraph = device.LaunchGraph

// Occupancy is what a kernel takes of a device, and how many of its blocks run there at once; see [Prepared.Occupancy].
type Occupancy = device.Occupancy

// Target is where kernels are launched: a [Device], which stands for its default stream, a [Stream], or the result of the Grid
// method of either.
type Target = device.Target

// Tensor is an array of any rank on a device, or a view of another tensor's memory. Package device documents its methods:
// they return its shape, make views, and copy elements to and from Go's memory.
type Tensor[E dtype.Elem] = device.Tensor[E]

// TensorOf is the argument type of typed launches: a Tensor, or a type of your own that stands for one. [Launch] also takes
// such types.
type TensorOf[E dtype.Elem] = device.TensorOf[E]

// Pinned is memory of the host between which and tensors a GPU copies by itself. Package device documents its methods.
type Pinned[E dtype.Elem] = device.Pinned[E]

// NewPinned makes pinned memory for n elements, which are zero. See [device.Pinned] for its use.
func NewPinned[E dtype.Elem](dev *Device, n int) (*Pinned[E], error) {
	return device.NewPinned[E](dev, n)
}

// NewTensor makes a tensor of zeros. Without a shape the tensor has rank 0 and holds one element.
func NewTensor[E dtype.Elem](dev *Device, shape ...int) (*Tensor[E], error) {
	return device.NewTensor[E](dev, shape...)
}

// FromSlice makes a tensor of the given shape with the elements of data in row-major order. Without a shape the tensor
// has rank 1 and the length of data. data is copied.
func FromSlice[E dtype.Elem](dev *Device, data []E, shape ...int) (*Tensor[E], error) {
	return device.FromSlice(dev, data, shape...)
}

// Full makes a tensor whose elements are all value.
func Full[E dtype.Elem](dev *Device, value E, shape ...int) (*Tensor[E], error) {
	return device.Full(dev, value, shape...)
}

// Arange makes a tensor of rank 1 with the elements start, start+step, start+2·step and so on, up to stop, which is not among
// them. See [device.Arange] for the rules.
func Arange[E device.Number](dev *Device, start, stop, step E) (*Tensor[E], error) {
	return device.Arange(dev, start, stop, step)
}

// Linspace makes a tensor of rank 1 with n numbers at equal distances from start to stop: both are among them, if n is 2 or
// more. Numbers are computed in float64 and rounded to E.
func Linspace[E dtype.Float](dev *Device, start, stop float64, n int) (*Tensor[E], error) {
	return device.Linspace[E](dev, start, stop, n)
}

// Eye makes a matrix of n rows and n columns with ones on its diagonal and zeros elsewhere; true and false for bool.
func Eye[E dtype.Elem](dev *Device, n int) (*Tensor[E], error) { return device.Eye[E](dev, n) }

// Uniform makes a tensor of random numbers that are distributed evenly from low, included, to high, excluded, and rounded to E.
// Each depends on the seed and its place in the tensor alone: see [device.Uniform].
func Uniform[E dtype.Float](dev *Device, seed uint64, low, high float64, shape ...int) (*Tensor[E], error) {
	return device.Uniform[E](dev, seed, low, high, shape...)
}

// Normal makes a tensor of random numbers that are distributed normally, with a mean and a standard deviation. Each depends
// on the seed and its place in the tensor alone: see [device.Normal].
func Normal[E dtype.Float](dev *Device, seed uint64, mean, deviation float64, shape ...int) (*Tensor[E], error) {
	return device.Normal[E](dev, seed, mean, deviation, shape...)
}

// Wrap makes a tensor of the elements of data themselves, which kernels read and write in place, on the CPU engine. See
// [device.Wrap] for the rules.
func Wrap[E dtype.Elem](dev *Device, data []E, shape ...int) (*Tensor[E], error) {
	return device.Wrap(dev, data, shape...)
}

// ReadTensor reads a .npy file, as numpy.save and [Tensor.WriteTo] write it, to a tensor of the shape in the file; E must be the
// element type of the file. See [device.ReadTensor] for the rules. Package npy reads arrays without a device, and .npz files.
func ReadTensor[E dtype.Elem](dev *Device, r io.Reader) (*Tensor[E], error) {
	return device.ReadTensor[E](dev, r)
}

// Devices lists the names of the devices that Open can open, the preferred one first, and last those that are opened only by their name:
// Vulkan drivers that compute on the CPU.
func Devices() []string { return device.Devices() }

// Open opens a device by its name: "cpu", "cuda:1", or "cuda" for NVIDIA's first GPU; "vulkan:0", or "vulkan" for the first device with a
// Vulkan driver. The empty name selects the device that the environment variable CUTILE_DEVICE names, else a GPU by CUDA if there is
// one, else a GPU by Vulkan that can run kernels, else the CPU. Vulkan drivers that compute on the CPU are opened only by their name.
// If there is no device of that name, the error is [ErrNoDevice] and lists the existing ones.
//
// For machines without NVIDIA's assembler, a program that runs with CUTILE_RECORD=folder and CUTILE_ARCHS=sm_90,sm_100
// saves the machine code of every kernel that it compiles in that folder, on whatever device it runs; the same program with
// CUTILE_CUBINS=folder, or a zip archive of it, then needs no assembler. With CUTILE_ARCHS=own:sm_75,own:sm_90a it saves PTX of our own
// compiler, for which no tool of NVIDIA is needed anywhere. [Export] and [WithCubins] do the same in the program.
//
// With CUTILE_OVERRIDE=folder, the Tile IR of kernels can be changed by hand: the text of each kernel that a program loads on a device is
// written to that folder, and where it has been changed already, the changed text runs in its place, on whatever device. Its file is named
// after the kernel and the key of its own Tile IR ([Prepared.Key]), so that a text no longer counts when the kernel is another one. What does
// not parse, does not hold in Tile IR, or does not fit the launches of the kernel is an error with the line of the text. A logger
// ([WithLogger]) is told which kernels are replaced.
func Open(name string, opts ...Option) (*Device, error) { return device.Open(name, opts...) }

// Option is an option of [Open].
type Option = device.Option

// WithOutput sets where tile.Print writes; the default is os.Stdout. GPUs by CUDA always write to the standard output. A launch that is
// stopped, as by [Device.Close], does not wait for a writer that does not return.
func WithOutput(w io.Writer) Option { return device.WithOutput(w) }

// WithWorkers sets how many goroutines run a kernel on the CPU; the default, and the meaning of 0, is runtime.GOMAXPROCS. GPUs
// ignore it.
func WithWorkers(n int) Option { return device.WithWorkers(n) }

// WithChecks makes the CPU report behaviour that a GPU leaves undefined as errors with the position in the kernel, at some
// cost:
//   - a false promise of a kernel or the launcher about values;
//   - a load or store of a tile that lies wholly outside its view, unless the kernel has the directive //cutile:outside;
//   - an access through a tile.Ptr beyond the tensor that the pointer came from;
//   - a data race between blocks: two of them access the same bytes, one writes, and no atomic release and acquire operations
//     order them;
//   - a data race between threads of kernels of package cute;
//   - a composition or Recast of package cute whose dynamic numbers do not divide one another.
//
// The order of blocks changes with each launch of a kernel (forward, backward, then shuffled), to reveal results that depend on
// it. Blocks that print, or wait for others in a loop, keep the usual order. The search for races takes up to 24 bytes for each
// accessed element of a written tensor, and at most 256 MiB for a launch: accesses beyond that are not searched. GPUs ignore
// the option. Such a device interprets kernels, which often takes 10 to 100 times as long as machine code.
//
// In programs built by go test, devices check by default, unless benchmarks run. The environment variable CUTILE_CHECKS=off or
// =on sets the default for devices that are opened without WithChecks.
func WithChecks() Option { return device.WithChecks() }

// WithLogger makes a device say to a logger when it is opened and closed, compiles, loads or finds kernels, and interprets operations,
// and why: see [device.WithLogger]. By default nothing is logged.
func WithLogger(l *slog.Logger) Option { return device.WithLogger(l) }

// DeviceStats are counts of what a device did, which the method Stats of [Device] returns. [device.Stats] has the fields.
type DeviceStats = device.Stats

// WithFastBF16 lets the CPU multiply matrices of bfloat16 by its instruction for pairs of products, or by that for tiles (AMX), which
// on some machines is twice as fast. Results then depend on the machine: without the option they are the same everywhere, since
// products are added one after the other and each sum is rounded once. These instructions add several products at a time, in an
// order of their own, and take subnormal numbers as 0. An element still differs from the exact one by at most 2k·2⁻²⁴ times the sum of the absolute
// values that are added, for k products, and by what is lost of subnormal numbers (docs/numerics.md). Machines on which such
// an instruction is missing, or not known to be faster, ignore the option, and so do GPUs.
func WithFastBF16() Option { return device.WithFastBF16() }

// WithFlushToZero lets the CPU take subnormal numbers of float32 and float64, those below 2⁻¹²⁶ and 2⁻¹⁰²², as zeros of their
// signs: where arithmetic, a function, a comparison, a conversion or a product reads one, and where it would give one. Some CPUs
// need a hundred times as long for such numbers. Without the option they are computed exactly. What becomes zero depends on the
// machine, as interpreted operations compute exactly even then. Numbers of bfloat16 count as the float32 that they are. Operations
// that only move elements keep their bits. An element of an elementwise operation is the same as without the option if no operand is
// subnormal and the exact result is at least 2⁻¹²⁵, for float64 2⁻⁹⁰⁰ (docs/numerics.md). GPUs ignore the option.
func WithFlushToZero() Option { return device.WithFlushToZero() }

// Limits bound the work that even a small input can cause: [device.Limits] tells what each field bounds. A field that is 0
// stands for its default; exceeding a limit is an error that names the construct, its position and the limit.
type Limits = device.Limits

// WithTrace writes what the device does to w, as a trace that Perfetto (ui.perfetto.dev) and chrome://tracing show: compilations, copies and waits
// by the host's clock, and for each stream how long kernels and copies took on the device, with their grids. The times of work are written when
// somebody has waited for it (Sync, or a read); of work that nobody waits for, 16384 pieces are kept for each stream. Devices that are opened
// with one Option share the trace; Write is called for one event at a time. What is written is a JSON array of events without the ] at its end, which
// the format does without, so that what a program that ends early has written can be read; Close gives the error of a
// writer that fails. Launches take
// longer, as there are two events for each.
//
// The environment variable CUTILE_TRACE names a file for the devices that are opened without the option, or a folder in which each process makes a file
// of its own. While another process writes the file, a process makes one beside it: trace-*.json for trace.json.
func WithTrace(w io.Writer) Option { return device.WithTrace(w) }

// Shadow says how [WithShadow] compares. Package device documents its fields.
type Shadow = device.Shadow

// WithShadow repeats each launch on the CPU and compares what the two leave in memory. A difference is an error of the next call that waits, a
// [*DifferenceError], and names kernel, tensor and element, both values, and the block and line that store the element on the CPU. See
// [device.WithShadow] for what is compared, how, and what it costs. CUTILE_SHADOW=1 in the environment does the same for devices that are
// opened without the option.
func WithShadow(s Shadow) Option { return device.WithShadow(s) }

// WithLimits sets a device's limits on compiling and running.
func WithLimits(l Limits) Option { return device.WithLimits(l) }

// WithCubins makes a GPU load code that [Export] or CUTILE_RECORD wrote, for example from an embedded folder: machine code, or else PTX
// that the GPU runs and its driver takes. Missing code is made as [WithAssembler] says, which the logger of [WithLogger] is told; what has
// been damaged is an error.
func WithCubins(files fs.FS) Option { return device.WithCubins(files) }

// WithAssembler chooses what makes the code of kernels for NVIDIA's GPUs: "tileiras", NVIDIA's assembler, or "own", our own compiler to
// PTX, which needs nothing but the driver, from CUDA 11.4 (release R470) and sm_75 (Turing) on. By default it is tileiras where that is
// installed and makes code for the GPU, which wants a driver for CUDA 13.0 (release R580), and sm_80; else, and where tileiras refuses
// a kernel or fails, our own compiler. A choice is never replaced by the other one. The environment variable CUTILE_ASSEMBLER
// chooses for devices that are opened without the option, and for code that CUTILE_RECORD writes on
// the CPU, which ignores the option. Any other name is an error of Open.
func WithAssembler(name string) Option { return device.WithAssembler(name) }
