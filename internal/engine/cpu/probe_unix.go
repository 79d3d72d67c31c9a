//go:build unix

package cpu

import "syscall"

// probe asks the system whether it would give that much memory. The Go runtime ends the program where it cannot have
// what make asks for, so big requests are tried here first.
func probe(n int64) error {
	if int64(int(n)) != n {
		return syscall.ENOMEM
	}
	m, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return syscall.Munmap(m)
}
