//go:build novulkan || !((linux || darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"errors"
	"runtime"
)

// libraries is empty: [openFirst] gives the error of this file.
var libraries []string

const installAdvice = "use the device \"cpu\" here"

func openFirst([]string) (uintptr, string, error) {
	if tagged {
		return 0, "", errors.New("this program was built with the tag novulkan")
	}
	return 0, "", errors.New("this module does not load Vulkan on " + runtime.GOOS + "/" + runtime.GOARCH)
}

func dlsym(uintptr, string) uintptr { return 0 }

func syscallN(uintptr, ...uintptr) uintptr { panic("BUG: a call of Vulkan without its library") }
