package eval

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/simt"
)

// A cell is a variable.
type cell struct {
	name string
	typ  types.Type
	v    value // nil before the first value
	born *region
	seq  int  // orders cells
	mut  bool // registers in the value may change
}

// undo takes back a change of a cell.
type undo struct {
	c   *cell
	v   value
	mut bool
}

func (ev *evaluator) newCell(name string, t types.Type, v value) *cell {
	ev.cells++
	return &cell{name: name, typ: t, v: v, born: ev.cur, seq: ev.cells}
}

// get is the value of a cell: registers that may change are copied.
func (ev *evaluator) get(c *cell) value {
	if c.v == nil {
		return poison{}
	}
	if !c.mut {
		return c.v
	}
	return ev.mapLeaves(c.v, func(leaf value) value {
		n, ok := leaf.(*num)
		if !ok || !n.mut {
			return leaf
		}
		ev.own(n)
		r := *n
		r.mut = false
		r.reg = ev.move(n.class(), n.op())
		return &r
	})
}

// put changes a cell without further ado. mut says whether registers in the value may change.
func (ev *evaluator) put(c *cell, v value, mut bool) {
	ev.journal = append(ev.journal, undo{c, c.v, c.mut})
	c.v, c.mut = v, mut
}

// set gives a cell a value. In a region that the cell is from outside of, the parts that change must be registers.
func (ev *evaluator) set(c *cell, v value) {
	outer := ev.cur.below(c.born)
	if outer == nil {
		ev.put(c, v, c.mut) // where one part is set, the others may still be registers that change
		return
	}
	if poisoned(v) || poisoned(c.v) {
		ev.put(c, poison{}, false)
		return
	}
	now := ev.leaves(v)
	if c.v == nil {
		ev.put(c, ev.first(outer, c, v, now), true)
		return
	}
	if !ev.sameForm(c.v, v) {
		ev.Fail(ev.pos, "%s is %s before code that may or may not run, and %s after it: only numbers may change there", c.name, ev.describe(c.v), ev.describe(v))
	}
	before := ev.leaves(c.v)
	for i, old := range before {
		if sameLeaf(old, now[i]) {
			continue
		}
		n, ok := old.(*num)
		if ok && n.mut && ev.fits(n, now[i]) {
			ev.assign(n, now[i])
			continue
		}
		ev.want(outer, c, i, old, now[i])
		before[i] = now[i]
	}
	ev.put(c, ev.withLeaves(c.v, before), true)
}

// first is the first value of a cell, given in a region: what is dynamic is a register of the cell's own.
func (ev *evaluator) first(outer *region, c *cell, v value, now []value) value {
	for i, leaf := range now {
		n, dynamic := leaf.(*num)
		w, wanted := outer.wants[want{c, i}]
		if !dynamic && !wanted {
			continue
		}
		if dynamic && !wanted {
			w = span{n.elem, n.in}
		}
		now[i] = ev.variable(w, leaf)
	}
	return ev.withLeaves(v, now)
}

// variable makes a register that may change, with a first value.
func (ev *evaluator) variable(s span, v value) *num {
	n := s.num()
	n.fn, n.mut = ev.b.Func, true
	n.reg = ev.b.NewReg(n.class())
	ev.assign(n, v)
	return n
}

// assign moves a number into a variable's register.
func (ev *evaluator) assign(n *num, v value) {
	ev.b.Emit("mov."+movSuffix(n.class()), []simt.Operand{n.op()}, ev.operand(v, n.elem, n.wide))
}

// move copies an operand into a new register.
func (ev *evaluator) move(c simt.Class, op simt.Operand) simt.Reg {
	return ev.b.Value(c, "mov."+movSuffix(c), op).Reg
}

func movSuffix(c simt.Class) string { return c.String() }

// fits reports whether a variable's register can take a number: integers have ranges.
func (ev *evaluator) fits(n *num, v value) bool {
	return !n.elem.isInt() || ev.rangeIn(v, n.elem).Within(n.in)
}
