package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// switchClauses gives the clauses of a switch as those of a chain of ifs. default comes last,
// wherever it is written, as it runs only if no other clause does.
func (l *lowerer) switchClauses(fr *frame, s *ast.SwitchStmt) []clause {
	if s.Init != nil {
		l.stmt(fr, s.Init)
	}
	var tag emit.Value
	if s.Tag != nil {
		// The tag is evaluated once, before the cases.
		tag = l.eval(fr, s.Tag)
	}
	var cs []clause
	var last *clause
	for i, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		c := clause{cond: func() emit.Value { return l.matches(fr, s, tag, cc) }, body: caseBody(fr.exits, s, s.Body.List[i:])}
		if cc.List == nil {
			// default has no condition.
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

// caseBody gives the body of the first of some clauses: with the bodies that it falls through to,
// and without a break at its end, which does nothing there.
func caseBody(x *exits, s ast.Stmt, cases []ast.Stmt) []ast.Stmt {
	body := cases[0].(*ast.CaseClause).Body
	if len(body) == 0 {
		return nil
	}
	// Only the last statement of a clause can be a fallthrough.
	end, ok := body[len(body)-1].(*ast.BranchStmt)
	switch {
	case ok && end.Tok == token.FALLTHROUGH && len(cases) > 1:
		return append(append([]ast.Stmt{}, body[:len(body)-1]...), caseBody(x, s, cases[1:])...)
	case ok && x.branch[end] > 0 && x.codes[x.branch[end]] == exit{s, token.BREAK}:
		return body[:len(body)-1]
	}
	return body
}

// matches gives the condition of a clause: one of its expressions is true, or equals the tag. The
// expressions after that one are not evaluated.
func (l *lowerer) matches(fr *frame, s *ast.SwitchStmt, tag emit.Value, cc *ast.CaseClause) emit.Value {
	var any emit.Value = constant.MakeBool(false)
	for _, e := range cc.List {
		any = l.logical(fr, e.Pos(), token.LOR, any, func() emit.Value {
			if s.Tag == nil {
				return l.cond(fr, e)
			}
			return l.isCase(fr, s, tag, e)
		}, types.Typ[types.Bool])
	}
	return any
}

// isCase compares the tag of a switch with an expression of a clause.
func (l *lowerer) isCase(fr *frame, s *ast.SwitchStmt, tag emit.Value, e ast.Expr) emit.Value {
	t, u := l.typeOf(fr, s.Tag), l.typeOf(fr, e)
	v := l.eval(fr, e)
	// One side of the comparison becomes an interface, as Go compares their types as well.
	if emit.IsInterface(t) {
		v = l.Held(v, u, t)
	} else if emit.IsInterface(u) {
		tag, t = l.Held(tag, t, u), u
	}
	return l.Compare(e.Pos(), token.EQL, tag, v, t)
}

// typeClauses gives the one clause of a type switch that the operand's type selects, as types are
// known when a kernel is compiled.
func (l *lowerer) typeClauses(fr *frame, s *ast.TypeSwitchStmt) []clause {
	if s.Init != nil {
		l.stmt(fr, s.Init)
	}
	x, bound := goval.SwitchedOn(s)
	// The value is needed only if the switch declares a variable for it.
	t, v := l.dynamic(fr, x, bound)
	var otherwise *ast.CaseClause
	for _, st := range s.Body.List {
		cc := st.(*ast.CaseClause)
		if cc.List == nil {
			otherwise = cc
		}
		for _, e := range cc.List {
			if l.isOf(fr, t, e) {
				return l.typeClause(fr, s, cc, t, v)
			}
		}
	}
	if otherwise != nil {
		return l.typeClause(fr, s, otherwise, t, v)
	}
	return nil
}

// typeClause gives a clause with the variable that it declares.
func (l *lowerer) typeClause(fr *frame, s *ast.TypeSwitchStmt, cc *ast.CaseClause, t types.Type, v emit.Value) []clause {
	c := clause{body: caseBody(fr.exits, s, []ast.Stmt{cc})}
	if obj := fr.pkg.Info.Implicits[cc]; obj != nil {
		// In a clause with several types or none the variable stays an interface.
		if want := l.World.Subst(obj.Type(), fr.env); emit.IsInterface(want) {
			t, v = want, l.Held(v, t, want)
		}
		// The variable belongs to the scope of the clause.
		c.pre = func() { fr.vars.set(obj, l.Variable(obj.Name(), cc.Pos(), t, v)) }
	}
	return []clause{c}
}

// dynamic gives the type that an expression holds, and its value if wanted is set. An expression of
// an interface type holds a value of another type; every other expression holds a value of its own
// type.
func (l *lowerer) dynamic(fr *frame, e ast.Expr, wanted bool) (types.Type, emit.Value) {
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok && fr.pkg.Info.Types[c.Fun].IsType() && len(c.Args) == 1 && emit.IsInterface(l.typeOf(fr, c)) {
		if t := l.typeOf(fr, c.Args[0]); !wanted && !emit.IsInterface(t) && isNewValue(c.Args[0]) {
			return t, nil
		}
		return l.dynamic(fr, c.Args[0], wanted)
	}
	v := l.eval(fr, e)
	// The value counts as one in an interface, which has the type of the expression.
	if t := l.typeOf(fr, e); !emit.IsInterface(t) {
		v = l.Held(v, t, types.NewInterfaceType(nil, nil))
	}
	return l.HeldBy(e.Pos(), v)
}

// isNewValue reports whether an expression is *new(T), which programs write only for its type. It
// need not be evaluated, and T may have no values in a kernel.
func isNewValue(e ast.Expr) bool {
	s, ok := ast.Unparen(e).(*ast.StarExpr)
	if !ok {
		return false
	}
	c, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := c.Fun.(*ast.Ident)
	return ok && id.Name == "new"
}

// isOf reports whether a type is that of a clause, or implements it.
func (l *lowerer) isOf(fr *frame, t types.Type, e ast.Expr) bool {
	tv := fr.pkg.Info.Types[e]
	// A case nil matches an interface without a value, and nothing else.
	isNil := t == types.Typ[types.UntypedNil]
	if isNil || !tv.IsType() {
		return isNil && tv.IsNil()
	}
	want := l.World.Subst(tv.Type, fr.env)
	if iface, ok := want.Underlying().(*types.Interface); ok && !emit.IsTypeParam(want) {
		return types.Implements(t, iface)
	}
	return types.Identical(t, want)
}

// assertion lowers x.(T). two tells whether its second value is used, which then tells whether x
// holds a T.
func (l *lowerer) assertion(fr *frame, e *ast.TypeAssertExpr, two bool) emit.Value {
	t, v := l.dynamic(fr, e.X, true)
	want := l.typeOf(fr, e.Type)
	if l.isOf(fr, t, e.Type) {
		if two {
			return emit.Tuple{v, emit.Truth(true)}
		}
		return v
	}
	if !two {
		l.Fail(e.Pos(), "this is of type %s, not %s", t, want)
	}
	return emit.Tuple{l.Zero(e.Pos(), want), emit.Truth(false)}
}
