package amd64

// A code holds the bytes of one instruction, of which there are at most 15.
type code struct {
	b [16]byte
	n uint8
}

func (c *code) put(v uint8) {
	c.b[c.n&15] = v
	c.n++
}

func (c *code) put32(v int32) {
	c.put(uint8(v))
	c.put(uint8(v >> 8))
	c.put(uint8(v >> 16))
	c.put(uint8(v >> 24))
}

// fields are the numbers that go into prefixes and ModRM.
type fields struct {
	reg, v, base, index uint8 // 5 bits each
	rm                  *Operand
	imm                 *Operand
	is4                 uint8
	prefix, opcode      uint8
}

// encode writes the instruction, whose form was chosen.
func (a *Assembler) encode(in *inst) {
	f := in.form
	var c code
	x := in.place()
	x.exchange(f)
	switch f.enc {
	case legacy:
		c.legacy(in, &x)
	case vex:
		c.vex(f, &x)
	case evex:
		c.evex(in, &x)
	}
	c.put(x.opcode)
	var at fix
	switch {
	case f.tail != 0:
		c.put(f.tail)
	case x.rm != nil && x.rm.flags&operandMemory != 0:
		at = c.memory(f, &x)
	case x.rm != nil || f.ext != extNone || f.n > 0 && f.roles[0] == roleReg:
		c.put(0xC0 | x.reg&7<<3 | x.base&7)
	}
	if f.imm != immNone {
		if l := c.immediate(a, f, x.imm); l.label != 0 {
			at = l
		}
	} else if x.is4 != 0 {
		c.put(x.is4 &^ 1)
	}
	if at.label != 0 {
		a.addFix(at, in, c.n)
	}
	end := len(a.buf) + int(c.n)
	a.buf = append(a.buf, c.b[:]...)[:end] // a copy of fixed size is faster
}

func (a *Assembler) addFix(at fix, in *inst, size uint8) {
	at.pos += int32(len(a.buf))
	at.end = int32(len(a.buf)) + int32(size)
	at.text = recordOf(in.op, in.args[:in.n])
	at.text.form = in.form
	a.fixes = append(a.fixes, at)
}

// place distributes the operands to their places.
func (in *inst) place() fields {
	f := in.form
	x := fields{prefix: f.prefix, opcode: f.opcode}
	if f.ext != extNone {
		x.reg = f.ext
	}
	for i := range in.n {
		o := &in.args[i]
		switch f.roles[i] {
		case roleReg:
			x.reg = o.reg.number()
		case roleV:
			x.v = o.reg.number()
		case roleOp:
			x.base = o.reg.number()
			x.opcode |= x.base & 7
		case roleRM:
			x.rm = o
			if o.flags&operandMemory == 0 || o.reg != NoReg {
				x.base = o.reg.number()
			}
			if o.flags&operandMemory != 0 && o.index != NoReg {
				x.index = o.index.number()
			}
		case roleImm, roleRel:
			x.imm = o
		case roleIs4:
			x.is4 = o.reg.number()<<4 | 1 // the low bit says that it is there
		}
	}
	return x
}

// exchange takes the opcode of a store for a move between registers, where that makes a shorter VEX prefix possible.
func (x *fields) exchange(f *form) {
	if f.swap == 0 || x.rm.flags&operandMemory != 0 || x.base < 8 || x.reg >= 8 {
		return
	}
	x.base, x.reg = x.reg, x.base
	x.opcode = f.swap
	if f.swap66 {
		x.prefix = 0x66
	}
}

func (c *code) legacy(in *inst, x *fields) {
	f := in.form
	if f.op16 {
		c.put(0x66)
	}
	if f.flags&flagLock != 0 {
		c.put(0xF0)
	}
	if x.prefix != 0 {
		c.put(x.prefix)
	}
	rex := x.reg>>3&1<<2 | x.index>>3&1<<1 | x.base>>3&1
	if f.wide {
		rex |= 8
	}
	if rex != 0 || in.byteRegister() {
		c.put(0x40 | rex)
	}
	if f.space > 0 {
		c.put(0x0F)
	}
	if f.space > 1 {
		c.put([...]uint8{2: 0x38, 3: 0x3A}[f.space])
	}
}

// byteRegister says whether an operand is SPL, BPL, SIL or DIL, which without a REX prefix would be AH, CH, DH or BH.
func (in *inst) byteRegister() bool {
	for i := range in.n {
		o := &in.args[i]
		if o.class == classR8 && o.reg.number() >= 4 {
			return true
		}
	}
	return false
}

// prefixBits gives the two bits that stand for a mandatory prefix.
func prefixBits(prefix uint8) uint8 {
	switch prefix {
	case 0x66:
		return 1
	case 0xF3:
		return 2
	case 0xF2:
		return 3
	}
	return 0
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func (c *code) vex(f *form, x *fields) {
	last := (^x.v&15)<<3 | f.length<<2 | prefixBits(x.prefix)
	if f.space == 1 && !f.wide && x.index < 8 && x.base < 8 {
		c.put(0xC5)
		c.put((^x.reg>>3&1)<<7 | last)
		return
	}
	c.put(0xC4)
	c.put((^x.reg>>3&1)<<7 | (^x.index>>3&1)<<6 | (^x.base>>3&1)<<5 | f.space)
	c.put(bit(f.wide)<<7 | last)
}

func (c *code) evex(in *inst, x *fields) {
	f := in.form
	dst := &in.args[0]
	third, high := x.index>>3&1, x.v>>4 // the bits X and V'
	if x.rm.flags&operandMemory == 0 {
		third = x.base >> 4
	} else if x.rm.class >= classMemX {
		high = x.index >> 4
	}
	length, b := f.length, bit(x.rm.class == classBcast)
	if in.round >= 0 {
		length, b = uint8(in.round)&3, 1
	}
	c.put(0x62)
	c.put((^x.reg>>3&1)<<7 | (^third&1)<<6 | (^x.base>>3&1)<<5 | (^x.reg>>4&1)<<4 | f.space)
	c.put(bit(f.wide)<<7 | (^x.v&15)<<3 | 4 | prefixBits(x.prefix))
	c.put(bit(dst.flags&operandZero != 0)<<7 | length<<5 | b<<4 | (^high&1)<<3 | dst.mask)
}

// memory writes ModRM, SIB and displacement. For a label it gives the fix.
func (c *code) memory(f *form, x *fields) fix {
	o := x.rm
	reg := x.reg & 7 << 3
	disp := o.disp()
	if l := o.label(); l != 0 {
		c.put(reg | 5)
		c.put32(0)
		return fix{label: l, addend: disp, pos: int32(c.n) - 4}
	}
	if o.reg == NoReg { // no base: a SIB byte that says so, and always 32 bits
		c.put(reg | 4)
		c.sib(o, x, 5)
		c.put32(disp)
		return fix{}
	}
	scaled, short := c.short(f, o, disp)
	mod := uint8(0x80)
	switch {
	case disp == 0 && x.base&7 != 5:
		mod = 0
	case short:
		mod = 0x40
	}
	if o.index == NoReg && x.base&7 != 4 && f.flags&flagSIB == 0 {
		c.put(mod | reg | x.base&7)
	} else {
		c.put(mod | reg | 4)
		c.sib(o, x, x.base&7)
	}
	switch mod {
	case 0x40:
		c.put(scaled)
	case 0x80:
		c.put32(disp)
	}
	return fix{}
}

// short gives the displacement in 8 bits. EVEX counts it in the size of the memory.
func (c *code) short(f *form, o *Operand, disp int32) (scaled uint8, ok bool) {
	if f.enc == evex {
		unit := int32(f.disp)
		if o.class == classBcast {
			unit = int32(f.elem)
		}
		if disp%unit != 0 {
			return 0, false
		}
		disp /= unit
	}
	return uint8(disp), disp == int32(int8(disp))
}

func (c *code) sib(o *Operand, x *fields, base uint8) {
	index := x.index & 7
	if o.index == NoReg {
		index = 4
	}
	c.put(scaleBits[o.scale&15]<<6 | index<<3 | base)
}

var scaleBits = [16]uint8{2: 1, 4: 2, 8: 3}

// immediate writes the immediate. For the distance to a label that has 32 bits it gives the fix.
func (c *code) immediate(a *Assembler, f *form, o *Operand) fix {
	v := o.val
	switch f.imm {
	case immByte, immS8:
		c.put(uint8(v))
	case imm16:
		c.put(uint8(v))
		c.put(uint8(v >> 8))
	case imm32, immS32:
		c.put32(int32(v))
	case imm64:
		c.put32(int32(v))
		c.put32(int32(v >> 32))
	case immRel8:
		c.put(uint8(int(a.labels[v-1]) - (len(a.buf) + shortJump)))
	case immRel32:
		c.put32(0)
		return fix{label: Label(v), pos: int32(c.n) - 4}
	}
	return fix{}
}
