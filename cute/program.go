package cute

// Kernel is the result of a function that runs on the device: (_ cute.Kernel), and bare returns. A call only binds the
// arguments; [Kernel.Launch] runs the kernel.
type Kernel struct{ _ [0]func() }

// Stream is a queue of work on a device, made by [StreamOf]. The zero Stream is the device's default stream.
type Stream struct{ stream any }

// Token is a launch that other launches can wait for; see [Launch.After].
type Token uint64

// Dim3 is three extents or indices.
type Dim3 struct{ X, Y, Z int }

// D3 returns a Dim3 of three numbers.
func D3(x, y, z int) Dim3 { return Dim3{x, y, z} }

// Launch configures the launch of a kernel.
type Launch struct {
	Grid           Dim3    // blocks; may be dynamic; the zero Dim3 for one block; an extent of 0 among others launches nothing
	Block          Dim3    // threads of a block; static; zero for one; at most 1024 in all, and 64 along Z
	Cluster        Dim3    // blocks of a cluster (sm_90): zero for none; static; at most 16 in all, of which each GPU with clusters can run 8, and some more; they divide the grid
	Smem           int     // bytes of dynamic shared memory: zero for what the kernel's allocator takes
	MinBlocksPerSM int     // minimum number of blocks that a multiprocessor must hold, to 32; 0 for none; static
	Stream         Stream  // zero for the device's default stream
	After          []Token // launches that must have ended before

	// Cooperative makes all blocks run at once, so that they can wait for each other, by [GridSync] for example; static. A grid that the
	// device cannot run at once is an error of the launch: [Executor.Occupancy] says how many blocks it can. The CPU
	// engine takes 1024 blocks.
	Cooperative bool
	// PDL lets the kernel start while the kernel before it on the stream still runs, which is called programmatic dependent launch; static. It
	// must call [GridWait] on every path, before it reads what others wrote or writes what others read; the one before it may call
	// [GridLaunchDependents]. It needs sm_90.
	PDL bool
}

// Launch runs the kernel. Only a host function can call it: one that [Jit] wraps or that such a function calls. The token is
// useful together with a stream or After.
//
//cutile:intrinsic launch
func (k Kernel) Launch(l Launch) Token { panic(hostOnly) }

// Constexpr is a parameter, or a field of one, that is known when the function is compiled. Each value makes a different
// program. It may be a number, a string, a function, or a struct of these.
type Constexpr[T any] struct{ V T }

// C returns a Constexpr that holds a value.
func C[T any](v T) Constexpr[T] { return Constexpr[T]{v} }

// ConstExpr returns b, which must be static, so that only one branch of an if on it is compiled.
//
//cutile:intrinsic constexpr
func ConstExpr(b bool) bool { return b }

// Unroll returns the numbers of range n, for an unrolled loop; n is static.
//
//cutile:intrinsic unroll
func Unroll(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// RangeOf tells how [Range] counts.
type RangeOf struct {
	From   int
	To     int
	Step   int // 0 means 1
	Unroll int // how many iterations are unrolled at a time; 0 means 1
}

// Range returns the numbers from r.From up to, but not including, r.To.
func Range(r RangeOf) func(yield func(int) bool) {
	if r.Step == 0 {
		r.Step = 1
	}
	if r.Unroll == 0 {
		r.Unroll = 1
	}
	return counted(r.From, r.To, r.Step, r.Unroll)
}

//cutile:intrinsic range
func counted(from, to, step, unroll int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := from; i < to; i += step {
			if !yield(i) || uint64(to)-uint64(i) <= uint64(step) { // i + step may wrap around
				return
			}
		}
	}
}

// Printf prints at run time, on the device or the host, with the verbs of package fmt. In contrast, fmt.Println prints while
// the function is compiled.
//
//cutile:intrinsic printf
func Printf(format string, args ...any) { panic(deviceOnly) }

// Assert ends the kernel with a message if a condition is false and the kernel is compiled with [Options.Assertions].
//
//cutile:intrinsic assert
func Assert(cond bool, msg string) { panic(deviceOnly) }
