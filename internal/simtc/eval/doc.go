// Package eval is the partial evaluator of the SIMT level: it runs checked Go on values of which some are known now
// (static) and some when the program runs (dynamic), and what it cannot compute it writes down as instructions.
//
// # Values
//
// Numbers that are known are constants; others are registers. Layouts, tuples, tensors, functions, structs and arrays are
// values of the evaluator, whose leaves are numbers of either kind. Layout algebra therefore costs nothing where its
// numbers are static, and is code where they are not.
//
// # Variables and regions
//
// A variable is a cell. Code that may run a number of times other than once, the side of a dynamic if or the body of a
// dynamic loop, is a region. Where a region changes a part of a variable from outside, that part must be a register
// before the region starts, and the change a mov. Which parts these are is found out by evaluating: a region that changes
// what is not yet a register is evaluated anew, with that part in a register from the start. So a part that nobody
// changes stays static.
//
// # Host and kernels
//
// A host function and the kernels that it launches are evaluated in one go. A call of a function with the result
// cute.Kernel is bound to its arguments; Launch evaluates it as a function of its own, whose parameters are the dynamic
// leaves of the arguments, in order.
package eval
