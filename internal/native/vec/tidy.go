package vec

import "slices"

// Tidy makes a function shorter without changing what it does: what nothing reads is not computed, constants are made once,
// at the beginning, scalars that are known or at hand are not computed, and a result that is only copied to another register is
// computed there. It returns the function.
func (f *Func) Tidy() *Func {
	f.fold()
	f.Prune()
	f.hoist()
	f.common()
	f.Prune()
	f.retarget()
	return f
}

// counts gives how often each register is assigned and read.
func (f *Func) counts() (defs, uses []int) {
	defs, uses = make([]int, len(f.Regs)), make([]int, len(f.Regs))
	for i := range f.Body {
		in := &f.Body[i]
		if in.Dst != 0 {
			defs[in.Dst]++
		}
		in.Uses(func(r Reg) { uses[r]++ })
	}
	return defs, uses
}

// Prune drops instructions that only compute what nothing reads; keep are registers that are read afterwards.
func (f *Func) Prune(keep ...Reg) {
	_, uses := f.counts()
	for _, r := range keep {
		uses[r]++
	}
	drop := make([]bool, len(f.Body))
	for i := len(f.Body) - 1; i >= 0; i-- {
		in := &f.Body[i]
		if in.Dst != 0 && uses[in.Dst] == 0 && !in.Op.Opens() && !in.Op.HasMem() {
			drop[i] = true
			in.Uses(func(r Reg) { uses[r]-- })
		}
	}
	out := f.Body[:0]
	for i := range f.Body {
		if !drop[i] {
			out = append(out, f.Body[i])
		}
	}
	f.Body = out
}

// hoist brings constants to the front; equal ones become one.
func (f *Func) hoist() {
	type constant struct {
		op    Op
		class Class
		imm   int64
	}
	defs, _ := f.counts()
	same := make([]Reg, len(f.Regs))
	known := map[constant]Reg{}
	var front []Instr
	rest := f.Body[:0]
	for i := range f.Body {
		in := f.Body[i]
		if defs[in.Dst] != 1 || !in.Op.fills() {
			rest = append(rest, in)
			continue
		}
		k := constant{op: in.Op, class: in.DstClass(), imm: in.Imm}
		if in.Op == Const {
			k.imm = int64(cut(uint64(in.Imm), in.Type))
		}
		if r, ok := known[k]; ok {
			same[in.Dst] = r
			continue
		}
		known[k] = in.Dst
		front = append(front, in)
	}
	for i := range rest {
		rest[i].replace(same)
	}
	f.Body = slices.Insert(rest, 0, front...)
}

// replace exchanges registers that an instruction reads by others; 0 stands for the register itself.
func (in *Instr) replace(by []Reg) {
	for _, r := range []*Reg{&in.Src[0], &in.Src[1], &in.Src[2], &in.Mask, &in.Mem.Base, &in.Mem.Index} {
		if to := by[*r]; to != 0 {
			*r = to
		}
	}
}

// retarget lets an instruction write the register that the next one would copy its result to.
func (f *Func) retarget() {
	defs, uses := f.counts()
	out := f.Body[:0]
	for i := range f.Body {
		in := f.Body[i]
		last := len(out) - 1
		if (in.Op == Move || in.Op == MMove || in.Op == SMove) && last >= 0 {
			p := &out[last]
			if r := in.Src[0]; p.Dst == r && defs[r] == 1 && uses[r] == 1 && !p.Op.Opens() {
				p.Dst = in.Dst
				continue
			}
		}
		out = append(out, in)
	}
	f.Body = out
}

// fills reports whether the operation makes a constant.
func (op Op) fills() bool {
	return op == Const || op == Iota || op == MConst || op == MBits || op == SConst
}
