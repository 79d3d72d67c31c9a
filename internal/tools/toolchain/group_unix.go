//go:build unix

package toolchain

import (
	"os/exec"
	"syscall"
)

const exeSuffix = ""

// ownGroup puts the program into a new process group and makes the end of its context kill all of that: tileiras runs
// ptxas as a child of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
