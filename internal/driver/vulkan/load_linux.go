//go:build !novulkan && (amd64 || arm64)

package vulkan

var libraries = []string{"libvulkan.so.1", "libvulkan.so"}

const installAdvice = "install the driver of the GPU and Vulkan's loader (package libvulkan1 or vulkan-icd-loader; vulkaninfo shows " +
	"whether they work), or set " + LibraryEnv + " to the loader's library"
