//go:build !novulkan && (linux || darwin || windows) && (amd64 || arm64)

package vulkan

import "github.com/cutile-go/cutile/internal/driver/shlib"

func openFirst(paths []string) (handle uintptr, path string, err error) { return shlib.First(paths) }

func dlsym(handle uintptr, name string) uintptr { return shlib.Symbol(handle, name) }

// syscallN calls a function. The only one of more than eight arguments, vkCmdPipelineBarrier, has a pointer after each number there, so
// that Apple's way to pass them is the usual one.
//
//go:uintptrescapes
func syscallN(addr uintptr, args ...uintptr) uintptr { return shlib.Call(addr, args...) }
