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
