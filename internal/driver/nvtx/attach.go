//go:build !nocuda && ((linux && (amd64 || arm64)) || (windows && amd64))

package nvtx

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// The numbers of the tables that a profiler asks for, of modules, and of functions in the module core.
const (
	tableCallbacks = 1
	tableVersion   = 3

	moduleCore = 1

	rangePush = 9 // of a text with a zero byte at its end
	rangePop  = 11

	version = 3 // of NVTX
)

// modules are the numbers of functions in each module, with the first one, which is none. A profiler may ask for all of them.
var modules = [...]uint32{moduleCore: 16, 2: 9, 3: 15, 4: 7, 5: 16, 6: 7}

// mostFunctions is the most that a module has.
const mostFunctions = 16

// tables are what a profiler reads and writes. They are variables of the package, so that they never move.
var tables struct {
	callbacks struct{ size, functions uintptr }
	version   struct {
		size            uintptr
		version, unused uint32
		set             uintptr
	}
	functions [len(modules)][mostFunctions]uintptr      // which the profiler sets
	places    [len(modules)][mostFunctions + 1]*uintptr // of these; nil for none, and behind the last
}

// attach loads a library and lets it fill the tables.
func attach(path string) (*Profiler, error) {
	if path == "" {
		return nil, nil
	}
	lib, err := shlib.Open(path)
	if err != nil {
		return nil, err
	}
	begin := shlib.Symbol(lib, "InitializeInjectionNvtx2")
	if begin == 0 {
		return nil, fmt.Errorf("%s has no function InitializeInjectionNvtx2", path)
	}
	prepare()
	if shlib.Call(begin, exportTable())&0xffffffff == 0 {
		return nil, fmt.Errorf("%s refuses to attach", path)
	}
	core := &tables.functions[moduleCore]
	if core[rangePush] == 0 || core[rangePop] == 0 {
		return nil, nil // it wants no ranges
	}
	return &Profiler{core[rangePush], core[rangePop]}, nil
}

// prepare makes empty tables.
func prepare() {
	t := &tables
	t.callbacks.size, t.callbacks.functions = unsafe.Sizeof(t.callbacks), functionTable()
	t.version.size, t.version.version, t.version.set = unsafe.Sizeof(t.version), version, setVersion()
	for m := range modules {
		t.functions[m] = [mostFunctions]uintptr{}
		for i := 1; i < int(modules[m]); i++ {
			t.places[m][i] = &t.functions[m][i]
		}
	}
}

// callback gives a function that makes a function for C of one in Go, the first time.
func callback(f any) func() uintptr {
	return sync.OnceValue(func() uintptr { return shlib.Callback(f) })
}

// The functions that a profiler calls. They are made once, as they are never freed.
var (
	exportTable = callback(func(id uintptr) uintptr {
		switch uint32(id) {
		case tableCallbacks:
			return uintptr(unsafe.Pointer(&tables.callbacks))
		case tableVersion:
			return uintptr(unsafe.Pointer(&tables.version))
		}
		return 0
	})
	functionTable = callback(func(module uintptr, table **[mostFunctions + 1]*uintptr, size *uint32) uintptr {
		m := uint32(module)
		if m >= uint32(len(modules)) || modules[m] == 0 {
			return 0
		}
		if table != nil {
			*table = &tables.places[m]
		}
		if size != nil {
			*size = modules[m]
		}
		return 1
	})
	setVersion = callback(func(uintptr) uintptr { return 0 })
)

// begin begins a range.
func (p *Profiler) begin(name string) {
	shlib.Call(p.push, uintptr(unsafe.Pointer(shlib.CString(name))))
}

// end ends it.
func (p *Profiler) end() { shlib.Call(p.pop) }
