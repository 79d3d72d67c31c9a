package host

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// What arch_prctl takes (linux/Documentation/arch/x86/xstate.rst).
const (
	archReqXcompPerm  = 0x1023
	xfeatureXTileData = 18
)

func requestAMX() error {
	if !Machine().Features.Has(AMXTile) {
		return errors.New("the CPU has no AMX, or the system does not save its registers")
	}
	if _, _, errno := unix.Syscall(unix.SYS_ARCH_PRCTL, archReqXcompPerm, xfeatureXTileData, 0); errno != 0 {
		return fmt.Errorf("the system does not permit AMX: arch_prctl: %w", errno)
	}
	return nil
}
