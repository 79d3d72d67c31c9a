//go:build (linux || darwin) && (amd64 || arm64)

package shlib

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// Open opens a library.
func Open(path string) (uintptr, error) { return open(path, purego.RTLD_LOCAL) }

// OpenGlobal opens a library in whose functions others, which it opens itself, look for theirs.
func OpenGlobal(path string) (uintptr, error) { return open(path, purego.RTLD_GLOBAL) }

func open(path string, scope int) (uintptr, error) {
	runtime.LockOSThread() // which alone knows why it failed
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|scope)
}

// Symbol is the address of a function; 0 where the library has none of the name.
func Symbol(handle uintptr, name string) uintptr {
	p, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return p
}

// Call calls a C function whose arguments are integers and pointers. Apple's arm64 packs what goes on the stack, that is the ninth argument
// and those behind it, which must be pointers there or be followed by one.
//
//go:uintptrescapes
func Call(addr uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(addr, args...)
	return r
}

// Callback makes a function for C of one in Go, whose arguments and result are integers or pointers. It is never freed: few may be made.
func Callback(f any) uintptr { return purego.NewCallback(f) }
