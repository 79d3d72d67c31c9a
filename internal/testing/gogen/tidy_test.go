package gogen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/cutile-go/cutile/internal/testing/gogen"
)

var (
	mention = regexp.MustCompile(`(?m)^\s*_(, _)* = \w+(, \w+)*\n`)
	blank   = regexp.MustCompile(`\n\s*\n(\s*\n)*`)
)

// tidy drops what nothing uses from a program: variables that are set alone, functions that nobody calls.
func tidy(text string) string {
	text = blank.ReplaceAllString(mention.ReplaceAllString(text, ""), "\n")
	for range 30 {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", "package p\n"+text, parser.SkipObjectResolution)
		if err != nil {
			return text
		}
		prelude, _ := parser.ParseFile(fset, "prelude.go", "package p\n"+gogen.Prelude(true), parser.SkipObjectResolution)
		lines := strings.SplitAfter("package p\n"+text, "\n")
		changed := false
		drop := func(from, to token.Pos) {
			a, b := fset.Position(from).Line, fset.Position(to).Line
			for i := a - 1; i < b; i++ {
				lines[i] = ""
			}
			changed = true
		}
		uses := map[types.Object]int{}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: nil, Error: func(err error) {
			e, ok := err.(types.Error)
			if ok && strings.HasPrefix(e.Msg, "declared and not used") {
				if s := declares(f, e.Pos); s != nil {
					drop(s.Pos(), s.End()-1)
				}
			}
		}}
		_, _ = conf.Check("p", fset, []*ast.File{f, prelude}, info)
		for _, o := range info.Uses {
			uses[o]++
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && uses[info.Defs[fn.Name]] == 0 && !strings.HasPrefix(fn.Name.Name, "entry") {
				drop(d.Pos(), d.End()-1)
			}
		}
		if !changed {
			break
		}
		text = strings.TrimPrefix(strings.Join(lines, ""), "package p\n")
	}
	return text
}

// declares gives the statement of one variable that declares it at a place: nil for others.
func declares(f *ast.File, at token.Pos) (found ast.Stmt) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				if one(s, at) {
					found = s
				}
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				if one(s, at) {
					found = s
				}
			}
		}
		return true
	})
	return found
}

func one(s ast.Stmt, at token.Pos) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE && len(s.Lhs) == 1 && s.Lhs[0].Pos() == at
	case *ast.DeclStmt:
		g, ok := s.Decl.(*ast.GenDecl)
		return ok && g.Tok == token.VAR && len(g.Specs) == 1 && g.Specs[0].Pos() == at
	}
	return false
}
