//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mapped

import (
	"os"
	"syscall"
)

func mapFile(f *os.File, size int) ([]byte, func([]byte) error, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	return data, syscall.Munmap, err
}
