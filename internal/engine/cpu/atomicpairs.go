package cpu

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// pairedAtomics says that an atomic access of eight bytes and one of four bytes inside them are atomic to each other.
const pairedAtomics = runtime.GOARCH == "amd64"

// addPairs adds the elements of a part to numbers of float32 in memory, atomically, two at a time where they are adjacent, and gives
// the old ones; one adds a single element. It reports false after a fault.
func addPairs(p *pointers, f *frame, one update, arg, old ptr) bool {
	addresses, mask := p.operands(f)
	args, olds := slice[float32](arg, p.n), slice[uint32](old, p.n)
	w := f.window(8)
	for i := 0; i < p.n; i++ {
		if mask != nil && mask[i] == 0 {
			continue
		}
		address := addresses[i]
		if off := address - w.base; pairedAtomics && off < w.size && i+1 < p.n && addresses[i+1] == address+4 && (mask == nil || mask[i+1] != 0) {
			if word := (*uint64)(unsafe.Add(w.data, off)); uintptr(ptr(word))%8 == 0 && address%4 == 0 {
				olds[i], olds[i+1] = addPair(word, args[i], args[i+1])
				i++
				continue
			}
		}
		m, ok := p.find(f, i, address)
		if !ok {
			return false
		}
		one(m, ptr(&args[i]), ptr(&olds[i]))
		w = f.window(8)
	}
	return true
}

// addPair adds two numbers to those of a word, and gives the bits of the old ones.
func addPair(word *uint64, x, y float32) (uint32, uint32) {
	for {
		a := atomic.LoadUint64(word)
		lo, hi := math.Float32bits(math.Float32frombits(uint32(a))+x), math.Float32bits(math.Float32frombits(uint32(a>>32))+y)
		if atomic.CompareAndSwapUint64(word, a, uint64(hi)<<32|uint64(lo)) {
			return uint32(a), uint32(a >> 32)
		}
	}
}
