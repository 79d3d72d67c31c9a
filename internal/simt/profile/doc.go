// Package profile says what a kernel of package simt does and how long its units are busy with that, from the counts that package
// emu takes: by instruction, by line of its source, by loop.
//
// # Units and rates
//
// The table units.txt has the units that each instruction keeps busy, and rates.txt what a multiprocessor does in a clock, by
// target. Both name their sources.
//
// # The model
//
// A pipe is what does some kinds of work, one piece after another: a unit that computes, the path to shared memory, or the issue
// of instructions. The cycles of a pipe are the work divided by the rate. The pipe with most cycles is the bound: with work enough
// from other warps to hide every latency, a multiprocessor needs its cycles, and never fewer.
//
// The model knows nothing of latencies, of dependences between instructions, of registers and occupancy, of caches, nor of what
// ptxas removes or adds; PTX is not machine code. L1 and L2 are taken to have nothing: each request goes to L2. Memory is taken to
// deliver and take each sector once, as if L2 had everything. So the cycles are a lower bound of what the units need for this PTX,
// good for comparing kernels and finding the bound, and no measurement.
package profile
