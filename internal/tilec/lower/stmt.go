package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// stmt lowers a statement. After a mistake the variables that it sets are undefined, and lowering
// goes on, so that one run finds as many mistakes as possible.
func (l *lowerer) stmt(fr *frame, s ast.Stmt) (f emit.Flow) {
	if fr.pkg.Src.Lang {
		return l.lowerStmt(fr, s) // a mistake belongs to the caller's statement
	}
	defer l.here(fr, s.Pos())()
	defer l.cover(fr, s)()
	// This ends the lowering if its context has ended.
	l.Spend(limit.Calls, 0)
	if !l.Attempt(func() { f = l.lowerStmt(fr, s) }) {
		l.undefine(fr, s)
		if fr.Exit != nil {
			fr.Exit.V = emit.Int(0)
		}
		if _, ok := s.(*ast.ReturnStmt); ok {
			// The function must still return something.
			return l.poisonReturn(fr, s.Pos())
		}
		return emit.Next
	}
	return f
}

// undefine poisons the variables that a statement sets, so that they cause no further messages.
func (l *lowerer) undefine(fr *frame, s ast.Stmt) {
	ids := func(es []ast.Expr) {
		for _, e := range es {
			// An assignment to a part leaves the whole variable undefined, as nobody knows the rest
			// of it any more.
			id := rootOf(e)
			if id == nil || id.Name == "_" {
				continue
			}
			if o := fr.pkg.Info.Defs[id]; o != nil {
				fr.vars.set(o, l.NewCell(id.Name, o.Type(), emit.Poison{}))
			} else if c := fr.find(fr.pkg.Info.Uses[id]); c != nil {
				c.V = emit.Poison{}
			}
		}
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		ids(s.Lhs)
	case *ast.IncDecStmt:
		ids([]ast.Expr{s.X})
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.ForStmt, *ast.RangeStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			// Variables that the statement declares inside end with it.
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok != token.DEFINE {
				ids(a.Lhs)
			} else if a, ok := n.(*ast.IncDecStmt); ok {
				ids([]ast.Expr{a.X})
			}
			return true
		})
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range vs.Names {
					// The variable has no value that the statements behind could use.
					ids([]ast.Expr{id})
				}
			}
		}
	}
}

// rootOf gives the variable that an expression is a part of, or nil if there is none.
func rootOf(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return rootOf(e.X)
	case *ast.IndexExpr:
		return rootOf(e.X)
	}
	return nil
}

// lowerStmt lowers a statement by its kind.
func (l *lowerer) lowerStmt(fr *frame, s ast.Stmt) emit.Flow {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return l.Scope(&fr.Inlined, func() emit.Flow { return l.stmts(fr, s.List) })
	case *ast.EmptyStmt:
	case *ast.LabeledStmt:
		return l.lowerStmt(fr, s.Stmt)
	case *ast.ExprStmt:
		l.eval(fr, s.X)
	case *ast.DeclStmt:
		l.declStmt(fr, s.Decl.(*ast.GenDecl))
	case *ast.AssignStmt:
		l.assign(fr, s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		l.update(fr, s.X, op, func() emit.Value { return emit.Int(1) }, s.Pos())
	case *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return l.Scope(&fr.Inlined, func() emit.Flow { return l.branching(fr, s, nil) })
	case *ast.RangeStmt:
		return l.Scope(&fr.Inlined, func() emit.Flow { return l.rangeStmt(fr, s) })
	case *ast.ForStmt:
		return l.Scope(&fr.Inlined, func() emit.Flow { return l.forStmt(fr, s) })
	case *ast.BranchStmt:
		return l.branchStmt(fr, s)
	case *ast.ReturnStmt:
		return l.returnStmt(fr, s)
	default:
		l.Fail(s.Pos(), "a kernel cannot have a %s", stmtName(s))
	}
	return emit.Next
}

// stmtName names a statement that is refused, and tells what to do instead.
func stmtName(s ast.Stmt) string {
	if n, ok := stmtNames[fmt.Sprintf("%T", s)]; ok {
		return n
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", s), "*ast.")
}

// stmtNames lists what stmtName tells of the statements that need more than a name.
var stmtNames = map[string]string{
	"*ast.GoStmt":     "go statement: the blocks of a launch already run in parallel",
	"*ast.DeferStmt":  "defer statement: write the call at the end of the function",
	"*ast.SendStmt":   "send statement: blocks share only memory, see the atomic operations",
	"*ast.SelectStmt": "select statement: blocks share only memory, see the atomic operations",
}

// declStmt lowers a declaration of variables.
func (l *lowerer) declStmt(fr *frame, g *ast.GenDecl) {
	if g.Tok != token.VAR {
		return // constants and types have no code
	}
	for _, spec := range g.Specs {
		vs := spec.(*ast.ValueSpec)
		var vals []emit.Value
		if len(vs.Values) > 0 {
			vals = l.heldList(fr, vs.Values, len(vs.Names), func(i int) types.Type { return l.definedType(fr, vs.Names[i]) })
		}
		for i, id := range vs.Names {
			if id.Name == "_" {
				continue
			}
			t := l.definedType(fr, id)
			v := emit.Value(nil)
			if vals != nil {
				v = vals[i]
			} else {
				v = l.Zero(id.Pos(), t)
			}
			l.declare(fr, id, t, v)
		}
	}
}

// assign lowers an assignment. As in Go, indices and pointers on the left are evaluated before the
// right side, and the right side before anything is set.
func (l *lowerer) assign(fr *frame, s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		l.update(fr, s.Lhs[0], goval.Operator(s.Tok), func() emit.Value { return l.eval(fr, s.Rhs[0]) }, s.TokPos)
		return
	}
	isNew := func(e ast.Expr) (*ast.Ident, bool) {
		// := declares at least one variable, and assigns to the others.
		id, ok := e.(*ast.Ident)
		return id, ok && s.Tok == token.DEFINE && fr.pkg.Info.Defs[id] != nil
	}
	places := make([]*emit.Place, len(s.Lhs))
	for i, lhs := range s.Lhs {
		if _, isNew := isNew(lhs); !isNew && !isBlank(lhs) {
			places[i] = l.place(fr, lhs)
		}
	}
	vals := l.heldList(fr, s.Rhs, len(s.Lhs), func(i int) types.Type {
		if id, isNew := isNew(s.Lhs[i]); isNew {
			return l.definedType(fr, id)
		} else if isBlank(s.Lhs[i]) {
			return nil
		}
		return l.typeOf(fr, s.Lhs[i])
	})
	for i, lhs := range s.Lhs {
		switch id, isNew := isNew(lhs); {
		case isBlank(lhs):
		case isNew:
			l.declare(fr, id, l.definedType(fr, id), vals[i])
		default:
			l.storeAt(fr, places[i], lhs, vals[i])
		}
	}
}

// definedType gives the type of a variable that is declared, and nil for _.
func (l *lowerer) definedType(fr *frame, id *ast.Ident) types.Type {
	o := fr.pkg.Info.Defs[id]
	if o == nil || id.Name == "_" {
		return nil
	}
	return l.World.Subst(o.Type(), fr.env)
}

// isBlank reports whether an expression is _.
func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// update lowers x op= y. It evaluates x once.
func (l *lowerer) update(fr *frame, x ast.Expr, op token.Token, y func() emit.Value, pos token.Pos) {
	p := l.place(fr, x)
	// x is read before y is evaluated, which may change it.
	old := l.Load(p)
	l.storeAt(fr, p, x, l.Binary(pos, op, old, y(), l.typeOf(fr, x)))
}

// store sets a variable, or a part of one, to a value of type t.
func (l *lowerer) store(fr *frame, lhs ast.Expr, v emit.Value, t types.Type) {
	if !isBlank(lhs) {
		l.storeAt(fr, l.place(fr, lhs), lhs, l.Held(v, t, l.typeOf(fr, lhs)))
	}
}

// storeAt sets a place, whose expression is lhs, to a value.
func (l *lowerer) storeAt(fr *frame, p *emit.Place, lhs ast.Expr, v emit.Value) {
	t := p.Cell.Type
	if len(p.Path) > 0 {
		t = l.typeOf(fr, lhs)
	}
	// A message about the variable can then name this assignment.
	l.Assigned(p, lhs.Pos())
	p.Set(l.Coerce(lhs.Pos(), v, t))
}
