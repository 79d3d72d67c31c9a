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

func (em *emitter) newCell(name string, t types.Type, v value) *cell {
	em.cells++
	return &cell{name: name, typ: t, v: v, born: em.cur, seq: em.cells}
}

// get is the value of a cell: registers that may change are copied.
func (em *emitter) get(c *cell) value {
	if c.v == nil {
		return poison{}
	}
	if !c.mut {
		return c.v
	}
	return em.mapLeaves(c.v, func(leaf value) value {
		n, ok := leaf.(*num)
		if !ok || !n.mut {
			return leaf
		}
		em.own(n)
		r := *n
		r.mut = false
		r.reg = em.move(n.class(), n.op())
		return &r
	})
}

// put changes a cell without further ado. mut says whether registers in the value may change.
func (em *emitter) put(c *cell, v value, mut bool) {
	em.journal = append(em.journal, undo{c, c.v, c.mut})
	c.v, c.mut = v, mut
}

// set gives a cell a value. In a region that the cell is from outside of, the parts that change must be registers.
func (em *emitter) set(c *cell, v value) {
	outer := em.cur.below(c.born)
	if outer == nil {
		em.put(c, v, c.mut) // where one part is set, the others may still be registers that change
		return
	}
	if poisoned(v) || poisoned(c.v) {
		em.put(c, poison{}, false)
		return
	}
	now := em.leaves(v)
	if c.v == nil {
		em.put(c, em.first(outer, c, v, now), true)
		return
	}
	if !em.sameForm(c.v, v) {
		em.Fail(em.pos, "%s is %s before code that may or may not run, and %s after it: only numbers may change there", c.name, em.describe(c.v), em.describe(v))
	}
	before := em.leaves(c.v)
	for i, old := range before {
		if sameLeaf(old, now[i]) {
			continue
		}
		n, ok := old.(*num)
		if ok && n.mut && em.fits(n, now[i]) {
			em.assign(n, now[i])
			continue
		}
		em.want(outer, c, i, old, now[i])
		before[i] = now[i]
	}
	em.put(c, em.withLeaves(c.v, before), true)
}

// first is the first value of a cell, given in a region: what is dynamic is a register of the cell's own.
func (em *emitter) first(outer *region, c *cell, v value, now []value) value {
	for i, leaf := range now {
		n, dynamic := leaf.(*num)
		w, wanted := outer.wants[want{c, i}]
		if !dynamic && !wanted {
			continue
		}
		if dynamic && !wanted {
			w = span{n.elem, n.in}
		}
		now[i] = em.variable(w, leaf)
	}
	return em.withLeaves(v, now)
}

// variable makes a register that may change, with a first value.
func (em *emitter) variable(s span, v value) *num {
	n := s.num()
	n.fn, n.mut = em.b.Func, true
	n.reg = em.b.NewReg(n.class())
	em.assign(n, v)
	return n
}

// assign moves a number into a variable's register.
func (em *emitter) assign(n *num, v value) {
	em.b.Emit("mov."+movSuffix(n.class()), []simt.Operand{n.op()}, em.operand(v, n.elem, n.wide))
}

// move copies an operand into a new register.
func (em *emitter) move(c simt.Class, op simt.Operand) simt.Reg {
	return em.b.Value(c, "mov."+movSuffix(c), op).Reg
}

func movSuffix(c simt.Class) string { return c.String() }

// fits reports whether a variable's register can take a number: integers have ranges.
func (em *emitter) fits(n *num, v value) bool {
	return !n.elem.isInt() || em.rangeIn(v, n.elem).Within(n.in)
}
