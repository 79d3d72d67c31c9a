//go:build !ios

package host

import (
	"errors"
	"syscall"
	"unsafe"
)

// What csops takes and tells (xnu/bsd/sys/codesign.h).
const (
	csOpsStatus = 0
	csRuntime   = 0x10000 // the hardened runtime
)

// permitted refuses if the program has the hardened runtime: unless an entitlement allows it, the kernel kills such a
// program when it executes a page that it has written, where other systems return an error.
func permitted() error {
	var flags uint32
	_, _, errno := syscall.Syscall6(syscall.SYS_CSOPS, 0, csOpsStatus, uintptr(unsafe.Pointer(&flags)), unsafe.Sizeof(flags), 0, 0)
	if errno != 0 {
		return nil // not signed: nothing forbids it
	}
	if flags&csRuntime != 0 {
		return errors.New("the program is signed with the hardened runtime")
	}
	return nil
}
