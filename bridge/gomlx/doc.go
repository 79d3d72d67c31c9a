// Package gomlx makes cuTile for Go a back end of GoMLX, version 0.26: models that are written with GoMLX train and run on the
// machine code of the CPU engine, or on an NVIDIA GPU, without cgo.
//
// Importing the package registers the back end under the name "cutile":
//
//	import _ "github.com/cutile-go/cutile/bridge/gomlx"
//
//	backend, err := backends.NewWithConfig("cutile:cpu")
//
// What follows the colon names a device as [device.Open] takes it: "cutile:cpu", "cutile:cuda:1", or "cutile" for a GPU if there is
// one, else the CPU. GoMLX reads the same text from the environment variable GOMLX_BACKEND.
//
// All standard operations of GoMLX work, for all of its data types that have a Go type: bool, the integers, float16, bfloat16,
// float32, float64, complex64 and complex128. Exceptions are errors that say what is not supported and why: operations over
// several devices, the order of complex numbers, and bit casts of bool and complex numbers.
//
// A computation is a graph of package graph, which turns it into few kernels. Executions may run in several goroutines. Execute
// queues its work and returns; it waits only if inputs are shared with the program. Errors of running kernels come from the call
// that reads a result. On the CPU, buffers are shared with the program (HasSharedBuffers): GoMLX reads results in place.
//
// # Numbers
//
// Results are those of package graph: sums and products of matrices of float16 and bfloat16 are accumulated in float32 and rounded
// once; integers wrap around; the quotient of integers by zero is -1, and the remainder the dividend; conversions of floats to
// integers saturate. RNGBitGenerator is Philox4x32-10 (J. K. Salmon and others, Parallel random numbers: as easy as 1, 2, 3, 2011):
// its key is the first number of the state, its counter the other two. The numbers differ from those of GoMLX's other back ends,
// as theirs do from one another.
package gomlx
