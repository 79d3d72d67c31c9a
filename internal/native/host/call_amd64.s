#include "textflag.h"

// func call(code uintptr, frame unsafe.Pointer) uint64
//
// Go enters through a wrapper that afterwards sets what Go code expects in R14 (the goroutine) and X15 (zero). The frame of
// this function has the return address of the generated code and nothing else. RET loads RBP from the stack.
TEXT ·call(SB), NOSPLIT, $8-24
	MOVQ code+0(FP), AX
	MOVQ frame+8(FP), DI
	CALL AX
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET

// func callFlushing(code uintptr, frame unsafe.Pointer) uint64
//
// 0x8040 are FTZ, for results, and DAZ, for operands.
TEXT ·callFlushing(SB), NOSPLIT, $16-24
	MOVQ code+0(FP), AX
	MOVQ frame+8(FP), DI
	STMXCSR was-8(SP)
	MOVL was-8(SP), CX
	ORL $0x8040, CX
	MOVL CX, now-4(SP)
	LDMXCSR now-4(SP)
	CALL AX
	LDMXCSR was-8(SP)
	VZEROUPPER
	MOVQ AX, ret+16(FP)
	RET

// func floatMode() uint64
TEXT ·floatMode(SB), NOSPLIT, $0-8
	MOVQ $0, ret+0(FP)
	STMXCSR ret+0(FP)
	RET

// func setFloatMode(mode uint64)
TEXT ·setFloatMode(SB), NOSPLIT, $0-8
	LDMXCSR mode+0(FP)
	RET
