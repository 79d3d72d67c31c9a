// Package host provides what generated code needs from the machine: it finds out which instructions the CPU has, puts code
// into memory that may be executed, and calls it.
//
// # Levels
//
// [Machine] describes the CPU. [Choose] gives the [Level] and the [Features] for which this process generates code. The
// environment variable CUTILE_CPU asks for a lower level or takes features away, so that tests can run every kind of code
// that the machine can run.
//
// # Executable memory
//
// [Map] copies code into pages of its own. They are writable until the code is there and executable from then on, never
// both, and executable pages never become writable again. A mapping takes at least a page, and some microseconds for the
// system to protect it, so the functions and constants of a compiled kernel are one mapping. The rest of its last page
// consists of instructions that trap.
//
// # Calls
//
// [Call] passes the address of a frame, whose layout the generated code and its caller agree on. The comment of Call has the
// rules for both. The most important one: a call cannot be preempted, and a garbage collection waits for its end.
// Therefore code returns after about 100 microseconds, with its state in the frame, and is called again.
//
// # Faults
//
// Generated code checks its bounds and does not fault. If it faults nevertheless, that is a bug, and Go's runtime treats
// the fault as one in Go code. On Unix an access to the first page of memory is a panic with a runtime.Error, and any other
// bad address ends the program with "unexpected fault address" and the goroutine's stack, in which Call is the function that
// faulted. (With runtime/debug.SetPanicOnFault it is a panic, too.) On Windows every fault ends the program. No caller
// relies on this.
package host
