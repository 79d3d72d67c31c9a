package amd64

import "strconv"

// A Reg is a register with its width. The zero Reg is none.
type Reg uint8

// The general registers with all their 64 bits.
const (
	RAX Reg = 0x10 + iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// NoReg stands where no register is.
const NoReg Reg = 0

// The first register of each class. Sixteen general registers of one width follow each other, 8 masks, 8 tiles and 32
// vectors of one width.
const (
	firstR64 Reg = 0x10
	firstR32 Reg = 0x20
	firstR16 Reg = 0x30
	firstR8  Reg = 0x40
	firstK   Reg = 0x50
	firstT   Reg = 0x58
	firstX   Reg = 0x60
	firstY   Reg = 0x80
	firstZ   Reg = 0xA0
	endReg   Reg = 0xC0
)

// regClass gives a register's class by its upper five bits.
var regClass = [32]uint8{classNone, classNone, classR64, classR64, classR32, classR32, classR16, classR16, classR8, classR8, classK, classT,
	classX, classX, classX, classX, classY, classY, classY, classY, classZ, classZ, classZ, classZ,
	classNone, classNone, classNone, classNone, classNone, classNone, classNone, classNone}

// Number gives the register's number in its class, such as 3 for RBX and for ymm3.
func (r Reg) Number() int { return int(r.number()) }

func (r Reg) number() uint8 {
	switch {
	case r >= firstX:
		return uint8(r) & 31
	case r >= firstK:
		return uint8(r) & 7
	}
	return uint8(r) & 15
}

func (r Reg) class() uint8 { return regClass[r>>3] }

// general says whether r is a general register of any width.
func (r Reg) general() bool { return r >= firstR64 && r < firstK }

var generalNames = [4][16]string{
	{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"},
	{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"},
	{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"},
	{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"},
}

var classPrefix = map[uint8]string{classX: "xmm", classY: "ymm", classZ: "zmm", classK: "k", classT: "tmm"}

// String gives the register's name in lower case, such as "rax", "r8d", "zmm3".
func (r Reg) String() string {
	switch class := r.class(); {
	case r == NoReg:
		return "none"
	case r.general():
		return generalNames[r>>4-1][r.number()]
	case class == classNone:
		return "Reg(" + strconv.Itoa(int(r)) + ")"
	default:
		return classPrefix[class] + strconv.Itoa(r.Number())
	}
}
