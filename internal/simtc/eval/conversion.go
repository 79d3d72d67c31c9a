package eval

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// assertion is x.(T). Which type the interface holds is known when the function is compiled.
func (ev *evaluator) assertion(fr *frame, e *ast.TypeAssertExpr) (v emit.Value, ok bool) {
	x := ev.eval(fr, e.X)
	t := ev.typeOf(fr, e.Type)
	if i, isI := x.(*emit.Iface); isI && implements(i.Type, t) {
		if types.IsInterface(t) {
			return i, true
		}
		return i.V, true
	}
	return ev.Zero(t), false
}

// implements reports whether a value of type t matches the type that an assertion or a case names.
func implements(t, want types.Type) bool {
	if i, ok := want.Underlying().(*types.Interface); ok {
		return types.Implements(t, i)
	}
	return types.Identical(t, want)
}

// typeSwitch evaluates the clause for the type that the interface holds.
func (ev *evaluator) typeSwitch(fr *frame, s *ast.TypeSwitchStmt, label string) emit.Flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	of, _ := goval.SwitchedOn(s)
	x := ev.eval(fr, of)
	if emit.Poisoned(x) {
		panic(emit.Bailout{})
	}
	// Only the clause that runs is evaluated: in the others the types may not even fit.
	c, t := ev.typeClause(fr, s.Body.List, x)
	if c == nil {
		return emit.Flow{}
	}
	return ev.Leavable(label, true, func(*emit.Loop) emit.Flow {
		in := fr.sub()
		if o := fr.pkg.Info.Implicits[c]; o != nil {
			v := x
			if i, ok := x.(*emit.Iface); ok && t != nil && !types.IsInterface(t) {
				// In a clause with one type the variable has that type.
				v = i.V
			}
			in.vars[o] = ev.NewCell(o.Name(), t, v)
			ev.known(in.vars[o], o)
		}
		return ev.stmts(in, c.Body)
	})
}

// typeClause gives the clause for a value, and the type of the clause's variable, which is nil if
// the clause names several types or none.
func (ev *evaluator) typeClause(fr *frame, list []ast.Stmt, x emit.Value) (found *ast.CaseClause, t types.Type) {
	i, _ := x.(*emit.Iface)
	for _, s := range list {
		c := s.(*ast.CaseClause)
		if c.List == nil {
			// default counts only if no other clause matches.
			found = c
		}
		for _, e := range c.List {
			if fr.pkg.Info.Types[e].IsNil() {
				if emit.IsNil(x) {
					return c, nil
				}
				continue
			}
			want := ev.typeOf(fr, e)
			if i == nil || !implements(i.Type, want) {
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
