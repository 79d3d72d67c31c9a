package cute_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/langsrc"
)

// TestOutside: what is exported here and not in the files of the language is listed as such, for what the compiler says of it.
func TestOutside(t *testing.T) {
	src := langsrc.Lookup("github.com/cutile-go/cutile/cute")
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	compiled, all := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fs.Stat(src.FS[0], file)
		for _, name := range exported(f) {
			all[name] = true
			compiled[name] = compiled[name] || err == nil
		}
	}
	var want []string
	for name := range all {
		recv, _, method := strings.Cut(name, ".")
		if !compiled[name] && (!method || compiled[recv]) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if !slices.Equal(src.Outside, want) {
		t.Errorf("outside is %q, want %q", src.Outside, want)
	}
}

// exported are the exported names of a file; methods are T.m.
func exported(f *ast.File) (out []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				t := d.Recv.List[0].Type
				if p, ok := t.(*ast.StarExpr); ok {
					t = p.X
				}
				if i, ok := t.(*ast.IndexExpr); ok {
					t = i.X
				}
				name = t.(*ast.Ident).Name + "." + name
			}
			if d.Name.IsExported() && ast.IsExported(name) {
				out = append(out, name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						out = append(out, s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if id.IsExported() {
							out = append(out, id.Name)
						}
					}
				}
			}
		}
	}
	return out
}
