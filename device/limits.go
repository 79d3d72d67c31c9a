package device

import "time"

// Limits bound the work that even a small input can cause. Exceeding a limit is an error that names the construct, its position
// and the limit. A field that is 0 stands for its default. [WithLimits] sets the limits of a device; the environment variable
// CUTILE_LIMITS, such as "calls=2000000,block-memory=4GiB,run=10s", sets the fields that a program leaves at 0, also for
// [Export] and the command cutile. Its names are the field names in lower case with - between words.
type Limits struct {
	// Operations limits how many operations (at the level of package cute, instructions) the compiler emits for one kernel.
	// Attempts that it discards count too: package cute emits a function with a return inside a branch, or a loop whose
	// variables change, at least twice. At the default, 524,288, a compilation takes a few seconds at most; CompileMemory
	// bounds its memory.
	Operations int
	// Calls limits how many calls the compiler inlines for one kernel, including operators of tiles. Default 524,288.
	Calls int
	// Turns limits the iterations of a loop over numbers that is unrolled without a request of the program, because something
	// in it must be known when the kernel is compiled. Default 256.
	Turns int
	// Unrolled limits the iterations of a nest of unrolled loops: the product over its loops. Default 65,536.
	Unrolled int
	// CompileMemory limits the bytes that the compiler uses for one kernel, estimated from its output. Default 1 GiB.
	CompileMemory int64
	// BlockMemory limits the bytes that the tiles and local memory of one block take on the CPU. The blocks of a launch that
	// run at the same time share it: if fewer fit, fewer run. Default 2 GiB.
	BlockMemory int64
	// Print limits the bytes of text that one print of one block produces on the CPU. Default 16 MiB.
	Print int64
	// Memory limits the bytes of a device's tensors, those of [Wrap] among them. Memory that was closed or dropped and that nothing uses any
	// more does not count. By default there is no limit but that of the device.
	Memory int64
	// Pinned limits the bytes of a device's pinned memory ([NewPinned]). By default there is no limit but that of the system.
	Pinned int64
	// Run limits how long a launch takes on the CPU. By default there is no limit.
	Run time.Duration
	// Close limits how long [Device.Close] and [Stream.Close] wait for work before they stop it. GPUs cannot stop running work.
	// Default 5 s.
	Close time.Duration
}
