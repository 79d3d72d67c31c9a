package vec

// common leaves out what is computed again where the result is at hand, and operations that change nothing. It does so for scalars, and for
// masks where they are at hand in the same region: a mask takes the place of vectors.
func (f *Func) common() {
	defs, _ := f.counts()
	c := commons{defs: defs, same: make([]Reg, len(f.Regs)), by: make([]Instr, len(f.Regs)), known: map[pure]found{}}
	out := f.Body[:0]
	for i := range f.Body {
		in := f.Body[i]
		in.replace(c.same)
		if in.Op == Else || in.Op == End {
			c.close()
		}
		if r := c.again(&in, f.Regs[in.Dst]); r != 0 {
			c.same[in.Dst] = r
			continue
		}
		if in.Op == Else || in.Op.Opens() {
			c.open = append(c.open, len(c.added))
		}
		if defs[in.Dst] == 1 {
			c.by[in.Dst] = in
		}
		out = append(out, in)
	}
	f.Body = out
}

// commons are the results at hand while common goes through a function.
type commons struct {
	defs  []int
	same  []Reg   // by register that is not assigned any more: the one that has its value
	by    []Instr // by register of one assignment: what assigns it
	known map[pure]found
	added []pure // the keys of known, in order
	open  []int  // by open region: how many of them were added before
}

// pure is an operation whose result depends on its operands alone.
type pure struct {
	op  Op
	typ Type
	src [3]Reg
	imm int64
}

// found is a result that is at hand until the region ends in which it was computed.
type found struct {
	reg    Reg
	region int // how many were open
}

// close forgets the results of the innermost region.
func (c *commons) close() {
	last := len(c.open) - 1
	for _, k := range c.added[c.open[last]:] {
		delete(c.known, k)
	}
	c.added, c.open = c.added[:c.open[last]], c.open[:last]
}

// again gives the register that has an instruction's result already; 0 if none has.
func (c *commons) again(in *Instr, class Class) Reg {
	if class != Scalar && class != Mask || c.defs[in.Dst] != 1 || !in.Op.common() {
		return 0
	}
	for _, r := range in.Src {
		if r != 0 && c.defs[r] != 1 { // it may have another value each time
			return 0
		}
	}
	if r := c.idle(in); r != 0 {
		return r
	}
	k := pure{in.Op, in.Type, in.Src, in.Imm}
	old, ok := c.known[k]
	switch {
	case !ok:
		c.known[k] = found{in.Dst, len(c.open)}
		c.added = append(c.added, k)
		return 0
	case class == Mask && old.region != len(c.open):
		return 0
	}
	return old.reg
}

// common reports whether an operation is one that [Func.common] looks for: what computes a scalar or a mask of scalars.
func (op Op) common() bool {
	row := &Table[op]
	return row.src[0] == scalar && !row.mem && !op.Controls() && op != SMove
}

// neutral has the operations of two scalars that give the first one where the second is a number, and the other way round but for [SSub].
var neutral = map[Op]int64{SAdd: 0, SSub: 0, SXor: 0, SOr: 0, SAnd: -1}

// idle gives the operand that an operation's result is equal to; 0 for none.
func (c *commons) idle(in *Instr) Reg {
	x, y := in.Src[0], in.Src[1]
	is := func(r Reg, n int64) bool { return c.by[r].Op == SConst && c.by[r].Imm == n }
	if n, ok := neutral[in.Op]; ok && is(y, n) {
		return x
	} else if ok && in.Op != SSub && is(x, n) {
		return y
	}
	switch in.Op {
	case SAddImm, SShlImm, SShrImm:
		if in.Imm == 0 {
			return x
		}
	case SOr, SAnd, SMin, SMax: // what x has been joined with already changes nothing
		if p := &c.by[x]; x == y || p.Op == in.Op && (p.Src[0] == y || p.Src[1] == y) {
			return x
		}
	}
	return 0
}
