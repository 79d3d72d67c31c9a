// Package ir is the program of one thread of a GPU with structured control flow, between Tile IR and what drivers take: the
// emitter of package emit writes it, and writers for PTX and SPIR-V read it. It knows neither of them.
//
// # Values
//
// A [Value] is assigned once. Its class is that of package vec: lanes of 8 to 64 bits and masks, but of a single lane. A
// thread computes with the element operations of vec ([Elem]), and so what they mean, and which bits come out, is said there.
// What changes while a program runs, such as what a loop carries, is a [Var].
//
// # Blocks
//
// A [Block] is a list of instructions. An [If] has two and a [Loop] one, which runs until a [Break] leaves it. The [Builder]
// puts a pure instruction into the outermost loop that has its operands, and gives the value that is there already if it was
// computed before: common subexpressions and what does not change in a loop need no pass. Nothing leaves an If, since what is
// behind one may be rare.
//
// # Memory
//
// An access names its space: global memory by an address, shared memory by a [Buffer] and an offset. The generic space has both: a
// [Window] is the address of a buffer there. A guard says whether a thread takes part. [Place] gives buffers their places in shared memory, and [Synchronise]
// puts barriers where threads of a block meet in memory: nobody writes one by hand.
package ir
