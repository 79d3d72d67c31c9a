package device

import (
	"io"
	"io/fs"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// Option is an option of [Open].
type Option func(*options)

type options = engine.Options

// WithOutput sets where tile.Print writes; the default is os.Stdout. GPUs by CUDA always write to the standard output. A launch that is
// stopped, as by [Device.Close], does not wait for a writer that does not return.
func WithOutput(w io.Writer) Option { return func(o *options) { o.Output = w } }

// WithWorkers sets how many goroutines run a kernel on the CPU; the default, and the meaning of 0, is runtime.GOMAXPROCS. GPUs
// ignore it.
func WithWorkers(n int) Option { return func(o *options) { o.Workers = n } }

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
func WithChecks() Option { return func(o *options) { o.Checks = true } }

// WithFastBF16 lets the CPU multiply matrices of bfloat16 by its instruction for pairs of products, or by that for tiles (AMX), which
// on some machines is twice as fast. Results then depend on the machine: without the option they are the same everywhere, since
// products are added one after the other and each sum is rounded once. These instructions add several products at a time, in an
// order of their own, and take subnormal numbers as 0. An element still differs from the exact one by at most 2k·2⁻²⁴ times the sum of the absolute
// values that are added, for k products, and by what is lost of subnormal numbers (docs/numerics.md). Machines on which such
// an instruction is missing, or not known to be faster, ignore the option, and so do GPUs.
func WithFastBF16() Option { return func(o *options) { o.FastBF16 = true } }

// WithFlushToZero lets the CPU take subnormal numbers of float32 and float64, those below 2⁻¹²⁶ and 2⁻¹⁰²², as zeros of their
// signs: where arithmetic, a function, a comparison, a conversion or a product reads one, and where it would give one. Some CPUs
// need a hundred times as long for such numbers. Without the option they are computed exactly. What becomes zero depends on the
// machine, as interpreted operations compute exactly even then. Numbers of bfloat16 count as the float32 that they are. Operations
// that only move elements keep their bits. An element of an elementwise operation is the same as without the option if no operand is
// subnormal and the exact result is at least 2⁻¹²⁵, for float64 2⁻⁹⁰⁰ (docs/numerics.md). GPUs ignore the option.
func WithFlushToZero() Option { return func(o *options) { o.FlushToZero = true } }

// WithLimits sets a device's limits on compiling and running.
func WithLimits(l Limits) Option {
	return func(o *options) { o.Limits = limit.Limits(l) }
}

// WithCubins makes a GPU load code that cutile.Export or CUTILE_RECORD wrote, for example from an embedded folder: machine code, or else PTX
// that the GPU runs and its driver takes. Missing code is made as [WithAssembler] says, which the logger of [WithLogger] is told; what has
// been damaged is an error.
func WithCubins(files fs.FS) Option { return func(o *options) { o.Code = files } }

// WithAssembler chooses what makes the code of kernels for NVIDIA's GPUs: "tileiras", NVIDIA's assembler, or "own", our own compiler to
// PTX, which needs nothing but the driver, from CUDA 11.4 (release R470) and sm_75 (Turing) on. By default it is tileiras where that is
// installed and makes code for the GPU, which wants a driver for CUDA 13.0 (release R580), and sm_80; else, and where tileiras refuses
// a kernel or fails, our own compiler. A choice is never replaced by the other one. The environment variable CUTILE_ASSEMBLER
// chooses for devices that are opened without the option, and for code that CUTILE_RECORD writes on
// the CPU, which ignores the option. Any other name is an error of Open.
func WithAssembler(name string) Option { return func(o *options) { o.Assembler = name } }
