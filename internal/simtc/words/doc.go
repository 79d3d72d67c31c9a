// Package words implements the functions of package cute whose declarations have a directive in
// place of a body.
//
// The directive //cutile:ptx OPCODE OPERAND... makes a function an instruction (ptx.go). In the
// opcode {T} stands for the type of a type parameter in arithmetic, and {T.b} for the type of its
// bits. An operand is a parameter, a number or a special register, and "-> lo..hi" gives the range
// of the result.
//
// The directive //cutile:intrinsic NAME makes a function a row of a table in this package. Each
// file has the table of its subject: tuples and layouts, tensors, mathematical functions, copies,
// matrix multiplications, warps, atomics, bulk copies and warp groups.
//
// A word sees its arguments as values of package emit, the declaration of the function ([Callee])
// and the emitter, but no syntax.
package words
