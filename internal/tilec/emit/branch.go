package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// Side is one region of an if and what it leaves behind.
type Side struct {
	Block *tileir.Block
	Flow  Flow
	After []Value // the cells
}

func (s *Side) goesOn() bool { return s.Flow != Left }

// Side lowers one side of a branch into a block of its own. The cells are as before afterwards.
func (em *Emitter) Side(in *Inlined, before []Value, f func() Flow) Side {
	blk, fl := em.region(in, f)
	s := Side{Block: blk, Flow: fl, After: em.Snapshot(len(before))}
	em.Restore(before)
	return s
}

// Branch lowers both sides of an if. It gives left where neither side goes on: the code behind is never reached.
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

// Join ends both sides of a branch and merges the parts of variables in which they differ.
func (em *Emitter) Join(pos token.Pos, cond *Tile, before []Value, a, b Side) {
	m := &merge{em: em, pos: pos, a: a, b: b}
	for _, results := range []bool{true, false} { // a function's results come first
		for i, c := range em.Cells[:len(before)] {
			x, y := a.After[i], b.After[i]
			if !a.goesOn() {
				x = y
			} else if !b.goesOn() {
				y = x
			}
			if c.Result == results && (a.goesOn() || b.goesOn()) && (x != before[i] || y != before[i]) {
				c.V = x // whose types the parts have
				c.V = m.value(&Place{Cell: c}, before[i], x, y)
			}
		}
	}
	em.ends(a, m.ya)
	em.ends(b, m.yb)
	from := m.ya
	if !a.goesOn() {
		from = m.yb
	}
	res := like(from)
	em.ifOp(cond, res, a.Block, b.Block)
	for i, p := range m.parts {
		p.Set(res[i])
	}
}

// merge is a join on its way: the parts that it yields.
type merge struct {
	em     *Emitter
	pos    token.Pos
	a, b   Side
	parts  []*Place
	ya, yb []*Tile
}

// value merges the values x and y of a part, which was old before the branch. Of a side that does not go on the value
// is that of the other one.
func (m *merge) value(p *Place, old, x, y Value) Value {
	xs, ys, olds := PartsOf(x), PartsOf(y), PartsOf(old)
	if xs == nil || len(xs) != len(ys) || !alike(x, y) {
		return m.leaf(p, old, x, y)
	}
	if len(olds) != len(xs) || !alike(old, x) {
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

func (m *merge) leaf(p *Place, old, x, y Value) Value {
	switch {
	case old != nil && Same(x, old) && Same(y, old):
		return x
	case Poisoned(x) || Poisoned(y):
		return Poison{}
	case Same(x, y) && !isTile(x):
		return x
	case x == Unset{} && !isTile(y):
		return y
	case y == Unset{} && !isTile(x):
		return x
	}
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

func isTile(v Value) bool { _, ok := v.(*Tile); return ok }

// Poisoned reports whether a mistake left a value undefined.
func Poisoned(v Value) bool { _, ok := v.(Poison); return ok }

// ends yields from a side that has not left by itself.
func (em *Emitter) ends(s Side, vs []*Tile) {
	if s.goesOn() {
		em.InBlock(s.Block, func() { em.Terminate("yield", vs) })
	}
}

// region lowers into a block of its own.
func (em *Emitter) region(in *Inlined, f func() Flow) (b *tileir.Block, fl Flow) {
	b = &tileir.Block{}
	em.InBlock(b, func() { fl = em.Scope(in, f) })
	return b, fl
}

// InBlock has what f emits go to a block.
func (em *Emitter) InBlock(b *tileir.Block, f func()) {
	save := em.Block
	em.Block = b
	f()
	em.Block = save
}

// Push puts an operation at the end of the block.
func (em *Emitter) Push(o *tileir.Op) {
	em.Spend(limit.Operations, 1)
	em.Spend(limit.Memory, opBytes)
	em.Block.Ops = append(em.Block.Ops, o)
	if em.Block == em.Prologue {
		for _, r := range o.Results {
			em.Early[r] = true
		}
	}
}

// control emits structured control flow, whose results were made before.
func (em *Emitter) control(name string, groups [][]*tileir.Value, res []*Tile, regions ...*tileir.Block) {
	o := tileir.NewOp(tileir.Lookup(name), groups, nil, nil, regions, em.Loc())
	for _, r := range res {
		r.V.Def = o
		o.Results = append(o.Results, r.V)
	}
	em.Push(o)
}

// Terminate ends the block by the terminator of that name.
func (em *Emitter) Terminate(name string, vs []*Tile) {
	em.control(name, [][]*tileir.Value{IRValues(vs)}, nil)
}

func (em *Emitter) ifOp(cond *Tile, res []*Tile, then, els *tileir.Block) {
	em.control("if", [][]*tileir.Value{{cond.V}}, res, then, els)
}

// Flow says how a statement ends.
type Flow int

const (
	Next Flow = iota // what follows runs, unless the exit cell says otherwise
	Left             // the block has ended: by break, continue or return of Tile IR
	Gone             // an exit is on its way: what follows is skipped
)

// IsZero reports whether a value is the constant 0.
func IsZero(v Value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.Int && constant.Sign(k) == 0
}
