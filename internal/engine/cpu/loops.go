package cpu

import (
	"math/bits"
	"slices"
	"unsafe"
)

// kernel is an elementwise loop over n elements: d is the result, a, b and c are the operands.
type kernel func(d, a, b, c unsafe.Pointer, n int)

// The constraints of the loops.
type (
	signed   interface{ int8 | int16 | int32 | int64 }
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	integer interface{ signed | unsigned }
	float   interface{ float32 | float64 }
	number  interface{ integer | float }
)

// slice makes a typed slice of n elements.
func slice[T any](p unsafe.Pointer, n int) []T { return unsafe.Slice((*T)(p), n) }

// unary, binary and ternary give typed loops the form of a kernel.
func unary[D, A any](loop func(d []D, a []A)) kernel {
	return func(d, a, _, _ unsafe.Pointer, n int) { loop(slice[D](d, n), slice[A](a, n)) }
}

func binary[D, A any](loop func(d []D, a, b []A)) kernel {
	return func(d, a, b, _ unsafe.Pointer, n int) { loop(slice[D](d, n), slice[A](a, n), slice[A](b, n)) }
}

func ternary[T any](loop func(d, a, b, c []T)) kernel {
	return func(d, a, b, c unsafe.Pointer, n int) {
		loop(slice[T](d, n), slice[T](a, n), slice[T](b, n), slice[T](c, n))
	}
}

// swapped exchanges the operands of a binary kernel.
func swapped(k kernel) kernel {
	return func(d, a, b, c unsafe.Pointer, n int) { k(d, b, a, c, n) }
}

func add[T number](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub[T number](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mul[T number](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func and[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func or[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func neg[T number](d, a []T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = -a[i]
	}
}

func absInt[T signed](d, a []T) {
	a = a[:len(d)]
	for i := range d {
		d[i] = max(a[i], -a[i])
	}
}

func maxInt[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

func minInt[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

// shl and shr give zero, or the sign in every bit, when the amount is the width or more.
func shl[T unsigned](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shr[T integer, U unsigned](d, a []T, b []U) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func mulHigh[T unsigned](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	width := 8 * unsafe.Sizeof(T(0))
	for i := range d {
		d[i] = T(uint64(a[i]) * uint64(b[i]) >> width)
	}
}

func mulHigh64(d, a, b []uint64) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i], _ = bits.Mul64(a[i], b[i])
	}
}

// The divisions give zero, and the remainder the dividend, where the divisor is zero: such elements are undetermined. The
// least number divided by -1 is itself, as in Go.
func div[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		if b[i] == 0 {
			d[i] = 0
			continue
		}
		d[i] = a[i] / b[i]
	}
}

func divFloor[T signed](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		if b[i] == 0 {
			d[i] = 0
			continue
		}
		q := a[i] / b[i]
		if r := a[i] - q*b[i]; r != 0 && (r < 0) != (b[i] < 0) {
			q--
		}
		d[i] = q
	}
}

func divCeil[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		if b[i] == 0 {
			d[i] = 0
			continue
		}
		q := a[i] / b[i]
		if r := a[i] - q*b[i]; r != 0 && (r < 0) == (b[i] < 0) {
			q++
		}
		d[i] = q
	}
}

func rem[T integer](d, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		if b[i] == 0 {
			d[i] = a[i]
			continue
		}
		d[i] = a[i] % b[i]
	}
}

// truth is 1 for true.
func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func equal[T number](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] == b[i])
	}
}

func notEqual[T number](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] != b[i])
	}
}

func less[T number](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] < b[i])
	}
}

func lessEqual[T number](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] <= b[i])
	}
}

// notLess and notLessEqual differ from the opposite comparison for NaN.
func notLess[T float](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(!(a[i] < b[i]))
	}
}

func notLessEqual[T float](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(!(a[i] <= b[i]))
	}
}

// equalOrNaN and apart are equality unordered and inequality ordered.
func equalOrNaN[T float](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(!(a[i] < b[i] || a[i] > b[i]))
	}
}

func apart[T float](d []uint8, a, b []T) {
	a, b = a[:len(d)], b[:len(d)]
	for i := range d {
		d[i] = truth(a[i] < b[i] || a[i] > b[i])
	}
}

// choose takes a where the condition holds, else b.
func choose[T any](d []T, cond []uint8, a, b []T) {
	cond, a, b = cond[:len(d)], a[:len(d)], b[:len(d)]
	for i := range d {
		v := b[i]
		if cond[i] != 0 {
			v = a[i]
		}
		d[i] = v
	}
}

// selection makes the kernel of select for elements of one size.
func selection[T any]() kernel {
	return func(d, a, b, c unsafe.Pointer, n int) {
		choose(slice[T](d, n), slice[uint8](a, n), slice[T](b, n), slice[T](c, n))
	}
}

// convert changes the type of elements as Go does.
func convert[D, A number](d []D, a []A) {
	a = a[:len(d)]
	for i := range d {
		d[i] = D(a[i])
	}
}

// fill sets all elements.
func fill[T any](d []T, v T) {
	for i := range d {
		d[i] = v
	}
}

// fillBytes repeats the element of the given size at src n times. Long runs are made by Go's own functions for memory, which are several
// times as fast as a loop.
func fillBytes(dst, src unsafe.Pointer, size, n int) {
	d, element := slice[byte](dst, n*size), slice[byte](src, size)
	if !slices.ContainsFunc(element, func(b byte) bool { return b != 0 }) {
		clear(d)
		return
	}
	for done := copy(d, element); done < len(d); done *= 2 {
		copy(d[done:], d[:done])
	}
}

// copyBytes copies n elements of the given size.
func copyBytes(dst, src unsafe.Pointer, bytes int) {
	copy(slice[byte](dst, bytes), slice[byte](src, bytes))
}
