// Package host is what a machine offers to generated code: which instructions its CPU has, memory that may be executed,
// and calls of what lies there.
//
// # Levels
//
// [Machine] describes the CPU and [Choose] says for which [Level] and with which [Features] code may be generated here.
// The environment variable CUTILE_CPU takes a lower level or takes features away, so that tests run all code that the
// machine can run.
//
// # Executable memory
//
// [Map] copies code into pages of its own. They are writable until the code is there and executable from then on, never
// both, and executable pages never become writable again. A mapping and the calls that protect it cost some microseconds
// and at least a page, so a compiled kernel is one mapping that holds all its functions and constants. Every byte of the
// pages that is not code is an instruction that traps.
//
// # Calls
//
// [Call] passes the address of a frame, whose layout is between the generated code and its caller. Its comment has the
// rules for both. The most important ones follow from the fact that the Go scheduler knows nothing of generated code: a call cannot
// be preempted, so that a garbage collection waits for its end. Therefore code returns after about 100 microseconds, with
// its state in the frame, and is called again.
//
// # Faults
//
// Generated code checks its bounds and does not fault. If it does so nevertheless, Go's runtime treats the fault like one in
// Go code: on Unix an access to the first page of memory is a Go panic with a runtime.Error, which may be recovered, and any other
// bad address ends the program with "unexpected fault address" (unless runtime/debug.SetPanicOnFault is on) and the
// goroutine's stack, in which Call is the function that faulted. On Windows every fault ends the program. No caller relies on this.
package host
