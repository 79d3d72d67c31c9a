package eval

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
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
			return ev.convertConst(v, nil, e)
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
		return ev.sliceConversion(pos, v, from, to)
	}
	was, _ := numbers(from)
	one := func(x value) value {
		if n, ok := x.(*num); ok {
			return ev.convert(n, n.elem, e)
		}
		return ev.convertConst(x, was, e)
	}
	if isStatic(v) {
		return one(v)
	}
	switch x := v.(type) {
	case *vec:
		ev.Must(many, pos, "a vector of %d elements cannot become one number: reduce it, or take an element", len(x.elems))
		return x.each(e, one)
	case *num:
		return one(x)
	}
	ev.Fail(pos, "%s cannot be converted to %s", ev.describe(v), to)
	return nil
}

// sliceConversion converts what is no number: a slice to an array. Other values stay what they are, as their types differ
// in the name alone.
func (ev *evaluator) sliceConversion(pos token.Pos, v value, from, to types.Type) value {
	_, wasSlice := from.Underlying().(*types.Slice)
	_, slice := to.Underlying().(*types.Slice)
	if wasSlice == slice || isNil(v) {
		return v
	}
	a, ok := to.Underlying().(*types.Array)
	ev.Must(ok, pos, "a conversion of %s to %s cannot be compiled", from, to)
	elems := ev.sliceElems(v)
	ev.Must(len(elems) >= int(a.Len()), pos, "a slice of %d elements cannot become an array of %d", len(elems), a.Len())
	return &arrayVal{elems[:a.Len()]}
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
	of, _ := goval.SwitchedOn(s)
	x := ev.eval(fr, of)
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
