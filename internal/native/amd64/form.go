package amd64

// A form is one way to encode an operation. The generated table has the forms of an operation one after the other, in the
// order in which they are tried.
type form struct {
	sig      uint64   // the classes that each operand may have, 16 bits an operand, the first one lowest
	features Features // all of them are needed
	roles    [4]role  // where each operand goes
	imm      immKind  // of the operand whose role is roleImm
	n        uint8    // number of operands
	enc      encoding
	prefix   uint8 // 0, or the mandatory prefix 0x66, 0xF3 or 0xF2
	space    uint8 // opcode space: 0 one byte, 1 0F, 2 0F38, 3 0F3A, 5 and 6 of EVEX
	opcode   uint8
	ext      uint8 // ModRM.reg where no operand is there, or extNone
	tail     uint8 // a fixed byte instead of ModRM, or 0
	op16     bool  // the prefix 66 says that the operation has 16 bits
	wide     bool  // REX.W, VEX.W, EVEX.W
	length   uint8 // 0, 1, 2: VEX.L and EVEX.L'L
	mem      uint8 // bytes of the memory operand, 0 where that means nothing
	elem     uint8 // bytes of an element of broadcast memory
	disp     uint8 // what the 8-bit displacement of EVEX counts in
	opsize   uint8 // bits of general registers, for the range of immediates
	swap     uint8 // opcode of the same move with its operands exchanged, or 0
	swap66   bool  // that one has the prefix 66
	flags    formFlags
}

// An encoding is a way to write prefixes.
type encoding uint8

const (
	legacy encoding = iota
	vex
	evex
)

// A role says where an operand goes in the instruction.
type role uint8

const (
	roleNone  role = iota
	roleReg        // ModRM.reg
	roleRM         // ModRM.rm, a register or memory
	roleV          // VEX.vvvv
	roleImm        // an immediate
	roleIs4        // a register in the upper half of an immediate byte
	roleOp         // the low bits of the opcode
	roleFixed      // in no bits: the opcode implies it
	roleRel        // a distance from the end of the instruction
)

// An immKind says which values an immediate may have, and how many bytes it takes.
type immKind uint8

const (
	immNone immKind = iota
	immByte         // 8 bits, signed or unsigned
	immS8           // 8 bits that are extended with their sign to the size of the operation
	imm16           // 16 bits, signed or unsigned
	imm32           // 32 bits, signed or unsigned
	immS32          // 32 bits that are extended with their sign to 64
	imm64
	immRel8  // distance to a label
	immRel32 // distance to a label
)

const extNone = 0xFF

type formFlags uint16

const (
	flagMask     formFlags = 1 << iota // may have an opmask
	flagZero                           // may zero what the opmask leaves out
	flagNeedMask                       // must have an opmask other than k0
	flagRound                          // may have a rounding mode
	flagSAE                            // may suppress exceptions
	flagSized                          // memory must say its size: another form differs only in that
	flagLock                           // has the prefix LOCK
	flagFixed                          // an operand with roleFixed must be register 0, or the one below
	flagCL                             // that operand is CL
	flagOne                            // that operand is the immediate 1
	flagDistinct                       // the registers must differ
	flagSIB                            // memory always has a SIB byte, and RIP is no base
	flagVex                            // GNU's assembler has to be told {vex}: another form comes first
	flagVSIB                           // the memory has a vector of indices: destination, indices and mask must differ
)

// The classes of operands, as bits of form.sig.
const (
	classR8 = iota
	classR16
	classR32
	classR64
	classX
	classY
	classZ
	classK
	classT
	classMem
	classBcast // memory with one element, which is repeated
	classMemX  // memory with a vector of indices
	classMemY
	classMemZ
	classImm
	classRel
	classNone
)
