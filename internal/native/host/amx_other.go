//go:build !linux || !amd64

package host

import (
	"errors"
	"runtime"
)

func requestAMX() error {
	return errors.New("AMX is used on linux/amd64 only, and this is " + runtime.GOOS + "/" + runtime.GOARCH)
}
