package compile_test

import "github.com/cutile-go/cutile/tile"

// wrongParams are the kernels below: parameters that no launch can give, and directives that say nothing.
var wrongParams = []any{
	textParam, pointerParam, anyParam, errorParam, complexParam, tileParam, sliceOfViews, longArray, nestedSlice, variadicParam, channelInStruct,
	interfaceParam, extentUnknown, tooLargeTile, tooLargeInStruct, scalarView16, fourBits, errorResult, hintNumber, hintTwice, hintArch,
	hintPower, hintRange, hintNoValue, operationKernel, mapOfViews, uintptrParam, methodOfView, loadsOut, functionOfViews, tileOfPointers,
}

func textParam(name string, z tile.Out[v16]) {} // want 16 "parameter name: a kernel cannot take a value of type string: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func pointerParam(n *int, z tile.Out[v16]) {} // want 19 "parameter n: a kernel cannot take a value of type *int: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func anyParam(x any, z tile.Out[v16]) {} // want 15 "parameter x: a kernel cannot take a value of type any: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func errorParam(x error, z tile.Out[v16]) {} // want 17 "parameter x: a kernel cannot take a value of type error: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func complexParam(c complex64, z tile.Out[v16]) {} // want 19 "parameter c: a kernel cannot take a value of type complex64: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func tileParam(x v16, z tile.Out[v16]) { z.Store(x) } // want 16 "parameter x: a kernel cannot take a value of type compile_test.v16: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func sliceOfViews(xs []tile.In[v16], z tile.Out[v16]) {} // want 19 "parameter xs: a kernel cannot take a value of type []tile.In[compile_test.v16]: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func longArray(xs [300]int32, z tile.Out[v16]) {} // want 16 "parameter xs: an array of 300 is too long for a parameter: it may have 256 elements"

type layers struct {
	n    int32
	axes []int // want 2 "parameter l.axes: a kernel cannot take a value of type []int: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"
}

func nestedSlice(l layers, z tile.Out[v16]) {}

func variadicParam(z tile.Out[v16], xs ...float32) {} // want 37 "parameter xs: a kernel cannot take a value of type []float32: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

type signal struct {
	z    tile.Out[v16]
	done chan bool // want 2 "parameter s.done: a kernel cannot take a value of type chan bool: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"
}

func channelInStruct(s signal) {}

func interfaceParam(s scaler, z tile.Out[v16]) {} // want 21 "parameter s: a kernel cannot take a value of type compile_test.scaler: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func extentUnknown(z tile.Out[tile.F32T1[tile.Dim]]) { z.Store(1) } // want 20 "parameter z: the extents of tile.Out[tile.F32T1[tile.Dim]] must be known: write dimensions such as tile.D16, or type parameters of constraint tile.Dim"

func tooLargeTile(z tile.Out[tile.F32T2[tile.D65536, tile.D65536]]) { z.Store(1) } // want 19 "parameter z: a tile of shape [65536 65536] has more than 16777216 elements"

type wide struct {
	x tile.In[tile.F32T3[tile.D4096, tile.D4096, tile.D4]] // want 2 "parameter s.x: a tile of shape [4096 4096 4] has more than 16777216 elements"
}

func tooLargeInStruct(s wide) {}

func scalarView16(x tile.In[tile.F16]) {} // want 19 "parameter x: a view needs a tile of rank 1 or more: use a tile of shape [1], or take the number itself"

func fourBits(p tile.Ptr[int8], x tile.In[tile.I4T1[tile.D16]]) {} // want 33 "parameter x: a tensor cannot have elements of int4: take bytes, and unpack them in the kernel"

func errorResult(z tile.Out[v16]) error { // want 1 "a kernel must not have results, but errorResult has 1: store through tile.Out or tile.InOut"
	z.Store(1)
	return nil
}

//cutile:entry occupancy=many // want 16 "//cutile:entry occupancy=many: want a number, have "many""
func hintNumber(z tile.Out[v16]) { z.Store(1) }

//cutile:entry occupancy=2 occupancy=4 // want 28 "//cutile:entry occupancy=4: occupancy is given twice"
func hintTwice(z tile.Out[v16]) { z.Store(1) }

//cutile:entry hopper.occupancy=2 // want 16 "//cutile:entry hopper.occupancy=2: no architecture hopper: write one as sm_100"
func hintArch(z tile.Out[v16]) { z.Store(1) }

//cutile:entry num_ctas=3 // want 16 "//cutile:entry num_ctas=3: expected a power of two, but found 3"
func hintPower(z tile.Out[v16]) { z.Store(1) }

//cutile:entry occupancy=33 // want 16 "//cutile:entry occupancy=33: expected 1 to 32, but found 33"
func hintRange(z tile.Out[v16]) { z.Store(1) }

//cutile:entry sm_100.occupancy // want 16 "//cutile:entry sm_100.occupancy: want a number: sm_100.occupancy=1"
func hintNoValue(z tile.Out[v16]) { z.Store(1) }

//cutile:intrinsic rank
func operationKernel(z tile.Out[v16]) {} // want 1 "operationKernel has the directive //cutile:intrinsic, which makes it part of the language: a kernel is an ordinary function"

func mapOfViews(m map[string]tile.In[v16]) {} // want 17 "parameter m: a kernel cannot take a value of type map[string]tile.In[compile_test.v16]: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func uintptrParam(p uintptr, z tile.Out[v16]) {} // want 19 "parameter p: a kernel cannot take a value of type uintptr: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func methodOfView(x tile.In[v16], z tile.Out[v16]) {
	load := tile.In[v16].Load // want 10 "a kernel cannot use tile.In[v16].Load as a function: call the method of a value"
	z.Store(load(x, 0))
}

func loadsOut(x tile.InOut[v16], z tile.Out[v16]) {
	views := map[int]tile.InOut[v16]{0: x} // want 11 "a value of type map[int]tile.InOut[compile_test.v16] cannot live on the device"
	z.Store(views[0].Load(0))
}

func functionOfViews(x tile.In[v16], z tile.Out[v16]) {
	pick := func(i int) tile.In[v16] { return []tile.In[v16]{x, x}[i] } // want 65 "the index must be known when the kernel is compiled"
	z.Store(pick(tile.BlockID(0)).Load(0))
}

func tileOfPointers(p tile.Ptr[float32], n int, z tile.Out[v16]) {
	ps := [2]tile.Ptr[float32]{p, p}
	z.Store(tile.Gather[v16](ps[n], tile.Iota[tile.D16](), true, 0)) // want 30 "the index must be known when the kernel is compiled"
}
