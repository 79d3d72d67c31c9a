package amd64

// An inst is one instruction while it is written.
type inst struct {
	op    Op
	n     int
	args  [4]Operand // without the rounding mode
	sig   uint64     // the class of each operand, as in form.sig
	flags operandFlags
	round int8 // -1, or the value of the rounding mode
	mem   int8 // index of the memory operand, or -1
	form  *form
}

// collect copies the operands and finds out what they ask for. It gives a reason if they are impossible.
func (in *inst) collect(op Op, args []Operand) string {
	if !op.valid() {
		return "there is no such operation"
	}
	in.op, in.round, in.mem = op, -1, -1
	for i := range args {
		o := &args[i]
		if o.flags&operandRound != 0 {
			if in.round >= 0 {
				return "two rounding modes"
			}
			in.round = int8(o.val)
			in.flags |= operandRound
			continue
		}
		if o.flags&operandBad != 0 || o.class >= classNone {
			return "an operand does not exist"
		}
		if in.n == len(in.args) {
			return "too many operands"
		}
		if o.mask != 0 && in.n > 0 {
			return "only the destination has an opmask"
		}
		if o.flags&operandMemory != 0 {
			in.mem = int8(in.n)
		}
		in.args[in.n] = *o
		in.sig |= 1 << (16*uint(in.n) + uint(o.class))
		in.flags |= o.flags
		in.n++
	}
	return ""
}

// choose finds the first form that the operands match.
func (a *Assembler) choose(in *inst) string {
	reason := "no form has such operands"
	for i := int(opForms[in.op]); i < int(opForms[in.op+1]); i++ {
		f := &forms[i]
		if int(f.n) != in.n || in.sig&^f.sig != 0 {
			continue
		}
		if in.flags&(operandHigh|operandEVEX|operandRound) != 0 && f.enc != evex {
			if reason[0] == 'n' {
				reason = "registers above 15, opmasks, repeated elements and rounding modes need an EVEX form"
			}
			continue
		}
		if reason = a.refuse(in, f); reason == "" {
			in.form = f
			return ""
		}
	}
	return reason
}

// refuse says why a form whose classes match cannot have the operands.
func (a *Assembler) refuse(in *inst, f *form) string {
	if a.Allowed != 0 && !a.Allowed.Has(f.features) {
		return "it needs a feature that is not allowed"
	}
	if f.enc == evex {
		if reason := in.refuseEVEX(f); reason != "" {
			return reason
		}
	}
	if in.mem >= 0 {
		if reason := refuseMemory(f, &in.args[in.mem]); reason != "" {
			return reason
		}
	}
	if f.imm != immNone && !a.immFits(f, &in.args[in.n-1]) {
		return "the immediate or the distance is out of range"
	}
	if f.flags&(flagFixed|flagDistinct|flagVSIB) != 0 {
		return in.refuseRegisters(f)
	}
	return ""
}

func (in *inst) refuseEVEX(f *form) string {
	dst := &in.args[0]
	switch {
	case dst.mask != 0 && f.flags&flagMask == 0:
		return "it has no opmask"
	case dst.mask == 0 && f.flags&flagNeedMask != 0:
		return "it needs an opmask"
	case in.flags&operandZero != 0 && (f.flags&flagZero == 0 || in.mem == 0):
		return "it cannot zero what the opmask leaves out"
	case in.round < 0:
		return ""
	case in.mem >= 0:
		return "there is no rounding mode with memory"
	case in.round == roundSAE && f.flags&flagSAE == 0, in.round != roundSAE && f.flags&flagRound == 0:
		return "it has no such rounding mode"
	}
	return ""
}

func refuseMemory(f *form, o *Operand) string {
	switch {
	case o.size == 0 && f.flags&flagSized != 0:
		return "the memory must say its size"
	case o.size != 0 && f.mem != 0 && o.size != f.mem:
		return "the memory has another size"
	case f.flags&flagSIB != 0 && o.label() != 0:
		return "a tile has no label as its address"
	}
	return ""
}

// refuseRegisters checks operands that the form fixes, and those that must differ.
func (in *inst) refuseRegisters(f *form) string {
	if f.flags&flagVSIB != 0 {
		return in.refuseGather(f)
	}
	if f.flags&flagDistinct != 0 && in.repeats() {
		return "the registers must differ"
	}
	for i := range in.n {
		if f.roles[i] != roleFixed {
			continue
		}
		want := uint8(0)
		if f.flags&flagCL != 0 {
			want = 1
		}
		if f.flags&flagOne != 0 {
			if in.args[i].val != 1 {
				return "the count is not 1"
			}
		} else if in.args[i].reg.number() != want {
			return "the operation has another fixed register"
		}
	}
	return ""
}

// repeats reports whether two operands are the same register.
func (in *inst) repeats() bool {
	for i := 1; i < in.n; i++ {
		for _, o := range in.args[:i] {
			if o.reg == in.args[i].reg {
				return true
			}
		}
	}
	return false
}

// refuseGather checks that destination, indices and mask are three registers: the processor refuses it otherwise.
func (in *inst) refuseGather(f *form) string {
	dst, index := in.args[0].reg.number(), in.args[1].index.number()
	same := dst == index
	if f.enc == vex {
		mask := in.args[2].reg.number()
		same = same || mask == dst || mask == index
	}
	if same {
		return "destination, indices and mask of a gather must be different registers"
	}
	return ""
}

// immFits checks the range of the last operand, an immediate or a label.
func (a *Assembler) immFits(f *form, o *Operand) bool {
	v := o.val
	switch f.imm {
	case immByte:
		return v >= -128 && v <= 255
	case immS8:
		v = narrow(v, f.opsize)
		return v == int64(int8(v))
	case imm16:
		return v >= -1<<15 && v < 1<<16
	case imm32:
		return v >= -1<<31 && v < 1<<32
	case immS32:
		return v == int64(int32(v))
	case immRel8:
		l := Label(v)
		if !a.known(l) || a.labels[l-1] == unbound {
			return false
		}
		d := int(a.labels[l-1]) - (len(a.buf) + shortJump)
		return d == int(int8(d))
	}
	return true
}

// shortJump is the size of a jump with 8 bits of distance.
const shortJump = 2

// narrow reads a number that fits an operation of so many bits, signed or unsigned, as a signed one.
func narrow(v int64, bits uint8) int64 {
	switch {
	case bits == 16 && v == int64(uint16(v)):
		return int64(int16(v))
	case bits == 32 && v == int64(uint32(v)):
		return int64(int32(v))
	}
	return v
}
