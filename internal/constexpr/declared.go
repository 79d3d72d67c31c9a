package constexpr

import (
	"go/ast"
	"go/token"
	"go/types"
)

// named is a declared constant, computed from its declaration.
func (ev *Evaluator) named(in Scope, id *ast.Ident, tv types.TypeAndValue) Value {
	c, ok := in.Pkg.Info.Uses[id].(*types.Const)
	if !ok {
		return Value{tv.Value, typed(tv.Type)}
	}
	if k, ok := ev.declared[c]; ok {
		return k
	}
	var k Value
	if at, s, x := ev.declaration(in, c); x == nil { // of the universe, or the value of another line
		k = ev.in(id.Pos(), c.Val(), typed(c.Type()))
	} else if k = ev.eval(at, x); s.Type != nil {
		k = ev.in(x.Pos(), k.Value, c.Type())
	}
	if c.Pkg() != nil { // the universe has a number for each line of constants
		ev.declared[c] = k
	}
	return k
}

// typed is a type: nil for an untyped one.
func typed(t types.Type) types.Type {
	if b, ok := types.Unalias(t).(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return nil
	}
	return t
}

// declaration finds the declaration of a constant: nil where it has no expression of its own.
func (ev *Evaluator) declaration(from Scope, c *types.Const) (Scope, *ast.ValueSpec, ast.Expr) {
	if c.Pkg() == nil {
		return from, nil, nil
	}
	p := ev.world.Pkgs[c.Pkg().Path()]
	if p == nil {
		return from, nil, nil
	}
	in := Scope{p, from.Env}
	g := in.group(c)
	if g == nil {
		return in, nil, nil
	}
	var expr ast.Expr
	var spec *ast.ValueSpec
	for _, s := range g.Specs {
		s := s.(*ast.ValueSpec)
		if len(s.Values) == 0 { // repeats the line before, which the checker knows by its last value alone
			return in, nil, nil
		}
		for i, id := range s.Names {
			if p.Info.Defs[id] == c && i < len(s.Values) {
				spec, expr = s, s.Values[i]
			}
		}
	}
	if expr != nil && !p.Info.Types[expr].IsValue() { // pruned
		return in, nil, nil
	}
	return in, spec, expr
}

// group finds the declaration that a constant of the package stands in: nil where there is none.
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
