package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ofLanguage are words that belong to one level of the language, or to what it becomes, in texts and in names.
var ofLanguage = regexp.MustCompile(`(?:^|[^a-zA-Z])(?:tile|cute|simt|ptx|dtype)|Tile|Cute|S(?:IMT|imt)|PTX|Dtype`)

// TestFrontKnowsNoLanguage: no name, text or comment of the front end is about one level of the language.
func TestFrontKnowsNoLanguage(t *testing.T) {
	for text, want := range map[string]bool{
		"TilePath": true, "isTile": true, "to Tile IR": true, "a/tile/op": true, "//cutile:ptx": true, "isPTXOf": true, "tiles": true,
		"CuteFromValues": true, "github.com/cutile-go/cutile": false, "cutile.Module": false, "execute": false, "volatile": false,
	} {
		if ofLanguage.MatchString(text) != want {
			t.Errorf("%s: want %v", text, want)
		}
	}
	files, err := filepath.Glob(top + "/internal/front/*/*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		hold := func(at token.Pos, text string) {
			if w := ofLanguage.FindString(text); w != "" {
				t.Errorf("%s: %q is a word of one language", fset.Position(at), w)
			}
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				hold(c.Pos(), c.Text)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				hold(n.Pos(), n.Name)
			case *ast.BasicLit:
				hold(n.Pos(), n.Value)
			}
			return true
		})
	}
}
