package lower

import (
	"go/ast"
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/tileir"
)

// branching lowers an if or switch. With ret each way goes on with the rest of the function, as some of them return.
func (l *lowerer) branching(fr *frame, s ast.Stmt, rest []ast.Stmt, ret bool) flow {
	var cs []clause
	switch s := s.(type) {
	case *ast.IfStmt:
		if s.Init != nil {
			l.stmt(fr, s.Init)
		}
		if ret && l.guard(fr, s) {
			return l.stmts(fr, rest)
		}
		cs = append(cs, clause{func() value { return l.cond(fr, s.Cond) }, s.Body.List})
		if s.Else != nil {
			cs = append(cs, clause{nil, []ast.Stmt{s.Else}})
		}
	case *ast.SwitchStmt:
		cs = l.switchClauses(fr, s)
	}
	return l.clauses(fr, s.Pos(), cs, rest, ret)
}

// guard lowers `if cond { …; return }` of the kernel itself: the device can return there.
func (l *lowerer) guard(fr *frame, s *ast.IfStmt) bool {
	n := len(s.Body.List)
	if l.depth != 1 || s.Else != nil || n == 0 || len(l.loops) > 0 || fr.parent != nil {
		return false
	}
	if _, ok := s.Body.List[n-1].(*ast.ReturnStmt); !ok || returnsBefore(s.Body.List[:n-1]) {
		return false
	}
	x, ok := l.cond(fr, s.Cond).(*tile)
	if !ok {
		return false
	}
	before := l.snapshot(len(l.cells))
	then, _ := l.region(func() flow { return l.stmts(fr, s.Body.List) })
	l.inBlock(then, func() { l.terminate("return", nil) })
	els, _ := l.region(func() flow { l.terminate("yield", nil); return left })
	l.ifOp(x, nil, then, els)
	l.restore(before)
	return true
}

func returnsBefore(list []ast.Stmt) bool {
	for _, s := range list {
		if returns(s) {
			return true
		}
	}
	return false
}

// cond evaluates a condition, which must be one truth value.
func (l *lowerer) cond(fr *frame, e ast.Expr) value {
	v := l.eval(fr, e)
	if x, ok := v.(*tile); ok && len(x.desc.Shape) != 0 {
		l.fail(e.Pos(), "the condition is a mask of shape %v, not one truth value: use Where", x.desc.Shape)
	}
	return v
}

func (l *lowerer) clauses(fr *frame, pos token.Pos, cs []clause, rest []ast.Stmt, ret bool) flow {
	if len(cs) == 0 {
		return l.stmts(fr, rest)
	}
	c := cs[0]
	then := func() flow {
		if ret {
			return l.stmts(fr, append(append([]ast.Stmt{}, c.body...), rest...))
		}
		return l.stmts(fr, c.body)
	}
	els := func() flow { return l.clauses(fr, pos, cs[1:], rest, ret) }
	if c.cond == nil {
		return l.scope(then)
	}
	cv := c.cond()
	if k, ok := cv.(constant.Value); ok {
		if constant.BoolVal(k) {
			return l.scope(then)
		}
		return els()
	}
	x, ok := cv.(*tile)
	l.must(ok, pos, "the condition is not a truth value")
	if ret {
		return l.branchReturn(fr, pos, x, then, els)
	}
	return l.branch(pos, x, then, els)
}

// side is one region of an if and what it leaves behind.
type side struct {
	blk   *tileir.Block
	flow  flow
	after []value // the cells
	ret   []value // results of the function, where it returns
}

func (l *lowerer) side(fr *frame, before []value, f func() flow) side {
	blk, fl := l.region(f)
	s := side{blk: blk, flow: fl, after: l.snapshot(len(before))}
	if fr != nil {
		s.ret = fr.ret
	}
	l.restore(before)
	return s
}

func (l *lowerer) branch(pos token.Pos, cond *tile, then, els func() flow) flow {
	before := l.snapshot(len(l.cells))
	a := l.side(nil, before, then)
	b := l.side(nil, before, els)
	l.join(pos, cond, before, a, b, nil)
	if a.flow == left && b.flow == left {
		l.leave(pos, false) // never reached, but the block needs an end
		return left
	}
	return next
}

// branchReturn lowers a branch that ends the function on both sides.
func (l *lowerer) branchReturn(fr *frame, pos token.Pos, cond *tile, then, els func() flow) flow {
	l.must(len(l.loops) == fr.loops, pos, "a return inside a loop is not possible in a kernel: use break and a variable")
	before := l.snapshot(len(l.cells))
	a := l.side(fr, before, then)
	b := l.side(fr, before, els)
	if len(fr.sig) != len(a.ret) || len(fr.sig) != len(b.ret) {
		a.ret, b.ret = nil, nil // a function without results
	}
	fr.ret = l.join(pos, cond, before, a, b, fr)
	return returned
}

// join ends both sides of a branch and merges the cells that differ, and the function's results where fr is given.
func (l *lowerer) join(pos token.Pos, cond *tile, before []value, a, b side, fr *frame) (ret []value) {
	var merged []*cell
	var ya, yb []*tile
	yield := func(c *cell, va, vb value) {
		va, vb = l.agreeOn(pos, c, va, vb, a, b)
		merged = append(merged, c)
		if a.flow != left {
			l.inBlock(a.blk, func() { ya = append(ya, l.flatten(pos, c, va, c.typ)...) })
		}
		if b.flow != left {
			l.inBlock(b.blk, func() { yb = append(yb, l.flatten(pos, c, vb, c.typ)...) })
		}
		c.v = va
		if a.flow == left {
			c.v = vb
		}
	}
	for i := range a.ret {
		yield(&cell{name: "result", typ: fr.sig[i]}, a.ret[i], b.ret[i])
	}
	for i, c := range l.cells[:len(before)] {
		da, db := a.flow != left && !same(a.after[i], before[i]), b.flow != left && !same(b.after[i], before[i])
		switch {
		case !da && !db:
		case a.flow != left && b.flow != left && same(a.after[i], b.after[i]) && isConst(a.after[i]):
			c.v = a.after[i]
		case poisoned(a.after[i]) || poisoned(b.after[i]):
			c.v = poison{}
		default:
			yield(c, a.after[i], b.after[i])
		}
	}
	l.ends(a, ya)
	l.ends(b, yb)
	from := ya
	if a.flow == left {
		from = yb
	}
	res := like(from)
	l.ifOp(cond, res, a.blk, b.blk)
	rest := res
	for _, c := range merged {
		c.v = rebuild(c.v, &rest)
	}
	for i := range a.ret {
		ret = append(ret, merged[i].v)
	}
	return ret
}

func (l *lowerer) agreeOn(pos token.Pos, c *cell, va, vb value, a, b side) (value, value) {
	if poisoned(va) || poisoned(vb) {
		panic(bailout{})
	}
	if a.flow == left || b.flow == left {
		return va, vb
	}
	l.inBlock(b.blk, func() { va, vb = l.agree(pos, c.name, va, vb) })
	return va, vb
}

func poisoned(v value) bool { _, ok := v.(poison); return ok }

// ends yields from a side that has not left by itself.
func (l *lowerer) ends(s side, vs []*tile) {
	if s.flow != left {
		l.inBlock(s.blk, func() { l.terminate("yield", vs) })
	}
}

// region lowers into a block of its own.
func (l *lowerer) region(f func() flow) (b *tileir.Block, fl flow) {
	b = &tileir.Block{}
	l.inBlock(b, func() { fl = l.scope(f) })
	return b, fl
}

func (l *lowerer) inBlock(b *tileir.Block, f func()) {
	save := l.blk
	l.blk = b
	f()
	l.blk = save
}

func (l *lowerer) push(o *tileir.Op) {
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
