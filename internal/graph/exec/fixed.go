package exec

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"sync"

	"github.com/cutile-go/cutile/internal/device"
)

// fixed are the arrays of a device that do not change: constants, and what kernels make of constants alone. Programs share those that are
// equal, such as the weights of a model that is compiled for several shapes.
type fixed struct {
	mu  sync.Mutex
	all map[fixedKey]*fixedArray
}

// fixedKey stands for the contents of an array: two hashes with seeds that nobody knows, so that different contents have different
// keys but for a chance of 2^-128.
type fixedKey [2]uint64

// fixedArray is an array that programs share.
type fixedArray struct {
	key   fixedKey
	mem   *device.Memory
	users int
}

// fixedOfKey is the key of a device's fixed arrays.
type fixedOfKey struct{}

func fixedOf(dev *device.Device) *fixed {
	return dev.Hold(fixedOfKey{}, func() (any, func()) {
		return &fixed{all: map[fixedKey]*fixedArray{}}, func() {} // the device frees the memory
	}).(*fixed)
}

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// keyOf makes a key of parts, the first of which tells kinds of keys apart.
func keyOf(parts ...[]byte) (k fixedKey) {
	for i, seed := range seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, p := range parts {
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(p))))
			h.Write(p)
		}
		k[i] = h.Sum64()
	}
	return k
}

// find gives an array that another program has made; nil if there is none. Each array that find and add give is given back with put.
func (f *fixed) find(key fixedKey) *fixedArray {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.all[key]
	if a != nil {
		a.users++
	}
	return a
}

// add shares an array that has been written, unless somebody else has shared an equal one meanwhile: then that is given, and the memory
// freed.
func (f *fixed) add(ctx context.Context, key fixedKey, mem *device.Memory) (*fixedArray, error) {
	if err := mem.Freeze(ctx); err != nil {
		mem.Close()
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if a := f.all[key]; a != nil {
		a.users++
		return a, mem.Close()
	}
	a := &fixedArray{key, mem, 1}
	f.all[key] = a
	return a, nil
}

// put gives an array back, whose memory the last user frees when the work that uses it has ended.
func (f *fixed) put(a *fixedArray) {
	f.mu.Lock()
	a.users--
	last := a.users == 0
	if last {
		delete(f.all, a.key)
	}
	f.mu.Unlock()
	if last {
		a.mem.Close()
	}
}
