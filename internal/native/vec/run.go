package vec

import "slices"

// Run is a function that runs in Go.
type Run struct {
	f       *Func
	frame   []uint64
	scalars []int64
	masks   []uint16
	lanes   [][Lanes]uint64 // the bits of each lane, without sign
	pc      int             // the next instruction
	ends    []int           // where the region that an instruction begins goes on: its Else or End
	begins  []int           // by End: the instruction that it closes
	targets []int           // by Break and Next: the End of the loop
}

// Eval runs a function in Go and gives its status: what it returned with, or 0. Scalars that are addresses must point
// into memory that the caller keeps alive and that does not move. It is slow. The function must not suspend itself.
func Eval(f *Func, frame []uint64) (status int64) { return NewRun(f, frame).Call() }

// NewRun prepares a function whose frame has at least f.Frame words.
func NewRun(f *Func, frame []uint64) *Run {
	m := &Run{f: f, frame: frame, scalars: make([]int64, len(f.Regs)), masks: make([]uint16, len(f.Regs)), lanes: make([][Lanes]uint64, len(f.Regs)),
		ends: make([]int, len(f.Body)), begins: make([]int, len(f.Body)), targets: make([]int, len(f.Body))}
	m.match()
	return m
}

// Call runs the function from the beginning, or from where it was suspended, until it returns or is suspended, and gives the
// status.
func (m *Run) Call() (status int64) {
	for m.pc < len(m.f.Body) {
		in := &m.f.Body[m.pc]
		switch in.Op {
		case Return:
			return in.Imm
		case Suspend:
			m.pc++
			return in.Imm
		case Poll:
			budget := &m.frame[m.f.State+1]
			*budget -= uint64(in.Imm)
			if m.pc++; int64(*budget) < 0 {
				return Polled
			}
			continue
		}
		m.pc = m.step(in, m.pc)
	}
	return 0
}

// match finds the ends of regions.
func (m *Run) match() {
	var open []int
	leaves := map[int][]int{} // by the instruction that begins a loop
	for i := range m.f.Body {
		switch in := &m.f.Body[i]; {
		case in.Op.Opens():
			open = append(open, i)
		case in.Op == Else:
			m.ends[open[len(open)-1]] = i
			open[len(open)-1] = i
		case in.Op == End:
			last := open[len(open)-1]
			m.ends[last], m.begins[i] = i, last
			for _, k := range leaves[last] {
				m.targets[k] = i
			}
			open = open[:len(open)-1]
		case in.Op == Break || in.Op == Next:
			loop := m.loop(open, in.Imm)
			leaves[loop] = append(leaves[loop], i)
		}
	}
}

// loop gives the loop in which so many of the open ones lie.
func (m *Run) loop(open []int, others int64) int {
	for _, i := range slices.Backward(open) {
		if !m.f.Body[i].Op.Loops() {
			continue
		}
		if others == 0 {
			return i
		}
		others--
	}
	panic("BUG: vec: a loop is left that is not there")
}

// step runs an instruction and gives the number of the next one.
func (m *Run) step(in *Instr, pc int) int {
	a, b := m.scalars[in.Src[0]], m.scalars[in.Src[1]]
	switch in.Op {
	case Loop:
		m.scalars[in.Dst] = a
		return m.enter(a < b, pc)
	case If:
		return m.enter(in.Cond.holds(a, b), pc)
	case IfAny:
		return m.enter(m.masks[in.Src[0]] != 0, pc)
	case Else: // the first side has come to its end
		return m.ends[pc] + 1
	case Break:
		return m.targets[pc] + 1
	case Next:
		return m.targets[pc]
	case Repeat:
	case End:
		switch open := &m.f.Body[m.begins[pc]]; open.Op {
		case Repeat:
			return m.begins[pc] + 1
		case Loop:
			if m.scalars[open.Dst] += open.Imm; m.scalars[open.Dst] < m.scalars[open.Src[1]] {
				return m.begins[pc] + 1
			}
		}
	default:
		m.do(in)
	}
	return pc + 1
}

// enter goes into a region or to its other side.
func (m *Run) enter(yes bool, pc int) int {
	if yes {
		return pc + 1
	}
	return m.ends[pc] + 1
}
