// Package emit holds the values of a program of the SIMT level while the program is compiled, and
// writes the instructions that compute those values which are not known yet. It sees no syntax:
// package eval walks the program and asks this package to compute.
//
// # Values
//
// A number that is known is a constant; any other number is in a register ([Num]). Layouts, tuples,
// tensors, vectors, structs and arrays are values whose leaves are numbers of either kind. So
// layout algebra costs nothing if its numbers are static, and becomes code if they are not. A
// number knows its element type ([Elem]) and, if it is an integer, its range and a divisor: an int
// whose range fits 32 bits is computed in 32 bits, which a GPU does faster than in 64.
//
// # Variables and regions
//
// A variable is a [Cell]. Code that may run another number of times than once, such as a side of a
// dynamic if or the body of a dynamic loop, is a [Region]. If a region changes a part of a variable
// from outside, that part must be in a register before the region begins, and the change is a mov.
// Evaluation itself finds out which parts these are: if a region changes a part that is not in a
// register yet, the region is evaluated anew, with a register for the part from the start. A part
// that nobody changes therefore stays static.
//
// Every change of a cell is recorded in a journal, and [Emitter.Mark] notes how much was written,
// so that [Emitter.Rollback] can undo both.
//
// # Integers
//
// An int has 64 bits in Go, but most ints of a kernel are indices that fit 32 bits. So every
// integer has a range, which operators compute along with the instruction, and an int whose range
// fits is in a register of 32 bits. A result that may not fit is computed in 64 bits and narrowed
// if its range allows it. The layout algebra knows more than ranges can show: for an integer that
// is not wide the caller's arguments promise that 32 bits are enough.
//
// The divisor of an integer tells how far addresses are aligned, and thereby how many elements one
// access may move.
//
// # Floats
//
// A device has instructions for f32 and f64, and for some types of 16 bits. Every other type is
// computed in f32 and rounded after each operation, which gives the result of the type itself.
// Conversions must round once. If the way to a type leads through another one, the first step
// rounds to odd, which keeps the second step right.
//
// # Kernels
//
// A kernel is evaluated when it is launched, as a function of its own with a region of its own. The
// dynamic numbers of its arguments become parameters, and the variables that its arguments point to
// become variables of the kernel. A number of the host function that reaches the kernel in another
// way is a mistake.
//
// # Mistakes
//
// An [Emitter] embeds a [goval.Reporter], which knows the functions being evaluated: they are the
// calls that led to a mistake.
package emit
