// Package simt is the intermediate representation of the SIMT level: functions of instructions over mutable virtual
// registers, with labels and branches, as PTX has them.
//
// # Registers
//
// A register holds a truth value or 16, 32 or 64 bits without a type, as PTX's .pred, .b16, .b32 and .b64; what the bits
// mean is said by the instruction. Registers may be written more than once: a variable that changes while a kernel runs
// is a register, and an assignment a mov. There are no block arguments and no phis; the assembler finds its own.
//
// # Instructions
//
// An instruction is named by PTX's opcode with all its modifiers, "mad.lo.s32" or "ld.global.v4.b32". The table of forms
// ([Forms]) says which there are, what operands each takes, and since which version of the PTX ISA and which
// architecture. A few pseudo-instructions stand for what PTX writes at length or does not have: label, undef, printf, assert, call
// and check, and in host functions launch, and ret with values.
//
// # Host functions
//
// The host function of a module uses the same instructions, with one thread, to compute grids and arguments and to
// launch kernels. It has no memory.
package simt
