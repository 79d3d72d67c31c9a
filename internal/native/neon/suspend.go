package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/mach"
)

// A function that is suspended keeps the registers that it needs afterwards in its frame, behind its slots. The code for that lies
// behind the function, since it seldom runs. The function begins with a look whether it goes on somewhere: word State of its frame
// is the number of the stop then, from 1 on.

// stop is a place where a function is suspended.
type stop struct {
	kept   [mach.Files]mach.Set
	status int64
	leave  arm64.Label // what keeps the registers and returns
	resume arm64.Label // where the function goes on
}

// word is a word of the frame.
func word(n int) arm64.Operand { return arm64.At(arm64.X0, int32(8*n)) }

// temporary is a register that no value is in.
var temporary = arm64.X17.Op()

// enter begins a function that may be suspended, and gives the label of what goes on elsewhere.
func (e *emitter) enter() (again arm64.Label) {
	again = e.asm.Label()
	e.asm.Emit(arm64.LDR, temporary, word(e.state))
	e.asm.Emit(arm64.CBNZ, temporary, arm64.To(again))
	return again
}

// suspend leaves the function, or does so if that takes more off the budget than is left.
func (e *emitter) suspend(in *mach.Instr) {
	s := stop{leave: e.asm.Label(), resume: e.asm.Label()}
	for f := range s.kept {
		s.kept[f] = mach.Set(in.Args[f].Imm)
	}
	s.status = in.Args[mach.Files].Imm
	if cost := in.Args[mach.Files+1].Imm; cost > 0 {
		e.asm.Emit(arm64.LDR, temporary, word(e.state+1))
		e.asm.Emit(arm64.SUBS, temporary, temporary, arm64.Imm(cost))
		e.asm.Emit(arm64.STR, temporary, word(e.state+1))
		e.asm.Emit(arm64.BCOND, arm64.MI.Op(), arm64.To(s.leave))
	} else {
		e.asm.Emit(arm64.BRANCH, arm64.To(s.leave))
	}
	e.asm.Bind(s.resume)
	e.stops = append(e.stops, s)
}

// finish writes what keeps registers and what brings them back.
func (e *emitter) finish(again arm64.Label, area spillArea) {
	for i := range e.stops {
		s := &e.stops[i]
		e.asm.Bind(s.leave)
		s.each(func(f mach.File, r mach.Reg, slot int32) {
			in := area.Store(f, r, slot)
			e.emit(&in)
		})
		e.asm.MovImm64(arm64.X17, uint64(i+1))
		e.asm.Emit(arm64.STR, temporary, word(e.state))
		e.asm.MovImm64(arm64.X0, uint64(s.status))
		e.asm.Emit(arm64.RET)
	}
	e.asm.Bind(again)
	for i := range e.stops {
		s, next := &e.stops[i], e.asm.Label()
		e.asm.Emit(arm64.LDR, temporary, word(e.state))
		e.asm.Emit(arm64.SUB, temporary, temporary, arm64.Imm(int64(i+1)))
		e.asm.Emit(arm64.CBNZ, temporary, arm64.To(next))
		s.each(func(f mach.File, r mach.Reg, slot int32) {
			in := area.Load(f, r, slot)
			e.emit(&in)
		})
		e.asm.Emit(arm64.BRANCH, arm64.To(s.resume))
		e.asm.Bind(next)
	}
	e.asm.Emit(arm64.RET)
}

// each calls do for each register that is kept, with the slot where it is kept.
func (s *stop) each(do func(f mach.File, r mach.Reg, slot int32)) {
	n := int32(0)
	for f, set := range s.kept {
		for r := range mach.Reg(32) {
			if set>>r&1 != 0 {
				do(mach.File(f), r, n)
				n++
			}
		}
	}
}
