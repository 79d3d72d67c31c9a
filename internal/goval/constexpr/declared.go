package constexpr

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// named is a declared constant, computed from its declaration.
func (ev *Evaluator) named(in Scope, id *ast.Ident, tv types.TypeAndValue) Value {
	c, ok := in.Pkg.Info.Uses[id].(*types.Const)
	switch {
	case !ok:
		return Value{tv.Value, typed(tv.Type)}
	case c.Pkg() == nil && c.Name() == "iota" && in.iota != nil:
		return Value{in.iota, nil}
	case c.Pkg() == nil: // true, false, and iota of a line of its own
		return Value{tv.Value, nil}
	}
	if k, ok := ev.declared[c]; ok {
		return k
	}
	var k Value
	if at, s, x := ev.declaration(in, c); x == nil { // without syntax
		k = ev.in(id.Pos(), c.Val(), typed(c.Type()))
	} else if k = ev.eval(at, x); s.Type != nil {
		k = ev.in(x.Pos(), k.Value, c.Type())
	}
	ev.declared[c] = k
	return k
}

// typed is a type: nil for an untyped one.
func typed(t types.Type) types.Type {
	if b, ok := types.Unalias(t).(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return nil
	}
	return t
}

// declaration finds the declaration of a constant: nil if it has no expression of its own.
func (ev *Evaluator) declaration(at Scope, c *types.Const) (Scope, *ast.ValueSpec, ast.Expr) {
	p := ev.world.Pkgs[c.Pkg().Path()]
	if p == nil {
		return at, nil, nil
	}
	in := Scope{Pkg: p, Env: at.Env}
	g := in.group(c)
	if g == nil {
		return in, nil, nil
	}
	var expr ast.Expr
	var spec, from *ast.ValueSpec
	repeats := func(s ast.Spec) bool { return len(s.(*ast.ValueSpec).Values) == 0 }
	shared := slices.ContainsFunc(g.Specs, repeats)
	for line, s := range g.Specs {
		s := s.(*ast.ValueSpec)
		if !repeats(s) {
			from = s
		}
		for i, id := range s.Names {
			if p.Info.Defs[id] == c && from != nil && i < len(from.Values) {
				if spec, expr = from, from.Values[i]; shared {
					in.iota = constant.MakeInt64(int64(line))
				}
			}
		}
	}
	if expr != nil && !p.Info.Types[expr].IsValue() { // pruned
		return in, nil, nil
	}
	return in, spec, expr
}

// told is what the type checker knows of an expression. Of one that several lines of constants share it knows the value in
// the last line alone, which is that of all lines only where the number of the line does not count.
func (ev *Evaluator) told(in Scope, e ast.Expr, tv types.TypeAndValue) constant.Value {
	if in.iota == nil {
		return tv.Value
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && in.Pkg.Info.Uses[id] == types.Universe.Lookup("iota") {
			ev.lang.Fail(e.Pos(), "a constant whose expression other lines repeat cannot have iota here: write the expression on each line")
		}
		return true
	})
	return tv.Value
}

// exact computes a binary operator other than a shift on untyped constants.
func exact(x constant.Value, op token.Token, y constant.Value) constant.Value {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant.MakeBool(constant.Compare(x, op, y))
	case token.QUO:
		if x.Kind() == constant.Int && y.Kind() == constant.Int {
			op = token.QUO_ASSIGN
		}
	}
	return constant.BinaryOp(x, op, y)
}

// group finds the declaration that a constant of the package stands in: nil if there is none.
func (in Scope) group(c *types.Const) (g *ast.GenDecl) {
	if c.Parent() == c.Pkg().Scope() {
		if d := in.Pkg.Src.Decls[c.Name()]; d != nil {
			g, _ = d.Node.(*ast.GenDecl)
		}
		return g
	}
	for _, f := range in.Pkg.Src.Files {
		if c.Pos() < f.FileStart || c.Pos() >= f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST && d.Pos() <= c.Pos() && c.Pos() < d.End() {
				g = d
			}
			return n != nil && n.Pos() <= c.Pos() && c.Pos() < n.End()
		})
	}
	return g
}
