package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
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
		return l.scope(&fr.inlined, then)
	}
	cv := c.cond()
	if k, ok := cv.(constant.Value); ok {
		if constant.BoolVal(k) {
			return l.scope(&fr.inlined, then)
		}
		return els()
	}
	x, ok := cv.(*tile)
	l.Must(ok, pos, "the condition is not a truth value")
	return l.branch(fr, pos, x, then, els)
}
