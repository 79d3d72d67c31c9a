package mapped

import (
	"os"
	"syscall"
	"unsafe"
)

func mapFile(f *os.File, size int) ([]byte, func([]byte) error, error) {
	h, err := syscall.CreateFileMapping(syscall.Handle(f.Fd()), nil, syscall.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer syscall.CloseHandle(h) // the view keeps what it needs
	addr, err := syscall.MapViewOfFile(h, syscall.FILE_MAP_READ, 0, 0, uintptr(size))
	if err != nil {
		return nil, nil, os.NewSyscallError("MapViewOfFile", err)
	}
	// The address is not one of Go's memory, which vet cannot know: it is read through a pointer to the variable.
	start := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	unmap := func([]byte) error { return os.NewSyscallError("UnmapViewOfFile", syscall.UnmapViewOfFile(addr)) }
	return unsafe.Slice((*byte)(start), size), unmap, nil
}
