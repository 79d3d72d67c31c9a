// Package cute is the SIMT level: kernels that say what each thread does, with the layouts, tensors and atoms of CuTe, and
// host functions that launch them.
//
// A kernel is a Go function with the result [Kernel], a host function any other; both are ordinary Go, which the Go
// compiler checks. [Jit] gives a function of the same type that compiles the host function, with all kernels it launches,
// at its first call:
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
// What is known when a function is compiled is static: constants, receivers, functions, what a [Constexpr] holds, and all
// that is computed from these. Arguments, the places of threads and what is read from memory are dynamic. An if on
// something static leaves one side; a plain range is a loop on the device, and a range over [Unroll] is none.
//
// # The program that calls
//
// A host function is compiled, too. What makes its arguments and runs it is for the program that calls it, and is not in
// compiled code: [Of] and the marks of tensors, [StreamOf], [TensorMapOf], [Jit], [Compile], [Call], [Options].
//
// The functions on layouts and tuples also work there, in ordinary Go, on static integers. A layout that cannot be made
// carries the reason, see [Layout.Err].
//
// The words are CuTe's. See NVIDIA's CUTLASS documentation for the algebra, and docs/cute.md for examples.
package cute
