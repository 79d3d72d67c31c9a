// Package arm64 assembles machine code for AArch64: the base architecture with its vector instructions, and the
// extensions that [Features] lists.
//
// An [Assembler] takes one instruction for each call of Emit. An operation ([Op]) is a mnemonic of the manual, and its
// operands are values of type [Operand]: registers, memory, constants, labels.
//
//	var a arm64.Assembler
//	loop := a.Label()
//	a.Bind(loop)
//	a.Emit(arm64.LDR, arm64.Q(0), arm64.Post(arm64.X0, 16))
//	a.Emit(arm64.FADD, arm64.V(1, arm64.V4S), arm64.V(1, arm64.V4S), arm64.V(0, arm64.V4S))
//	a.Emit(arm64.SUBS, arm64.X(1), arm64.X(1), arm64.Imm(4))
//	a.Emit(arm64.BCOND, arm64.GT.Op(), arm64.To(loop))
//	a.Emit(arm64.RET)
//	code, err := a.Finish()
//
// The instructions are rows of a table, which go generate writes from gen/forms.txt. A row is a form: a combination of
// operands, its encoding and the extension that it needs. The assembler takes the first form that the operands match; the
// tests compare its bytes with those of LLVM's assembler. Nothing is allocated for an instruction.
//
// A wrong combination of operands is a bug of the caller. The assembler writes nothing for it, and Finish returns an error
// with the instruction in words.
package arm64

//go:generate go run ./gen table_gen.go
