// Command gpubench measures ready kernels on a device, in one of the ways that code gets to a GPU (tileiras, our own compiler, Vulkan), and
// writes a row in JSON for each workload:
//
//	gpubench -way own [-work gemm:4096x4096x4096,add:1048576] [-cubins FOLDER]
//
// A result is compared with a reference before it is timed, and must have the same bits afterwards.
package main
