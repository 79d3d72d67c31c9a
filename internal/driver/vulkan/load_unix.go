//go:build !novulkan && (linux || darwin) && (amd64 || arm64)

package vulkan

import "github.com/ebitengine/purego"

func dlopen(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(handle uintptr, name string) uintptr {
	p, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return p
}

// syscallN calls a C function whose arguments are integers and pointers. Apple's arm64 packs what goes on the stack, that is
// the ninth argument and those behind it; the only call with so many, vkCmdPipelineBarrier, has a pointer after each number
// there, so that both ways are the same.
//
//go:uintptrescapes
func syscallN(addr uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(addr, args...)
	return r
}
