package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// ifStmt evaluates the side that a static condition chooses, or both sides.
func (ev *evaluator) ifStmt(fr *frame, s *ast.IfStmt) emit.Flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	cond := ev.eval(fr, s.Cond)
	ev.At(s.Pos())
	return ev.BranchOn(cond, s.Cond.Pos(), func() emit.Flow { return ev.stmts(fr.sub(), s.Body.List) }, func() emit.Flow {
		if s.Else == nil {
			return emit.Flow{}
		}
		return ev.stmt(fr, s.Else)
	})
}

// switchStmt evaluates a switch as a chain of ifs, which break may leave.
func (ev *evaluator) switchStmt(fr *frame, s *ast.SwitchStmt, label string) emit.Flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	// As in Go, a switch without a tag compares with true.
	var tag emit.Value = constant.MakeBool(true)
	var t types.Type = types.Typ[types.Bool]
	if s.Tag != nil {
		// The tag is evaluated once, before the cases.
		tag, t = ev.eval(fr, s.Tag), ev.typeOf(fr, s.Tag)
	}
	return ev.Leavable(label, true, func(*emit.Loop) emit.Flow { return ev.cases(fr, s.Body.List, 0, tag, t) })
}

// cases evaluates the clauses from the i-th one on. default comes last, wherever it is written, as
// it runs only if no other clause does.
func (ev *evaluator) cases(fr *frame, list []ast.Stmt, i int, tag emit.Value, t types.Type) emit.Flow {
	for ; i < len(list); i++ {
		c := list[i].(*ast.CaseClause)
		if c.List == nil {
			continue
		}
		ev.At(c.Pos())
		var cond emit.Value = constant.MakeBool(false)
		for _, e := range c.List {
			cond = ev.Logical(e.Pos(), token.LOR, cond, func() emit.Value { return ev.Operate(e.Pos(), token.EQL, tag, ev.operandOf(fr, e, t), t) })
		}
		if k, ok := cond.(constant.Value); ok {
			if constant.BoolVal(k) {
				return ev.clause(fr, list, i)
			}
			continue
		}
		return ev.BranchOn(cond, c.Pos(), func() emit.Flow { return ev.clause(fr, list, i) }, func() emit.Flow { return ev.cases(fr, list, i+1, tag, t) })
	}
	for i, c := range list {
		if c.(*ast.CaseClause).List == nil {
			return ev.clause(fr, list, i)
		}
	}
	return emit.Flow{}
}

// clause evaluates the statements of a clause, and of the clauses that it falls through to.
func (ev *evaluator) clause(fr *frame, list []ast.Stmt, i int) emit.Flow {
	body := list[i].(*ast.CaseClause).Body
	// fallthrough can only be the last statement of a clause.
	if n := len(body); n > 0 {
		if b, ok := body[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			if f := ev.stmts(fr.sub(), body[:n-1]); f.Kind != emit.Next {
				return f
			}
			return ev.clause(fr, list, i+1)
		}
	}
	return ev.stmts(fr.sub(), body)
}

// labeled evaluates a statement with a label. Only loops and switches use it.
func (ev *evaluator) labeled(fr *frame, s *ast.LabeledStmt) emit.Flow {
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

// branch evaluates break or continue. It writes a jump if the loop has labels. Otherwise it ends
// the turn while the program is compiled; if it cannot, because it is in code that may not run, the
// loop is evaluated anew with labels.
func (ev *evaluator) branch(fr *frame, s *ast.BranchStmt) emit.Flow {
	ev.Must(s.Tok == token.BREAK || s.Tok == token.CONTINUE, s.Pos(), "%s cannot be compiled", s.Tok)
	l := ev.Loop
	// Without a label, break leaves the innermost loop or switch, and continue the innermost loop.
	for l != nil && (s.Label != nil && l.Label != s.Label.Name || s.Label == nil && s.Tok == token.CONTINUE && l.Switch) {
		l = l.Up
	}
	if l == nil {
		ev.Fail(s.Pos(), "%s leaves no loop of this function", s.Tok)
	}
	kind := emit.BreakLoop
	if s.Tok == token.CONTINUE {
		kind = emit.ContinueLoop
	}
	if l.Dynamic {
		to := l.Break
		if kind == emit.ContinueLoop {
			to = l.Continue
		}
		// A turn of an unrolled loop may have no label yet: it then ends as if the loop were not
		// dynamic.
		if to >= 0 {
			ev.B.Branch(to)
			return emit.Flow{Kind: emit.Gone}
		}
	}
	// The statement is in a region inside of the loop, so that it may or may not run.
	if ev.Cur != l.Base {
		// This attempt is dropped, so how its evaluation goes on does not matter.
		l.Wanted = true
		return emit.Flow{Kind: emit.Gone}
	}
	return emit.Flow{Kind: kind, Target: l}
}

// returnStmt evaluates a return: a jump if the call is a region of its own, and else the end of
// evaluating the call.
func (ev *evaluator) returnStmt(fr *frame, s *ast.ReturnStmt) emit.Flow {
	c := fr.call
	var vals []emit.Value
	if len(s.Results) > 0 {
		vals = ev.evalList(fr, s.Results, len(c.results))
		for i := range vals {
			vals[i] = ev.Coerce(vals[i], ev.fromType(fr, s.Results, i), c.results[i].Type)
		}
	} else {
		for _, r := range c.results {
			// A return without values gives the named results as they are.
			vals = append(vals, ev.Get(r))
		}
	}
	switch {
	case c.exits:
		for i, v := range vals {
			// The results are variables from outside of the region, which thereby become registers.
			ev.Set(c.results[i], v)
		}
		ev.B.Branch(c.end)
		return emit.Flow{Kind: emit.Gone}
	case ev.Cur != c.base:
		// This return is in code that may not run, so the call is evaluated again with jumps.
		c.wanted = true
		return emit.Flow{Kind: emit.Gone}
	}
	c.values = vals
	return emit.Flow{Kind: emit.LeaveCall, Target: c}
}
