package ptx

import (
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// branch writes an If.
func (w *writer) branch(in *ir.Instr) {
	then, otherwise := in.Body[0], in.Body[1]
	p := w.reg(in.Src[0])
	over := w.b.NewLabel()
	if len(then.Instrs) > 0 {
		w.at()
		w.b.BranchIf(p.Reg, false, over)
		w.block(then)
	} else {
		w.b.BranchIf(p.Reg, true, over)
		w.block(otherwise)
		w.b.Place(over)
		return
	}
	if len(otherwise.Instrs) > 0 {
		end := w.b.NewLabel()
		w.b.Branch(end)
		w.b.Place(over)
		w.block(otherwise)
		over = end
	}
	w.b.Place(over)
}

// loop writes a loop. One that a Break ends at the bottom jumps back where that does not hold, if it has a condition.
func (w *writer) loop(in *ir.Instr) {
	l := labels{w.b.NewLabel(), w.b.NewLabel()}
	w.loops = append(w.loops, l)
	w.b.Place(l.next)
	body := in.Body[0]
	var bottom *ir.Instr
	if n := len(body.Instrs); n > 0 {
		if last := body.Instrs[n-1]; last.Op == ir.Break && last.Imm == 0 {
			bottom = last
			body = &ir.Block{Instrs: body.Instrs[:n-1]}
		}
	}
	w.block(body)
	switch {
	case bottom == nil:
		w.b.Branch(l.next)
	case len(bottom.Src) > 0:
		w.b.BranchIf(w.reg(bottom.Src[0]).Reg, false, l.next)
	}
	w.b.Place(l.end)
	w.loops = w.loops[:len(w.loops)-1]
}

// jump writes a Break or Continue.
func (w *writer) jump(in *ir.Instr) {
	l := w.loops[len(w.loops)-1-int(in.Imm)]
	to := l.end
	if in.Op == ir.Continue {
		to = l.next
	}
	if len(in.Src) > 0 {
		w.b.BranchIf(w.reg(in.Src[0]).Reg, true, to)
		return
	}
	w.b.Branch(to)
}

func (w *writer) get(in *ir.Instr) {
	v, r := in.Dst[0], w.vars[in.Vars[0]]
	if w.home[v] != 0 {
		w.regs[v] = r
		return
	}
	w.move(w.result(v).Reg, simt.R(r))
}

// set writes assignments that happen at once: one whose register another one still has to read waits.
func (w *writer) set(in *ir.Instr) {
	type assignment struct {
		to   simt.Reg
		from simt.Operand
	}
	var todo []assignment
	for i, v := range in.Vars {
		from := w.use(in.Src[i])
		if to := w.vars[v]; from.Kind != simt.Register || from.Reg != to {
			todo = append(todo, assignment{to, from})
		}
	}
	readers := map[simt.Reg]int{} // of those that are left to do
	for _, a := range todo {
		if a.from.Kind == simt.Register {
			readers[a.from.Reg]++
		}
	}
	for len(todo) > 0 {
		i := slices.IndexFunc(todo, func(a assignment) bool { return readers[a.to] == 0 })
		if i < 0 { // a circle: one of its registers is saved
			saved := w.temp(w.f.Regs[todo[0].to])
			w.move(saved.Reg, simt.R(todo[0].to))
			for k := range todo {
				if f := todo[k].from; f.Kind == simt.Register && f.Reg == todo[0].to {
					todo[k].from = saved
					readers[f.Reg]--
				}
			}
			continue
		}
		w.move(todo[i].to, todo[i].from)
		if f := todo[i].from; f.Kind == simt.Register {
			readers[f.Reg]--
		}
		todo = slices.Delete(todo, i, i+1)
	}
}

func (w *writer) move(to simt.Reg, from simt.Operand) {
	w.emit("mov."+w.f.Regs[to].String(), []simt.Operand{simt.R(to)}, from)
}
