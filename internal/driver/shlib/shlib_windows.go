//go:build amd64 || arm64

package shlib

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// Open opens a library. It looks for a bare name in the system's folder only, never in the current one.
func Open(path string) (uintptr, error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	if filepath.IsAbs(path) {
		flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(h), err
}

// OpenGlobal is Open: libraries find functions of others by the others' names.
func OpenGlobal(path string) (uintptr, error) { return Open(path) }

// Symbol is the address of a function; 0 where the library has none of the name.
func Symbol(handle uintptr, name string) uintptr {
	p, err := windows.GetProcAddress(windows.Handle(handle), name)
	if err != nil {
		return 0
	}
	return p
}

// Call calls a C function whose arguments are integers and pointers.
//
//go:uintptrescapes
func Call(addr uintptr, args ...uintptr) uintptr {
	r, _, _ := syscall.SyscallN(addr, args...)
	return r
}

// Callback makes a function for C of one in Go, whose arguments and result have the size of a pointer. It is never freed: few may be made.
func Callback(f any) uintptr { return windows.NewCallback(f) }
