package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
)

// stop is a place where a function is suspended.
type stop struct {
	isel.Stop
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
	s := stop{isel.StopOf(in), e.asm.Label(), e.asm.Label()}
	if s.Cost > 0 {
		e.asm.Emit(arm64.LDR, temporary, word(e.state+1))
		e.asm.Emit(arm64.SUBS, temporary, temporary, arm64.Imm(s.Cost))
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
		s.Each(func(f mach.File, r mach.Reg, slot int32) {
			in := area.Store(f, r, slot)
			e.emit(&in)
		})
		e.asm.MovImm64(arm64.X17, uint64(i+1))
		e.asm.Emit(arm64.STR, temporary, word(e.state))
		e.asm.MovImm64(arm64.X0, uint64(s.Status))
		e.asm.Emit(arm64.RET)
	}
	e.asm.Bind(again)
	for i := range e.stops {
		s, next := &e.stops[i], e.asm.Label()
		e.asm.Emit(arm64.LDR, temporary, word(e.state))
		e.asm.Emit(arm64.SUB, temporary, temporary, arm64.Imm(int64(i+1)))
		e.asm.Emit(arm64.CBNZ, temporary, arm64.To(next))
		s.Each(func(f mach.File, r mach.Reg, slot int32) {
			in := area.Load(f, r, slot)
			e.emit(&in)
		})
		e.asm.Emit(arm64.BRANCH, arm64.To(s.resume))
		e.asm.Bind(next)
	}
	e.asm.Emit(arm64.RET)
}
