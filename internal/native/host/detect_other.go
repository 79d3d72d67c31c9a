//go:build !amd64 && !arm64

package host

import "runtime"

func detect() CPU { return CPU{Arch: runtime.GOARCH} }
