package compile_test

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/tilec/compile/testdata/helper"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

// Each kernel of this file is wrong. A comment "want" gives, on the line of the mistake, a part of its message.

type (
	vec[B tile.Dim]    = tile.F32T1[B]
	mat[A, B tile.Dim] = tile.F32T2[A, B]
)

var hostScale = float32(2)

func maskShapes[A, B tile.Dim](x tile.In[vec[A]], y tile.In[vec[B]], z tile.Out[vec[A]]) {
	m := x.Load(0) > 0
	m = m && y.Load(0) > 0 // want 8 "the masks differ: bool [16] and bool [32]"
	z.Store(tile.Where(m, x.Load(0), 0))
}

func whereShapes[A, B tile.Dim](x tile.In[vec[A]], y tile.In[vec[B]], z tile.Out[vec[A]]) {
	z.Store(tile.Where(y.Load(0) > 0, x.Load(0), 0)) // want 10 "Where: the shapes [32] and [16] differ"
}

func tileInIf[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	if x.Load(0) > 0 { // want 5 "the condition is a mask of shape [16], not one truth value: use Where"
		z.Store(x.Load(0))
	}
}

func tileInFor[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	for x.Load(0) > 0 { // want 6 "the condition is a mask of shape [16]"
		z.Store(x.Load(0))
	}
}

func maskReturned[A, B tile.Dim](x tile.In[mat[A, B]], z tile.Out[mat[A, B]]) {
	turned := func(v mat[B, A]) bool { return v > 0 }
	m := turned(x.Load(0, 0).T())
	z.Store(tile.Where(m, x.Load(0, 0), 0)) // want 10 "shapes [32 16] and [16 32] differ"
}

func badConversion[A, B tile.Dim](x tile.In[mat[A, B]], z tile.Out[mat[B, A]]) {
	z.Store(mat[B, A](x.Load(0, 0))) // want 10 "a conversion cannot change shape [16 32] to [32 16]: use Reshape"
}

func badReshape[A, B tile.Dim](x tile.In[vec[A]], z tile.Out[mat[A, B]]) {
	z.Store(tile.Reshape[mat[A, B]](x.Load(0))) // want 10 "Reshape from [16] to [16 32] changes the number of elements"
}

func reshapeElem[A tile.Dim](x tile.In[vec[A]], z tile.Out[tile.I32T1[A]]) {
	z.Store(tile.Reshape[tile.I32T1[A]](x.Load(0))) // want 10 "Reshape keeps the element type: convert first"
}

func badPermute[A, B tile.Dim](x tile.In[mat[A, B]], z tile.Out[mat[B, A]]) {
	z.Store(tile.Permute[mat[B, A]](x.Load(0, 0), 0, 1)) // want 10 "Permute by the dimensions [0 1] does not turn [16 32] of float32 into [32 16] of float32"
}

func constantTooLarge[A tile.Dim](x tile.In[tile.F16T1[A]], z tile.Out[tile.F16T1[A]]) {
	z.Store(x.Load(0) * 1e6) // want 20 "the constant 1e+06 does not fit in float16"
}

func constantTooWide[A tile.Dim](x tile.In[tile.I8T1[A]], z tile.Out[tile.I8T1[A]]) {
	z.Store(x.Load(0) + 300) // want 20 "the constant 300 does not fit in int8"
}

func negativeUnsigned[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.I8T1[A]]) {
	z.Store(tile.I8T1[A](200)) // want 10 "the constant 200 does not fit in int8"
}

func runtimeAxis[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	z.Store(vec[A](x.Tiles(n))) // want 17 "the axis must be known when the kernel is compiled"
}

func axisOutside[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(vec[A](x.Len(1))) // want 17 "there is no axis 1 in a tile of shape [16]"
}

func indexCount[A, B tile.Dim](x tile.In[mat[A, B]], z tile.Out[mat[A, B]]) {
	z.Store(x.Load(0)) // want 10 "a tile of shape [16 32] needs one index for each axis"
}

func runtimeHint[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	z.Store(x.LoadSoon(n, 0)) // want 10 "argument h.Latency of LoadView must be known when the kernel is compiled"
}

func oddPadding[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(x.LoadPad(1.5, 0)) // want 10 "a load pads with 0, an infinity or NaN: use Where for another value"
}

func hostVariable[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(x.Load(0) * vec[A](hostScale)) // want 29 "hostScale is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
}

func writesHost[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	hostScale = 3 // want 2 "hostScale is a host variable: a kernel cannot write it"
	z.Store(x.Load(0))
}

func callsFmt[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	fmt.Println("here") // want 2 "fmt.Println cannot be used in a kernel: package fmt has no registered source: use tile.Print"
	z.Store(x.Load(0))
}

func recursive[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) { z.Store(again(x.Load(0))) }

func again[T tile.FloatTile](x T) T { return again(x + 1) } // want 46 "again calls itself: a recursion must end by what is known when the kernel is compiled, within 100 nested calls"

func mutual[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) { z.Store(ping(x.Load(0))) }

func ping[T tile.FloatTile](x T) T { return pong(x) } // want 45 "which calls p"

func pong[T tile.FloatTile](x T) T { return ping(x) + 1 }

type pair[A tile.Dim] struct {
	n int
	v vec[A]
}

func comparesStructs[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	p := pair[A]{n, x.Load(0)}
	if p == (pair[A]{1, x.Load(1)}) { // want 7 "a kernel cannot compare structs or arrays that hold tiles: compare the tiles, which gives a mask"
		z.Store(x.Load(0))
	}
}

func jumps[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(x.Load(0))
	goto end // want 2 "a kernel cannot have a goto statement: use a loop, or break and continue with a label"
end:
	z.Store(x.Load(1))
}

func wrongRounding[A tile.Dim](x tile.In[tile.F16T1[A]], z tile.Out[tile.F16T1[A]]) {
	z.Store(op.AddF(x.Load(0), 1, op.Approx, false)) // want 10 "addition: attribute rounding_mode: expected nearest_even, zero, negative_inf or positive_inf, but found approx"
}

func hasResult[A tile.Dim](x tile.In[vec[A]]) int { return x.Len(0) } // want 1 "a kernel must not have results, but hasResult has 1: store through tile.Out or tile.InOut"

func goStatement[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	go func() {}() // want 2 "a kernel cannot have a go statement"
	z.Store(x.Load(0))
}

func deferStatement[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	defer z.Store(x.Load(0)) // want 2 "a kernel cannot have a defer statement"
}

func endless[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	for { // want 2 "this loop never ends: it has no condition and no break"
		z.Store(x.Load(0))
	}
}

func usesMap[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	m := map[int]int{1: 2} // want 7 "a value of type map[int]int cannot live on the device"
	z.Store(x.Load(0) + vec[A](m[1]))
}

func usesString[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	for range "abc" { // want 12 "a kernel cannot range over string: it ranges over integers, arrays and slices"
		z.Store(x.Load(0))
	}
}

func sliceOfUnknown[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	s := make([]int, n) // want 19 "the length of a slice must be known when the kernel is compiled"
	z.Store(x.Load(0) + vec[A](len(s)))
}

func impureCombiner[A tile.Dim](x tile.In[vec[A]], z tile.Out[tile.F32T1[tile.D1]]) {
	n := 0
	z.Store(x.Load(0).Fold0(0, func(a, b tile.F32) tile.F32 { // want 10 "the function changes n: it must only combine its arguments"
		n++
		return a + b
	}))
}

func shapeChanges[A tile.Dim](x tile.In[vec[A]], y tile.In[mat[A, A]], n int, z tile.Out[vec[A]]) {
	m := x.Load(0) > 0
	if n > 3 { // want 2 "m is a tile of bool [16 16] on one path and of bool [16] on the other"
		m = y.Load(0, 0) > 0
	}
	z.Store(tile.Where(m, x.Load(0), 0))
}

func viewChanges[A tile.Dim](x, y tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	v := x
	if n > 3 {
		v = y // want 3 "v is a view or pointer: it cannot change inside a loop or branch; load from each in a branch of its own, and keep the tiles"
	}
	z.Store(v.Load(0))
}

func functionChanges[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	f := func(v vec[A]) vec[A] { return v }
	if n > 3 {
		f = func(v vec[A]) vec[A] { return -v } // want 3 "f is a function: it cannot change inside a loop or branch; call each function in a branch of its own, and keep the results"
	}
	z.Store(f(x.Load(0)))
}

func divisionByZero[A tile.Dim](x tile.In[tile.I32T1[A]], z tile.Out[tile.I32T1[A]]) {
	n := 4
	n -= 4
	z.Store(x.Load(0) + tile.I32T1[A](7/n)) // want 37 "division by zero"
}

func gatherElem[B tile.Dim](p tile.Ptr[float32], z tile.Out[tile.I32T1[B]]) {
	z.Store(tile.Gather[tile.I32T1[B]](p, tile.Iota[B](), true, 0)) // want 10 "Gather returns tiles of the pointer's element: convert the result"
}

func scatterShape[A, B tile.Dim](p tile.Ptr[float32], x tile.In[vec[A]], _ tile.Size[B]) {
	tile.Scatter(p, tile.Iota[B](), x.Load(0), true) // want 2 "offsets of shape [32] do not fit elements of shape [16]"
}

func atomicNarrow[B tile.Dim](p tile.Ptr[int16], x tile.In[tile.I16T1[B]]) {
	tile.AtomicAdd(p, tile.Iota[B](), x.Load(0), true) // want 2 "AtomicAdd needs floats or integers of 32 or 64 bits"
}

func printVerb[B tile.Dim](x tile.In[vec[B]]) {
	tile.Print("%d\n", x.Load(0)) // want 2 "the verb %d cannot print float32"
}

func printCount[B tile.Dim](x tile.In[vec[B]]) {
	tile.Print("%v %v\n", x.Load(0)) // want 2 "the format has more verbs than there are arguments"
}

func helperMistake[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(helper.Unregistered(x.Load(0))) // want 10 "helper.Unregistered cannot be used in a kernel: package github.com/cutile-go/cutile/internal/tilec/compile/testdata/helper has no registered source: add to it a call of cutile.Module with its embedded files"
}

func several[A, B tile.Dim](x tile.In[vec[A]], y tile.In[mat[A, B]], z tile.Out[vec[A]]) {
	v := tile.Reshape[vec[A]](y.Load(0, 0)) // want 7 "Reshape from [16 32] to [16] changes the number of elements"
	w := x.Load(0, 1)                       // want 7 "a tile of shape [16] needs one index for each axis"
	if x.Load(0) < 1 {                      // want 5 "the condition is a mask"
		z.Store(v)
	}
	z.Store(v + w + vec[A](hostScale))
}
