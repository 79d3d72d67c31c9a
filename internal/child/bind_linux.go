package child

import (
	"os/exec"
	"syscall"
)

// bind makes the kernel end the program when the thread that starts it ends.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
