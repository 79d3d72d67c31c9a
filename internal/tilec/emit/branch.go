package emit

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// Side is one region of an if, and what it leaves behind.
type Side struct {
	Block *tileir.Block
	Flow  Flow
	After []Value // the values of the cells at its end
}

// goesOn reports whether control comes to the end of the side.
func (s *Side) goesOn() bool { return s.Flow != Left }

// Side lowers one side of a branch into a block of its own. It restores the cells, so that the
// other side begins with the values that they had before the branch.
func (em *Emitter) Side(in *Inlined, before []Value, f func() Flow) Side {
	blk, fl := em.region(in, f)
	s := Side{Block: blk, Flow: fl, After: em.Snapshot(len(before))}
	em.Restore(before)
	return s
}

// Branch lowers both sides of an if. It returns [Left] if neither side goes on: the code behind the
// branch is then never reached.
func (em *Emitter) Branch(in *Inlined, pos token.Pos, cond *Tile, then, els func() Flow) Flow {
	before := em.Snapshot(len(em.Cells))
	a := em.Side(in, before, then)
	b := em.Side(in, before, els)
	em.Join(pos, cond, before, a, b)
	switch {
	case !a.goesOn() && !b.goesOn():
		return Left
	case a.Flow != Next && b.Flow != Next:
		return Gone
	}
	return Next
}

// Join ends both sides of a branch and merges the parts of variables in which they differ. The if
// yields these parts, since Tile IR has no variables that both sides could set.
func (em *Emitter) Join(pos token.Pos, cond *Tile, before []Value, a, b Side) {
	// Cells are compared in the order of their declaration, which is that of the yields.
	m := &merge{em: em, pos: pos, a: a, b: b}
	// The results of a function come first, in a fixed order, so that the text of the IR does not
	// depend on other variables.
	for _, results := range []bool{true, false} {
		for i, c := range em.Cells[:len(before)] {
			x, y := a.After[i], b.After[i]
			// Control comes to the end from the other side only, so its values count.
			if !a.goesOn() {
				x = y
			} else if !b.goesOn() {
				y = x
			}
			if c.Result == results && (a.goesOn() || b.goesOn()) && (x != before[i] || y != before[i]) {
				// The parts take their types from the value that the cell holds.
				c.V = x
				c.V = m.value(&Place{Cell: c}, before[i], x, y)
			}
		}
	}
	em.ends(a, m.ya)
	em.ends(b, m.yb)
	// Both sides yield values of the same types, and a side that has left yields none.
	from := m.ya
	if !a.goesOn() {
		from = m.yb
	}
	res := like(from)
	em.ifOp(cond, res, a.Block, b.Block)
	// Behind the branch the parts are the results of the if.
	for i, p := range m.parts {
		p.Set(res[i])
	}
}

// merge is a join in progress. It gathers the parts that the two sides yield.
type merge struct {
	em     *Emitter
	pos    token.Pos
	a, b   Side
	parts  []*Place
	ya, yb []*Tile
}

// value merges the values x and y of a part, which was old before the branch. If one side does not
// go on, its value is that of the other side. The parts of a struct or an array are merged one by
// one, so that only those which changed are yielded.
func (m *merge) value(p *Place, old, x, y Value) Value {
	xs, ys, olds := PartsOf(x), PartsOf(y), PartsOf(old)
	if xs == nil || len(xs) != len(ys) || !alike(x, y) {
		return m.leaf(p, old, x, y)
	}
	if len(olds) != len(xs) || !alike(old, x) {
		// The old value had other parts, so none of the new ones can equal it.
		olds = make([]Value, len(xs))
	}
	out, changed := make([]Value, len(xs)), false
	for i := range xs {
		out[i] = m.value(p.Part(i), olds[i], xs[i], ys[i])
		changed = changed || out[i] != xs[i]
	}
	if !changed {
		return x
	}
	return compound(x, out)
}

// leaf merges two values that have no parts, or whose parts differ in their types.
func (m *merge) leaf(p *Place, old, x, y Value) Value {
	switch {
	// Neither side changed the part: it need not be yielded.
	case old != nil && Same(x, old) && Same(y, old):
		return x
	case Poisoned(x) || Poisoned(y):
		return Poison{}
	case Same(x, y) && !isTile(x):
		return x
	// One side has not set the result, so nothing reads it on that path, and the constant of the
	// other side will do.
	case x == Unset{} && !isTile(y):
		return y
	case y == Unset{} && !isTile(x):
		return x
	}
	// From here on the two values are different at run time: each side yields its own.
	x, y = m.em.agree(m.pos, p, x, y, m.a.Block, m.b.Block)
	if m.a.goesOn() {
		m.em.InBlock(m.a.Block, func() { m.ya = append(m.ya, m.em.carry(m.pos, p, x)) })
	}
	if m.b.goesOn() {
		m.em.InBlock(m.b.Block, func() { m.yb = append(m.yb, m.em.carry(m.pos, p, y)) })
	}
	m.parts = append(m.parts, p)
	return x
}

// ends yields from a side, unless the side has already left its block.
func (em *Emitter) ends(s Side, vs []*Tile) {
	if s.goesOn() {
		em.InBlock(s.Block, func() { em.Terminate("yield", vs) })
	}
}

// region lowers code into a block of its own.
func (em *Emitter) region(in *Inlined, f func() Flow) (b *tileir.Block, fl Flow) {
	b = &tileir.Block{}
	em.InBlock(b, func() { fl = em.Scope(in, f) })
	return b, fl
}

// InBlock makes the operations that f emits go to a block.
func (em *Emitter) InBlock(b *tileir.Block, f func()) {
	// The calls of f may themselves change the block, and end where they began.
	save := em.Block
	em.Block = b
	f()
	em.Block = save
}

// Push puts an operation at the end of the current block. Results of the prologue are early:
// operations of the prologue can use them.
func (em *Emitter) Push(o *tileir.Op) {
	// A kernel that unrolls without end stops at a limit instead of taking all memory.
	em.Spend(limit.Operations, 1)
	em.Spend(limit.Memory, opBytes)
	em.Block.Ops = append(em.Block.Ops, o)
	if em.Block == em.Prologue {
		for _, r := range o.Results {
			em.Early[r] = true
		}
	}
}

// control emits an operation of structured control flow. Its results were made before it, as the
// values of variables.
func (em *Emitter) control(name string, groups [][]*tileir.Value, res []*Tile, regions ...*tileir.Block) {
	// These operations have no attributes of their own, except for the comparison of a loop.
	o := tileir.NewOp(tileir.Lookup(name), groups, nil, nil, regions, em.Loc())
	for _, r := range res {
		r.V.Def = o
		o.Results = append(o.Results, r.V)
	}
	em.Push(o)
}

// Terminate ends the block with the terminator of that name.
func (em *Emitter) Terminate(name string, vs []*Tile) {
	em.control(name, [][]*tileir.Value{IRValues(vs)}, nil)
}

// ifOp emits an if with both of its blocks.
func (em *Emitter) ifOp(cond *Tile, res []*Tile, then, els *tileir.Block) {
	em.control("if", [][]*tileir.Value{{cond.V}}, res, then, els)
}

// Flow tells how a statement ends.
type Flow int

const (
	Next Flow = iota // the next statement runs, unless the exit cell tells otherwise
	Left             // the block has ended with break, continue or return of Tile IR
	Gone             // an exit is in progress, and the next statements are skipped
)
