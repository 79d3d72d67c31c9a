package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// flow says how a statement ends.
type flow int

const (
	next     flow = iota
	left          // break or continue
	returned      // return
)

// stmts lowers a list. A statement that returns on some way takes the rest of the list with it.
func (l *lowerer) stmts(fr *frame, list []ast.Stmt) flow {
	for i, s := range list {
		rest := list[i+1:]
		switch s := s.(type) {
		case *ast.BlockStmt:
			if returns(s) {
				return l.stmts(fr, append(append([]ast.Stmt{}, s.List...), rest...))
			}
		case *ast.IfStmt, *ast.SwitchStmt:
			if returns(s) {
				f := returned
				if fr.pkg.Src.Lang {
					return l.scope(func() flow { return l.branching(fr, s, rest, true) })
				}
				if !l.try(func() { f = l.scope(func() flow { return l.branching(fr, s, rest, true) }) }) {
					l.poisonReturn(fr)
				}
				return f
			}
		}
		if f := l.stmt(fr, s); f != next {
			return f
		}
	}
	return next
}

// poisonReturn gives a function results after a mistake, so that its caller goes on.
func (l *lowerer) poisonReturn(fr *frame) {
	fr.ret = make([]value, len(fr.sig))
	for i := range fr.ret {
		fr.ret[i] = poison{}
	}
}

// stmt lowers a statement. After a mistake the variables that it sets are undefined, and lowering goes on.
func (l *lowerer) stmt(fr *frame, s ast.Stmt) (f flow) {
	if fr.pkg.Src.Lang {
		return l.lowerStmt(fr, s) // a mistake belongs to the caller's statement
	}
	defer l.here(fr, s.Pos())()
	if !l.try(func() { f = l.lowerStmt(fr, s) }) {
		l.undefine(fr, s)
		if _, ok := s.(*ast.ReturnStmt); ok {
			l.poisonReturn(fr)
			return returned
		}
		return next
	}
	return f
}

// undefine poisons the variables that a statement sets.
func (l *lowerer) undefine(fr *frame, s ast.Stmt) {
	ids := func(es []ast.Expr) {
		for _, e := range es {
			id, ok := ast.Unparen(e).(*ast.Ident)
			if !ok || id.Name == "_" {
				continue
			}
			if o := fr.pkg.Info.Defs[id]; o != nil {
				fr.vars[o] = l.newCell(id.Name, o.Type(), poison{})
			} else if c := fr.find(fr.pkg.Info.Uses[id]); c != nil {
				c.v = poison{}
			}
		}
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		ids(s.Lhs)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if vs, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range vs.Names {
					ids([]ast.Expr{id})
				}
			}
		}
	}
}

func (l *lowerer) lowerStmt(fr *frame, s ast.Stmt) flow {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return l.scope(func() flow { return l.stmts(fr, s.List) })
	case *ast.EmptyStmt:
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
		l.store(fr, s.X, l.binary(s.Pos(), op, l.eval(fr, s.X), constant.MakeInt64(1), l.typeOf(fr, s.X)))
	case *ast.IfStmt, *ast.SwitchStmt:
		return l.scope(func() flow { return l.branching(fr, s, nil, false) })
	case *ast.RangeStmt:
		l.scope(func() flow { l.rangeStmt(fr, s); return next })
	case *ast.ForStmt:
		l.scope(func() flow { l.forStmt(fr, s); return next })
	case *ast.BranchStmt:
		return l.branchStmt(fr, s)
	case *ast.ReturnStmt:
		return l.returnStmt(fr, s)
	default:
		l.fail(s.Pos(), "a kernel cannot have a %s", stmtName(s))
	}
	return next
}

// stmtName is what Go calls a statement.
func stmtName(s ast.Stmt) string {
	if n, ok := stmtNames[fmt.Sprintf("%T", s)]; ok {
		return n
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", s), "*ast.")
}

var stmtNames = map[string]string{
	"*ast.GoStmt": "go statement", "*ast.DeferStmt": "defer statement", "*ast.SendStmt": "send statement",
	"*ast.SelectStmt": "select statement", "*ast.LabeledStmt": "label", "*ast.TypeSwitchStmt": "type switch",
}

func (l *lowerer) declStmt(fr *frame, g *ast.GenDecl) {
	if g.Tok != token.VAR {
		return // constants and types have no code
	}
	for _, spec := range g.Specs {
		vs := spec.(*ast.ValueSpec)
		var vals []value
		if len(vs.Values) > 0 {
			vals = l.evalList(fr, vs.Values, len(vs.Names))
		}
		for i, id := range vs.Names {
			if id.Name == "_" {
				continue
			}
			t := l.w.Subst(fr.pkg.Info.Defs[id].Type(), fr.env)
			v := value(nil)
			if vals != nil {
				v = vals[i]
			} else {
				v = l.zero(id.Pos(), t)
			}
			l.declare(fr, id, t, v)
		}
	}
}

func (l *lowerer) assign(fr *frame, s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		op := s.Tok - token.ADD_ASSIGN + token.ADD
		x := l.eval(fr, s.Lhs[0])
		l.store(fr, s.Lhs[0], l.binary(s.TokPos, op, x, l.eval(fr, s.Rhs[0]), l.typeOf(fr, s.Lhs[0])))
		return
	}
	vals := l.evalList(fr, s.Rhs, len(s.Lhs))
	for i, lhs := range s.Lhs {
		id, ok := lhs.(*ast.Ident)
		if ok && s.Tok == token.DEFINE && (id.Name == "_" || fr.pkg.Info.Defs[id] != nil) {
			if id.Name != "_" {
				l.declare(fr, id, l.w.Subst(fr.pkg.Info.Defs[id].Type(), fr.env), vals[i])
			}
			continue
		}
		l.store(fr, lhs, vals[i])
	}
}

// store sets a variable, or a part of one.
func (l *lowerer) store(fr *frame, lhs ast.Expr, v value) {
	switch x := ast.Unparen(lhs).(type) {
	case *ast.Ident:
		if x.Name == "_" {
			return
		}
		c := fr.find(fr.pkg.Info.Uses[x])
		if c == nil {
			c = l.state[fr.pkg.Info.Uses[x]]
		}
		l.must(c != nil, x.Pos(), "%s is a variable of the host: a kernel cannot write it", x.Name)
		c.v = l.coerce(lhs.Pos(), v, c.typ)
	case *ast.IndexExpr:
		if _, ok := l.typeOf(fr, x.X).Underlying().(*types.Slice); ok && !fr.pkg.Src.Lang {
			l.fail(lhs.Pos(), "an element of a slice cannot be set in a kernel: use an array")
		}
		list, i := l.index(fr, x)
		n := &listVal{append([]value{}, list.elems...)}
		n.elems[i] = l.coerce(lhs.Pos(), v, l.typeOf(fr, lhs))
		l.store(fr, x.X, n)
	case *ast.SelectorExpr:
		sel := fr.pkg.Info.Selections[x]
		l.must(sel != nil, lhs.Pos(), "a kernel cannot assign to this")
		base, ok := l.eval(fr, x.X).(*structVal)
		l.must(ok, lhs.Pos(), "a kernel cannot assign to this")
		l.store(fr, x.X, withField(base, sel.Index(), l.coerce(lhs.Pos(), v, l.typeOf(fr, lhs))))
	default:
		l.fail(lhs.Pos(), "a kernel cannot assign to this")
	}
}

func (l *lowerer) returnStmt(fr *frame, s *ast.ReturnStmt) flow {
	l.must(len(l.loops) == fr.loops, s.Pos(), "a return inside a loop is not possible in a kernel: use break and a variable")
	fr.ret = nil
	if len(s.Results) == 0 {
		for _, c := range fr.named {
			fr.ret = append(fr.ret, c.v)
		}
		return returned
	}
	for i, v := range l.evalList(fr, s.Results, len(fr.sig)) {
		fr.ret = append(fr.ret, l.coerce(s.Pos(), v, fr.sig[i]))
	}
	return returned
}

func (l *lowerer) branchStmt(fr *frame, s *ast.BranchStmt) flow {
	l.must(s.Tok == token.BREAK || s.Tok == token.CONTINUE, s.Pos(), "a kernel cannot have a %s statement", s.Tok)
	l.must(s.Label == nil, s.Pos(), "a kernel cannot %s to a label", s.Tok)
	l.must(len(l.loops) > fr.loops, s.Pos(), "%s is not inside a loop of this function", s.Tok)
	l.leave(s.Pos(), s.Tok == token.BREAK)
	return left
}

// returns reports whether a statement holds a return.
func returns(n ast.Node) bool {
	return holds(n, func(s ast.Node) bool { _, ok := s.(*ast.ReturnStmt); return ok }, nil)
}

// breaks reports whether a loop's body leaves the loop by break.
func breaks(body *ast.BlockStmt) bool {
	return holds(body, func(s ast.Node) bool {
		b, ok := s.(*ast.BranchStmt)
		return ok && b.Tok == token.BREAK
	}, func(s ast.Node) bool {
		switch s.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
			return true
		}
		return false
	})
}

// holds looks for a node, but not inside function literals nor below what skip names.
func holds(n ast.Node, want, skip func(ast.Node) bool) (found bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		if m == nil || found {
			return false
		}
		if _, ok := m.(*ast.FuncLit); ok || skip != nil && skip(m) {
			return false
		}
		found = want(m)
		return !found
	})
	return found
}

// withField is a copy of a struct with one field replaced, which may lie in embedded structs.
func withField(s *structVal, path []int, v value) *structVal {
	if len(path) > 1 {
		v = withField(s.fields[path[0]].(*structVal), path[1:], v)
	}
	n := &structVal{append([]value{}, s.fields...)}
	n.fields[path[0]] = v
	return n
}
