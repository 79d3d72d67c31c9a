// Package amd64 assembles machine code for x86-64 processors.
//
// An [Assembler] collects instructions. [Assembler.Emit] takes an operation and its operands in Intel's order, the
// destination first:
//
//	var a amd64.Assembler
//	loop := a.Label()
//	a.Bind(loop)
//	a.Emit(amd64.VMOVUPS, amd64.Z(1), amd64.At(amd64.RSI, 0))
//	a.Emit(amd64.VADDPS, amd64.Z(0).Mask(1), amd64.Z(0), amd64.Z(1))
//	a.Emit(amd64.ADD, amd64.R64(amd64.RSI), amd64.Imm(64))
//	a.Emit(amd64.DEC, amd64.R64(amd64.RCX))
//	a.Emit(amd64.JNE, amd64.To(loop))
//	a.Emit(amd64.RET)
//	code, err := a.Finish()
//
// The instructions are rows of a table, which go generate writes from gen/forms.txt. A row is a form: a combination of
// operands, its encoding and the features of the processor that it needs. The assembler takes the first form that the
// operands match, so that it writes the same bytes as GNU's assembler does; the tests compare them. It prefers the shorter
// VEX to EVEX. EVEX forms serve registers above 15, 512 bits, opmasks, repeated elements and rounding modes.
//
// To add an instruction, add its lines to gen/forms.txt, run go generate and go test with -update: TestGNU and TestFeatures
// then compare it with GNU's assembler.
//
// A wrong combination of operands is a bug of the caller. The assembler writes nothing for it, and Finish returns an error
// with the instruction in words.
package amd64

//go:generate go run ./gen table_gen.go
