//go:build !novulkan && !((linux || darwin || windows) && (amd64 || arm64))

package vulkan

const tagged = false
