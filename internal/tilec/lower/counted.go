package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
)

// forLoop lowers a loop with a condition, or without, as one of Tile IR.
func (l *lowerer) forLoop(fr *frame, s *ast.ForStmt) {
	if s.Init != nil && !fr.exits.leaves(s) && l.counted(fr, s) {
		return
	}
	var cond func() value
	if s.Cond != nil {
		cond = func() value { return l.cond(fr, s.Cond) }
	} else {
		l.Must(fr.exits.leaves(s), s.Pos(), "this loop never ends: it has no condition and no break")
	}
	l.generalLoop(fr, s, cond, func() {
		if s.Post != nil {
			l.stmt(fr, s.Post)
		}
	}, func() flow { return l.stmts(fr, s.Body.List) })
}

// counted lowers `for i := a; i < b; i += c` as a counted loop where b and c do not change and c is positive.
func (l *lowerer) counted(fr *frame, s *ast.ForStmt) bool {
	v, bound, step, ok := l.countedForm(fr, s)
	if !ok {
		return false
	}
	ops, saved, errs, reads := len(l.blk.Ops), l.snapshot(len(l.cells)), len(l.Errs), l.reads
	wanted := l.wanted
	used := []*place{}
	l.reads = &used
	var st value = constant.MakeInt64(1)
	if step != nil {
		st = l.eval(fr, step)
	}
	end := l.eval(fr, bound)
	l.reads = reads
	for _, p := range used {
		l.readPart(p)
	}
	used = append(used, &place{c: v})
	ok = positive(st) && slices.EqualFunc(saved, l.snapshot(len(saved)), same)
	for _, o := range l.blk.Ops[ops:] {
		ok = ok && o.Info.Pure
	}
	if ok {
		lo, hi := l.as(s.Pos(), v.v, v.typ), l.as(s.Pos(), end, v.typ)
		if k, isK := v.v.(constant.Value); isK && constant.Sign(k) >= 0 {
			lo.min = new(int64)
		}
		lc := l.countedLoop(fr, s, lo, hi, l.as(s.Pos(), st, v.typ), v, func(*tile) flow { return l.stmts(fr, s.Body.List) })
		ok = !slices.ContainsFunc(lc.carried, func(p *place) bool { return slices.ContainsFunc(used, p.overlaps) })
	}
	if !ok { // a clause changes in the body, or has an effect
		l.blk.Ops, l.Errs, l.wanted = l.blk.Ops[:ops], l.Errs[:errs], wanted
		l.restore(saved)
	}
	return ok
}

// overlaps reports whether two places share a part.
func (p *place) overlaps(q *place) bool {
	n := min(len(p.path), len(q.path))
	return p.c == q.c && slices.Equal(p.path[:n], q.path[:n])
}

// countedForm recognises the three clauses.
func (l *lowerer) countedForm(fr *frame, s *ast.ForStmt) (v *cell, bound, step ast.Expr, ok bool) {
	init, _ := s.Init.(*ast.AssignStmt)
	cond, _ := s.Cond.(*ast.BinaryExpr)
	if init == nil || cond == nil || init.Tok != token.DEFINE || len(init.Lhs) != 1 || cond.Op != token.LSS {
		return nil, nil, nil, false
	}
	id, _ := init.Lhs[0].(*ast.Ident)
	v = fr.find(fr.pkg.Info.Defs[id])
	if v == nil || poisoned(v.v) {
		return nil, nil, nil, false
	}
	isVar := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && fr.find(fr.pkg.Info.Uses[id]) == v
	}
	if d := l.tileDesc(v.typ); d == nil || !d.Elem.IR.IsInt() {
		return nil, nil, nil, false
	}
	switch p := s.Post.(type) {
	case *ast.IncDecStmt:
		return v, cond.Y, nil, p.Tok == token.INC && isVar(p.X) && isVar(cond.X)
	case *ast.AssignStmt:
		return v, cond.Y, p.Rhs[0], p.Tok == token.ADD_ASSIGN && isVar(p.Lhs[0]) && isVar(cond.X)
	}
	return nil, nil, nil, false
}

func positive(v value) bool {
	switch x := v.(type) {
	case constant.Value:
		return x.Kind() == constant.Int && constant.Sign(x) > 0
	case *tile:
		return x.min != nil && *x.min > 0
	}
	return false
}
