package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/tileir"
)

// elementwise is an operation that treats all elements alike. Where an operand is one element for all, or of a type
// that the loop does not take, strips of it are prepared first, and strips of the result are converted afterwards.
type elementwise struct {
	op    *tileir.Op
	run   kernel
	args  int
	in    [3]operand
	out   operand
	n     int
	lanes bool // n is not known here: it is frame.lanes
	check divisionCheck

	splats splatLoops
	simple bool   // plain, found by ready
	steps  [4]int // bytes from one element to the next of the result and the operands, found by ready
}

// operand is an operand or the result of an elementwise operation.
type operand struct {
	off     slot
	size    int    // bytes of an element in the arena
	wide    int    // bytes of an element that the loop takes
	convert kernel // from the one to the other, nil if they are the same; of a result the other way
	splat   bool
}

// ready is called when nothing more changes: it chooses the loop that takes one operand for all where there is one.
func (e *elementwise) ready() *elementwise {
	first, second := &e.in[0], &e.in[1]
	e.steps = [4]int{e.out.size, first.size, second.size, e.in[2].size}
	switch { // loops may look at operands that they do not use
	case e.args < 2:
		e.steps[2], e.steps[3] = first.size, first.size
	case e.args < 3:
		e.steps[3] = first.size
	}
	if e.splats.first != nil && e.args == 2 && first.convert == nil && second.convert == nil && first.splat != second.splat {
		e.run = e.splats.second
		e.steps[2] = 0
		if first.splat {
			e.run, e.steps = e.splats.first, [4]int{e.out.size, 0, second.size, 0}
		}
		first.splat, second.splat = false, false
	}
	e.simple = e.plain()
	return e
}

// plain reports whether the loop can work on the arena itself.
func (e *elementwise) plain() bool {
	if e.out.convert != nil || e.check != nil {
		return false
	}
	for _, in := range e.in[:e.args] {
		if in.convert != nil || in.splat {
			return false
		}
	}
	return true
}

// step makes the operation a step of a program.
func (e *elementwise) step() step {
	e.ready()
	run, d, a, b, c := e.run, e.out.off, e.in[0].off, e.in[1].off, e.in[2].off
	switch {
	case !e.plain():
		return func(f *frame) signal {
			n := e.n
			if e.lanes {
				n = f.lanes
			}
			text := e.apply(f, unsafe.Add(f.mem, d), unsafe.Add(f.mem, a), unsafe.Add(f.mem, b), unsafe.Add(f.mem, c), n, 0)
			if text != "" {
				return f.fail(e.op, "%s", text)
			}
			return sigNext
		}
	case e.lanes:
		return func(f *frame) signal {
			run(unsafe.Add(f.mem, d), unsafe.Add(f.mem, a), unsafe.Add(f.mem, b), unsafe.Add(f.mem, c), f.lanes)
			return sigNext
		}
	case e.n == 1:
		if fast := scalarStep(e, keyOf(e.op)); fast != nil {
			return fast
		}
	}
	n := e.n
	if n > pollElems {
		steps := e.steps
		return func(f *frame) signal {
			f.inParts(run, unsafe.Add(f.mem, d), unsafe.Add(f.mem, a), unsafe.Add(f.mem, b), unsafe.Add(f.mem, c), n, steps)
			return sigNext
		}
	}
	return func(f *frame) signal {
		run(unsafe.Add(f.mem, d), unsafe.Add(f.mem, a), unsafe.Add(f.mem, b), unsafe.Add(f.mem, c), n)
		return sigNext
	}
}

// apply runs the operation on n elements anywhere in memory and gives the text of a fault, or none. first is the number
// of the first of them in the tile.
func (e *elementwise) apply(f *frame, d, a, b, c ptr, n, first int) string {
	if e.args < 3 { // loops may look at operands that they do not use
		c = a
	}
	if e.args < 2 {
		b = a
	}
	if e.simple {
		if n > pollElems {
			f.inParts(e.run, d, a, b, c, n, e.steps)
			return ""
		}
		e.run(d, a, b, c, n)
		return ""
	}
	args := [3]ptr{a, b, c}
	for i := range e.args {
		if in := &e.in[i]; in.splat {
			e.spread(f, i, args[i], min(n, stripLen))
		}
	}
	for lo := 0; lo < n; lo += stripLen {
		if lo%pollElems == 0 && lo > 0 {
			f.poll()
		}
		m := min(stripLen, n-lo)
		p0 := e.prepare(f, 0, args[0], lo, m)
		p := [3]ptr{p0, p0, p0}
		for i := 1; i < e.args; i++ {
			p[i] = e.prepare(f, i, args[i], lo, m)
		}
		if e.check != nil {
			if text := e.check(p[0], p[1], m, first+lo); text != "" {
				return text
			}
		}
		if e.out.convert == nil {
			e.run(unsafe.Add(d, lo*e.out.size), p[0], p[1], p[2], m)
			continue
		}
		wide := ptr(&f.strips[3])
		e.run(wide, p[0], p[1], p[2], m)
		e.out.convert(unsafe.Add(d, lo*e.out.size), wide, nil, nil, m)
	}
	return ""
}

// spread fills strip i with the one element of operand i.
func (e *elementwise) spread(f *frame, i int, a ptr, n int) {
	in, s := &e.in[i], ptr(&f.strips[i])
	if in.convert == nil {
		fillBytes(s, a, in.size, n)
		return
	}
	in.convert(s, a, nil, nil, 1)
	fillBytes(s, s, in.wide, n)
}

// prepare gives m elements of operand i from element lo on, as the loop takes them.
func (e *elementwise) prepare(f *frame, i int, a ptr, lo, m int) ptr {
	in := &e.in[i]
	switch {
	case in.splat:
		return ptr(&f.strips[i])
	case in.convert == nil:
		return unsafe.Add(a, lo*in.size)
	}
	in.convert(ptr(&f.strips[i]), unsafe.Add(a, lo*in.size), nil, nil, m)
	return ptr(&f.strips[i])
}

// scalarStep gives a shorter step for the operations that index arithmetic consists of, nil for others.
func scalarStep(e *elementwise, k key) step {
	make, ok := scalarSteps[scalarKey{k, e.in[0].size}]
	if !ok {
		return nil
	}
	return make(e.out.off, e.in[0].off, e.in[1].off)
}

// scalarKey is a key and the size of the operands.
type scalarKey struct {
	key
	size int
}

var scalarSteps = func() map[scalarKey]func(d, a, b slot) step {
	t := map[scalarKey]func(d, a, b slot) step{}
	addScalarSteps[int32, uint32](t, 4)
	addScalarSteps[int64, uint64](t, 8)
	return t
}()

func addScalarSteps[S signed, U unsigned](t map[scalarKey]func(d, a, b slot) step, size int) {
	t[scalarKey{key{op: tileir.OpAddI}, size}] = func(d, a, b slot) step {
		return func(f *frame) signal { *at[U](f, d) = *at[U](f, a) + *at[U](f, b); return sigNext }
	}
	t[scalarKey{key{op: tileir.OpSubI}, size}] = func(d, a, b slot) step {
		return func(f *frame) signal { *at[U](f, d) = *at[U](f, a) - *at[U](f, b); return sigNext }
	}
	t[scalarKey{key{op: tileir.OpMulI}, size}] = func(d, a, b slot) step {
		return func(f *frame) signal { *at[U](f, d) = *at[U](f, a) * *at[U](f, b); return sigNext }
	}
	less := func(d, a, b slot) step {
		return func(f *frame) signal { *at[uint8](f, d) = truth(*at[S](f, a) < *at[S](f, b)); return sigNext }
	}
	lessEqual := func(d, a, b slot) step {
		return func(f *frame) signal { *at[uint8](f, d) = truth(*at[S](f, a) <= *at[S](f, b)); return sigNext }
	}
	t[scalarKey{key{tileir.OpCmpI, tileir.CompareLessThan, tileir.Signed}, size}] = less
	t[scalarKey{key{tileir.OpCmpI, tileir.CompareLessThanOrEqual, tileir.Signed}, size}] = lessEqual
	t[scalarKey{key{tileir.OpCmpI, tileir.CompareGreaterThan, tileir.Signed}, size}] = func(d, a, b slot) step { return less(d, b, a) }
	t[scalarKey{key{tileir.OpCmpI, tileir.CompareGreaterThanOrEqual, tileir.Signed}, size}] = func(d, a, b slot) step { return lessEqual(d, b, a) }
	for _, s := range []tileir.Int{tileir.Signed, tileir.Unsigned} {
		t[scalarKey{key{tileir.OpCmpI, tileir.CompareEqual, s}, size}] = func(d, a, b slot) step {
			return func(f *frame) signal { *at[uint8](f, d) = truth(*at[U](f, a) == *at[U](f, b)); return sigNext }
		}
	}
}
