// Package emu runs modules of package simt on the CPU: kernels with their grids, blocks, warps and lanes, and host
// functions.
//
// # Execution
//
// The 32 lanes of a warp go together. Each instruction is decoded once, to a function over the lanes that are active. Lanes
// that branch apart form groups; the group that is first in the program goes first, and groups that meet become one.
// A group that waits (for a barrier, or for other lanes of its warp) lets the others go on. Warps of a block take turns, or hold
// one another back as [Launch.Schedule] says; blocks of a cluster run together, clusters in parallel.
//
// # Numbers
//
// Integers, and the operations on floats that IEEE 754 rounds, give the bits that the PTX ISA says. NaN results of 16 and
// 32 bits are the canonical ones. Approximate functions (ex2.approx, div.approx ...) are computed in float64 and rounded
// once. As on GPUs, atom.add.f32 and red.add.f32 take subnormal numbers for zeros in global memory, and not in shared memory.
// Matrix instructions multiply exactly, add the products in float64 in the order of k, the accumulator first, and
// round once at the end; those of f64 are a chain of fused multiplications and additions. Factors of blocks are multiplied in
// first, which is exact, too.
//
// # Mistakes
//
// What the PTX ISA leaves undefined is a mistake where it can be seen: memory outside of every buffer, misaligned
// addresses, shared memory that is read before it is written, memory of an mbarrier that is used for something else, factors
// of matrices that do not exist, lanes that are named in a mask and are not there, threads that wait for ever; and, on demand,
// data races in shared and global memory: between threads of a cluster, of 2^18 words of global memory at most, and between
// clusters, where a cluster that releases counts as one. Fences, and atomic and strong accesses, order what the PTX ISA says,
// for the threads of their scopes. A fence of the async proxy must come between a write to shared or global memory and what the
// proxy does there, of the thread that wrote or of one that knows of it, and a copy may count only at an mbarrier that such a fence or
// fence.mbarrier_init has announced; what threads have only read it may overwrite without one, as NVIDIA's own pipelines do. Copies to
// and from global memory count when they begin. An [Error] says where. Clocks count the instructions of a warp.
//
// Asynchronous copies and multiplications take effect as late as the rules allow, so that a missing wait shows as wrong
// data. In tensor memory it is a mistake itself: nobody may touch words that an operation has not finished with, which the
// mbarrier of a commit or tcgen05.wait says; and the search for data races wants the fences of tcgen05 as the PTX ISA has them.
package emu
