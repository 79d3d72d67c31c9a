package amd64

// An Operand is one operand of an instruction: a register, memory, a number, a label or a rounding mode. The functions of
// this file make them.
type Operand struct {
	val   int64 // the number; or the displacement in the low half and the label in the high half
	class uint8
	reg   Reg // the register, or the base
	index Reg
	scale uint8
	size  uint8 // bytes of memory, or 0
	mask  uint8 // number of the opmask
	flags operandFlags
}

type operandFlags uint8

const (
	operandZero  operandFlags = 1 << iota // zero what the opmask leaves out
	operandHigh                           // only EVEX can encode the register
	operandEVEX                           // has an opmask, or repeats an element
	operandBad                            // was made of something impossible
	operandRound                          // is a rounding mode
	operandMemory
)

func register(first Reg, count, n int, class uint8) Operand {
	if n < 0 || n >= count {
		return Operand{class: classNone, flags: operandBad}
	}
	o := Operand{class: class, reg: first + Reg(n)}
	if n >= 16 {
		o.flags = operandHigh
	}
	return o
}

// X gives the vector register xmm n, n from 0 to 31.
func X(n int) Operand { return register(firstX, 32, n, classX) }

// Y gives the vector register ymm n, n from 0 to 31.
func Y(n int) Operand { return register(firstY, 32, n, classY) }

// Z gives the vector register zmm n, n from 0 to 31.
func Z(n int) Operand { return register(firstZ, 32, n, classZ) }

// V gives the vector register n with 16, 32 or 64 bytes.
func V(bytes, n int) Operand {
	switch bytes {
	case 16:
		return X(n)
	case 32:
		return Y(n)
	case 64:
		return Z(n)
	}
	return Operand{class: classNone, flags: operandBad}
}

// K gives the mask register k n, n from 0 to 7.
func K(n int) Operand { return register(firstK, 8, n, classK) }

// T gives the tile register tmm n, n from 0 to 7.
func T(n int) Operand { return register(firstT, 8, n, classT) }

// R64 gives the general register r with 64 bits; r may have any width.
func R64(r Reg) Operand { return general(r, firstR64, classR64) }

// R32 gives the low 32 bits of the general register r.
func R32(r Reg) Operand { return general(r, firstR32, classR32) }

// R16 gives the low 16 bits of the general register r.
func R16(r Reg) Operand { return general(r, firstR16, classR16) }

// R8L gives the low 8 bits of the general register r.
func R8L(r Reg) Operand { return general(r, firstR8, classR8) }

func general(r, first Reg, class uint8) Operand {
	if !r.general() {
		return Operand{class: classNone, flags: operandBad}
	}
	return Operand{class: class, reg: first + r&15}
}

// Op gives the operand that is this register.
func (r Reg) Op() Operand {
	if r.class() == classNone {
		return Operand{class: classNone, flags: operandBad}
	}
	o := Operand{class: r.class(), reg: r}
	if r >= firstX && r.number() >= 16 {
		o.flags = operandHigh
	}
	return o
}

// Reg gives the register of an operand that is one, and otherwise NoReg.
func (o Operand) Reg() Reg {
	if o.flags&operandMemory != 0 || o.class >= classMem {
		return NoReg
	}
	return o.reg
}

// Imm gives a number.
func Imm(v int64) Operand { return Operand{class: classImm, val: v} }

// To gives a label as the target of a jump or a call.
func To(l Label) Operand { return Operand{class: classRel, val: int64(l)} }

// Mask adds the opmask k n, n from 1 to 7, to a destination: the other elements keep their values.
func (o Operand) Mask(n int) Operand {
	if n <= 0 || n > 7 {
		return Operand{class: classNone, flags: operandBad}
	}
	o.mask, o.flags = uint8(n), o.flags|operandEVEX
	return o
}

// Zero adds the opmask k n, n from 1 to 7, to a destination: the other elements become zero.
func (o Operand) Zero(n int) Operand {
	o = o.Mask(n)
	o.flags |= operandZero
	return o
}

// The rounding modes of one instruction, which is the last operand before an immediate. They also suppress exceptions. SAE
// only suppresses exceptions.
var (
	RoundNearest  = Operand{class: classNone, val: 0, flags: operandRound}
	RoundDown     = Operand{class: classNone, val: 1, flags: operandRound}
	RoundUp       = Operand{class: classNone, val: 2, flags: operandRound}
	RoundTruncate = Operand{class: classNone, val: 3, flags: operandRound}
	SAE           = Operand{class: classNone, val: roundSAE, flags: operandRound}
)

const roundSAE = 4
