package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// ifStmt evaluates the side that a static condition chooses, or both.
func (ev *evaluator) ifStmt(fr *frame, s *ast.IfStmt) flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	cond := ev.eval(fr, s.Cond)
	ev.at(s.Pos())
	return ev.branchOn(cond, s.Cond.Pos(), func() flow { return ev.stmts(fr.sub(), s.Body.List) }, func() flow {
		if s.Else == nil {
			return flow{}
		}
		return ev.stmt(fr, s.Else)
	})
}

// switchStmt is a chain of ifs.
func (ev *evaluator) switchStmt(fr *frame, s *ast.SwitchStmt, label string) flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	var tag value = constant.MakeBool(true)
	var t types.Type = types.Typ[types.Bool]
	if s.Tag != nil {
		tag, t = ev.eval(fr, s.Tag), ev.typeOf(fr, s.Tag)
	}
	return ev.leavable(label, true, func(*loopState) flow { return ev.cases(fr, s.Body.List, 0, tag, t) })
}

// cases evaluates the clauses from one on; default comes last.
func (ev *evaluator) cases(fr *frame, list []ast.Stmt, i int, tag value, t types.Type) flow {
	for ; i < len(list); i++ {
		c := list[i].(*ast.CaseClause)
		if c.List == nil {
			continue
		}
		ev.at(c.Pos())
		var cond value = constant.MakeBool(false)
		for _, e := range c.List {
			cond = ev.logical(e.Pos(), token.LOR, cond, func() value { return ev.operate(e.Pos(), token.EQL, tag, ev.operandOf(fr, e, t), t) })
		}
		if k, ok := cond.(constant.Value); ok {
			if constant.BoolVal(k) {
				return ev.clause(fr, list, i)
			}
			continue
		}
		return ev.branchOn(cond, c.Pos(), func() flow { return ev.clause(fr, list, i) }, func() flow { return ev.cases(fr, list, i+1, tag, t) })
	}
	for i, c := range list {
		if c.(*ast.CaseClause).List == nil {
			return ev.clause(fr, list, i)
		}
	}
	return flow{}
}

// clause evaluates the statements of a clause, and of those that it falls through to.
func (ev *evaluator) clause(fr *frame, list []ast.Stmt, i int) flow {
	body := list[i].(*ast.CaseClause).Body
	if n := len(body); n > 0 {
		if b, ok := body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			if f := ev.stmts(fr.sub(), body[:n-1]); f.kind != next {
				return f
			}
			return ev.clause(fr, list, i+1)
		}
	}
	return ev.stmts(fr.sub(), body)
}

func (ev *evaluator) labeled(fr *frame, s *ast.LabeledStmt) flow {
	switch x := s.Stmt.(type) {
	case *ast.ForStmt:
		return ev.forStmt(fr, x, s.Label.Name)
	case *ast.RangeStmt:
		return ev.rangeStmt(fr, x, s.Label.Name)
	case *ast.SwitchStmt:
		return ev.switchStmt(fr, x, s.Label.Name)
	case *ast.TypeSwitchStmt:
		return ev.typeSwitch(fr, x, s.Label.Name)
	}
	return ev.stmt(fr, s.Stmt)
}

// branch is break or continue.
func (ev *evaluator) branch(fr *frame, s *ast.BranchStmt) flow {
	ev.Must(s.Tok == token.BREAK || s.Tok == token.CONTINUE, s.Pos(), "%s cannot be compiled", s.Tok)
	l := ev.loop
	for l != nil && (s.Label != nil && l.label != s.Label.Name || s.Label == nil && s.Tok == token.CONTINUE && l.isSwitch) {
		l = l.up
	}
	if l == nil {
		ev.Fail(s.Pos(), "%s leaves no loop of this function", s.Tok)
	}
	kind := breakLoop
	if s.Tok == token.CONTINUE {
		kind = continueLoop
	}
	if l.dynamic {
		to := l.brk
		if kind == continueLoop {
			to = l.cnt
		}
		if to >= 0 {
			ev.b.Branch(to)
			return flow{kind: gone}
		}
	}
	if ev.cur != l.base {
		l.wanted = true
		return flow{kind: gone}
	}
	return flow{kind, l}
}

func (ev *evaluator) returnStmt(fr *frame, s *ast.ReturnStmt) flow {
	c := fr.call
	var vals []value
	if len(s.Results) > 0 {
		vals = ev.evalList(fr, s.Results, len(c.results))
		for i := range vals {
			vals[i] = ev.coerce(vals[i], ev.fromType(fr, s.Results, i), c.results[i].typ)
		}
	} else {
		for _, r := range c.results {
			vals = append(vals, ev.get(r))
		}
	}
	switch {
	case c.exits:
		for i, v := range vals {
			ev.set(c.results[i], v)
		}
		ev.b.Branch(c.end)
		return flow{kind: gone}
	case ev.cur != c.base:
		c.wanted = true
		return flow{kind: gone}
	}
	c.values = vals
	return flow{leaveCall, c}
}
