package simt

import "go/token"

// Builder appends instructions to a function.
type Builder struct {
	*Func
	Pos   token.Position // of the instructions that are appended
	Scope *Scope         // of these; nil if debuggers need not know it

	Emitted func() // is called before an instruction is appended, unless it is nil
}

// NewReg makes a register.
func (b *Builder) NewReg(c Class) Reg {
	b.Regs = append(b.Regs, c)
	return Reg(len(b.Regs) - 1)
}

// NewLabel makes a label, to be placed once.
func (b *Builder) NewLabel() int {
	b.Labels++
	return b.Labels - 1
}

// Place puts a label here.
func (b *Builder) Place(label int) { b.Emit(OpLabel, nil, L(label)) }

// PlaceRolled puts a label here, with which a loop begins that the assembler must not unroll.
func (b *Builder) PlaceRolled(label int) { b.Emit(OpLabel, nil, L(label)).Rolled = true }

// Emit appends an instruction and gives it back, valid until the next one.
func (b *Builder) Emit(op string, dst []Operand, src ...Operand) *Instr {
	if b.Emitted != nil {
		b.Emitted()
	}
	b.Body = append(b.Body, Instr{Op: op, Dst: dst, Src: src, Guard: NoReg, Pos: b.Pos, Scope: b.Scope})
	return &b.Body[len(b.Body)-1]
}

// Value appends an instruction with one result in a new register.
func (b *Builder) Value(c Class, op string, src ...Operand) Operand {
	r := R(b.NewReg(c))
	b.Emit(op, []Operand{r}, src...)
	return r
}

// Branch appends a jump.
func (b *Builder) Branch(label int) { b.Emit("bra", nil, L(label)) }

// BranchIf appends a jump that is taken where a predicate is cond.
func (b *Builder) BranchIf(p Reg, cond bool, label int) {
	in := b.Emit("bra", nil, L(label))
	in.Guard, in.Unless = p, !cond
}
