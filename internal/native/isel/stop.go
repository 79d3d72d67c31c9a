package isel

import "github.com/cutile-go/cutile/internal/native/mach"

// A function that is suspended keeps the registers that it needs afterwards in its frame, behind its slots. The code for that lies
// behind the function, since it seldom runs. The function begins with a look whether it goes on somewhere: word State of its frame
// is the number of the stop then, from 1 on.

// Stop is a place where a function is suspended.
type Stop struct {
	Kept   [mach.Files]mach.Set // the registers that it needs afterwards
	Status int64
	Cost   int64 // what is taken off the budget; 0 for a stop in any case
}

// SuspendAt writes the instruction that becomes a stop.
func (s *Selector) SuspendAt(status, cost int64) { s.Add(mach.Suspend, Imm(status), Imm(cost)) }

// StopOf is the stop that an instruction [mach.Suspend] stands for, whose own operands are a status and a cost.
func StopOf(in *mach.Instr) (s Stop) {
	for f := range s.Kept {
		s.Kept[f] = mach.Set(in.Args[f].Imm)
	}
	s.Status, s.Cost = in.Args[mach.Files].Imm, in.Args[mach.Files+1].Imm
	return s
}

// Each calls do for each register that is kept, with the slot where it is kept, and gives their number.
func (s *Stop) Each(do func(f mach.File, r mach.Reg, slot int32)) int {
	n := int32(0)
	for f, set := range s.Kept {
		for r := range mach.Reg(32) {
			if set>>r&1 != 0 {
				do(mach.File(f), r, n)
				n++
			}
		}
	}
	return int(n)
}
