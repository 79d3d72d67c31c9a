// Package emit has the values of the SIMT level while a program is compiled, and writes the instructions that compute those
// which are not known. It sees no syntax: package eval walks the program and says what is computed of what.
//
// # Values
//
// A number that is known is a constant; another one is in a register ([Num]). Layouts, tuples, tensors, vectors, structs and arrays
// are values whose leaves are numbers of either kind, so layout algebra costs nothing where its numbers are static, and is code
// where they are not. A number knows its element type ([Elem]) and, if it is an integer, its range and a divisor: an int that fits
// 32 bits is computed in 32.
//
// # Variables and regions
//
// A variable is a [Cell]. Code that may run a number of times other than once, the side of a dynamic if or the body of a
// dynamic loop, is a [Region]. Where a region changes a part of a variable from outside, that part must be a register
// before the region starts, and the change is a mov. Which parts these are is found by evaluating: a region that changes
// what is not yet a register is evaluated anew, with that part in a register from the start. So a part that nobody
// changes stays static.
//
// Every change of a cell stands in a journal, and [Emitter.Mark] notes how much was written: [Emitter.Rollback] takes both back.
//
// # Mistakes
//
// An [Emitter] embeds a [goval.Reporter]. It knows the functions that are being evaluated, which are the calls that led to a mistake.
package emit
