package source

import (
	"go/ast"
	"go/token"
)

// Uses are the names that a declaration mentions. They are gathered without types, and may be too many.
type Uses struct {
	Names    map[string]bool            // plain names
	Imported map[string]map[string]bool // by import path: names of that package
	Dot      []string                   // packages that plain names may belong to
	Selected map[string]bool            // names after a dot, and of interface methods: methods, perhaps
	Tokens   map[string]bool            // operators
}

func usesOf(f *ast.File, n ast.Node) *Uses {
	byName, dot := Imports(f)
	u := &Uses{
		Names: map[string]bool{}, Imported: map[string]map[string]bool{}, Dot: dot,
		Selected: map[string]bool{}, Tokens: map[string]bool{},
	}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			u.Names[n.Name] = true
		case *ast.SelectorExpr:
			u.selector(n, byName)
			ast.Inspect(n.X, visit)
			return false
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, id := range m.Names {
					u.Selected[id.Name] = true
				}
			}
		case *ast.BinaryExpr:
			u.Tokens[n.Op.String()] = true
			if n.Op == token.EQL || n.Op == token.NEQ { // of structs, part by part
				u.Tokens["=="], u.Tokens["&&"] = true, true
			}
			if n.Op == token.NEQ {
				u.Tokens["not"] = true
			}
		case *ast.UnaryExpr:
			u.unary(n.Op)
		case *ast.IncDecStmt:
			u.Tokens[n.Tok.String()[:1]] = true
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
				s := n.Tok.String()
				u.Tokens[s[:len(s)-1]] = true
			}
		case *ast.CaseClause:
			u.Tokens["=="], u.Tokens["||"] = true, true
		case *ast.RangeStmt, *ast.ForStmt:
			u.Tokens["+"], u.Tokens["<"], u.Tokens["=="] = true, true, true
		case *ast.IfStmt, *ast.BranchStmt: // an exit may have to be tested
			u.Tokens["=="] = true
		}
		return true
	}
	ast.Inspect(n, visit)
	return u
}

// selector notes a name after a dot: of an imported package, or of a field or method.
func (u *Uses) selector(n *ast.SelectorExpr, imports map[string]string) {
	u.Selected[n.Sel.Name] = true
	x, ok := n.X.(*ast.Ident)
	if !ok {
		return
	}
	if p, ok := imports[x.Name]; ok {
		if u.Imported[p] == nil {
			u.Imported[p] = map[string]bool{}
		}
		u.Imported[p][n.Sel.Name] = true
	}
}

// unary files a unary operator under the word that its directive uses.
func (u *Uses) unary(op token.Token) {
	switch op {
	case token.SUB:
		u.Tokens["neg"] = true
	case token.NOT, token.XOR:
		u.Tokens["not"] = true
	}
}
