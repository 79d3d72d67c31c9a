//go:build !unix && !windows

package toolchain

import "os/exec"

const exeSuffix = ""

// ownGroup does nothing: these systems have no process groups, and no tools of NVIDIA.
func ownGroup(*exec.Cmd) {}
