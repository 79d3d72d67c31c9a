// Package nvtx tells a profiler of NVIDIA, such as Nsight Systems, what a program does: ranges on the threads of its timeline.
//
// It speaks the protocol of NVTX 3, which has no library of its own: a profiler names one of its libraries in NVTX_INJECTION64_PATH. A program
// loads it and calls InitializeInjectionNvtx2 with a function that gives tables of function pointers, by module and number. The library puts
// its own functions there. Without a profiler nothing is loaded and nothing is called.
package nvtx

import (
	"fmt"
	"os"
	"runtime"
	"sync"
)

// Env names the library of a profiler, which sets it.
const Env = "NVTX_INJECTION64_PATH"

// Profiler is a profiler that is attached to the program. A nil Profiler is none.
type Profiler struct{ push, pop uintptr }

// attached is the profiler of the process.
var attached struct {
	sync.Mutex
	path     string
	profiler *Profiler
	err      error
}

// Attached gives the profiler that [Env] names, nil if it names none. A library is asked once; the error says why it was of no use.
func Attached() (*Profiler, error) {
	path := os.Getenv(Env)
	attached.Lock()
	defer attached.Unlock()
	if path != attached.path {
		attached.path = path
		if attached.profiler, attached.err = attach(path); attached.err != nil {
			attached.err = fmt.Errorf("%s: %w", Env, attached.err)
		}
	}
	return attached.profiler, attached.err
}

// Range begins a range with a name on the thread of the caller, whose goroutine stays on it until end is called. Ranges of a thread lie
// within each other.
func (p *Profiler) Range(name string) (end func()) {
	if p == nil {
		return func() {}
	}
	runtime.LockOSThread()
	p.begin(name)
	return func() {
		p.end()
		runtime.UnlockOSThread()
	}
}
