//go:build amd64 || arm64

package host

import "unsafe"

// call is Call without a preemption point.
//
//go:noescape
func call(code uintptr, frame unsafe.Pointer) uint64

// Call runs generated code and gives what it returns as its status. On amd64, the CPU must have the level LevelAVX2. A call
// costs a few nanoseconds.
//
// The goroutine can be preempted when a call begins. This lets the garbage collector stop a loop of calls: the runtime's
// signals arrive while generated code runs, where the goroutine cannot stop, and have no effect; and the assembly function
// has no preemption point.
//
// Rules for the generated code:
//
//   - It finds the frame's address in RDI (amd64) or R0 (arm64), and returns the status in RAX or R0.
//   - It may change all vector and mask registers, the flags, and all general registers except RSP and RBP (amd64), and R18,
//     R28, R29 and SP (arm64). It does not change those even for a moment, since Go's signal handlers read them. On arm64,
//     R30 has the return address.
//   - It has no stack: it neither pushes nor calls. (On arm64 it may call functions of its own, which takes no stack.) If it
//     needs memory for spilled registers, that is part of the frame, or the frame points to it.
//   - It returns with MXCSR, FPCR and the direction flag as it found them, and without AMX tiles. It need not execute
//     VZEROUPPER, since Call does.
//   - It returns after about 100 microseconds, and never calls Go. Neither the scheduler nor the garbage collector can
//     interrupt it.
//   - It writes no pointers into memory that the garbage collector scans.
//
// Rules for the caller:
//
//   - The frame may lie on the goroutine's stack, which does not move during a call. What the frame points to lies on the
//     heap or outside Go's memory, since the stack may move when a call begins.
//   - The caller keeps alive what the frame points to: by fields of type unsafe.Pointer in the frame, or by
//     runtime.KeepAlive after the call.
//   - The code is not freed before the call returns.
//
//go:noinline
func Call(code uintptr, frame unsafe.Pointer) uint64 { return call(code, frame) }

// callFlushing is CallFlushing without a preemption point. It sets the mode of floats and sets it back.
//
//go:noescape
func callFlushing(code uintptr, frame unsafe.Pointer) uint64

// floatMode gives the register that says how the thread computes with floats, and setFloatMode sets it: MXCSR or FPCR.
func floatMode() uint64

func setFloatMode(mode uint64)

// CallFlushing is [Call] of code for which subnormal numbers of float32 and float64 are zeros of their signs, as operands and as
// results: with FTZ and DAZ of MXCSR, or FZ of FPCR. Go code never runs in that mode, not even behind code that faults.
//
//go:noinline
func CallFlushing(code uintptr, frame unsafe.Pointer) (status uint64) {
	mode, done := floatMode(), false
	defer func() {
		if !done {
			setFloatMode(mode)
		}
	}()
	status = callFlushing(code, frame)
	done = true
	return status
}
