package compile_test

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// wrongLanguage are the kernels below: each uses Go in a way that a kernel cannot.
var wrongLanguage = []any{
	pointerChanges[d16], nilPointer[d16], nilMethod[d16], textChanges[d16], sliceChanges[d16], runtimeElement[d16], pastTheEnd[d16], sliceBounds[d16],
	sliceTooFar[d16], runtimeBounds[d16], runtimeMake[d16], negativeMake[d16], hugeArray[d16], makesMap[d16], usesRecover[d16], usesPanic[d16],
	selects[d16], sends[d16], rangesFunc[d16], rangesTile[d16], mathOnTile[d16], mathOnNumber[d16], mathWithoutTwin[d16], requireFails[d16],
	requireUnknown[d16], assertionFails[d16], unknownType[d16], staticTooLong[d16], unknownInLoop[d16], viewReturned[d16], shapeReturned[d16],
	endlessWithReturn[d16], mutualMethods[d16], closureRecursion[d16], switchOnTile[d16], wrongRestAfterReturn[d16], viewInStruct[d16], arrayOfViews[d16],
	complexNumbers[d16], mapParameter, sliceParameter, rankZeroInStruct, structOfTiles[d16], requireMentions[d16], requireMessage[d16], comparesFunctions[d16],
	methodOfAny[d16],
}

func pointerChanges[A tile.Dim](n int, z tile.Out[vec[A]]) {
	a, b := 1, 2
	p := &a
	if n > 3 {
		p = &b // want 3 "p is a pointer: it cannot change inside a loop or branch; keep a number, and choose among the variables by it"
	}
	z.Store(vec[A](*p))
}

func nilPointer[A tile.Dim](z tile.Out[vec[A]]) {
	var p *int
	z.Store(vec[A](*p)) // want 17 "this pointer is nil"
}

type box struct{ n int }

func (b *box) grow()    { b.n++ } // want 27 "this pointer is nil"
func (b box) size() int { return b.n }

func nilMethod[A tile.Dim](z tile.Out[vec[A]]) {
	var b *box
	b.grow()                  // a method may be called on nil
	z.Store(vec[A](b.size())) // want 17 "this pointer is nil"
}

func textChanges[A tile.Dim](n int, z tile.Out[vec[A]]) {
	mode := "a"
	for i := range n {
		if i > 3 {
			mode = "b" // want 4 "mode is a text: it cannot change inside a loop or branch; keep a number, and choose the text where it is printed"
		}
	}
	z.Store(vec[A](len(mode)))
}

func sliceChanges[A tile.Dim](n int, z tile.Out[vec[A]]) {
	s := []int{1, 2}
	if n > 3 {
		s = append(s, 3) // want 3 "s is a slice: it cannot change inside a loop or branch; change its elements, and keep its length in a variable"
	}
	z.Store(vec[A](s[0]))
}

func runtimeElement[A tile.Dim](n int, z tile.Out[vec[A]]) {
	s := [3]int{1, 2, 3}
	s[n]++           // want 4 "the index must be known when the kernel is compiled"
	t := []int{4, 5} // what follows is still checked
	t[n] = 1         // want 4 "the index must be known when the kernel is compiled"
	z.Store(vec[A](n))
}

func pastTheEnd[A tile.Dim](z tile.Out[vec[A]]) {
	s := []int{1, 2}
	z.Store(vec[A](s[len(s)])) // want 19 "index 2 is outside [0, 2)"
}

func sliceBounds[A tile.Dim](z tile.Out[vec[A]]) {
	s, n := []int{1, 2}, 2
	s = s[n : n-1] // want 8 "slice bound 2 is outside [0, 1]"
	z.Store(vec[A](s[0]))
}

func sliceTooFar[A tile.Dim](z tile.Out[vec[A]]) {
	s, n := []int{1, 2}, 3
	s = s[:n] // want 9 "slice bound 3 is outside [0, 2]"
	z.Store(vec[A](len(s)))
}

func runtimeBounds[A tile.Dim](n int, z tile.Out[vec[A]]) {
	s := []int{1, 2}
	s = s[:n] // want 9 "the bound of a slice must be known when the kernel is compiled"
	z.Store(vec[A](len(s)))
}

func runtimeMake[A tile.Dim](n int, z tile.Out[vec[A]]) {
	s := make([]int, 1, n) // want 22 "the capacity of a slice must be known when the kernel is compiled"
	z.Store(vec[A](len(s)))
}

func negativeMake[A tile.Dim](z tile.Out[vec[A]]) {
	n := -1
	s := make([]int, n) // want 19 "the length of a slice is -1, outside [0, 65536]"
	z.Store(vec[A](len(s)))
}

func hugeArray[A tile.Dim](z tile.Out[vec[A]]) {
	var a [1 << 30]int // want 6 "an array in a kernel can have at most 65536 elements"
	z.Store(vec[A](a[0]))
}

func makesMap[A tile.Dim](z tile.Out[vec[A]]) {
	m := make(map[int]int) // want 7 "a kernel can make only slices"
	z.Store(vec[A](len(m)))
}

func usesRecover[A tile.Dim](z tile.Out[vec[A]]) {
	_ = recover() // want 6 "a kernel cannot call the built-in recover"
	z.Store(0)
}

func usesPanic[A tile.Dim](n int, z tile.Out[vec[A]]) {
	if n < 0 {
		panic("negative") // want 3 "a kernel cannot panic: use Assert"
	}
	z.Store(0)
}

func selects[A tile.Dim](z tile.Out[vec[A]]) {
	select {} // want 2 "a kernel cannot have a select statement"
}

func sends[A tile.Dim](z tile.Out[vec[A]]) {
	var c chan int // want 6 "a variable of type chan int cannot start at zero in a kernel"
	c <- 1         // want 2 "a kernel cannot have a send statement"
	z.Store(0)
}

func rangesFunc[A tile.Dim](z tile.Out[vec[A]]) {
	for range func(yield func(int) bool) {} { // want 12 "a kernel cannot range over func(yield func(int) bool): it ranges over integers, arrays and slices"
		z.Store(0)
	}
}

func rangesTile[A tile.Dim](x tile.In[tile.I32T1[A]], z tile.Out[vec[A]]) {
	for range x.Load(0) { // want 12 "a kernel cannot range over a tile: it ranges over integers, arrays and slices"
		z.Store(0)
	}
}

func mathOnTile[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(vec[A](math.Sqrt(float64(x.Load(0))))) // want 17 "math.Sqrt needs arguments that are known when the kernel is compiled: tile.Sqrt computes on tiles, and on numbers as tile.F32 and tile.F64"
}

func mathOnNumber[A tile.Dim](s float64, z tile.Out[vec[A]]) {
	z.Store(vec[A](math.Pow(s, 2))) // want 17 "math.Pow needs arguments that are known when the kernel is compiled: tile.Pow computes on tiles"
}

func mathWithoutTwin[A tile.Dim](z tile.Out[vec[A]]) {
	z.Store(vec[A](math.Float64frombits(1))) // want 17 "math.Float64frombits cannot be used in a kernel"
}

func requireFails[A tile.Dim](z tile.Out[vec[A]]) {
	n := 3
	tile.Require(n%2 == 0, "n is %d, but must be even for %s", n, "pairs") // want 2 "n is 3, but must be even for pairs"
	z.Store(vec[A](n))
}

func requireUnknown[A tile.Dim](n int, z tile.Out[vec[A]]) {
	tile.Require(n > 0, "n must be positive") // want 2 "the condition of Require must be known when the kernel is compiled, but only the device knows this: use tile.Assert for what only the device knows"
	z.Store(0)
}

func assertionFails[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(any(x.Load(0)).(vec[A]) + vec[A](any(x.Len(0)).(int32))) // want 43 "this is of type int, not int32"
}

func unknownType[A tile.Dim](z tile.Out[vec[A]]) {
	var x any
	z.Store(vec[A](x.(int))) // want 17 "this is of type untyped nil, not int"
}

func staticTooLong[A tile.Dim](z tile.Out[vec[A]]) {
	var a [1000]int
	for i := range a[:] {
		a[i] = i // a list is unrolled, however long
	}
	for i := range 1000 { // want 2 "this loop must be unrolled, as something in it must be known when the kernel is compiled, but it has more than 256 turns"
		a[i] = 1
	}
	z.Store(0)
}

func unknownInLoop[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	var v vec[A]
	for i := range 4 {
		v += x.Load(i) * vec[A](x.Len(n)) // want 27 "the axis must be known when the kernel is compiled"
	}
	z.Store(v)
}

func viewReturned[A tile.Dim](x, y tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	pick := func() tile.In[vec[A]] {
		for i := range n { // want 3 "a view or pointer cannot be the result on only some paths through a loop or branch"
			if i > 3 {
				return x
			}
		}
		return y
	}
	z.Store(pick().Load(0))
}

func shapeReturned[A tile.Dim](x tile.In[mat[A, A]], y tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	mask := func() bool {
		for i := range n { // want 3 "result is a tile of bool [16] on one path and of bool [16 16] on the other"
			if i > 3 {
				return x.Load(0, 0) > 0
			}
		}
		return y.Load(0) > 0
	}
	z.Store(tile.Where(mask(), y.Load(0), 0))
}

func endlessWithReturn[A tile.Dim](z tile.Out[vec[A]]) {
	never := func() int {
		for { // want 3 "this loop never ends: it has no condition and no break"
		}
	}
	z.Store(vec[A](never()))
}

func (b box) odd(n int) int  { return b.even(n - 1) } // want 39 "odd calls even, which calls odd: a recursion must end by what is known when the kernel is compiled, within 100 nested calls"
func (b box) even(n int) int { return b.odd(n - 1) }

func mutualMethods[A tile.Dim](n int, z tile.Out[vec[A]]) { z.Store(vec[A](box{}.even(n))) }

func closureRecursion[A tile.Dim](n int, z tile.Out[vec[A]]) {
	var down func(int) int
	down = func(k int) int { return down(k-1) + 1 } // want 34 "calls itself: a recursion must end by what is known when the kernel is compiled, within 100 nested calls"
	z.Store(vec[A](down(n)))
}

func switchOnTile[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	switch { // a case is a condition
	case x.Load(0) > 1: // want 7 "the condition is a mask of shape [16], not one truth value: use Where"
		z.Store(1)
	}
}

// wrongRestAfterReturn: what follows a branch that returns is checked as well.
func wrongRestAfterReturn[A tile.Dim](x tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	f := func() vec[A] {
		if n > 3 {
			return x.Load(0, 1) // want 11 "a tile of shape [16] needs one index for each axis"
		}
		v := x.Load(0, 2) // want 8 "a tile of shape [16] needs one index for each axis"
		return v
	}
	z.Store(f())
}

func viewInStruct[A tile.Dim](x, y tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	s := struct {
		n int
		v tile.In[vec[A]]
	}{1, x}
	for i := range n {
		s.n += i
		s.v = y // want 3 "s.v is a view or pointer: it cannot change inside a loop or branch; load from each in a branch of its own, and keep the tiles"
	}
	z.Store(s.v.Load(s.n))
}

func arrayOfViews[A tile.Dim](x, y tile.In[vec[A]], n int, z tile.Out[vec[A]]) {
	s := [2]tile.In[vec[A]]{x, y}
	z.Store(s[n].Load(0)) // want 12 "the index must be known when the kernel is compiled"
}

func complexNumbers[A tile.Dim](z tile.Out[vec[A]]) {
	var c complex128         // want 6 "a variable of type complex128 cannot start at zero in a kernel"
	z.Store(vec[A](real(c))) // want 17 "a kernel cannot call the built-in real"
}

func mapParameter(m map[string]int) {} // want 19 "parameter m: a kernel cannot take a value of type map[string]int: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func sliceParameter(s []int) {} // want 21 "parameter s: a kernel cannot take a value of type []int: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

type scalarView struct {
	in tile.In[tile.F32] // want 2 "parameter s.in: a view needs a tile of rank 1 or more: use a tile of shape [1], or take the number itself"
}

func rankZeroInStruct(s scalarView) {}

type tiles[A tile.Dim] struct {
	n int
	v vec[A] // want 2 "parameter s.v: a kernel cannot take a"
}

func structOfTiles[A tile.Dim](s tiles[A]) {}

func requireMentions[A tile.Dim](n int, z tile.Out[vec[A]]) {
	tile.Require(false, "n is %d", n) // want 2 "what the message of Require mentions must be known when the kernel is compiled"
	z.Store(0)
}

func requireMessage[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	for _, name := range []string{"x", "y"} {
		tile.Require(name == "x", "no tensor "+name) // want 3 "no tensor y"
	}
	z.Store(0)
}

func comparesFunctions[A tile.Dim](n int, z tile.Out[vec[A]]) {
	f := func() int { return n }
	if f == nil {
		f = nil // not lowered
	}
	f = nil
	z.Store(vec[A](f())) // want 17 "this function is nil"
}

func methodOfAny[A tile.Dim](z tile.Out[vec[A]]) {
	var s interface{ size() int }
	z.Store(vec[A](s.size())) // want 17 "this interface holds nothing"
}
