// Command gpubench measures ready kernels on a GPU in each way that code gets there (tileiras, our own compiler, Vulkan) beside cuBLAS,
// Triton and torch, where they are installed, and prints a table:
//
//	gpubench [-ways tileiras,own] [-work gemm:4096x4096x4096,add:1048576] [-cubins FOLDER] [-python python3]
//
// Each way is a process of its own, so that a kernel that ends its context spoils nothing else. A result is compared with a reference
// before it is timed, and must have the same bits afterwards. scripts/gpu.sh puts the command and the code that both compilers make into a
// folder for machines that have a driver only. docs/benchmarks.md says what is measured.
package main
