package vec

import "math"

// fold computes scalars that are always the same beforehand, and does loops of one turn without a loop.
func (f *Func) fold() {
	d := folder{Func: f, numbers: map[Reg]int64{}, ones: map[Reg]bool{}, ends: map[int]bool{}}
	d.defs, _ = f.counts()
	out := f.Body[:0]
	for i := range f.Body {
		if d.ends[i] {
			continue
		}
		in := f.Body[i]
		if in.Op == Loop {
			d.turn(&in, i)
		} else {
			d.instr(&in)
		}
		d.note(&in)
		out = append(out, in)
	}
	f.Body = out
}

// folder folds a function.
type folder struct {
	*Func
	defs    []int
	numbers map[Reg]int64 // scalars that are always the same
	ones    map[Reg]bool  // masks of all lanes
	ends    map[int]bool  // of loops that are none any more
}

// note notes a result that is always the same.
func (d *folder) note(in *Instr) {
	switch {
	case in.Dst == 0 || d.defs[in.Dst] != 1:
	case in.Op == SConst:
		d.numbers[in.Dst] = in.Imm
	case in.Op == MConst && in.Imm != 0:
		d.ones[in.Dst] = true
	}
}

// known gives the scalar that a register always is.
func (d *folder) known(r Reg) (int64, bool) {
	n, ok := d.numbers[r]
	return n, ok
}

// instr makes an instruction simpler whose operands are known.
func (d *folder) instr(in *Instr) {
	d.memory(in)
	if d.ones[in.Mask] {
		in.Mask = 0
	}
	a, first := d.known(in.Src[0])
	b, second := d.known(in.Src[1])
	row := &Table[in.Op]
	switch {
	case in.Dst == 0 || d.defs[in.Dst] != 1:
	case in.Op == MFirst && first && (a <= 0 || a >= Lanes):
		all := int64(0)
		if a > 0 {
			all = 1
		}
		*in = Instr{Op: MConst, Dst: in.Dst, Imm: all, Note: in.Note}
	case in.Op == Splat && first:
		*in = Instr{Op: Const, Type: in.Type, Dst: in.Dst, Imm: a, Note: in.Note}
	case in.Op == SAdd && second:
		*in = Instr{Op: SAddImm, Dst: in.Dst, Src: [3]Reg{in.Src[0]}, Imm: b, Note: in.Note}
		d.instr(in)
	case row.dst != scalar || row.src[0] != scalar || !first || row.src[1] == scalar && !second:
	default:
		if n, ok := in.scalar(a, b); ok {
			*in = Instr{Op: SConst, Dst: in.Dst, Imm: n, Note: in.Note}
		}
	}
}

// memory takes an index that is known into the displacement.
func (d *folder) memory(in *Instr) {
	n, ok := d.known(in.Mem.Index)
	if !ok || n > math.MaxInt32 || n < math.MinInt32 {
		return
	}
	if at := int64(in.Mem.Disp) + n*int64(in.Mem.Scale); at == int64(int32(at)) {
		in.Mem.Disp, in.Mem.Index, in.Mem.Scale = int32(at), 0, 0
	}
}

// turn makes the counter of a loop that has exactly one turn a number, unless something leaves the loop.
func (d *folder) turn(in *Instr, at int) {
	lo, first := d.known(in.Src[0])
	hi, second := d.known(in.Src[1])
	if !first || !second || lo >= hi || hi-lo > in.Imm || d.defs[in.Dst] != 1 {
		return
	}
	outer, end, ok := d.leaves(at)
	if !ok {
		return
	}
	for _, i := range outer {
		d.Body[i].Imm-- // one loop less lies around it
	}
	d.ends[end] = true
	*in = Instr{Op: SConst, Dst: in.Dst, Imm: lo, Note: in.Note}
}

// leaves gives the end of a loop and the jumps in it that concern loops around it; ok is false if one concerns the loop itself.
func (d *folder) leaves(begin int) (outer []int, end int, ok bool) {
	loops := []bool{true} // of the open regions, the first of which is the loop
	inner := int64(0)     // loops inside it that are open
	for i := begin + 1; ; i++ {
		switch in := &d.Body[i]; {
		case in.Op.Opens():
			if loops = append(loops, in.Op.Loops()); in.Op.Loops() {
				inner++
			}
		case in.Op == End:
			last := len(loops) - 1
			if last == 0 {
				return outer, i, true
			}
			if loops[last] {
				inner--
			}
			loops = loops[:last]
		case (in.Op == Break || in.Op == Next) && in.Imm == inner:
			return nil, 0, false
		case (in.Op == Break || in.Op == Next) && in.Imm > inner:
			outer = append(outer, i)
		}
	}
}
