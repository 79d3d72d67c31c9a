package lower

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// side is one region of an if and what it leaves behind.
type side struct {
	blk   *tileir.Block
	flow  flow
	after []value // the cells
}

func (s *side) goesOn() bool { return s.flow != left }

func (em *emitter) side(in *inlined, before []value, f func() flow) side {
	blk, fl := em.region(in, f)
	s := side{blk: blk, flow: fl, after: em.snapshot(len(before))}
	em.restore(before)
	return s
}

// branch lowers both sides of an if. It gives left where neither side goes on: the code behind is never reached.
func (em *emitter) branch(in *inlined, pos token.Pos, cond *tile, then, els func() flow) flow {
	before := em.snapshot(len(em.cells))
	a := em.side(in, before, then)
	b := em.side(in, before, els)
	em.join(pos, cond, before, a, b)
	switch {
	case !a.goesOn() && !b.goesOn():
		return left
	case a.flow != next && b.flow != next:
		return gone
	}
	return next
}

// join ends both sides of a branch and merges the parts of variables in which they differ.
func (em *emitter) join(pos token.Pos, cond *tile, before []value, a, b side) {
	m := &merge{em: em, pos: pos, a: a, b: b}
	for _, results := range []bool{true, false} { // a function's results come first
		for i, c := range em.cells[:len(before)] {
			x, y := a.after[i], b.after[i]
			if !a.goesOn() {
				x = y
			} else if !b.goesOn() {
				y = x
			}
			if c.result == results && (a.goesOn() || b.goesOn()) && (x != before[i] || y != before[i]) {
				c.v = x // whose types the parts have
				c.v = m.value(&place{c: c}, before[i], x, y)
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
	em.ifOp(cond, res, a.blk, b.blk)
	for i, p := range m.parts {
		p.set(res[i])
	}
}

// merge is a join on its way: the parts that it yields.
type merge struct {
	em     *emitter
	pos    token.Pos
	a, b   side
	parts  []*place
	ya, yb []*tile
}

// value merges the values x and y of a part, which was old before the branch. Of a side that does not go on the value
// is that of the other one.
func (m *merge) value(p *place, old, x, y value) value {
	xs, ys, olds := partsOf(x), partsOf(y), partsOf(old)
	if xs == nil || len(xs) != len(ys) || !alike(x, y) {
		return m.leaf(p, old, x, y)
	}
	if len(olds) != len(xs) || !alike(old, x) {
		olds = make([]value, len(xs))
	}
	out, changed := make([]value, len(xs)), false
	for i := range xs {
		out[i] = m.value(p.part(i), olds[i], xs[i], ys[i])
		changed = changed || out[i] != xs[i]
	}
	if !changed {
		return x
	}
	return compound(x, out)
}

func (m *merge) leaf(p *place, old, x, y value) value {
	switch {
	case old != nil && same(x, old) && same(y, old):
		return x
	case poisoned(x) || poisoned(y):
		return poison{}
	case same(x, y) && !isTile(x):
		return x
	case x == unset{} && !isTile(y):
		return y
	case y == unset{} && !isTile(x):
		return x
	}
	x, y = m.em.agree(m.pos, p, x, y, m.a.blk, m.b.blk)
	if m.a.goesOn() {
		m.em.inBlock(m.a.blk, func() { m.ya = append(m.ya, m.em.carry(m.pos, p, x)) })
	}
	if m.b.goesOn() {
		m.em.inBlock(m.b.blk, func() { m.yb = append(m.yb, m.em.carry(m.pos, p, y)) })
	}
	m.parts = append(m.parts, p)
	return x
}

func isTile(v value) bool { _, ok := v.(*tile); return ok }

func poisoned(v value) bool { _, ok := v.(poison); return ok }

// ends yields from a side that has not left by itself.
func (em *emitter) ends(s side, vs []*tile) {
	if s.goesOn() {
		em.inBlock(s.blk, func() { em.terminate("yield", vs) })
	}
}

// region lowers into a block of its own.
func (em *emitter) region(in *inlined, f func() flow) (b *tileir.Block, fl flow) {
	b = &tileir.Block{}
	em.inBlock(b, func() { fl = em.scope(in, f) })
	return b, fl
}

func (em *emitter) inBlock(b *tileir.Block, f func()) {
	save := em.blk
	em.blk = b
	f()
	em.blk = save
}

func (em *emitter) push(o *tileir.Op) {
	em.Spend(limit.Operations, 1)
	em.Spend(limit.Memory, opBytes)
	em.blk.Ops = append(em.blk.Ops, o)
	if em.blk == em.pro {
		for _, r := range o.Results {
			em.early[r] = true
		}
	}
}

// control emits structured control flow, whose results were made before.
func (em *emitter) control(name string, groups [][]*tileir.Value, res []*tile, regions ...*tileir.Block) {
	o := tileir.NewOp(tileir.Lookup(name), groups, nil, nil, regions, em.loc())
	for _, r := range res {
		r.v.Def = o
		o.Results = append(o.Results, r.v)
	}
	em.push(o)
}

func (em *emitter) terminate(name string, vs []*tile) {
	em.control(name, [][]*tileir.Value{irValues(vs)}, nil)
}

func (em *emitter) ifOp(cond *tile, res []*tile, then, els *tileir.Block) {
	em.control("if", [][]*tileir.Value{{cond.v}}, res, then, els)
}

// flow says how a statement ends.
type flow int

const (
	next flow = iota // what follows runs, unless the exit cell says otherwise
	left             // the block has ended: by break, continue or return of Tile IR
	gone             // an exit is on its way: what follows is skipped
)

func isZero(v value) bool {
	k, ok := v.(constant.Value)
	return ok && k.Kind() == constant.Int && constant.Sign(k) == 0
}
