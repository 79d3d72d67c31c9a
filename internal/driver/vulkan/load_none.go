//go:build novulkan || !((linux || darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"errors"
	"runtime"
)

// libraries is empty: [load] gives the error of this file before it opens one.
var libraries []string

const installAdvice = "use the device \"cpu\" here"

func dlopen(string) (uintptr, error) {
	if tagged {
		return 0, errors.New("this program was built with the tag novulkan")
	}
	return 0, errors.New("this module does not load Vulkan on " + runtime.GOOS + "/" + runtime.GOARCH)
}

func dlsym(uintptr, string) uintptr { return 0 }

func syscallN(uintptr, ...uintptr) uintptr { panic("BUG: a call of Vulkan without its library") }
