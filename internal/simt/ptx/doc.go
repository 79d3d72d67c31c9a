// Package ptx writes modules of package simt as PTX, which NVIDIA's drivers and ptxas take, and reads such text back, and
// other PTX, too.
//
// # Reading
//
// A text is read in two passes: what the module declares, then the bodies of kernels. A function is read anew at each call,
// with the call's operands as its own (function.go), and at a call through a register for each function that it may mean
// (indirect.go). Names are looked up in scopes (scope.go). Each instruction goes into
// the form that the table of package simt has: respelled, split, or with operands moved to registers first (instr.go,
// spelling.go).
//
// # Names
//
// What Write writes has these. Registers are %p, %rs, %r and %rd with a number, labels $L with a number. Dynamic shared memory is "smem", the memory of
// a thread "local". Texts of printf and assert are $s with a number.
//
// # Calls
//
// Printf and assert become calls of vprintf and __assertfail, which the driver has. Each is a scope of its own, by whose
// lines [Read] knows it again.
package ptx
