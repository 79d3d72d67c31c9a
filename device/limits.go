package device

import "time"

// Limits bound the work that a small input can make large. What goes beyond a limit is an error that names the construct,
// its position and the limit. A field that is 0 stands for its default. [WithLimits] sets them for a device; the
// environment variable CUTILE_LIMITS, such as "calls=2000000,block-memory=4GiB,run=10s", sets what a program leaves at 0,
// also for [Export] and the command cutile. Its names are those of the fields, in lower case and with - between words.
type Limits struct {
	// Operations is how many operations (instructions of package cute's level) the compiler writes for one kernel, those of
	// attempts that it gives up counted: package cute writes a function with a return inside of a branch, and a loop whose
	// variables change, two times and more. At the default, 524,288, a compilation takes some seconds at most; CompileMemory bounds its memory.
	Operations int
	// Calls is how many calls the compiler inlines for one kernel, operators of tiles among them. Default 524,288.
	Calls int
	// Turns is how many turns a loop over numbers has at most that is unrolled, though the program does not ask for that, as
	// something in it must be known when the kernel is compiled. Default 256.
	Turns int
	// Unrolled is how many turns an unrolled loop has together with all loops in it: of a nest, the product. Default 65,536.
	Unrolled int
	// CompileMemory is how many bytes the compiler takes for one kernel, estimated from what it makes. Default 1 GiB.
	CompileMemory int64
	// BlockMemory is how many bytes the tiles of one block take on the CPU, with its local memory. Blocks of a launch that
	// run at a time share it: where fewer fit, fewer run. Default 2 GiB.
	BlockMemory int64
	// Print is how many bytes of text one print of one block may make on the CPU. Default 16 MiB.
	Print int64
	// Run is how long a launch may take on the CPU. There is no limit by default.
	Run time.Duration
	// Close is how long [Device.Close] and [Stream.Close] wait for work before they stop it. GPUs cannot stop what runs. Default 5 s.
	Close time.Duration
}
