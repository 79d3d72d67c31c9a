package gogen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/gogen"
)

var unrolled = regexp.MustCompile(`unrolled\((\d+)\)`)

// plain is a program's text with loops that are unrolled at the SIMT level as those of Go.
func plain(text string) string { return unrolled.ReplaceAllString(text, "$1") }

// checkGo is what the rules of Go say of a text.
func checkGo(text string) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{"p.go": "package p\n" + plain(text), "prelude.go": "package p\n" + gogen.Prelude(true)} {
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	_, err := (&types.Config{}).Check("p", fset, files, nil)
	return err
}

// TestGenerate: what is written is Go, but for a program in some hundreds, and the same for the same seed.
func TestGenerate(t *testing.T) {
	bad := 0
	for seed := range uint64(500) {
		p := gogen.Generate(seed)
		if p.Text(1) != gogen.Generate(seed).Text(1) {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if err := checkGo(p.Text(1)); err != nil {
			if bad++; bad > 2 {
				t.Errorf("seed %d: %v\n%s", seed, err, line(p.Text(1), err))
			}
		}
	}
}

func line(text string, err error) string {
	lines := strings.Split(plain(text), "\n")
	if e, ok := err.(types.Error); ok {
		return lines[max(0, e.Fset.Position(e.Pos).Line-2)]
	}
	return text
}
