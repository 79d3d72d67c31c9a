// Package words does what the functions of package cute do whose declarations have a directive in place of a body.
//
// //cutile:ptx OPCODE OPERAND... is an instruction (ptx.go): {T} in the opcode is a type parameter's type in arithmetic, {T.b} its
// bits; an operand is a parameter, a number or a special register; "-> lo..hi" gives the range of the result.
//
// //cutile:intrinsic NAME is a row of a table here, which each file has for its subject: tuples and layouts, tensors, mathematical
// functions, copies, matrix multiplications, warps, atomics, bulk copies, warp groups.
//
// A word sees its arguments as values of package emit, the declaration of the function ([Callee]) and the emitter, and no syntax.
package words
