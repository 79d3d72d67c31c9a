// Package cute is for programming at the SIMT level, where a kernel describes the work of each thread. It provides the
// layouts, tensors and atoms of CuTe, and host functions that launch kernels.
//
// A kernel is a Go function with the result [Kernel]; a host function is any other function. The Go compiler checks
// both, since they are ordinary Go. [Jit] returns a function of the host function's type. At its first call it compiles
// the host function with all kernels that it launches:
//
//	//go:embed *.go
//	var source embed.FS
//	var _ = cutile.Module(source)
//
//	func scale(x cute.Tensor[float32], f float32) (_ cute.Kernel) {
//		i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
//		if i < x.Size() {
//			x.Set(f*x.At(i), i)
//		}
//		return
//	}
//
//	func run(x cute.Tensor[float32], f float32) error {
//		scale(x, f).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(x.Size(), 256), 1, 1), Block: cute.D3(256, 1, 1)})
//		return nil
//	}
//
//	var Scale = cute.Jit(run)
//
// # Static and dynamic
//
// A value that is known when a function is compiled is static. Constants, receivers, functions, the value of a
// [Constexpr], and everything computed from these are static. Arguments, thread indices and values read from memory are
// dynamic. Of an if statement with a static condition, only the branch that is taken is compiled. A plain range loop
// runs on the device; a range over [Unroll] is unrolled.
//
// # The calling program
//
// A host function is compiled, too. Only the calling program can use the functions that make a host function's
// arguments or that compile and run it: [Of] and each [Mark], [StreamOf], [TensorMapOf], [Jit], [Compile], [Call],
// [Options].
//
// The functions on layouts and tuples also work in the calling program, on static integers. A layout that cannot be
// made holds the error; see [Layout.Err].
//
// The package uses CuTe's terms. See NVIDIA's CUTLASS documentation for the layout algebra, and docs/cute.md for
// examples.
package cute
