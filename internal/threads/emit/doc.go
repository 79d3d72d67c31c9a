// Package emit writes the program of a thread, in package ir, for an entry of Tile IR and its plan.
//
// A tile is a list of registers in a layout: register r of thread t holds the element that the layout says. [Kernel] walks the
// entry. An element operation is a template, made once by package lane as for the CPU's machine code, whose instructions are
// written for each register: so CPUs and GPUs compute the same bits. What GPUs do better than the template, with the same
// result, has a rule in the table direct. Where an operation needs a tile in another layout it is converted: registers change
// places where threads and elements belong together as before, else the tile goes through shared memory.
//
// Reductions and scans keep the order of the CPU engine, but for operations whose order does not matter.
package emit
