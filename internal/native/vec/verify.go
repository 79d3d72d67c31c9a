package vec

import (
	"fmt"
	"slices"
)

// Verify checks a function against [Table]: classes of registers, types, conditions, immediates, and that regions are
// closed. Builders give only valid functions; an error is a bug of theirs.
func (f *Func) Verify() error {
	var open []Op
	defined := make([]bool, len(f.Regs))
	for i := range f.Body {
		in := &f.Body[i]
		if err := f.verify(in, defined); err != nil {
			return fmt.Errorf("%s: instruction %d, %s: %w", f.Name, i, f.Text(in), err)
		}
		var ok bool
		if open, ok = follow(open, in); !ok {
			return fmt.Errorf("%s: instruction %d: %s has no region to end or to leave", f.Name, i, in.Op)
		}
		if in.Dst != 0 {
			defined[in.Dst] = true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%s: %s is never closed", f.Name, open[len(open)-1])
	}
	return nil
}

// follow keeps the list of open regions.
func follow(open []Op, in *Instr) ([]Op, bool) {
	last, op := len(open)-1, in.Op
	switch {
	case op == Break || op == Next:
		loops := int64(0)
		for _, o := range open {
			if o.Loops() {
				loops++
			}
		}
		return open, in.Imm >= 0 && in.Imm < loops
	case op.Opens():
		return append(open, op), true
	case op == Else:
		if last < 0 || open[last] != If && open[last] != IfAny {
			return open, false
		}
		open[last] = Else
	case op == End:
		if last < 0 {
			return open, false
		}
		return open[:last], true
	}
	return open, true
}

func (f *Func) verify(in *Instr, defined []bool) error {
	if in.Op >= numOps {
		return fmt.Errorf("there is no operation %d", in.Op)
	}
	row := &Table[in.Op]
	if row.types == 0 && in.Type != NoType || row.types != 0 && !row.types.Has(in.Type) {
		return fmt.Errorf("it does not take the type %s", in.Type)
	}
	if row.from == 0 && in.From != NoType || row.from != 0 && !row.from.Has(in.From) {
		return fmt.Errorf("it does not take operands of type %s", in.From)
	}
	if row.conds == 0 && in.Cond != 0 || row.conds > 0 && int(in.Cond) >= row.conds || row.conds == floatConds && slices.Contains([]Cond{ULT, ULE, UGT, UGE}, in.Cond) {
		return fmt.Errorf("it does not take the condition %s", in.Cond)
	}
	if !row.imm && in.Imm != 0 || !row.masks && in.Mask != 0 {
		return fmt.Errorf("it takes no immediate or mask")
	}
	if in.Op == Arg && (in.Imm < 0 || int(in.Imm) >= f.Frame) || in.Op.Suspends() && (f.State < 0 || f.State+2 > f.Frame || f.State >= MaxState) {
		return fmt.Errorf("the frame has %d words, and its state is word %d", f.Frame, f.State)
	}
	if err := f.class(in.Dst, row.dst.class(in), true); err != nil {
		return err
	}
	for i, r := range in.Src {
		if err := f.class(r, row.src[i].class(in), true); err != nil {
			return err
		}
	}
	if err := f.memory(in, row); err != nil {
		return err
	}
	if err := in.widths(); err != nil {
		return err
	}
	var err error
	in.Uses(func(r Reg) {
		if !defined[r] {
			err = fmt.Errorf("register %d has no value", r)
		}
	})
	return err
}

// widths checks what depends on the relation of two types, and the ranges of immediates.
func (in *Instr) widths() error {
	switch in.Op {
	case SignExtend, ZeroExtend:
		if in.Type.Bytes() <= in.From.Bytes() {
			return fmt.Errorf("the result must be wider than the operand")
		}
	case Truncate:
		if in.Type.Bytes() >= in.From.Bytes() {
			return fmt.Errorf("the result must be narrower than the operand")
		}
	case FConvert:
		if in.Type == in.From {
			return fmt.Errorf("nothing is converted")
		}
	case ShlImm, ShrImm, ShrUImm:
		if in.Imm < 0 || int(in.Imm) >= 8*in.Type.Bytes() {
			return fmt.Errorf("the count must be below the width")
		}
	case SShlImm, SShrImm:
		if in.Imm < 0 || in.Imm > 63 {
			return fmt.Errorf("the count must be from 0 to 63")
		}
	case Down:
		if in.Imm != 8 && in.Imm != 4 && in.Imm != 2 && in.Imm != 1 {
			return fmt.Errorf("the distance must be 8, 4, 2 or 1")
		}
	case Loop:
		if in.Imm <= 0 {
			return fmt.Errorf("the step must be positive")
		}
	case Poll:
		if in.Imm <= 0 || in.Imm > MaxPoll {
			return fmt.Errorf("it must take from 1 to %d off the budget", MaxPoll)
		}
	case Suspend:
		if in.Imm <= Polled {
			return fmt.Errorf("the status must be above %d", Polled)
		}
	case Gather, Scatter:
		if in.Imm != 1 && in.Imm != 2 && in.Imm != 4 && in.Imm != 8 {
			return fmt.Errorf("the factor must be 1, 2, 4 or 8")
		}
	}
	return nil
}

func (f *Func) memory(in *Instr, row *Row) error {
	if !row.mem {
		if in.Mem != (Mem{}) {
			return fmt.Errorf("it takes no memory")
		}
		return nil
	}
	if err := f.class(in.Mem.Base, Scalar, true); err != nil {
		return err
	}
	if in.Mem.Index != 0 && !slices.Contains([]int8{1, 2, 4, 8}, in.Mem.Scale) {
		return fmt.Errorf("the factor of an index must be 1, 2, 4 or 8")
	}
	if err := f.class(in.Mem.Index, Scalar, false); err != nil {
		return err
	}
	return f.class(in.Mask, Mask, false)
}

// class checks that a register is of a class. One that is not needed may be absent.
func (f *Func) class(r Reg, want Class, needed bool) error {
	switch {
	case r < 0 || int(r) >= len(f.Regs):
		return fmt.Errorf("there is no register %d", r)
	case r == 0 && (want == None || !needed):
		return nil
	case f.Regs[r] != want:
		return fmt.Errorf("register %d is of class %s, not %s", r, f.Regs[r], want)
	}
	return nil
}
