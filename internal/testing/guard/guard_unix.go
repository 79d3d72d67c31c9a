//go:build unix

package guard

import "golang.org/x/sys/unix"

func reserve(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

func forbid(p []byte) error { return unix.Mprotect(p, unix.PROT_NONE) }

func release(p []byte) error { return unix.Munmap(p) }
