//go:build unix && !ios && (amd64 || arm64)

package host

import "golang.org/x/sys/unix"

// system never asks for pages that are writable and executable. On darwin/arm64 only such pages need MAP_JIT. A program with
// the hardened runtime may execute only signed pages and is refused (see permitted).
var system = memory{
	reserve: func(size int) ([]byte, error) {
		if err := permitted(); err != nil {
			return nil, err
		}
		return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	},
	seal: func(pages []byte) error {
		syncInstructions(pages)
		return unix.Mprotect(pages, unix.PROT_READ|unix.PROT_EXEC)
	},
	release: unix.Munmap,
}
