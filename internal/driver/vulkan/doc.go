// Package vulkan is the part of Vulkan that computes, as Go types and methods: devices with what they can do, memory with
// device addresses, pipelines of SPIR-V, command buffers, timeline semaphores. It knows nothing about kernels or tensors.
//
// [Open] loads the system's loader when the program runs (libvulkan.so.1, vulkan-1.dll, on macOS libvulkan or MoltenVK
// itself), so a program needs neither cgo nor headers and starts on a machine without it. With the build tag novulkan, and
// on systems without a loader, Open gives an error and nothing is linked.
//
// The methods are named after Vulkan's functions; each makes one call. What may be called at the same time is what the
// specification says under "threading behavior": a queue, a command pool with all recording into its buffers and an object
// that is being destroyed belong to one caller at a time, while creation and waiting are free. The source of every
// structure, number and rule is the Vulkan specification with its header vulkan_core.h, whose sizes and offsets a test
// compares where the header is installed.
//
// A kernel that goes astray can end the process: software drivers run it on the process's own threads, where an access to
// a wild address is a signal that Go cannot handle.
package vulkan
