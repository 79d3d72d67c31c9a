package lower

import (
	"go/ast"
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// clause is one way of an if or switch; a nil condition always holds.
type clause struct {
	cond func() value
	body []ast.Stmt
	pre  func() // before the body
}

// branching lowers an if or switch. The statements of rest follow on every way that comes to its end: at most one, or
// there are none.
func (l *lowerer) branching(fr *frame, s ast.Stmt, rest []ast.Stmt) flow {
	switch s := s.(type) {
	case *ast.IfStmt:
		if s.Init != nil {
			l.stmt(fr, s.Init)
		}
		cs := []clause{{cond: func() value { return l.cond(fr, s.Cond) }, body: s.Body.List}}
		if s.Else != nil {
			cs = append(cs, clause{body: []ast.Stmt{s.Else}})
		}
		return l.clauses(fr, s.Pos(), cs, rest)
	case *ast.SwitchStmt:
		return l.within(fr, s, false, func() flow { return l.clauses(fr, s.Pos(), l.switchClauses(fr, s), rest) })
	case *ast.TypeSwitchStmt:
		return l.within(fr, s, false, func() flow { return l.clauses(fr, s.Pos(), l.typeClauses(fr, s), rest) })
	}
	panic("BUG: lower: not a branch")
}

// cond evaluates a condition, which must be one truth value.
func (l *lowerer) cond(fr *frame, e ast.Expr) value {
	v := l.eval(fr, e)
	if x, ok := v.(*tile); ok && len(x.desc.Shape) != 0 {
		l.Fail(e.Pos(), "the condition is a mask of shape %v, not one truth value: %s", x.desc.Shape, maskAdvice(x.desc.Shape))
	}
	return v
}

// maskAdvice says what to do with a mask of some shape where one truth value is needed.
func maskAdvice(shape []int) string {
	for _, n := range shape {
		if n != 1 {
			return "use Where"
		}
	}
	return "make the compared tile a number, as in tile.Reshape[tile.F32](v.Sum0()) > 0"
}

func (l *lowerer) clauses(fr *frame, pos token.Pos, cs []clause, rest []ast.Stmt) flow {
	if len(cs) == 0 {
		return l.stmts(fr, rest)
	}
	c := cs[0]
	then := func() flow {
		if c.pre != nil {
			c.pre()
		}
		if len(rest) == 0 {
			return l.stmts(fr, c.body)
		}
		return l.stmts(fr, append(append([]ast.Stmt{}, c.body...), rest...))
	}
	els := func() flow { return l.clauses(fr, pos, cs[1:], rest) }
	if c.cond == nil {
		return l.scope(fr, then)
	}
	cv := c.cond()
	if k, ok := cv.(constant.Value); ok {
		if constant.BoolVal(k) {
			return l.scope(fr, then)
		}
		return els()
	}
	x, ok := cv.(*tile)
	l.Must(ok, pos, "the condition is not a truth value")
	return l.branch(fr, pos, x, then, els)
}

// side is one region of an if and what it leaves behind.
type side struct {
	blk   *tileir.Block
	flow  flow
	after []value // the cells
}

func (s *side) goesOn() bool { return s.flow != left }

func (l *lowerer) side(fr *frame, before []value, f func() flow) side {
	blk, fl := l.region(fr, f)
	s := side{blk: blk, flow: fl, after: l.snapshot(len(before))}
	l.restore(before)
	return s
}

func (l *lowerer) branch(fr *frame, pos token.Pos, cond *tile, then, els func() flow) flow {
	before := l.snapshot(len(l.cells))
	a := l.side(fr, before, then)
	b := l.side(fr, before, els)
	l.join(pos, cond, before, a, b)
	switch {
	case !a.goesOn() && !b.goesOn():
		return l.never(fr, pos)
	case a.flow != next && b.flow != next:
		return gone
	}
	return next
}

// join ends both sides of a branch and merges the parts of variables in which they differ.
func (l *lowerer) join(pos token.Pos, cond *tile, before []value, a, b side) {
	m := &merge{l: l, pos: pos, a: a, b: b}
	for _, results := range []bool{true, false} { // a function's results come first
		for i, c := range l.cells[:len(before)] {
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
	l.ends(a, m.ya)
	l.ends(b, m.yb)
	from := m.ya
	if !a.goesOn() {
		from = m.yb
	}
	res := like(from)
	l.ifOp(cond, res, a.blk, b.blk)
	for i, p := range m.parts {
		p.set(res[i])
	}
}

// merge is a join on its way: the parts that it yields.
type merge struct {
	l      *lowerer
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
	x, y = m.l.agree(m.pos, p, x, y, m.a.blk, m.b.blk)
	if m.a.goesOn() {
		m.l.inBlock(m.a.blk, func() { m.ya = append(m.ya, m.l.carry(m.pos, p, x)) })
	}
	if m.b.goesOn() {
		m.l.inBlock(m.b.blk, func() { m.yb = append(m.yb, m.l.carry(m.pos, p, y)) })
	}
	m.parts = append(m.parts, p)
	return x
}

func isTile(v value) bool { _, ok := v.(*tile); return ok }

func poisoned(v value) bool { _, ok := v.(poison); return ok }

// ends yields from a side that has not left by itself.
func (l *lowerer) ends(s side, vs []*tile) {
	if s.goesOn() {
		l.inBlock(s.blk, func() { l.terminate("yield", vs) })
	}
}

// region lowers into a block of its own.
func (l *lowerer) region(fr *frame, f func() flow) (b *tileir.Block, fl flow) {
	b = &tileir.Block{}
	l.inBlock(b, func() { fl = l.scope(fr, f) })
	return b, fl
}

func (l *lowerer) inBlock(b *tileir.Block, f func()) {
	save := l.blk
	l.blk = b
	f()
	l.blk = save
}

func (l *lowerer) push(o *tileir.Op) {
	l.Spend(limit.Operations, 1)
	l.Spend(limit.Memory, opBytes)
	l.blk.Ops = append(l.blk.Ops, o)
	if l.blk == l.pro {
		for _, r := range o.Results {
			l.early[r] = true
		}
	}
}

// control emits structured control flow, whose results were made before.
func (l *lowerer) control(name string, groups [][]*tileir.Value, res []*tile, regions ...*tileir.Block) {
	o := tileir.NewOp(tileir.Lookup(name), groups, nil, nil, regions, l.loc())
	for _, r := range res {
		r.v.Def = o
		o.Results = append(o.Results, r.v)
	}
	l.push(o)
}

func (l *lowerer) terminate(name string, vs []*tile) {
	l.control(name, [][]*tileir.Value{irValues(vs)}, nil)
}

func (l *lowerer) ifOp(cond *tile, res []*tile, then, els *tileir.Block) {
	l.control("if", [][]*tileir.Value{{cond.v}}, res, then, els)
}
