package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
)

// stop is a place where a function is suspended.
type stop struct {
	isel.Stop
	leave  amd64.Label // what keeps the registers and returns
	resume amd64.Label // where the function goes on
}

// word is a word of the frame.
func (e *emitter) word(n int) amd64.Operand {
	return amd64.Mem{Base: amd64.RDI, Disp: int32(8 * n), Size: 8}.Op()
}

// enter begins a function that may be suspended, and gives the label of what goes on elsewhere.
func (e *emitter) enter() (again amd64.Label) {
	again = e.asm.Label()
	e.asm.Emit(amd64.CMP, e.word(e.state), amd64.Imm(0))
	e.asm.Emit(amd64.JNE, amd64.To(again))
	return again
}

// suspend leaves the function, or does so if that takes more off the budget than is left.
func (e *emitter) suspend(in *mach.Instr) {
	s := stop{isel.StopOf(in), e.asm.Label(), e.asm.Label()}
	if s.Cost > 0 {
		e.asm.Emit(amd64.SUB, e.word(e.state+1), amd64.Imm(s.Cost))
		e.asm.Emit(amd64.JS, amd64.To(s.leave))
	} else {
		e.asm.Emit(amd64.JMP, amd64.To(s.leave))
	}
	e.asm.Bind(s.resume)
	e.stops = append(e.stops, s)
}

// finish writes what keeps registers and what brings them back. It gives the most registers that are kept at a stop.
func (e *emitter) finish(again amd64.Label, area mach.Slots) (most int) {
	for i := range e.stops {
		s := &e.stops[i]
		e.asm.Bind(s.leave)
		most = max(most, s.Each(func(f mach.File, r mach.Reg, slot int32) {
			in := area.Store(f, r, slot)
			e.emit(&in)
		}))
		e.asm.Emit(amd64.MOV, e.word(e.state), amd64.Imm(int64(i+1)))
		e.leave(s.Status)
	}
	e.asm.Bind(again)
	for i := range e.stops {
		s, next := &e.stops[i], e.asm.Label()
		e.asm.Emit(amd64.CMP, e.word(e.state), amd64.Imm(int64(i+1)))
		e.asm.Emit(amd64.JNE, amd64.To(next))
		s.Each(func(f mach.File, r mach.Reg, slot int32) {
			in := area.Load(f, r, slot)
			e.emit(&in)
		})
		e.asm.Emit(amd64.JMP, amd64.To(s.resume))
		e.asm.Bind(next)
	}
	e.asm.Emit(amd64.RET)
	return most
}
