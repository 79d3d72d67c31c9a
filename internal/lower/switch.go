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
}

func (l *lowerer) switchClauses(fr *frame, s *ast.SwitchStmt) []clause {
	if s.Init != nil {
		l.stmt(fr, s.Init)
	}
	var tag value
	if s.Tag != nil {
		tag = l.eval(fr, s.Tag)
	}
	var cs []clause
	var last *clause
	for _, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		for _, b := range cc.Body {
			if bs, ok := b.(*ast.BranchStmt); ok && bs.Tok == token.FALLTHROUGH {
				l.fail(bs.Pos(), "a kernel cannot fall through to the next case")
			}
			if holds(b, func(n ast.Node) bool {
				bs, ok := n.(*ast.BranchStmt)
				return ok && bs.Tok == token.BREAK
			}, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.ForStmt, *ast.RangeStmt:
					return true
				}
				return false
			}) {
				l.fail(b.Pos(), "a kernel cannot break out of a switch")
			}
		}
		c := clause{func() value { return l.matches(fr, s, tag, cc) }, cc.Body}
		if cc.List == nil {
			c.cond = nil
			last = &c
			continue
		}
		cs = append(cs, c)
	}
	if last != nil {
		cs = append(cs, *last)
	}
	return cs
}

// matches is the condition of a case: one of its expressions holds, or equals the tag.
func (l *lowerer) matches(fr *frame, s *ast.SwitchStmt, tag value, cc *ast.CaseClause) value {
	var any value = constant.MakeBool(false)
	for _, e := range cc.List {
		var is value
		if s.Tag == nil {
			is = l.cond(fr, e)
		} else {
			is = l.compare(e.Pos(), token.EQL, tag, l.eval(fr, e), l.typeOf(fr, s.Tag))
		}
		any = l.binary(e.Pos(), token.LOR, any, is, nil)
	}
	return any
}
