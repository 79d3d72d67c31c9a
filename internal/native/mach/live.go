package mach

import "slices"

// Instruction i reads its operands at time 2i and writes its results at 2i+1, so that a result can take the register of
// an operand that is not used afterwards.

// interval is the time during which a register has a value that somebody needs.
type interval struct {
	reg        Reg
	start, end int32
	weight     float64 // about how often it is used
	hint       Reg     // a register that it should share, as one is copied to the other
	constant   int32   // the instruction that makes it, if that is a constant and the only one; else -1
	defs       int32
}

// occurrence is a register of an instruction.
type occurrence struct {
	reg    Reg
	access Access
}

// occurrences lists the registers of an instruction, in the given room.
func (in *Instr) occurrences(room *[2 * maxArgs]occurrence) []occurrence {
	list := room[:0]
	for i := range in.Args[:in.N] {
		switch a := &in.Args[i]; a.Kind {
		case RegArg:
			list = append(list, occurrence{a.Reg, a.Access})
		case MemArg:
			if !a.Frame {
				list = append(list, occurrence{a.Reg, Use})
			}
			if a.Indexed {
				list = append(list, occurrence{a.Index, Use})
			}
		}
	}
	return list
}

// intervals finds the live interval of every register.
func (c *Code) intervals() []interval {
	out := make([]interval, len(c.Files))
	for r := range out {
		out[r] = interval{reg: Reg(r), start: -1, constant: -1}
	}
	depth := 0
	var room [2 * maxArgs]occurrence
	for i := range c.Instrs {
		in := &c.Instrs[i]
		switch in.Op {
		case LoopBegin:
			depth++
		case LoopEnd:
			depth--
		}
		cost := 1.0
		for range min(depth, 6) {
			cost *= 10
		}
		if int(in.Line) < len(c.Cold) && c.Cold[in.Line] {
			cost /= 1000
		}
		for _, o := range in.occurrences(&room) {
			out[o.reg].touch(int32(i), o.access, cost)
		}
		c.note(out, in, i)
	}
	for r := range out {
		if out[r].defs != 1 {
			out[r].constant = -1
		}
	}
	c.extend(out)
	return out
}

// touch takes an access into account.
func (v *interval) touch(at int32, a Access, cost float64) {
	from, to := 2*at, 2*at
	if a == Def {
		from, to = 2*at+1, 2*at+1
	} else if a != Use {
		to = 2*at + 1
	}
	if v.start < 0 {
		v.start = from
	}
	v.end = max(v.end, to)
	v.weight += cost
	if a != Use {
		v.defs++
	}
}

// note remembers copies and constants.
func (c *Code) note(out []interval, in *Instr, i int) {
	if in.N == 0 || in.Args[0].Kind != RegArg {
		return
	}
	d := &out[in.Args[0].Reg]
	switch {
	case d.defs == 1 && slices.Contains(c.consts, in.Op):
		d.constant = int32(i)
	case in.Args[1].Kind == RegArg && slices.Contains(c.moves, in.Op):
		s := in.Args[1].Reg
		if d.hint == 0 {
			d.hint = s
		}
		if out[s].hint == 0 {
			out[s].hint = in.Args[0].Reg
		}
	}
}

// extend makes the intervals of what a loop takes from before it last until its end. Inner loops come first.
func (c *Code) extend(out []interval) {
	type span struct{ begin, end int32 }
	var open []int32
	var loops []span
	for i := range c.Instrs {
		switch c.Instrs[i].Op {
		case LoopBegin:
			open = append(open, int32(i))
		case LoopEnd:
			loops = append(loops, span{open[len(open)-1], int32(i)})
			open = open[:len(open)-1]
		}
	}
	var room [2 * maxArgs]occurrence
	for _, l := range loops {
		for i := l.begin; i < l.end; i++ {
			for _, o := range c.Instrs[i].occurrences(&room) {
				if v := &out[o.reg]; v.start < 2*l.begin {
					v.end = max(v.end, 2*l.end)
				}
			}
		}
	}
}
