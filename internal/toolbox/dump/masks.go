package dump

import (
	"go/ast"
	"go/token"

	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// noteMasks remembers the shapes of the masks that an assignment gives to variables.
func (l *lister) noteMasks(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		return
	}
	for i, e := range s.Lhs {
		id, ok := e.(*ast.Ident)
		if !ok {
			continue
		}
		if shape := l.mask(s.Rhs[i]); len(shape) > 0 {
			if obj := l.cur.pkg.Info.ObjectOf(id); obj != nil {
				l.shapes[obj] = shape
			}
		}
	}
}

// mask is the shape of a truth value that Go takes for one bool: a comparison of tiles has their shape.
func (l *lister) mask(e ast.Expr) []int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.mask(e.X)
	case *ast.Ident:
		return l.shapes[l.cur.pkg.Info.ObjectOf(e)]
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return l.mask(e.X)
		}
	case *ast.BinaryExpr:
		for _, x := range []ast.Expr{e.X, e.Y} {
			switch e.Op {
			case token.LAND, token.LOR:
				if s := l.mask(x); len(s) > 0 {
					return s
				}
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				if s := l.shape(x); len(s) > 0 {
					return s
				}
			}
		}
	}
	return nil
}

func (l *lister) shape(e ast.Expr) []int {
	tv := l.cur.pkg.Info.Types[e]
	if tv.Type == nil {
		return nil
	}
	d := l.w.Desc(l.w.Subst(tv.Type, l.cur.env))
	if d == nil || d.Kind != describe.TileKind {
		return l.mask(e)
	}
	if len(d.Shape) == 0 {
		return l.mask(e)
	}
	return d.Shape
}
