package arm64

import "math"

// kind says what an operand is.
type kind uint8

const (
	kindNone     kind = iota
	kindReg           // x1, v2.4s
	kindLane          // v2.s[1]
	kindList          // {v0.4s, v1.4s}
	kindListLane      // {v0.s, v1.s}[2]
	kindMem           // [x0, #8]
	kindPre           // [x0, #8]!
	kindPost          // [x0], #8
	kindPostReg       // [x0], x1
	kindIndex         // [x0, x1, lsl #3]
	kindImm           // #8
	kindFloat         // #1.5
	kindShift         // lsl #3
	kindCond          // eq
	kindSym           // ish
	kindLabel         // .L1
)

// Operand is an operand of an instruction. The functions of this file make operands.
type Operand struct {
	kind   kind
	shift  Shift // of a shift or an index
	amount uint8 // of a shift or an index; the registers of a list
	lane   uint8
	reg    Reg
	index  Reg
	imm    int64 // a constant, an offset, the bits of a float64, a label, a condition or a name
}

// Op gives the operand that is this register.
func (r Reg) Op() Operand { return Operand{kind: kindReg, reg: r} }

// Reg gives the register of an operand that is one, and otherwise [NoReg].
func (o Operand) Reg() Reg {
	if o.kind != kindReg {
		return NoReg
	}
	return o.reg
}

// X gives the general register n as 64 bits; 31 is zero.
func X(n int) Operand { return Register(n, ViewX).Op() }

// W gives the low 32 bits of the general register n; 31 is zero.
func W(n int) Operand { return Register(n, ViewW).Op() }

// B gives the lowest byte of the vector register n.
func B(n int) Operand { return Register(n, ViewB).Op() }

// H gives the low 16 bits of the vector register n.
func H(n int) Operand { return Register(n, ViewH).Op() }

// S gives the low 32 bits of the vector register n.
func S(n int) Operand { return Register(n, ViewS).Op() }

// D gives the low 64 bits of the vector register n.
func D(n int) Operand { return Register(n, ViewD).Op() }

// Q gives the vector register n as 128 bits.
func Q(n int) Operand { return Register(n, ViewQ).Op() }

// V gives the vector register n in any view, such as [V4S].
func V(n int, v View) Operand { return Register(n, v).Op() }

// Lane gives one element of a vector register, or of each register of a list. The view of the register is that of the
// element: S(1).Lane(2) is v1.s[2]. [V4B] and [V2H] are groups of elements.
func (o Operand) Lane(i int) Operand {
	switch o.kind {
	case kindReg:
		o.kind = kindLane
	case kindList:
		o.kind = kindListLane
	default:
		return Operand{}
	}
	o.lane = small(i)
	return o
}

// List gives a list of count registers from this one on; v0 follows v31.
func (o Operand) List(count int) Operand {
	if o.kind != kindReg || count < 1 || count > 4 {
		return Operand{}
	}
	o.kind, o.amount = kindList, uint8(count)
	return o
}

// Imm gives a number.
func Imm(v int64) Operand { return Operand{kind: kindImm, imm: v} }

// Float gives a number of a floating-point instruction. FMOV takes ±n/16·2^e for n from 16 to 31 and e from -3 to 4,
// comparisons take 0.
func Float(v float64) Operand { return Operand{kind: kindFloat, imm: int64(math.Float64bits(v))} }

// At gives the memory at base + disp.
func At(base Reg, disp int32) Operand { return Operand{kind: kindMem, reg: base, imm: int64(disp)} }

// Pre gives the memory at base + disp. The instruction sets base to that address.
func Pre(base Reg, disp int32) Operand {
	return Operand{kind: kindPre, reg: base, imm: int64(disp)}
}

// Post gives the memory at base. The instruction adds disp to base.
func Post(base Reg, disp int32) Operand {
	return Operand{kind: kindPost, reg: base, imm: int64(disp)}
}

// PostReg gives the memory at base. The instruction adds a register to base.
func PostReg(base, add Reg) Operand { return Operand{kind: kindPostReg, reg: base, index: add} }

// AtIndex gives the memory at base plus the index, which is extended and shifted. The shift is [LSLBy] or [SXTXBy] for an
// index of 64 bits, [UXTWBy] or [SXTWBy] for one of 32. The amount is 0 or the logarithm of the size.
func AtIndex(base, index Reg, s Shift, amount int) Operand {
	return Operand{kind: kindIndex, reg: base, index: index, shift: s, amount: small(amount)}
}

// To gives a label: the target of a branch, or what LDR and ADR reach.
func To(l Label) Operand { return Operand{kind: kindLabel, imm: int64(l)} }

// Op gives the operand that is this condition.
func (c Cond) Op() Operand { return Operand{kind: kindCond, imm: int64(c)} }

// Op gives the operand that is this name.
func (s Sym) Op() Operand { return Operand{kind: kindSym, imm: int64(s)} }

// small keeps a small number; others become one that no instruction takes.
func small(n int) uint8 {
	if n < 0 || n > math.MaxUint8 {
		return math.MaxUint8
	}
	return uint8(n)
}
