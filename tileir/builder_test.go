package tileir_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestBuilderDoesNotCompile type-checks wrong calls of the builder: what is missing is an error of the Go compiler.
func TestBuilderDoesNotCompile(t *testing.T) {
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "source", nil)
	for call, want := range map[string]string{
		"b.AddF(x, x, tileir.RoundingZero)":                "",
		"b.AddF(x, tileir.RoundingZero)":                   "not enough arguments in call to b.AddF",
		"b.AddF(x, x)":                                     "not enough arguments in call to b.AddF",
		"b.NegF(x, tileir.WithMask(x))":                    "too many arguments in call to b.NegF",
		"b.CmpI(x, x, tileir.CompareLessThan)":             "not enough arguments in call to b.CmpI",
		"b.Constant(x)":                                    "cannot use x (variable of type *tileir.Value) as *tileir.Constant value",
		"b.Bitcast(x, 3.5)":                                "cannot use 3.5",
		"b.For(x, x, x, nil, func(tile *tileir.Value) {})": "as func(index *tileir.Value, carried []*tileir.Value) value",
		"b.LoadViewTko(x, x, tileir.MemoryWeak)":           "cannot use x",
		"tile, token := b.LoadPtrTko(x, tileir.MemoryWeak, tileir.WithMask(x)); _, _ = tile, token": "",
	} {
		src := "package p\n\nimport \"github.com/cutile-go/cutile/tileir\"\n\nfunc f(b *tileir.Builder, x *tileir.Value) { " + call + " }\n"
		file, err := parser.ParseFile(fset, "p.go", src, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&types.Config{Importer: imp}).Check("p", fset, []*ast.File{file}, nil)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", call, err, want)
		}
	}
}
