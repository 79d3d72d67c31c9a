//go:build !novulkan && (amd64 || arm64)

package vulkan

var libraries = []string{"vulkan-1.dll"}

const installAdvice = "install the driver of the GPU from its maker, which brings vulkan-1.dll along, or set " + LibraryEnv + " to that library"
