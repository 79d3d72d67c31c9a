package eval

import (
	"go/ast"
	"go/token"
	"go/types"
)

// coerce gives a value of one type as one of another that it can be assigned to: constants are rounded, and what becomes
// an interface keeps its type.
func (ev *evaluator) coerce(v value, from, to types.Type) value {
	if to == nil || poisoned(v) {
		return v
	}
	if types.IsInterface(to) {
		if _, ok := to.(*types.TypeParam); ok {
			return v
		}
		if _, ok := v.(*iface); ok || isNil(v) || from == nil || types.IsInterface(from) {
			return v
		}
		return &iface{types.Default(from), ev.coerce(v, from, types.Default(from))}
	}
	if isStatic(v) {
		if e, _ := numbers(to); e != nil && e != boolElem {
			return ev.convertConst(v, e)
		}
	}
	return v
}

// conversion is T(x).
func (ev *evaluator) conversion(pos token.Pos, v value, from, to types.Type) value {
	if poisoned(v) {
		panic(bailout{})
	}
	if types.IsInterface(to) {
		return ev.coerce(v, from, to)
	}
	e, many := numbers(to)
	if e == nil {
		return v
	}
	if isStatic(v) {
		return ev.convertConst(v, e)
	}
	one := func(x value) value {
		if isStatic(x) {
			return ev.convertConst(x, e)
		}
		return ev.convert(x, x.(*num).elem, e)
	}
	switch x := v.(type) {
	case *vec:
		ev.must(many, pos, "a vector of %d elements cannot become one number: reduce it, or take an element", len(x.elems))
		return x.each(e, one)
	case *num:
		return one(x)
	}
	ev.fail(pos, "%s cannot be converted to %s", ev.describe(v), to)
	return nil
}

// assertion is x.(T): which type is there is known when the function is compiled.
func (ev *evaluator) assertion(fr *frame, e *ast.TypeAssertExpr) (v value, ok bool) {
	x := ev.eval(fr, e.X)
	t := ev.typeOf(fr, e.Type)
	if i, isI := x.(*iface); isI && implements(i.typ, t) {
		if types.IsInterface(t) {
			return i, true
		}
		return i.v, true
	}
	return ev.zero(t), false
}

// implements reports whether a value of type t is one of what an assertion or a case names.
func implements(t, want types.Type) bool {
	if i, ok := want.Underlying().(*types.Interface); ok {
		return types.Implements(t, i)
	}
	return types.Identical(t, want)
}

// typeSwitch takes the clause of the type that is there.
func (ev *evaluator) typeSwitch(fr *frame, s *ast.TypeSwitchStmt, label string) flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	var x value
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = ev.eval(fr, a.X.(*ast.TypeAssertExpr).X)
	case *ast.AssignStmt:
		x = ev.eval(fr, a.Rhs[0].(*ast.TypeAssertExpr).X)
	}
	if poisoned(x) {
		panic(bailout{})
	}
	c, t := ev.typeClause(fr, s.Body.List, x)
	if c == nil {
		return flow{}
	}
	return ev.leavable(label, true, func(*loopState) flow {
		in := fr.sub()
		if o := fr.pkg.Info.Implicits[c]; o != nil {
			v := x
			if i, ok := x.(*iface); ok && t != nil && !types.IsInterface(t) {
				v = i.v
			}
			in.vars[o] = ev.newCell(o.Name(), t, v)
		}
		return ev.stmts(in, c.Body)
	})
}

func (ev *evaluator) typeClause(fr *frame, list []ast.Stmt, x value) (found *ast.CaseClause, t types.Type) {
	i, _ := x.(*iface)
	for _, s := range list {
		c := s.(*ast.CaseClause)
		if c.List == nil {
			found = c
		}
		for _, e := range c.List {
			if fr.pkg.Info.Types[e].IsNil() {
				if isNil(x) {
					return c, nil
				}
				continue
			}
			want := ev.typeOf(fr, e)
			if i == nil || !implements(i.typ, want) {
				continue
			}
			if len(c.List) == 1 {
				return c, want
			}
			return c, nil
		}
	}
	return found, nil
}
