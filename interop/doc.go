// Package interop exchanges tensors with libraries of other languages, without copies and without cgo: by DLPack, which NumPy, PyTorch, JAX, CuPy
// and many others know, and by the facts of the CUDA array interface. It also runs kernels of other compilers between those of the program:
// [LoadModule] takes a text of PTX or a cubin, and [Kernel.Launch] queues a kernel of it on a stream.
//
// A program that has loaded such a library, for example the one of an embedded interpreter, passes addresses: what a library gives, [Import] makes a
// tensor of; what it takes, [Export] makes of a tensor. package cutile's FromForeign and Share do the same for plain pointers.
//
// DLPack is specified at https://dmlc.github.io/dlpack/latest/c_api.html; the structs here are those of versions 1.0 and 0.8. The CUDA array
// interface is version 3 of https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html.
package interop
