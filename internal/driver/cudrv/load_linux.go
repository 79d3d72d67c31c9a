//go:build !nocuda && linux && (amd64 || arm64)

package cudrv

// libraries are looked for in this order: by the system's loader, then where WSL and NVIDIA's containers put it.
var libraries = []string{
	"libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
}
