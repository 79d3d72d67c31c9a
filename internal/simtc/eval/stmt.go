package eval

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// stmts evaluates statements until one does not go on to the next. After a wrong statement it goes
// on, to find further mistakes, with the variables of the statement poisoned.
func (ev *evaluator) stmts(fr *frame, list []ast.Stmt) emit.Flow {
	for _, s := range list {
		var f emit.Flow
		if !ev.Attempt(func() { f = ev.stmt(fr, s) }) {
			ev.spoil(fr, s)
			// The region will be evaluated anew, so its mistakes do not count.
			if ev.Doomed() {
				panic(emit.Bailout{})
			}
			continue
		}
		if f.Kind != emit.Next {
			return f
		}
	}
	return emit.Flow{}
}

// spoil poisons the variables that a wrong statement declares or sets, so that they cause no
// further messages.
func (ev *evaluator) spoil(fr *frame, s ast.Stmt) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		// The statements of a literal run when it is called.
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				ev.spoilOne(fr, e)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				ev.spoilOne(fr, id)
			}
		case *ast.IncDecStmt:
			ev.spoilOne(fr, n.X)
		}
		return true
	})
}

// spoilOne poisons the variable that an expression is, or is a part of.
func (ev *evaluator) spoilOne(fr *frame, e ast.Expr) {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
			continue
		case *ast.IndexExpr:
			e = x.X
			continue
		case *ast.Ident:
			if o := fr.pkg.Info.Defs[x]; o != nil {
				// The statement may have failed before it declared the variable.
				fr.vars[o] = ev.NewCell(x.Name, o.Type(), emit.Poison{})
			} else if c := fr.find(fr.pkg.Info.Uses[x]); c != nil {
				ev.Put(c, emit.Poison{}, false)
			}
		}
		return
	}
}

// stmt evaluates one statement.
func (ev *evaluator) stmt(fr *frame, s ast.Stmt) emit.Flow {
	ev.At(s.Pos())
	ev.Spend(limit.Calls, 0)
	switch s := s.(type) {
	case *ast.BlockStmt:
		return ev.stmts(fr.sub(), s.List)
	case *ast.ExprStmt:
		if k, ok := ev.eval(fr, s.X).(*emit.Bound); ok {
			ev.Must(false, s.Pos(), "kernel %s is called but not launched: call the method Launch of the result", k.Name)
		}
	case *ast.DeclStmt:
		ev.declStmt(fr, s.Decl.(*ast.GenDecl))
	case *ast.AssignStmt:
		ev.assignStmt(fr, s)
	case *ast.IncDecStmt:
		op := map[token.Token]token.Token{token.INC: token.ADD, token.DEC: token.SUB}[s.Tok]
		ev.update(fr, s.X, op, one)
	case *ast.IfStmt:
		return ev.ifStmt(fr, s)
	case *ast.ForStmt:
		return ev.forStmt(fr, s, "")
	case *ast.RangeStmt:
		return ev.rangeStmt(fr, s, "")
	case *ast.SwitchStmt:
		return ev.switchStmt(fr, s, "")
	case *ast.TypeSwitchStmt:
		return ev.typeSwitch(fr, s, "")
	case *ast.LabeledStmt:
		return ev.labeled(fr, s)
	case *ast.BranchStmt:
		return ev.branch(fr, s)
	case *ast.ReturnStmt:
		return ev.returnStmt(fr, s)
	case *ast.EmptyStmt:
	default:
		ev.Fail(s.Pos(), "%s cannot be compiled: neither kernels nor host functions can use it", stmtName(s))
	}
	return emit.Flow{}
}

// stmtName names a statement that is refused.
func stmtName(s ast.Stmt) string {
	switch s.(type) {
	case *ast.GoStmt:
		return "a go statement"
	case *ast.DeferStmt:
		return "a defer statement"
	case *ast.SendStmt:
		return "a send on a channel"
	case *ast.SelectStmt:
		return "a select statement"
	}
	return "this statement"
}

// declStmt evaluates a declaration of variables. The type checker evaluates constants and types.
func (ev *evaluator) declStmt(fr *frame, d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		vs := spec.(*ast.ValueSpec)
		if len(vs.Values) == 0 {
			for _, id := range vs.Names {
				// The type may depend on type parameters, for which this instance has types.
				t := ev.w.Subst(fr.pkg.Info.Defs[id].Type(), fr.env)
				ev.declare(fr, id, ev.Zero(t))
			}
			continue
		}
		vals := ev.evalList(fr, vs.Values, len(vs.Names))
		for i, id := range vs.Names {
			v := vals[i]
			if o := fr.pkg.Info.Defs[id]; o != nil {
				// A constant is rounded to the type of the variable.
				v = ev.Coerce(v, ev.fromType(fr, vs.Values, i), ev.w.Subst(o.Type(), fr.env))
			}
			ev.declare(fr, id, v)
		}
	}
}

// declare makes a variable.
func (ev *evaluator) declare(fr *frame, id *ast.Ident, v emit.Value) {
	if id.Name == "_" {
		return
	}
	o := fr.pkg.Info.Defs[id]
	if o == nil {
		panic(emit.Bailout{})
	}
	fr.vars[o] = ev.NewCell(id.Name, ev.w.Subst(o.Type(), fr.env), v)
	ev.known(fr.vars[o], o)
}

// known tells debuggers of a variable.
func (ev *evaluator) known(c *emit.Cell, o types.Object) {
	if !ev.Opts.Variables || o.Parent() == nil {
		return
	}
	v, ok := o.(*types.Var)
	ev.Declared(c, o.Pos(), o.Parent().End(), ok && v.Kind() != types.LocalVar)
}

// assignStmt evaluates an assignment. As in Go, the places on the left are evaluated before the
// values on the right, and all values before the first store.
func (ev *evaluator) assignStmt(fr *frame, s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		op := goval.Operator(s.Tok)
		ev.update(fr, s.Lhs[0], op, func(fr *frame, t types.Type) emit.Value {
			if op == token.SHL || op == token.SHR {
				return ev.eval(fr, s.Rhs[0]) // a count has a type of its own
			}
			return ev.operandOf(fr, s.Rhs[0], t)
		})
		return
	}
	var places []*emit.Pointer
	for _, l := range s.Lhs {
		id, ok := ast.Unparen(l).(*ast.Ident)
		if ok && (id.Name == "_" || s.Tok == token.DEFINE && fr.pkg.Info.Defs[id] != nil) {
			// A new variable, and _, have no place yet.
			places = append(places, nil)
			continue
		}
		places = append(places, ev.place(fr, l))
	}
	vals := ev.evalList(fr, s.Rhs, len(s.Lhs))
	for i, l := range s.Lhs {
		from := ev.fromType(fr, s.Rhs, i)
		switch {
		case places[i] != nil:
			ev.Store(places[i], ev.Coerce(vals[i], from, ev.typeOf(fr, l)))
		case s.Tok == token.DEFINE:
			// := declares a variable and converts the value to its type.
			v, id := vals[i], ast.Unparen(l).(*ast.Ident)
			if id.Name != "_" {
				v = ev.Coerce(v, from, ev.w.Subst(fr.pkg.Info.Defs[id].Type(), fr.env))
			}
			ev.declare(fr, id, v)
		}
	}
}

// update is x op= y. It evaluates x once.
func (ev *evaluator) update(fr *frame, x ast.Expr, op token.Token, y func(*frame, types.Type) emit.Value) {
	p := ev.place(fr, x)
	t := ev.typeOf(fr, x)
	ev.Store(p, ev.Operate(x.Pos(), op, ev.Load(p), y(fr, t), t))
}
