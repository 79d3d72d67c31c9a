package tiletest

import (
	"encoding/binary"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
)

// bitsOf gives the bits of an element.
func bitsOf[E dtype.Elem](x E) uint64 {
	var b [8]byte
	copy(b[:], unsafe.Slice((*byte)(unsafe.Pointer(&x)), unsafe.Sizeof(x)))
	return binary.LittleEndian.Uint64(b[:])
}

// elementOf gives the element that has these bits.
func elementOf[E dtype.Elem](bits uint64) (x E) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&x)), unsafe.Sizeof(x)), b[:])
	return x
}

// valueOf gives the number that bits mean.
func valueOf(t dtype.Type, bits uint64) float64 {
	switch {
	case t.IsFloat():
		return t.FloatFromBits(bits)
	case t.IsInt() && t.IsSigned():
		return float64(signed(t, bits))
	}
	return float64(bits)
}

// signed gives the number that the bits of a signed integer mean.
func signed(t dtype.Type, bits uint64) int64 {
	free := 64 - 8*t.Size()
	return int64(bits<<free) >> free
}

// distance is how far two integers are apart.
func distance(t dtype.Type, a, b uint64) uint64 {
	if t.IsSigned() {
		x, y := signed(t, a), signed(t, b)
		if x < y {
			x, y = y, x
		}
		return uint64(x) - uint64(y)
	}
	return max(a, b) - min(a, b)
}
