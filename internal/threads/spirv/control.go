package spirv

import (
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// side gives what a side of a branch does.
func (w *writer) side(b *ir.Block) func() []spirv.ID {
	return func() []spirv.ID {
		w.block(b)
		return nil
	}
}

func (w *writer) branch(in *ir.Instr) {
	then, otherwise := in.Body[0], in.Body[1]
	if len(otherwise.Instrs) == 0 {
		w.b.If(w.vals[in.Src[0]], w.side(then), nil)
		return
	}
	w.b.If(w.vals[in.Src[0]], w.side(then), w.side(otherwise))
}

// when does something where a condition holds.
func (w *writer) when(cond spirv.ID, do func()) {
	w.b.If(cond, func() []spirv.ID { do(); return nil }, nil)
}

// loop is a loop that is being written.
type loop struct {
	*spirv.Loop
	exits []exit // jumps in it that leave loops around it, too
}

// exit is a jump that leaves more than one loop.
type exit struct {
	to   int // the loop that it concerns, by its depth
	next bool
}

// number is what the variable exit holds on the way; it is not 0.
func (e exit) number() uint32 {
	n := uint32(2*e.to + 1)
	if e.next {
		n++
	}
	return n
}

func (w *writer) loop(in *ir.Instr) {
	l := &loop{}
	w.b.Loop(nil, func(inner *spirv.Loop, _ []spirv.ID) []spirv.ID {
		l.Loop = inner
		w.loops = append(w.loops, l)
		w.stopped()
		w.block(in.Body[0])
		w.loops = w.loops[:len(w.loops)-1]
		return nil
	})
	for _, e := range l.exits {
		here := w.b.Compare(spirv.OpIEqual, w.b.Load(w.exit), w.b.ConstUint(e.number()))
		w.when(here, func() { w.leave(e) })
	}
}

func (w *writer) jump(in *ir.Instr) {
	e := exit{len(w.loops) - 1 - int(in.Imm), in.Op == ir.Continue}
	if len(in.Src) > 0 {
		w.when(w.vals[in.Src[0]], func() { w.leave(e) })
		return
	}
	w.leave(e)
}

// leave goes to the end of a loop or to its next turn. From within another loop, which SPIR-V does not let it leave at the same time,
// it leaves that one, behind which [writer.loop] looks where to go on.
func (w *writer) leave(e exit) {
	l := w.loops[len(w.loops)-1]
	switch {
	case e.to < len(w.loops)-1:
		w.b.Store(w.exit, w.b.ConstUint(e.number()))
		l.note(e)
		l.Break()
		return
	case w.exit != 0:
		w.b.Store(w.exit, w.b.ConstUint(0))
	}
	if e.next {
		l.Continue()
		return
	}
	l.Break()
}

func (l *loop) note(e exit) {
	for _, o := range l.exits {
		if o == e {
			return
		}
	}
	l.exits = append(l.exits, e)
}

// stopped ends the thread where the program wants the kernel to stop. All threads of a subgroup see the same, or those that go on would
// wait for the others.
func (w *writer) stopped() {
	b := w.b
	word := b.LoadAt(b.Uint(32), w.control, 4, spirv.MemoryAccessVolatile)
	if w.t.Subgroups {
		word = b.BroadcastFirst(word)
	}
	w.when(b.Compare(spirv.OpINotEqual, word, b.ConstUint(0)), func() { b.Return() })
}
