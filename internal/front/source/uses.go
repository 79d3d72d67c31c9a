package source

import (
	"go/ast"
)

// Uses are the names that a declaration mentions. They are gathered without types, so there may be too many.
type Uses struct {
	Names    map[string]bool            // plain names
	Imported map[string]map[string]bool // by import path: names of that package
	Dot      []string                   // packages that plain names may belong to
	Selected map[string]bool            // names after a dot, and of interface methods: methods, perhaps
	Idents   int                        // how often there is a name
}

func usesOf(t *text, n ast.Node) *Uses {
	byName, dot := t.imports()
	u := &Uses{Names: map[string]bool{}, Dot: dot}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			u.Names[n.Name] = true
			u.Idents++
		case *ast.SelectorExpr:
			u.selector(n, byName)
			ast.Inspect(n.X, visit)
			return false
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, id := range m.Names {
					u.selected(id)
				}
			}
		}
		return true
	}
	ast.Inspect(n, visit)
	return u
}

// selector notes a name after a dot: of an imported package, or of a field or method.
func (u *Uses) selector(n *ast.SelectorExpr, imports map[string]string) {
	u.selected(n.Sel)
	x, ok := n.X.(*ast.Ident)
	if !ok {
		return
	}
	if p, ok := imports[x.Name]; ok {
		if u.Imported == nil {
			u.Imported = map[string]map[string]bool{}
		}
		if u.Imported[p] == nil {
			u.Imported[p] = map[string]bool{}
		}
		u.Imported[p][n.Sel.Name] = true
	}
}

// selected notes a name after a dot, or of a method.
func (u *Uses) selected(id *ast.Ident) {
	if u.Selected == nil {
		u.Selected = map[string]bool{}
	}
	u.Selected[id.Name] = true
	u.Idents++
}
