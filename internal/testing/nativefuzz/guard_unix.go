//go:build unix

package nativefuzz

import (
	"os"

	"golang.org/x/sys/unix"
)

// guarded makes memory with a page on each side that cannot be touched.
func guarded(n int) ([]byte, error) {
	page := os.Getpagesize()
	inner := (n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	for _, p := range [][]byte{m[:page], m[page+inner:]} {
		if err := unix.Mprotect(p, unix.PROT_NONE); err != nil {
			return nil, err
		}
	}
	return m[page : page+inner : page+inner], nil
}
