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

// permitted refuses for a program with the hardened runtime: the kernel kills such a program when it runs a page that it
// has written, instead of returning an error, unless an entitlement allows it.
func permitted() error {
	var flags uint32
	if _, _, errno := syscall.Syscall6(syscall.SYS_CSOPS, 0, csOpsStatus, uintptr(unsafe.Pointer(&flags)), unsafe.Sizeof(flags), 0, 0); errno != 0 {
		return nil // not signed: nothing forbids it
	}
	if flags&csRuntime != 0 {
		return errors.New("the program is signed with the hardened runtime")
	}
	return nil
}
