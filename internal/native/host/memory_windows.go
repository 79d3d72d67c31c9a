//go:build amd64 || arm64

package host

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var flushInstructionCache = windows.NewLazySystemDLL("kernel32.dll").NewProc("FlushInstructionCache")

var system = memory{
	reserve: func(size int) ([]byte, error) {
		addr, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
		if err != nil {
			return nil, err
		}
		// The address is outside Go's heap. go vet would reject a plain conversion.
		return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size), nil
	},
	seal: func(pages []byte) error {
		addr, size := uintptr(unsafe.Pointer(&pages[0])), uintptr(len(pages))
		var old uint32
		if err := windows.VirtualProtect(addr, size, windows.PAGE_EXECUTE_READ, &old); err != nil {
			return err
		}
		if ok, _, err := flushInstructionCache.Call(uintptr(windows.CurrentProcess()), addr, size); ok == 0 {
			return err
		}
		return nil
	},
	release: func(pages []byte) error {
		return windows.VirtualFree(uintptr(unsafe.Pointer(&pages[0])), 0, windows.MEM_RELEASE)
	},
}
