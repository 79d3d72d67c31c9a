//go:build novulkan

package vulkan

const tagged = true
