//go:build !js && !wasip1

package child

import (
	"os"
	"syscall"
)

// signals ask a program to end.
var signals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
