package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/check"
)

// Go's type checker computes constant expressions in the types beneath those of tiles, which are wider than the elements:
// float64 for F16. So they are computed once more here: each typed step is rounded to its type, or refused where the type
// does not hold it, as Go does with its own types.

// known is a constant of Go: its value, and its type, which is nil where it is untyped and so exact.
type known struct {
	v constant.Value
	t types.Type
}

// step computes a constant expression.
func (l *lowerer) step(fr *frame, e ast.Expr) known { return l.stepOf(fr, e, fr.pkg.Info.Types[e]) }

// stepOf is step where tv is what the checker knows of e.
func (l *lowerer) stepOf(fr *frame, e ast.Expr, tv types.TypeAndValue) known {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.step(fr, e.X)
	case *ast.BasicLit:
		return known{tv.Value, nil}
	case *ast.Ident:
		return l.constantOf(fr, e, tv)
	case *ast.SelectorExpr:
		return l.constantOf(fr, e.Sel, tv)
	case *ast.UnaryExpr:
		x := l.step(fr, e.X)
		if e.Op == token.NOT {
			return known{constant.UnaryOp(e.Op, x.v, 0), x.t}
		}
		d := l.numberDesc(x.t)
		if d == nil {
			return known{tv.Value, x.t}
		}
		size := uint(0)
		if e.Op == token.XOR && !d.Elem.Signed() {
			size = uint(d.Elem.IR.Bits())
		}
		return l.inType(e.Pos(), constant.UnaryOp(e.Op, x.v, size), x.t)
	case *ast.BinaryExpr:
		return l.binaryStep(fr, e, tv)
	case *ast.CallExpr:
		if f := fr.pkg.Info.Types[e.Fun]; f.IsType() && len(e.Args) == 1 {
			t := l.w.Subst(f.Type, fr.env)
			if l.numberDesc(t) == nil {
				return known{tv.Value, t}
			}
			return l.inType(e.Pos(), l.step(fr, e.Args[0]).v, t)
		}
	}
	return known{tv.Value, l.w.Subst(tv.Type, fr.env)}
}

// inType is a constant in a type, which must hold it.
func (l *lowerer) inType(pos token.Pos, v constant.Value, t types.Type) known {
	d := l.numberDesc(t)
	if d == nil || d.Pointer || v.Kind() == constant.Bool || v.Kind() == constant.String {
		return known{v, t}
	}
	if d.Elem.IR.IsInt() {
		v = constant.ToInt(v)
	}
	r, ok := l.rounded(pos, v, d.Elem).(constant.Value)
	l.must(ok, pos, "the constant %s does not fit in %s", v, d.Elem.Type)
	return known{r, t}
}

func (l *lowerer) binaryStep(fr *frame, e *ast.BinaryExpr, tv types.TypeAndValue) known {
	x, y := l.step(fr, e.X), l.step(fr, e.Y)
	t := x.t
	switch {
	case e.Op == token.SHL || e.Op == token.SHR:
		n, ok := constant.Uint64Val(y.v)
		if l.numberDesc(t) == nil || !ok {
			return known{tv.Value, t}
		}
		return l.inType(e.OpPos, constant.Shift(constant.ToInt(x.v), e.Op, uint(n)), t)
	case e.Op == token.LAND || e.Op == token.LOR:
		return known{constant.BinaryOp(x.v, e.Op, y.v), t}
	case t == nil:
		t = y.t
	}
	d := l.numberDesc(t)
	if d == nil {
		return known{tv.Value, t}
	}
	x, y = l.inType(e.X.Pos(), x.v, t), l.inType(e.Y.Pos(), y.v, t)
	op := e.Op
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return known{constant.MakeBool(constant.Compare(x.v, op, y.v)), nil}
	case token.QUO, token.REM:
		l.must(constant.Sign(y.v) != 0, e.OpPos, "division by zero")
		if op == token.QUO && d.Elem.IR.IsInt() {
			op = token.QUO_ASSIGN
		}
	}
	return l.inType(e.OpPos, constant.BinaryOp(x.v, op, y.v), t)
}

// constantOf is a declared constant, computed from its declaration.
func (l *lowerer) constantOf(fr *frame, id *ast.Ident, tv types.TypeAndValue) known {
	c, ok := fr.pkg.Info.Uses[id].(*types.Const)
	if !ok {
		return known{tv.Value, typed(tv.Type)}
	}
	if k, ok := l.consts[c]; ok {
		return k
	}
	var k known
	if in, s, x := l.constSpec(fr, c); x == nil { // of the universe, or the value of another line
		k = l.inType(id.Pos(), c.Val(), typed(c.Type()))
	} else if k = l.step(in, x); s.Type != nil {
		k = l.inType(x.Pos(), k.v, c.Type())
	}
	if c.Pkg() != nil { // the universe has a number for each line of constants
		l.consts[c] = k
	}
	return k
}

// numberDesc is the desc of a type whose values are tiles: nil for others, and for none.
func (l *lowerer) numberDesc(t types.Type) *check.Desc {
	if t == nil {
		return nil
	}
	return l.tileDesc(t)
}

// typed is a type: nil for an untyped one.
func typed(t types.Type) types.Type {
	if isUntyped(t) {
		return nil
	}
	return t
}

// constSpec finds the declaration of a constant: nil where it has no expression of its own.
func (l *lowerer) constSpec(fr *frame, c *types.Const) (*frame, *ast.ValueSpec, ast.Expr) {
	var p *check.Pkg
	if c.Pkg() != nil {
		p = l.w.Pkgs[c.Pkg().Path()]
	}
	if p == nil {
		return nil, nil, nil
	}
	var g *ast.GenDecl
	in := &frame{env: fr.env, pkg: p}
	if c.Parent() != c.Pkg().Scope() {
		g = groupOf(p, c)
	} else if d := p.Src.Decls[c.Name()]; d != nil {
		g, _ = d.Node.(*ast.GenDecl)
	}
	if g == nil {
		return nil, nil, nil
	}
	var expr ast.Expr
	var spec *ast.ValueSpec
	for _, s := range g.Specs {
		s := s.(*ast.ValueSpec)
		if len(s.Values) == 0 { // repeats the line before, which the checker knows by its last value alone
			return nil, nil, nil
		}
		for i, id := range s.Names {
			if in.pkg.Info.Defs[id] == c && i < len(s.Values) {
				spec, expr = s, s.Values[i]
			}
		}
	}
	if expr != nil && !in.pkg.Info.Types[expr].IsValue() { // pruned
		return nil, nil, nil
	}
	return in, spec, expr
}

// groupOf finds the declaration of a constant of a function.
func groupOf(p *check.Pkg, c *types.Const) (g *ast.GenDecl) {
	for _, f := range p.Src.Files {
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
