package amd64

// A sample is one instruction that a form can encode.
type sample struct {
	op   Op
	form *form
	args []Operand
}

// numbers are the registers that the operands of an instruction get, one row an instruction.
var numbers = [][4]int{{1, 2, 3, 4}, {9, 10, 11, 12}, {1, 2, 11, 4}, {9, 2, 3, 4}, {1, 10, 3, 4}, {1, 2, 3, 12}, {0, 5, 4, 6}, {4, 7, 5, 7},
	{5, 0, 6, 1}, {15, 12, 13, 0}}

// high are those that need EVEX.
var high = [][4]int{{17, 18, 19, 20}, {25, 26, 27, 28}, {1, 2, 19, 4}, {25, 2, 3, 4}, {1, 26, 3, 4}, {31, 16, 8, 24}}

// addresses has each kind of base, index and displacement.
var addresses = []Mem{{Base: RBX}, {Base: RSP}, {Base: RBP}, {Base: R12}, {Base: R13}, {Base: R9, Disp: 1}, {Base: RSI, Disp: 8},
	{Base: RSI, Disp: -128}, {Base: RSI, Disp: 128}, {Base: RSP, Disp: 127}, {Base: R12, Disp: 4096}, {Base: RBP, Disp: -4096},
	{Base: RAX, Index: RCX, Scale: 4}, {Base: RSP, Index: RBP, Scale: 8, Disp: 4}, {Base: R13, Index: R12, Scale: 2},
	{Base: RBP, Index: R15, Disp: -1000}, {Index: RDX, Scale: 8, Disp: 16}, {Index: R14, Scale: 4}, {Disp: 0x1234}, {Disp: -8}}

// multiples are displacements in units of an EVEX form, beside those in bytes.
var multiples = []int32{1, 127, 128, -128, -129}

// immediates has values at the borders of each kind.
var immediates = map[immKind][]int64{immByte: {0, 1, 127, 255, -1}, immS8: {1, 127, -128, -1}, imm16: {1, 0x1234, -2, 0xFF00},
	imm32: {1, 0x12345678, -2, 0xF0000000}, immS32: {1, 0x12345678, -0x80000000}, imm64: {0x123456789ABCDEF, -0x123456789A, 0x80000000}}

// samples calls visit with several instructions for each form.
func samples(visit func(sample)) {
	for op := Op(1); int(op) <= Ops; op++ {
		for i := range op.forms() {
			f := &op.forms()[i]
			s := sampler{op: op, form: f, visit: visit}
			s.registers()
			s.memory()
			s.numbers()
			s.decorations()
		}
	}
}

// A sampler makes the instructions of one form.
type sampler struct {
	op    Op
	form  *form
	visit func(sample)
}

// class finds the form's class of registers for an operand, if it may be one.
func (s *sampler) class(i int) (Reg, bool) {
	firsts := [...]Reg{classR8: firstR8, classR16: firstR16, classR32: firstR32, classR64: firstR64, classX: firstX, classY: firstY, classZ: firstZ,
		classK: firstK, classT: firstT}
	for c, first := range firsts {
		if s.form.allows(i, uint8(c)) {
			return first, true
		}
	}
	return 0, false
}

// memoryIndex finds the operand that may be memory, or -1.
func (s *sampler) memoryIndex() int {
	for i := range int(s.form.n) {
		for c := uint8(classMem); c <= classMemZ; c++ {
			if s.form.allows(i, c) {
				return i
			}
		}
	}
	return -1
}

func (s *sampler) limit(class Reg) int {
	switch {
	case class >= firstX && s.form.enc == evex:
		return 32
	case class == firstK || class == firstT:
		return 8
	}
	return 16
}

// operands makes one instruction with these registers; memory stands in where there can be no register.
func (s *sampler) operands(numbers [4]int, mem Mem) []Operand {
	args := make([]Operand, s.form.n)
	for i := range args {
		class, ok := s.class(i)
		switch {
		case s.form.roles[i] == roleFixed && ok:
			args[i] = (class + Reg(s.fixed())).Op()
		case ok:
			args[i] = (class + Reg(numbers[i]%s.limit(class))).Op()
		case s.form.allows(i, classImm):
			args[i] = Imm(immediatesOf(s.form)[0])
		case s.form.allows(i, classRel):
			args[i] = To(1)
		default:
			args[i] = s.address(i, mem)
		}
	}
	if s.form.flags&flagNeedMask != 0 {
		args[0] = args[0].Mask(numbers[3]&3 + 1)
	}
	return args
}

func (s *sampler) fixed() int {
	if s.form.flags&flagCL != 0 {
		return 1
	}
	return 0
}

func immediatesOf(f *form) []int64 {
	if f.flags&flagOne != 0 {
		return []int64{1}
	}
	return immediates[f.imm]
}

// address makes a memory operand that the form's operand i may be.
func (s *sampler) address(i int, mem Mem) Operand {
	for c, first := range map[uint8]Reg{classMemX: firstX, classMemY: firstY, classMemZ: firstZ} {
		if s.form.allows(i, c) {
			n := mem.Index.Number()
			if mem.Index == NoReg {
				n = 6
			}
			if s.form.enc == evex && mem.Scale == 4 {
				n += 16
			}
			mem.Index = first + Reg(n)
			if mem.Scale == 0 {
				mem.Scale = 1
			}
		}
	}
	if s.form.flags&flagSized != 0 {
		mem.Size = s.form.mem
	}
	return mem.Op()
}

func (s *sampler) give(args []Operand) { s.visit(sample{s.op, s.form, args}) }

func (s *sampler) registers() {
	rows := numbers
	if s.form.enc == evex {
		rows = append(append([][4]int{}, numbers...), high...)
	}
	for _, row := range rows {
		mem := Mem{Base: RDI}
		if s.form.flags&flagVSIB != 0 {
			mem.Index = R14
		}
		args := s.operands(row, mem)
		if s.form.flags&flagDistinct != 0 && args[0].reg == args[1].reg {
			continue
		}
		if s.form.flags&flagVSIB != 0 && args[0].reg.number() == 14 {
			continue
		}
		s.give(args)
	}
}

// memory gives every address.
func (s *sampler) memory() {
	i := s.memoryIndex()
	if i < 0 {
		return
	}
	all := append([]Mem{}, addresses...)
	unit := int32(s.form.disp)
	if unit == 0 {
		unit = 1
	}
	for _, n := range multiples {
		all = append(all, Mem{Base: RBX, Disp: n * unit})
	}
	all = append(all, Mem{Base: RBX, Disp: unit + 1}, Mem{Base: RBX, Disp: unit / 2})
	for n, m := range all {
		row := numbers[n&1*3]
		if s.form.flags&flagVSIB != 0 {
			row = [4]int{3, 3, 7, 3}
		}
		args := s.operands(row, m)
		args[i] = s.address(i, m)
		if s.form.flags&flagVSIB != 0 && in(args[i].index.number(), 3, 7) {
			continue
		}
		if args[0].flags&operandEVEX == 0 && s.form.flags&flagNeedMask != 0 {
			args[0] = args[0].Mask(2)
		}
		s.give(args)
		if s.form.allows(i, classBcast) {
			s.broadcast(args, i, m)
		}
	}
}

func in(v uint8, list ...uint8) bool {
	for _, l := range list {
		if l == v {
			return true
		}
	}
	return false
}

// broadcast gives the address as one element, with displacements in units of the element.
func (s *sampler) broadcast(args []Operand, i int, m Mem) {
	args = append([]Operand{}, args...)
	m.Bcast, m.Size = true, args[i].size
	args[i] = m.Op()
	s.give(args)
	if m.Base != RBX || m.Disp != 0 {
		return
	}
	for _, n := range multiples {
		args = append([]Operand{}, args...)
		m.Disp = n * int32(s.form.elem)
		args[i] = m.Op()
		s.give(args)
	}
}

// numbers gives every immediate.
func (s *sampler) numbers() {
	if s.form.n == 0 || !s.form.allows(int(s.form.n)-1, classImm) {
		return
	}
	for _, v := range immediatesOf(s.form) {
		args := s.operands(numbers[0], Mem{Base: RCX, Disp: 64})
		args[len(args)-1] = Imm(v)
		s.give(args)
	}
}

// decorations gives opmasks, zeroing and rounding modes.
func (s *sampler) decorations() {
	f, mem := s.form, Mem{Base: R10, Disp: 64}
	if f.flags&flagMask != 0 {
		for _, k := range []int{1, 5, 7} {
			args := s.operands(numbers[0], mem)
			args[0] = args[0].Mask(k)
			s.give(args)
			if f.flags&flagZero != 0 {
				args = s.operands(numbers[1], mem)
				args[0] = args[0].Zero(k)
				s.give(args)
			}
		}
	}
	for _, r := range s.roundings() {
		for _, row := range [][4]int{numbers[0], numbers[2], high[0]} {
			args := s.operands(row, mem)
			at := len(args)
			if f.imm != immNone {
				at--
			}
			s.give(append(append(append([]Operand{}, args[:at]...), r), args[at:]...))
		}
	}
}

func (s *sampler) roundings() []Operand {
	var out []Operand
	if s.form.flags&flagRound != 0 {
		out = append(out, RoundNearest, RoundDown, RoundUp, RoundTruncate)
	}
	if s.form.flags&flagSAE != 0 {
		out = append(out, SAE)
	}
	return out
}
