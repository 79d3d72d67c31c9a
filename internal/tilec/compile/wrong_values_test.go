package compile_test

import "github.com/cutile-go/cutile/tile"

// wrongValues are the kernels below: functions, slices, pointers and values of interfaces that a kernel cannot have.
var wrongValues = []any{
	funcOfSlice, funcFromIf, closureOfClosure, arrayRuntime, arrayTooFar, sliceOfTiles, appendLoop, copyRuntime, clearMap,
	nilSlice, nilFunc, nilMap, shiftRuntime, shiftNegative, remainderZero, overflowConstant, floatIndex, labelOutside, breakOut,
	switchString, typeSwitchRuntime, pointerToElement, pointerCompare, pointerOfLoop, functionOfNil, pointerArray, viewsAt, pointersAt, embeddedPointer, iterSequence, complexReal,
	panicsInHelper, recoverDefer, newMap, makesChannel, minOfStrings, infiniteContinue, rangePointer, rangeChannel, tileInAny,
	comparesAny, oddFours, foldedTogether, scannedTogether, comparesPointers,
}

func comparesPointers(p, q tile.Ptr[int32], z tile.Out[v16]) {
	for p == q { // want 8 "a kernel cannot compare tensors or pointers to their elements"
		z.Store(1)
	}
}

func foldedTogether(x tile.In[tile.F64T2[tile.D4, tile.D16]], z tile.Out[tile.F64T1[tile.D4]]) {
	first := func(a, b, x, y tile.F64) (tile.F64, tile.F64) { return a, b }
	s, _ := tile.Reduce2[tile.F64T1[tile.D4], tile.F64T1[tile.D4]](tile.F64T2[tile.D4, tile.D64](1), x.Load(0, 0), 1, 0, 0, first) // want 10 "Reduce2: the shapes [4 64] and [4 16] differ"
	z.Store(s)
}

func scannedTogether(x tile.In[tile.F64T2[tile.D4, tile.D16]], z tile.Out[tile.F64T2[tile.D4, tile.D16]]) {
	first := func(a, b, x, y tile.F64) (tile.F64, tile.F64) { return a, b }
	s, _ := tile.Scan2(x.Load(0, 0), tile.F64T2[tile.D4, tile.D64](1), 1, tile.Forward, 0, 0, first) // want 10 "Scan2: the shapes [4 16] and [4 64] differ"
	z.Store(s)
}

func oddFours(x tile.In[tile.F32T1[tile.D1]], z tile.Out[tile.F32T1[tile.D1]]) {
	v := tile.F4E2M1T1[tile.D1](x.Load(0)) // want 7 "a tile of float4_e2m1fn must have an even extent, since two elements share a byte: the shape is [1]"
	z.Store(tile.F32T1[tile.D1](v))
}

func funcOfSlice(x tile.In[v16], n int, z tile.Out[v16]) {
	fs := []func(v16) v16{tile.Exp[v16], tile.Log[v16]}
	z.Store(fs[n](x.Load(0))) // want 13 "the index must be known when the kernel is compiled, but only the device knows this: range over the list, which unrolls the loop, and compare each index with this one, or keep the elements in a tensor"
}

func funcFromIf(x tile.In[v16], n int, z tile.Out[v16]) {
	f := tile.Exp[v16]
	if n > 3 {
		f = tile.Log[v16] // want 3 "f is a function: it cannot change inside a loop or branch; call each function in a branch of its own, and keep the results"
	}
	z.Store(f(x.Load(0)))
}

func closureOfClosure(n int, z tile.Out[v16]) {
	count := func() func() int { i := 0; return func() int { i++; return i } }
	f := count()
	if n > 2 {
		f = count() // want 3 "f is a function: it cannot change inside a loop or branch; call each function in a branch of its own, and keep the results"
	}
	z.Store(v16(f()))
}

func arrayRuntime(n int, z tile.Out[v16]) {
	a := [4]float32{1, 2, 3, 4}
	z.Store(v16(a[n])) // want 16 "the index must be known when the kernel is compiled"
}

func arrayTooFar(z tile.Out[v16]) {
	a, i := [4]int{}, 4
	a[i] = 1 // want 4 "index 4 is outside [0, 4)"
	z.Store(v16(a[0]))
}

func sliceOfTiles(x tile.In[v16], n int, z tile.Out[v16]) {
	var tiles []v16
	for i := range n {
		tiles = append(tiles, x.Load(i)) // want 3 "tiles is a slice: it cannot change inside a loop or branch; change its elements, and keep its length in a variable"
	}
	z.Store(tiles[0])
}

func appendLoop(n int, z tile.Out[v16]) {
	s := make([]int, 0, 4)
	for i := range n {
		s = append(s, i) // want 3 "s is a slice: it cannot change inside a loop or branch; change its elements, and keep its length in a variable"
	}
	z.Store(v16(len(s)))
}

func copyRuntime(n int, z tile.Out[v16]) {
	a := []int{1, 2, 3}
	copy(a, a[n:]) // want 12 "the bound of a slice must be known when the kernel is compiled"
	z.Store(v16(a[0]))
}

func clearMap(z tile.Out[v16]) {
	m := map[int]int{} // want 7 "a value of type map[int]int cannot live on the device"
	clear(m)
	z.Store(1)
}

func nilSlice(z tile.Out[v16]) {
	var s []int
	z.Store(v16(s[0])) // want 16 "index 0 is outside [0, 0)"
}

func nilFunc(x tile.In[v16], z tile.Out[v16]) {
	var f func(v16) v16
	z.Store(f(x.Load(0))) // want 10 "this function is nil"
}

func nilMap(z tile.Out[v16]) {
	var m map[string]int // want 6 "a variable of type map[string]int cannot start at zero in a kernel"
	z.Store(v16(m["a"]))
}

func shiftRuntime(n uint, z tile.Out[v16]) {
	const one = 1
	z.Store(v16(len(make([]int, one<<n)))) // want 30 "the length of a slice must be known when the kernel is compiled"
}

func shiftNegative(z tile.Out[i16]) {
	n := 5
	n -= 6
	z.Store(i16(1 << n)) // want 16 "negative shift count -1"
}

func remainderZero(z tile.Out[v16]) {
	n := 0
	z.Store(v16(7 % n)) // want 16 "division by zero"
}

func overflowConstant(z tile.Out[tile.U8T1[tile.D16]]) {
	n := 200
	z.Store(tile.U8T1[tile.D16](n) + 256) // want 33 "the constant 256 does not fit in uint8"
}

func floatIndex(x tile.In[v16], s float32, z tile.Out[v16]) {
	a := [3]int{1, 2, 3}
	z.Store(v16(a[int(s)])) // want 16 "the index must be known when the kernel is compiled"
}

func labelOutside(n int, z tile.Out[v16]) {
outer:
	for i := range n {
		func() {
			for range i {
				z.Store(1)
				goto done // want 5 "a kernel cannot have a goto statement: use a loop, or break and continue with a label"
			}
		done:
		}()
		continue outer
	}
}

func breakOut(n int, z tile.Out[v16]) {
	for { // want 2 "this loop never ends: it has no condition and no break"
		switch n {
		case 1:
			break // leaves the switch alone
		}
	}
}

func switchString(n int, z tile.Out[v16]) {
	s := "a"
	if n > 1 {
		s = "b" // want 3 "s is a text: it cannot change inside a loop or branch; keep a number, and choose the text where it is printed"
	}
	switch s {
	case "a":
		z.Store(1)
	}
}

func typeSwitchRuntime(x tile.In[v16], n int, z tile.Out[v16]) {
	var v any = n
	if n > 1 { // want 2 "v is an interface that holds compile_test.v16 on one path and int on the other"
		v = x.Load(0)
	}
	switch v.(type) {
	case int:
		z.Store(1)
	}
}

func pointerToElement(n int, z tile.Out[v16]) {
	a := [2]int{1, 2}
	p := &a[n] // want 10 "the index must be known when the kernel is compiled"
	*p = 3
	z.Store(v16(a[0]))
}

func pointerCompare(n int, z tile.Out[v16]) {
	a, b := 1, 2
	p := &a
	for range n {
		p = &b // want 3 "p is a pointer: it cannot change inside a loop or branch; keep a number, and choose among the variables by it"
	}
	z.Store(v16(*p))
}

func pointerOfLoop(n int, z tile.Out[v16]) {
	var last *int
	for i := range n {
		last = &i // want 3 "last is a pointer, nil on one path: it cannot change inside a loop or branch; keep a number, and choose among the variables by it"
	}
	z.Store(v16(*last))
}

func functionOfNil(n int, z tile.Out[v16]) {
	var f [2]func(v16) v16
	for range n {
		f[0] = tile.Log[v16] // want 3 "f[0] is a function, nil on one path: it cannot change inside a loop or branch; call each function in a branch of its own, and keep the results"
	}
	z.Store(f[0](1))
}

func pointerArray(n int, z tile.Out[v16]) {
	a, b := 1, 2
	p := [2]*int{&a, &b}
	for range n {
		p[0], p[1] = p[1], p[0] // want 3 "p[0] is a pointer: it cannot change inside a loop or branch; keep a number, and choose among the variables by it"
	}
	z.Store(v16(*p[0]))
}

func viewsAt(x, y tile.In[v16], n int, z tile.Out[v16]) {
	views := [2]tile.In[v16]{x, y}
	z.Store(views[n].Load(0)) // want 16 "the index must be known when the kernel is compiled"
}

func pointersAt(x, y tile.Ptr[float32], n int, z tile.Out[v16]) {
	memory := [2]tile.Ptr[float32]{x, y}
	z.Store(tile.Gather[v16](memory[n], tile.Iota[tile.D16](), true, 0)) // want 34 "the index must be known when the kernel is compiled"
}

type shelf struct{ n int }

func (s *shelf) widen() { s.n++ } // want 27 "this pointer is nil"

type holds struct{ *shelf }

func embeddedPointer(z tile.Out[v16]) {
	var h holds
	h.widen() // a method may be called on nil
	z.Store(1)
}

func iterSequence(z tile.Out[v16]) {
	each := func(yield func(int, int) bool) { yield(1, 2) }
	for i, j := range each { // want 20 "a kernel cannot range over func(yield func(int, int) bool)"
		z.Store(v16(i + j))
	}
}

func complexReal(x tile.In[v16], z tile.Out[v16]) {
	c := complex(1, 2)
	z.Store(v16(imag(c))) // want 14 "a kernel cannot call the built-in imag"
}

func mustPositive(n int) int {
	if n < 0 {
		panic("negative") // want 3 "a kernel cannot panic: use Assert"
	}
	return n
}

func panicsInHelper(n int, z tile.Out[v16]) { z.Store(v16(mustPositive(n))) }

func recoverDefer(z tile.Out[v16]) {
	defer func() { _ = recover() }() // want 2 "a kernel cannot have a defer statement: write the call at the end of the function"
	z.Store(1)
}

func newMap(z tile.Out[v16]) {
	m := new(map[int]int) // want 7 "a variable of type map[int]int cannot start at zero in a kernel"
	_ = m
	z.Store(1)
}

func makesChannel(z tile.Out[v16]) {
	_ = make(chan v16, 3) // want 6 "a kernel can make only slices"
	z.Store(1)
}

func minOfStrings(n int, z tile.Out[v16]) {
	names := []string{"b", "a"}
	z.Store(v16(len(names[n]))) // want 24 "the index must be known when the kernel is compiled"
}

func infiniteContinue(n int, z tile.Out[v16]) {
	for { // want 2 "this loop never ends: it has no condition and no break"
		if n > 3 {
			continue
		}
		z.Store(1)
	}
}

func rangePointer(z tile.Out[v16]) {
	var p *[3]int
	for i, v := range p { // want 20 "this pointer is nil"
		z.Store(v16(i + v))
	}
}

func rangeChannel(z tile.Out[v16]) {
	for range make(chan int) { // want 12 "a kernel cannot range over chan int"
		z.Store(1)
	}
}

func tileInAny(x tile.In[v16], n int, z tile.Out[v16]) {
	xs := []any{x.Load(0), n}
	z.Store(xs[1].(v16)) // want 10 "this is of type int, not compile_test.v16"
}

func comparesAny(x tile.In[v16], n int, z tile.Out[v16]) {
	var a, b any = x.Load(0), x.Load(n)
	if a == b { // want 5 "the condition is a mask of shape [16], not one truth value"
		z.Store(1)
	}
}
