package graph_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/graph"
)

// misuse is a call of a function with an argument that makes no sense, on one line.
type misuse struct {
	function string // as Go has it, such as MatMul or Complex.Mul
	want     string // what the mistake must show: the value in question
	call     func(g *graph.Graph)
	at       any // the function that calls the package, on one line; nil: call
}

// harmless are the functions of arrays that no argument makes fail.
var harmless = map[string]bool{"New": true, "Scalar": true, "RandomState": true, "Stages": true, "Complex.Err": true}

// TestEveryFunctionNamesItself: a mistake begins with the line of the program and the name of the function that it called, shows the
// value, and is the only one.
func TestEveryFunctionNamesItself(t *testing.T) {
	tried := map[string]bool{}
	for _, m := range misuses() {
		tried[m.function] = true
		g := graph.New()
		m.call(g)
		err := g.Err()
		if err == nil {
			t.Errorf("%s: no mistake, expected one with %q", m.function, m.want)
			continue
		}
		text := err.Error()
		if m.at == nil {
			m.at = m.call
		}
		at := reflect.ValueOf(m.at).Pointer()
		file, line := runtime.FuncForPC(at).FileLine(at)
		begin := fmt.Sprintf("%s:%d: graph: %s: ", filepath.Base(file), line, spelled(m.function))
		next := fmt.Sprintf("%s:%d: graph: %s: ", filepath.Base(file), line+1, spelled(m.function)) // gofmt divides longer lines
		if !strings.HasPrefix(text, begin) && !strings.HasPrefix(text, next) || !strings.Contains(text, m.want) || strings.Contains(text, "\n") || strings.Contains(text, ": in ") {
			t.Errorf("%s: the mistake is\n\t%s\nexpected one line that begins with %q and has %q, and no inner function", m.function, text, begin, m.want)
		}
		plain(t, text)
	}
	for _, name := range exportedFunctions(t) {
		if !tried[name] && !harmless[name] {
			t.Errorf("%s: no misuse of it is tried", name)
		}
	}
}

// spelled is how messages spell a name, by a rule that is written unlike that of the package.
func spelled(name string) string {
	name = strings.NewReplacer("MatMul", "Matmul", "IsNaN", "IsNan", ".", "").Replace(name)
	name = regexp.MustCompile(`([A-Z]+)([A-Z][a-z])`).ReplaceAllString(name, "${1}_$2")
	name = regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(name, "${1}_$2")
	return strings.ToLower(name)
}

// exportedFunctions lists the functions of the package that make arrays, and the methods of Complex, from the source.
func exportedFunctions(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			if f.Recv == nil {
				names = append(names, f.Name.Name)
			} else if of, ok := f.Recv.List[0].Type.(*ast.Ident); ok && of.Name == "Complex" {
				names = append(names, "Complex."+f.Name.Name)
			}
		}
	}
	if len(names) < 150 {
		t.Fatalf("%d functions were found: %v", len(names), names)
	}
	return append(names, "Parameter")
}

var (
	spaces = regexp.MustCompile(`\S {2,}\S`)
	bare   = regexp.MustCompile(`(?m):\s*$`)
)

// plain checks that nothing is missing in a message: there are no two spaces in a row, and something stands behind each colon.
func plain(t *testing.T, text string) {
	t.Helper()
	if spaces.MatchString(text) || bare.MatchString(text) || strings.Contains(text, "%!") || strings.Contains(text, ": : ") {
		t.Errorf("a part of the message is missing: %q", text)
	}
}
