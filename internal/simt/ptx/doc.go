// Package ptx writes modules of package simt as PTX, which NVIDIA's drivers and ptxas take, and reads such text back.
//
// # Names
//
// Registers are %p, %rs, %r and %rd with a number, labels $L with a number. Dynamic shared memory is "smem", the memory of
// a thread "local". Texts of printf and assert are $s with a number.
//
// # Calls
//
// Printf and assert become calls of vprintf and __assertfail, which the driver has. Each is a scope of its own, by whose
// lines [Read] knows it again.
package ptx
