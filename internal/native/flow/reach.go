package flow

import (
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// reached finds the memory of loads through pointers that count from an address, before a segment. The caller finds the buffer when the
// address is in another one than the last time; the function finds the limits of the offsets when it is another address.
func (g *segment) reached(o *nest.Operand) nest.Place {
	if g.note == 0 {
		_, g.note = g.newWindow((nest.MissWords + WindowWords - 1) / WindowWords)
		g.noteAt = g.AddInt(g.self, int64(8*g.note))
	}
	number, word := g.newWindow(1 + limitsWindows)
	p := nest.PointerPlaces{Origin: g.integer(o.Value)}
	find := func() {
		g.put(word+limitsOf, p.Origin)
		g.If(vec.UGE, g.sub(p.Origin, g.Arg(word+WindowBase)), g.Arg(word+WindowSize))
		g.leave(Out{Op: g.Steps[o.Step].Op, Window: number, Of: word + limitsOf})
		g.End()
	}
	of := o.Pointers()
	return nest.Place{Memory: of.Memory(g.builder.Builder, *g.limits(of, p, word, find)), Note: g.noteAt}
}

// missed lets the caller say which element is the fault if the segment, which begins with an operation, did not find some.
func (g *segment) missed(op *tileir.Op) {
	if g.note == 0 {
		return
	}
	g.If(vec.NE, g.Arg(g.note), g.Int(0))
	g.keepReached()
	g.leave(Out{Op: op, Window: -1, Missed: g.note})
	g.End()
}

// keepReached writes the addresses that pointers count from to the arena, where the caller reads them.
func (g *segment) keepReached() {
	done := map[*tileir.Value]bool{}
	for i := range g.Operands {
		if o := &g.Operands[i]; o.Role == nest.Reached {
			g.keep(o.Value, done)
		}
	}
}
