package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// forLoop lowers a for statement as a loop of Tile IR.
func (l *lowerer) forLoop(fr *frame, s *ast.ForStmt) {
	// A counted loop of Tile IR cannot be left early.
	if s.Init != nil && !fr.exits.leaves(s) && l.counted(fr, s) {
		return
	}
	var cond func() emit.Value
	if s.Cond != nil {
		cond = func() emit.Value { return l.cond(fr, s.Cond) }
	} else {
		// A loop of Tile IR needs a way out, and a launch would not end.
		l.Must(fr.exits.leaves(s), s.Pos(), "this loop never ends: it has no condition and no break")
	}
	l.generalLoop(fr, s, cond, func() {
		if s.Post != nil {
			l.stmt(fr, s.Post)
		}
	}, func() emit.Flow { return l.stmts(fr, s.Body.List) })
}

// counted lowers `for i := a; i < b; i += c` as a counted loop, if b and c do not change in the
// loop and c is positive. A counted loop tells the assembler how often it runs and lets the passes
// bound its counter, which a general loop does not.
//
// Whether b and c change is known only when the body has been lowered. So counted lowers the loop,
// looks whether anything that b or c read is carried, and takes it all back if so.
func (l *lowerer) counted(fr *frame, s *ast.ForStmt) bool {
	v, bound, step, ok := l.countedForm(fr, s)
	if !ok {
		return false
	}
	ops, saved, errs, reads := len(l.Block.Ops), l.Snapshot(len(l.Cells)), len(l.Errs), l.Reads
	wanted := l.Wanted
	// Everything that b and c read is gathered here.
	used := []*emit.Place{}
	l.Reads = &used
	var st emit.Value = constant.MakeInt64(1)
	if step != nil {
		st = l.eval(fr, step)
	}
	end := l.eval(fr, bound)
	// The loop around this one may gather its own reads, to which these belong.
	l.Reads = reads
	for _, p := range used {
		l.ReadPart(p)
	}
	// The body must not set the counter either.
	used = append(used, &emit.Place{Cell: v})
	ok = positive(st) && slices.EqualFunc(saved, l.Snapshot(len(saved)), emit.Same)
	// Go evaluates b and c before every turn, so they must not have effects.
	for _, o := range l.Block.Ops[ops:] {
		ok = ok && o.Info.Pure
	}
	if ok {
		lo, hi := l.As(s.Pos(), v.V, v.Type), l.As(s.Pos(), end, v.Type)
		if k, isK := v.V.(constant.Value); isK && constant.Sign(k) >= 0 {
			// A counter that begins at 0 or above never is below it, which lets passes count it in
			// fewer bits.
			lo.Min = new(int64)
		}
		lc := l.countedLoop(fr, s, lo, hi, l.As(s.Pos(), st, v.Type), v, func(*emit.Tile) emit.Flow { return l.stmts(fr, s.Body.List) })
		// A part that the loop carries is one that it changes.
		ok = !slices.ContainsFunc(lc.Carried, func(p *emit.Place) bool { return slices.ContainsFunc(used, p.Overlaps) })
	}
	if !ok {
		// A clause changes in the body or has an effect: the loop is lowered again as a general
		// one.
		l.Block.Ops, l.Errs, l.Wanted = l.Block.Ops[:ops], l.Errs[:errs], wanted
		l.Restore(saved)
	}
	return ok
}

// countedForm recognizes the three clauses of such a loop, and gives its variable, the bound and
// the step.
func (l *lowerer) countedForm(fr *frame, s *ast.ForStmt) (v *emit.Cell, bound, step ast.Expr, ok bool) {
	init, _ := s.Init.(*ast.AssignStmt)
	cond, _ := s.Cond.(*ast.BinaryExpr)
	if init == nil || cond == nil || init.Tok != token.DEFINE || len(init.Lhs) != 1 || cond.Op != token.LSS {
		return nil, nil, nil, false
	}
	id, _ := init.Lhs[0].(*ast.Ident)
	v = fr.find(fr.pkg.Info.Defs[id])
	if v == nil || emit.Poisoned(v.V) {
		return nil, nil, nil, false
	}
	// All three clauses must be about the same variable.
	isVar := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && fr.find(fr.pkg.Info.Uses[id]) == v
	}
	// Tile IR counts integers only.
	if d := l.TileDesc(v.Type); d == nil || !d.Elem.IR.IsInt() {
		return nil, nil, nil, false
	}
	switch p := s.Post.(type) {
	// i++ counts by 1, and needs no step.
	case *ast.IncDecStmt:
		return v, cond.Y, nil, p.Tok == token.INC && isVar(p.X) && isVar(cond.X)
	case *ast.AssignStmt:
		return v, cond.Y, p.Rhs[0], p.Tok == token.ADD_ASSIGN && isVar(p.Lhs[0]) && isVar(cond.X)
	}
	return nil, nil, nil, false
}

// positive reports whether a step is known to be positive.
func positive(v emit.Value) bool {
	switch x := v.(type) {
	case constant.Value:
		return x.Kind() == constant.Int && constant.Sign(x) > 0
	case *emit.Tile:
		return x.Min != nil && *x.Min > 0
	}
	return false
}
