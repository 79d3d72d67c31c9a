package lower

import (
	"go/ast"
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// clause is one of the sides of an if or a switch. A nil condition is always true.
type clause struct {
	cond func() emit.Value
	body []ast.Stmt
	pre  func() // runs before the body
}

// branching lowers an if or a switch. The statements of rest follow on every path that comes to the
// end of it. There is at most one such path, or rest is empty: otherwise the statements would be
// lowered several times.
func (l *lowerer) branching(fr *frame, s ast.Stmt, rest []ast.Stmt) emit.Flow {
	switch s := s.(type) {
	case *ast.IfStmt:
		// The scope of the whole statement is around its Init as well.
		if s.Init != nil {
			l.stmt(fr, s.Init)
		}
		cs := []clause{{cond: func() emit.Value { return l.cond(fr, s.Cond) }, body: s.Body.List}}
		if s.Else != nil {
			cs = append(cs, clause{body: []ast.Stmt{s.Else}})
		}
		return l.clauses(fr, s.Pos(), cs, rest)
	case *ast.SwitchStmt:
		return l.within(fr, s, false, func() emit.Flow { return l.clauses(fr, s.Pos(), l.switchClauses(fr, s), rest) })
	case *ast.TypeSwitchStmt:
		return l.within(fr, s, false, func() emit.Flow { return l.clauses(fr, s.Pos(), l.typeClauses(fr, s), rest) })
	}
	panic("BUG: lower: not a branch")
}

// cond evaluates a condition, which must be a single truth value.
func (l *lowerer) cond(fr *frame, e ast.Expr) emit.Value {
	v := l.eval(fr, e)
	if x, ok := v.(*emit.Tile); ok && len(x.Desc.Shape) != 0 {
		l.Fail(e.Pos(), "the condition is a mask of shape %v, not one truth value: %s", x.Desc.Shape, maskAdvice(x.Desc.Shape))
	}
	return v
}

// maskAdvice tells what to write if a mask is used as a condition.
func maskAdvice(shape []int) string {
	for _, n := range shape {
		if n != 1 {
			return "use Where"
		}
	}
	return "make the compared tile a number, as in tile.Reshape[tile.F32](v.Sum0()) > 0"
}

// clauses lowers the clauses of an if or a switch as a chain of ifs. A condition that is known
// chooses its side now, so that code for other types or extents is not even lowered.
func (l *lowerer) clauses(fr *frame, pos token.Pos, cs []clause, rest []ast.Stmt) emit.Flow {
	if len(cs) == 0 {
		return l.stmts(fr, rest)
	}
	c := cs[0]
	then := func() emit.Flow {
		if c.pre != nil {
			c.pre()
		}
		if len(rest) == 0 {
			return l.stmts(fr, c.body)
		}
		// The list is copied, as the clauses share rest.
		return l.stmts(fr, append(append([]ast.Stmt{}, c.body...), rest...))
	}
	// The other clauses are the else of this one.
	els := func() emit.Flow { return l.clauses(fr, pos, cs[1:], rest) }
	if c.cond == nil {
		return l.Scope(&fr.Inlined, then)
	}
	cv := c.cond()
	if k, ok := cv.(constant.Value); ok {
		if constant.BoolVal(k) {
			// The clause runs in any case: no branch is needed.
			return l.Scope(&fr.Inlined, then)
		}
		return els()
	}
	// The condition is known on the device only.
	x, ok := cv.(*emit.Tile)
	l.Must(ok, pos, "the condition is not a truth value")
	return l.branch(fr, pos, x, then, els)
}
