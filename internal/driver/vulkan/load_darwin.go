//go:build !novulkan && (amd64 || arm64)

package vulkan

// The loader comes first, as other drivers than MoltenVK may be installed; then MoltenVK itself, which has the same functions.
var libraries = []string{
	"libvulkan.1.dylib", "/opt/homebrew/lib/libvulkan.1.dylib", "/usr/local/lib/libvulkan.1.dylib",
	"libMoltenVK.dylib", "/opt/homebrew/lib/libMoltenVK.dylib", "/usr/local/lib/libMoltenVK.dylib",
}

const installAdvice = "install MoltenVK, for instance by Homebrew (packages molten-vk and vulkan-loader), or set " + LibraryEnv + " to its library"
