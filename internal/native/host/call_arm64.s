#include "textflag.h"

// func call(code uintptr, frame unsafe.Pointer) uint64
//
// RET loads R29 and R30 from the stack. Go expects nothing in other registers but R28 (the goroutine) and R18 (the system's),
// which generated code does not change.
TEXT ·call(SB), NOSPLIT, $16-24
	MOVD code+0(FP), R1
	MOVD frame+8(FP), R0
	CALL (R1)
	MOVD R0, ret+16(FP)
	RET

// func callFlushing(code uintptr, frame unsafe.Pointer) uint64
//
// Bit 24 of FPCR is FZ.
TEXT ·callFlushing(SB), NOSPLIT, $32-24
	MOVD code+0(FP), R1
	MOVD frame+8(FP), R0
	MOVD FPCR, R2
	MOVD R2, was-8(SP)
	ORR $(1<<24), R2, R2
	MOVD R2, FPCR
	CALL (R1)
	MOVD was-8(SP), R2
	MOVD R2, FPCR
	MOVD R0, ret+16(FP)
	RET

// func floatMode() uint64
TEXT ·floatMode(SB), NOSPLIT, $0-8
	MOVD FPCR, R0
	MOVD R0, ret+0(FP)
	RET

// func setFloatMode(mode uint64)
TEXT ·setFloatMode(SB), NOSPLIT, $0-8
	MOVD mode+0(FP), R0
	MOVD R0, FPCR
	RET
