package cpu

import (
	"math/bits"
	"sync"
)

// The memory of freed buffers serves later ones: programs make and free arrays of the same sizes again and again, and fresh memory
// costs page faults and turns of the garbage collector, which is what empties these pools. Smaller memory is not worth it, and larger
// memory should go back at once.
const (
	leastSpare = 4 << 10
	mostSpare  = 64 << 20
)

var spares [8 * 64]sync.Pool // of *[]byte, by class

// spareClass gives a class of sizes and the largest of it. There are eight between a power of two and the next.
func spareClass(n int64) (class int, size int64) {
	unit := int64(1) << max(0, bits.Len64(uint64(n-1))-4)
	size = (n + unit - 1) / unit * unit
	return bits.Len64(uint64(unit))*8 + int(size/unit)%8, size
}

// spareBytes gives n zeroed bytes.
func spareBytes(n int64) ([]byte, error) {
	if n < leastSpare || n > mostSpare {
		return makeBytes(n)
	}
	class, size := spareClass(n)
	if b, ok := spares[class].Get().(*[]byte); ok {
		clear(*b)
		return *b, nil
	}
	return makeBytes(size)
}

// spareMemory takes memory that nothing uses any more.
func spareMemory(raw []byte) {
	if n := int64(len(raw)); n >= leastSpare && n <= mostSpare {
		if class, size := spareClass(n); size == n {
			spares[class].Put(&raw)
		}
	}
}
