package toolchain

import (
	"os/exec"
	"strconv"
)

const exeSuffix = ".exe"

// ownGroup makes the end of the program's context kill it and its children.
func ownGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() == nil {
			return nil
		}
		return cmd.Process.Kill()
	}
}
