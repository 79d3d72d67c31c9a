package amd64

// A Mem describes memory at Base + Index*Scale + Disp, or at a label. The zero value of each field means none; Scale 0
// means 1, and without an index Scale means nothing.
type Mem struct {
	Base  Reg   // a general register of 64 bits
	Index Reg   // a general register of 64 bits other than RSP, or a vector register in gathers and scatters
	Scale uint8 // 1, 2, 4 or 8
	Disp  int32
	Label Label // relative to the label instead of to registers
	Size  uint8 // bytes; needed where only the size of memory distinguishes two instructions
	Bcast bool  // one element, which is repeated; Size then counts the bytes of the whole vector
}

// Op gives the operand that is this memory.
func (m Mem) Op() Operand {
	o := Operand{class: classMem, reg: m.Base, index: m.Index, scale: m.Scale, size: m.Size, flags: operandMemory,
		val: int64(m.Label)<<32 | int64(uint32(m.Disp))}
	if o.scale == 0 || m.Index == NoReg {
		o.scale = 1
	}
	if m.Bcast {
		o.class, o.flags = classBcast, o.flags|operandEVEX
	}
	if m.Index >= firstX {
		o.vectorIndex()
	}
	if !o.addressable() {
		o.flags |= operandBad
	}
	return o
}

func (o *Operand) vectorIndex() {
	if o.class == classBcast {
		o.flags |= operandBad
	}
	o.class = o.index.class() - classX + classMemX
	if o.index.number() >= 16 {
		o.flags |= operandHigh
	}
}

// addressable reports whether an instruction can form the address.
func (o *Operand) addressable() bool {
	base := o.reg == NoReg || o.reg.class() == classR64
	index := o.index == NoReg || o.index.class() == classR64 && o.index != RSP || o.index >= firstX && o.index < endReg
	scale := o.scale == 1 || o.scale == 2 || o.scale == 4 || o.scale == 8
	label := o.label() == 0 || o.reg == NoReg && o.index == NoReg
	return base && index && scale && label
}

func (o *Operand) disp() int32  { return int32(o.val) }
func (o *Operand) label() Label { return Label(o.val >> 32) }

// At gives the memory at base + disp.
func At(base Reg, disp int32) Operand { return Mem{Base: base, Disp: disp}.Op() }

// AtIndex gives the memory at base + index*scale + disp.
func AtIndex(base, index Reg, scale uint8, disp int32) Operand {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}.Op()
}

// AtLabel gives the memory at the label plus disp.
func AtLabel(l Label, disp int32) Operand { return Mem{Label: l, Disp: disp}.Op() }

// Sized says how many bytes the memory has.
func (o Operand) Sized(bytes uint8) Operand {
	o.size = bytes
	return o
}

// Bcast makes memory one element that is repeated.
func (o Operand) Bcast() Operand {
	if o.class != classMem {
		return Operand{class: classNone, flags: operandBad}
	}
	o.class, o.flags = classBcast, o.flags|operandEVEX
	return o
}
