//go:build js || wasip1

package child

import "os"

// signals ask a program to end. These systems have no others, and start no programs.
var signals = []os.Signal{os.Interrupt}
