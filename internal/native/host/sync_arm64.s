//go:build unix && !ios

#include "textflag.h"

// func cacheType() uint64
TEXT ·cacheType(SB), NOSPLIT, $0-8
	MRS  CTR_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func cleanData(start, end, step uintptr)
TEXT ·cleanData(SB), NOSPLIT, $0-24
	MOVD start+0(FP), R0
	MOVD end+8(FP), R1
	MOVD step+16(FP), R2

next:
	DC   CVAU, R0
	ADD  R2, R0
	CMP  R1, R0
	BLO  next
	DSB  $11             // ISH: all cores
	RET

// func dropInstructions(start, end, step uintptr)
TEXT ·dropInstructions(SB), NOSPLIT, $0-24
	MOVD start+0(FP), R0
	MOVD end+8(FP), R1
	MOVD step+16(FP), R2

next:
	WORD $0xd50b7520     // IC IVAU, X0, which the assembler does not know
	ADD  R2, R0
	CMP  R1, R0
	BLO  next
	DSB  $11
	ISB  $15
	RET
