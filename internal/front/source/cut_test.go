package source_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
	"testing"

	_ "github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/langsrc"
	_ "github.com/cutile-go/cutile/tile"
)

// TestCut compares every declaration of the language with what Go's parser finds in the whole file: its name, its place,
// its directives and the names that it mentions.
func TestCut(t *testing.T) {
	seen := 0
	for _, src := range langsrc.All() {
		if !src.Lang {
			continue
		}
		p, err := source.Load(src.Path)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, methods := range p.Methods {
			left += len(methods)
		}
		names, err := fs.Glob(src.FS[0], "*.go")
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue // no source of the language
			}
			text, err := fs.ReadFile(src.FS[0], name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(fset, path.Join(src.Dir, name), text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Name.Name == "init" {
					seen += types(t, p, fset, d)
					continue
				}
				got := p.Decls[fn.Name.Name]
				if fn.Recv != nil {
					got = p.Methods[source.TypeName(fn.Recv.List[0].Type)][fn.Name.Name]
					left--
				}
				if directive.Replaces(fn.Doc) {
					fn.Body.List = nil // what it does on the host is nobody's business
				}
				same(t, fset, fn.Name, fn, fn.Doc, got)
				seen++
			}
		}
		if left != 0 {
			t.Errorf("%s: %d methods that the files do not have", src.Path, left)
		}
	}
	if seen < 1300 {
		t.Errorf("%d functions and types, want at least 1,300", seen)
	}
}

// types compares the types of a group.
func types(t *testing.T, p *source.Package, fset *token.FileSet, d ast.Decl) (n int) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return 0
	}
	for _, s := range g.Specs {
		ts, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		doc := ts.Doc
		if doc == nil {
			doc = g.Doc
		}
		same(t, fset, ts.Name, ts, doc, p.Decls[ts.Name.Name])
		n++
	}
	return n
}

func same(t *testing.T, fset *token.FileSet, name *ast.Ident, want ast.Node, doc *ast.CommentGroup, got *source.Decl) {
	t.Helper()
	if got == nil {
		t.Errorf("%v: %s is not found", fset.Position(want.Pos()), name)
		return
	}
	got.Parse()
	at, has := fset.Position(want.Pos()), source.Fset.Position(got.Node.Pos())
	if at.Filename != has.Filename || at.Line != has.Line || at.Column != has.Column || !source.IsLanguage(got.Node.Pos()) {
		t.Errorf("%s is at %v, want %v", name, has, at)
	}
	if end, has := fset.Position(want.End()), source.Fset.Position(got.Node.End()); end.Line != has.Line {
		t.Errorf("%s ends at %v, want %v", name, has, end)
	}
	count := 0
	if doc != nil {
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//cutile:") {
				count++
			}
		}
	}
	if ds := got.Directives(); len(ds) != count {
		t.Errorf("%s has %d directives, want %d", name, len(ds), count)
	}
	names := map[string]bool{}
	ast.Inspect(want, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	for n := range names {
		u := got.Uses()
		if !u.Names[n] && !u.Selected[n] {
			t.Errorf("%s does not mention %s", name, n)
		}
	}
}
