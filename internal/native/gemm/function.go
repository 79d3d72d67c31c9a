package gemm

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// A function is machine code that is mapped until the garbage collector finds no reference to the function.
type function struct {
	addr  uintptr
	size  int
	flush bool // subnormal numbers are zeros

	instead func(frame) frame // what tests call in place of the code of a kernel
}

func newFunction(code *host.Code) *function {
	f := &function{addr: code.Addr(), size: code.Size()}
	runtime.AddCleanup(f, func(c *host.Code) { c.Free() }, code)
	return f
}

func (f *function) call(at unsafe.Pointer) {
	switch {
	case f.instead != nil:
		f.callInstead(at)
		return
	case f.flush:
		host.CallFlushing(f.addr, at)
	default:
		host.Call(f.addr, at)
	}
	runtime.KeepAlive(f)
}

// callInstead passes the frame as a value, so that it need not be in the heap for those that call machine code.
//
//go:noinline
func (f *function) callInstead(at unsafe.Pointer) { *(*frame)(at) = f.instead(*(*frame)(at)) }

// maxFunctions limits how many functions a cache holds. Each takes a mapping, and systems limit their number.
const maxFunctions = 2048

// A functions is a cache of functions by what describes them.
type functions[K comparable] struct {
	mu   sync.RWMutex
	byID map[K]*function
}

// get gives the function of a key, which it makes where the cache lacks it. A full cache is emptied: whoever uses a function
// keeps it.
func (c *functions[K]) get(key K, emit func(K) (*function, error)) (*function, error) {
	c.mu.RLock()
	f := c.byID[key]
	c.mu.RUnlock()
	if f != nil {
		return f, nil
	}
	f, err := emit(key)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.byID[key]; other != nil {
		return other, nil
	}
	if c.byID == nil || len(c.byID) >= maxFunctions {
		c.byID = map[K]*function{}
	}
	c.byID[key] = f
	return f, nil
}
