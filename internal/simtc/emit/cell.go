package emit

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/simt"
)

// A Cell is a variable.
type Cell struct {
	Name string
	Type types.Type
	v    Value // nil before the first value
	born *Region
	seq  int  // the number of the cell, by which cells are sorted
	mut  bool // registers in the value may change

	known *simt.Variable // what debuggers know it as; nil for nothing

	// Lent says whose the variable is if the program that calls has it: setting it is a mistake, as the caller would not see it.
	Lent string
}

// undo holds what a cell was before a change, so that [Emitter.Rollback] can take the change back.
type undo struct {
	c   *Cell
	v   Value
	mut bool
}

// NewCell makes a variable that lives in the current region. v is nil if the variable has no value
// yet.
func (em *Emitter) NewCell(name string, t types.Type, v Value) *Cell {
	// The number of the cell orders the wants of a region.
	em.cells++
	return &Cell{Name: name, Type: t, v: v, born: em.Cur, seq: em.cells}
}

// Get gives the value of a cell. It copies the registers of variables, since a later assignment
// changes them, and the value that was read must stay what it was.
func (em *Emitter) Get(c *Cell) Value {
	if c.v == nil {
		return Poison{}
	}
	if !c.mut {
		return c.v
	}
	return em.MapLeaves(c.v, func(leaf Value) Value {
		n, ok := leaf.(*Num)
		if !ok || !n.Mut {
			return leaf
		}
		em.Own(n)
		r := *n
		r.Mut = false
		r.Reg = em.move(n.Class(), n.Op())
		return &r
	})
}

// Put replaces the value of a cell and writes no instruction. mut tells whether registers in the
// value may change.
func (em *Emitter) Put(c *Cell, v Value, mut bool) {
	em.journal = append(em.journal, undo{c, c.v, c.mut})
	c.v, c.mut = v, mut
}

// Set gives a cell a value.
//
// If the cell is from outside of the current region, the region may run or not, or run again. A
// part of the value that the region changes must then be a register before the region begins, and
// the change is a mov into it. A part that is not such a register yet dooms the region: want notes
// the part, and [Emitter.Region] evaluates the region anew with a register for it. The first
// attempt goes on all the same, so that one attempt finds as many of these parts as possible.
func (em *Emitter) Set(c *Cell, v Value) {
	if c.Lent != "" {
		em.Fail(em.Pos, "this sets what argument %s of the host function leads to, which the calling program would not see: copy it into a variable first, or return it as a result", c.Lent)
	}
	outer := em.Cur.below(c.born)
	if outer == nil {
		em.Put(c, v, c.mut) // other parts of it may still be registers of variables
		em.placed(c)
		return
	}
	// After a mistake the variable is undefined from here on, on whichever path control came.
	if Poisoned(v) || Poisoned(c.v) {
		em.Put(c, Poison{}, false)
		return
	}
	// The old and the new value are compared leaf by leaf, so that only the parts that change
	// become registers.
	now := em.leaves(v)
	if c.v == nil {
		// Nothing reads the variable before the region, which may be evaluated inside of another
		// one.
		em.Put(c, em.first(outer, c, v, now), true)
		em.placed(c)
		return
	}
	if !em.SameForm(c.v, v) {
		em.Fail(em.Pos, "%s is %s before code that may or may not run, and %s after it: only numbers may change there", c.Name, em.Describe(c.v), em.Describe(v))
	}
	before := em.leaves(c.v)
	for i, old := range before {
		if sameLeaf(old, now[i]) {
			continue
		}
		n, ok := old.(*Num)
		if ok && n.Mut && em.fits(n, now[i]) {
			em.assign(n, now[i])
			continue
		}
		em.want(outer, c, i, old, now[i])
		// This attempt goes on with the new value, although it will be repeated.
		before[i] = now[i]
	}
	em.Put(c, em.withLeaves(c.v, before), true)
	em.placed(c)
}

// first gives the first value of a cell, if a region inside of outer assigns it. Its dynamic parts
// become registers of the cell's own, as must the parts that a former attempt wanted.
func (em *Emitter) first(outer *Region, c *Cell, v Value, now []Value) Value {
	for i, leaf := range now {
		n, dynamic := leaf.(*Num)
		w, wanted := outer.wants[want{c, i}]
		if !dynamic && !wanted {
			continue
		}
		if dynamic && !wanted {
			w = Span{n.Elem, n.in}
		}
		now[i] = em.variable(w, leaf)
	}
	return em.withLeaves(v, now)
}

// variable makes the register of a variable, and moves a first value into it.
func (em *Emitter) variable(s Span, v Value) *Num {
	n := s.num()
	n.fn, n.Mut = em.B.Func, true
	n.Reg = em.B.NewReg(n.Class())
	em.assign(n, v)
	return n
}

// assign moves a number into a variable's register.
func (em *Emitter) assign(n *Num, v Value) {
	em.B.Emit("mov."+movSuffix(n.Class()), []simt.Operand{n.Op()}, em.Operand(v, n.Elem, n.wide))
}

// move copies an operand into a new register.
func (em *Emitter) move(c simt.Class, op simt.Operand) simt.Reg {
	return em.B.Value(c, "mov."+movSuffix(c), op).Reg
}

func movSuffix(c simt.Class) string { return c.String() }

// fits reports whether a variable's register can take a number. A number outside of an integer
// variable's range would make false what was concluded from that range before.
func (em *Emitter) fits(n *Num, v Value) bool {
	return !n.Elem.IsInt() || em.rangeIn(v, n.Elem).Within(n.in)
}
