package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// exported is every exported name of a package in a folder: Name, and Type.Method for each method.
func exported(t *testing.T, pkg, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			for _, name := range declared(d) {
				names[pkg+"."+name] = true
			}
		}
	}
	return names
}

func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		t := d.Recv.List[0].Type
		for {
			switch x := t.(type) {
			case *ast.StarExpr:
				t = x.X
				continue
			case *ast.IndexExpr:
				t = x.X
				continue
			case *ast.IndexListExpr:
				t = x.X
				continue
			case *ast.Ident:
				return []string{x.Name + "." + d.Name.Name}
			}
			return nil
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// goName is a name of one of our packages in a document.
var goName = regexp.MustCompile("\\b(?:tile|cutile|Device|Stream)(?:\\.[A-Z][A-Za-z0-9]*)+")

// TestNames: each name of Go in the table of names of cuTile Python is one of the packages.
func TestNames(t *testing.T) {
	doc, err := os.ReadFile("../language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(doc), "\n## From cuTile Python\n")
	if !ok {
		t.Fatal("docs/language.md has no table of cuTile Python's names")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	names := exported(t, "tile", "../../tile")
	for _, dir := range []string{"../..", "../../device"} { // whose types cutile has as aliases
		for name := range exported(t, "cutile", dir) {
			names[name] = true
		}
	}
	rows, found := 0, 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 {
			continue
		}
		rows++
		for _, name := range goName.FindAllString(cells[1], -1) {
			found++
			if !strings.HasPrefix(name, "tile.") && !strings.HasPrefix(name, "cutile.") {
				name = "cutile." + name
			}
			if !names[name] {
				t.Errorf("there is no %s", name)
			}
		}
	}
	if rows < 40 || found < 70 {
		t.Errorf("%d rows with %d names of Go", rows, found)
	}
}
