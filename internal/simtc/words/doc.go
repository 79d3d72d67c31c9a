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
//
// # Layouts and accesses
//
// All decisions about layouts are made here, while the program is compiled: which elements are
// contiguous, how wide an access may be, and whether a tensor has the form that an instruction
// wants. What cannot be decided is refused, with the layout in the message, or is left to a check
// that a checked launch makes. So an access costs no tests at run time.
//
// # Fragments
//
// An instruction of a tensor core takes registers in a fixed order. A tensor in registers has its
// elements in words of 32 bits, several small elements to a word. If the elements for an
// instruction fill words in the order that it wants, the words are its operands. Otherwise they are
// copied to new words, and a result is copied back.
package words
