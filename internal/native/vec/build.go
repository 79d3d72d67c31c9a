package vec

// Builder makes a function, an instruction at a time. Its methods give the register of the result.
type Builder struct {
	Func
	Note int32 // of the instructions to come
}

// NewBuilder begins a function.
func NewBuilder(name string) *Builder { return &Builder{Func: Func{Name: name, Regs: []Class{None}}} }

// Finish gives the function. It panics if the function is not valid, which is a bug of the caller.
func (b *Builder) Finish() *Func {
	if err := b.Verify(); err != nil {
		panic("BUG: vec: " + err.Error() + "\n" + b.Func.String())
	}
	return &b.Func
}

// New makes a register.
func (b *Builder) New(c Class) Reg {
	b.Regs = append(b.Regs, c)
	return Reg(len(b.Regs) - 1)
}

// Emit appends an instruction and gives its Dst: a new register if it has none and its operation makes a result.
func (b *Builder) Emit(in Instr) Reg {
	if c := in.DstClass(); c != None && in.Dst == 0 {
		in.Dst = b.New(c)
	}
	if in.Note == 0 {
		in.Note = b.Note
	}
	b.Body = append(b.Body, in)
	return in.Dst
}

// Do emits an operation on registers.
func (b *Builder) Do(op Op, t Type, src ...Reg) Reg {
	in := Instr{Op: op, Type: t}
	copy(in.Src[:], src)
	return b.Emit(in)
}

// DoImm emits an operation with an immediate.
func (b *Builder) DoImm(op Op, t Type, imm int64, src ...Reg) Reg {
	in := Instr{Op: op, Type: t, Imm: imm}
	copy(in.Src[:], src)
	return b.Emit(in)
}

// Convert emits a conversion.
func (b *Builder) Convert(op Op, to, from Type, x Reg) Reg {
	return b.Emit(Instr{Op: op, Type: to, From: from, Src: [3]Reg{x}})
}

// Compare emits [Cmp] or [FCmp].
func (b *Builder) Compare(t Type, c Cond, x, y Reg) Reg {
	op := Cmp
	if t.Float() {
		op = FCmp
	}
	return b.Emit(Instr{Op: op, Type: t, Cond: c, Src: [3]Reg{x, y}})
}

// Pick is x where the mask is set, else y.
func (b *Builder) Pick(t Type, mask, x, y Reg) Reg { return b.Do(Select, t, mask, x, y) }

// Arg is word i of the frame.
func (b *Builder) Arg(i int) Reg {
	b.Frame = max(b.Frame, i+1)
	return b.Emit(Instr{Op: Arg, Imm: int64(i)})
}

// Int is a scalar.
func (b *Builder) Int(n int64) Reg { return b.Emit(Instr{Op: SConst, Imm: n}) }

// AddInt is a scalar plus a number.
func (b *Builder) AddInt(x Reg, n int64) Reg { return b.DoImm(SAddImm, NoType, n, x) }

// Bits is a vector whose lanes have the given bits.
func (b *Builder) Bits(t Type, bits uint64) Reg { return b.DoImm(Const, t, int64(bits)) }

// Load reads lanes; mask may be 0.
func (b *Builder) Load(t Type, m Mem, mask Reg) Reg {
	return b.Emit(Instr{Op: Load, Type: t, Mem: m, Mask: mask})
}

// Store writes lanes; mask may be 0.
func (b *Builder) Store(t Type, m Mem, x, mask Reg) {
	b.Emit(Instr{Op: Store, Type: t, Mem: m, Src: [3]Reg{x}, Mask: mask})
}

// Set assigns a register of any class.
func (b *Builder) Set(dst, src Reg) {
	in := Instr{Op: Move, Dst: dst, Src: [3]Reg{src}}
	switch c := b.Regs[dst]; c {
	case Scalar:
		in.Op = SMove
	case Mask:
		in.Op = MMove
	default:
		in.Type = IntOf(c.Bytes())
	}
	b.Emit(in)
}

// For begins a loop of a counter from lo to below hi; [Builder.End] closes it.
func (b *Builder) For(lo, hi Reg, step int64) Reg {
	return b.Emit(Instr{Op: Loop, Src: [3]Reg{lo, hi}, Imm: step})
}

// Repeat begins a loop without end; [Builder.Break] leaves it.
func (b *Builder) Repeat() { b.Emit(Instr{Op: Repeat}) }

// Break leaves a loop: the innermost one, or the one that so many others around this place lie in.
func (b *Builder) Break(others int) { b.Emit(Instr{Op: Break, Imm: int64(others)}) }

// Next goes on with the next turn of such a loop.
func (b *Builder) Next(others int) { b.Emit(Instr{Op: Next, Imm: int64(others)}) }

// Suspend ends the call; the next one goes on behind it.
func (b *Builder) Suspend(status int) { b.Emit(Instr{Op: Suspend, Imm: int64(status)}) }

// If begins a branch on two scalars; [Builder.Else] and [Builder.End] go on.
func (b *Builder) If(c Cond, x, y Reg) { b.Emit(Instr{Op: If, Cond: c, Src: [3]Reg{x, y}}) }

// Else begins the other side of a branch.
func (b *Builder) Else() { b.Emit(Instr{Op: Else}) }

// End closes the innermost region.
func (b *Builder) End() { b.Emit(Instr{Op: End}) }
