//go:build unix

package serve

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps a file of the peer.
func mapFile(path string, size int64) ([]byte, error) {
	if size <= 0 || int64(int(size)) != size {
		return nil, fmt.Errorf("%s: cannot map %d bytes", path, size)
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < size {
		return nil, fmt.Errorf("%s: a regular file of at least %d bytes is needed, but it has mode %v and %d bytes", path, size, info.Mode(), info.Size())
	}
	return syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

func unmap(b []byte) {
	if b != nil {
		syscall.Munmap(b)
	}
}
