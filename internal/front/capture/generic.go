package capture

import (
	"go/ast"
	"reflect"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
)

// namedOn gives the generic functions with as many parameters and results as t that a declaration names on a line. Inside
// generic code the value of such a function is a closure, of which the Go runtime knows no more than that line.
func namedOn(d *source.Decl, t reflect.Type, line int) (out []Ref) {
	byName, _ := source.Imports(d.File)
	fields := map[ast.Node]bool{} // names of fields and methods, whatever else has them
	ast.Inspect(d.Node, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || source.Fset.Position(e.Pos()).Line != line {
			return true
		}
		r := world.Symbol{Path: d.Pkg.Path}
		switch x := e.(type) {
		case *ast.KeyValueExpr: // of a literal: a function cannot be a key
			fields[x.Key] = true
			return true
		case *ast.Ident:
			if fields[x] {
				return true
			}
			r.Name = x.Name
		case *ast.SelectorExpr:
			q, ok := x.X.(*ast.Ident)
			if fields[x.Sel] = true; !ok || byName[q.Name] == "" {
				return true
			}
			r = world.Symbol{Path: byName[q.Name], Name: x.Sel.Name}
		default:
			return true
		}
		p, err := source.Load(r.Path)
		if err != nil || p == nil || p.Decls[r.Name] == nil {
			return true
		}
		fn := p.Decls[r.Name].Func()
		if fn == nil || fn.Type.TypeParams == nil || fn.Type.Params.NumFields() != t.NumIn() || fn.Type.Results.NumFields() != t.NumOut() {
			return true
		}
		for _, old := range out {
			if old.Root == r {
				return true
			}
		}
		out = append(out, Ref{Root: r, Decl: p.Decls[r.Name]})
		return true
	})
	return out
}
