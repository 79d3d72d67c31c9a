//go:build !novulkan && (amd64 || arm64)

package vulkan

import (
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

var libraries = []string{"vulkan-1.dll"}

const installAdvice = "install the driver of the GPU from its maker, which brings vulkan-1.dll along, or set " + LibraryEnv + " to that library"

// dlopen looks for a bare name in the system's folder only, never in the current one.
func dlopen(path string) (uintptr, error) {
	flags := uintptr(windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	if filepath.IsAbs(path) {
		flags = windows.LOAD_WITH_ALTERED_SEARCH_PATH
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(h), err
}

func dlsym(handle uintptr, name string) uintptr {
	p, err := windows.GetProcAddress(windows.Handle(handle), name)
	if err != nil {
		return 0
	}
	return p
}

//go:uintptrescapes
func syscallN(addr uintptr, args ...uintptr) uintptr {
	r, _, _ := syscall.SyscallN(addr, args...)
	return r
}
