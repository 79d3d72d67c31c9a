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
