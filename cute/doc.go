// Package cute is for programming at the SIMT level: kernels that describe the work of each thread, with the layouts, tensors
// and atoms of CuTe, and host functions that launch them.
//
// A kernel is a Go function with the result [Kernel]; a host function is any other function. Both are ordinary Go, which the Go
// compiler checks. [Jit] returns a function of the same type that compiles the host function, with all kernels it launches, at
// its first call:
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
// A value that is known when a function is compiled is static: constants, receivers, functions, the value of a [Constexpr], and
// everything computed from these. Arguments, thread indices and values read from memory are dynamic. For an if with a static
// condition only one branch is compiled; a plain range is a loop on the device, and a range over [Unroll] is unrolled.
//
// # The calling program
//
// A host function is compiled, too. The functions that make its arguments and run it are for the program that calls it, and
// cannot be used in compiled code: [Of] and the marks of tensors, [StreamOf], [TensorMapOf], [Jit], [Compile], [Call],
// [Options].
//
// The functions on layouts and tuples also work in the calling program, on static integers. A layout that cannot be made holds
// the reason; see [Layout.Err].
//
// The terms are those of CuTe. See NVIDIA's CUTLASS documentation for the algebra, and docs/cute.md for examples.
package cute
