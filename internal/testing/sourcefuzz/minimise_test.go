package sourcefuzz_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// varying is what differs between findings that are the same: numbers, and names of modules.
var varying = regexp.MustCompile(`fuzz/m\d+|0x[0-9a-f]+|\d+|\[[^\]]*\]`)

// class is what a finding is about.
func (o *outcome) class() string {
	what, _, _ := strings.Cut(o.finding, "\n")
	return varying.ReplaceAllString(what, "")
}

func (o *outcome) panicked() bool { return strings.HasPrefix(o.finding, "panic") }

// minimised drops statements, declarations and arguments of operators as long as the finding stays the same.
func minimised(p *program, o *outcome) *program {
	class := o.class()
	for tries, changed := 0, true; changed && tries < 400; {
		changed = false
		for _, e := range reductions(p.text) {
			q := *p
			q.text = apply(p.text, []edit{e})
			if tries++; tries > 400 {
				break
			}
			if q.run().class() == class {
				p, changed = &q, true
				break
			}
		}
	}
	return p
}

// reductions are edits that make a program smaller, greater ones first.
func reductions(text string) (out []edit) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "m.go", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	off := func(p token.Pos) int { return fset.Position(p).Offset }
	src := func(n ast.Node) string { return text[off(n.Pos()):off(n.End())] }
	drop := func(n ast.Node) { out = append(out, edit{off(n.Pos()), off(n.End()), ""}) }
	body := func(n ast.Node, list []ast.Stmt) {
		if len(list) > 0 {
			out = append(out, edit{off(n.Pos()), off(n.End()), text[off(list[0].Pos()):off(list[len(list)-1].End())]})
		}
	}
	for _, d := range f.Decls {
		drop(d)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.CaseClause:
			drop(n)
		case *ast.BlockStmt:
			for _, s := range n.List {
				drop(s)
			}
		case *ast.IfStmt:
			body(n, n.Body.List)
			if n.Else != nil {
				out = append(out, edit{off(n.Body.End()), off(n.Else.End()), ""})
			}
		case *ast.ForStmt:
			body(n, n.Body.List)
		case *ast.RangeStmt:
			body(n, n.Body.List)
		case *ast.BinaryExpr:
			out = append(out, edit{off(n.Pos()), off(n.End()), src(n.X)}, edit{off(n.Pos()), off(n.End()), src(n.Y)})
		case *ast.CallExpr:
			if len(n.Args) == 1 {
				out = append(out, edit{off(n.Pos()), off(n.End()), src(n.Args[0])})
			}
			if lit, ok := n.Fun.(*ast.FuncLit); ok {
				body(n, lit.Body.List)
			}
		case *ast.ParenExpr:
			out = append(out, edit{off(n.Pos()), off(n.End()), src(n.X)})
		}
		return true
	})
	return out
}
