//go:build amd64 || arm64

package host

import "unsafe"

// call is Call without a preemption point.
//
//go:noescape
func call(code uintptr, frame unsafe.Pointer) uint64

// Call runs generated code and gives what it returns as its status. The level of the code must be at least LevelAVX2 on
// amd64. A call costs a few nanoseconds.
//
// The goroutine can be preempted when a call begins. This is what lets a loop of calls stop for the garbage collector: the
// runtime's signals come while generated code runs, where the goroutine cannot stop, so that they have no effect, and the
// assembly function has no preemption point either.
//
// For the generated code:
//
//   - The frame's address is in RDI (amd64) or R0 (arm64), the status is returned in RAX or R0.
//   - It may change all vector and mask registers, the flags and all general registers except RSP and RBP (amd64), and R18,
//     R28, R29 and SP (arm64), which it does not change even for a moment: Go's signal handlers read them. R30 holds the return address on arm64.
//   - It has no stack: it neither pushes nor calls, except that it may call and return within itself on arm64, where that takes no
//     stack. A spill area is part of the frame, or the frame points to it.
//   - It returns with MXCSR, the direction flag and FPCR as it found them, and with the AMX tiles released. Call itself does VZEROUPPER.
//   - It never calls Go, and returns after about 100 microseconds, since neither the scheduler nor the garbage
//     collector can interrupt it.
//   - It does not write pointers into memory that the garbage collector looks at.
//
// For the caller:
//
//   - The frame may lie on the goroutine's stack, which does not move during a call. All that the frame refers to lies in the
//     heap or outside Go's memory, since a stack moves between calls.
//   - What the frame refers to is kept alive: by fields of type unsafe.Pointer in the frame, or by runtime.KeepAlive after the call.
//   - The code is not freed before the call returns.
//
//go:noinline
func Call(code uintptr, frame unsafe.Pointer) uint64 { return call(code, frame) }
