package notebook

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the code and outputs in docs/cute.md anew")

const document = "../cute.md"

// block is Go in the document, named by the words behind "go", and below it what that prints.
var block = regexp.MustCompile("(?s)```go ([^\n]+)\n(.*?)```\n(\n```text\n(.*?)```\n)?")

// TestDocument holds docs/cute.md against this package: every block shows a declaration, or the body of a function that
// prints, word for word; below it stands what running it printed; and everything here is shown once.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	source, shown := declarations(t), map[string]bool{}
	text := block.ReplaceAllStringFunc(string(data), func(old string) string {
		names := block.FindStringSubmatch(old)[1]
		var parts []string
		out := ""
		for _, name := range strings.Fields(names) {
			code, ok := source[name]
			if !ok || shown[name] {
				t.Errorf("docs/cute.md shows %s, which this package has not, or for the second time", name)
			}
			shown[name] = true
			parts = append(parts, code)
			if cell, ok := cells[name]; ok {
				out += output(t, cell)
			}
		}
		return fresh(names, strings.Join(parts, "\n\n"), out)
	})
	for name := range source {
		if !shown[name] {
			t.Errorf("docs/cute.md does not show %s", name)
		}
	}
	if plain := strings.Count(text, "```go\n"); plain > 0 {
		t.Errorf("%d blocks of Go in docs/cute.md have no name: nothing checks them", plain)
	}
	if *update {
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	was, is := strings.Split(string(data), "\n"), strings.Split(text, "\n")
	for i := range is {
		if i >= len(was) || was[i] != is[i] {
			t.Fatalf("docs/cute.md is not what this package does; go test ./docs/cute -update writes it. First, line %d should be\n%s", i+1, is[i])
		}
	}
	if len(was) != len(is) {
		t.Errorf("docs/cute.md has %d lines, want %d", len(was), len(is))
	}
}

// fresh is a block with the code and the output of today.
func fresh(names, code, out string) string {
	text := "```go " + names + "\n" + code + "\n```\n"
	if out != "" {
		text += "\n```text\n" + out + "```\n"
	}
	return text
}

// declarations gives the text of each declaration: of a function that prints, its body.
func declarations(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"layouts.go", "kernels.go"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, data, 0)
		if err != nil {
			t.Fatal(err)
		}
		text := func(n ast.Node) string {
			return string(data[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = text(d.Recv.List[0].Type) + "." + name
				}
				if _, ok := cells[name]; ok {
					out[name] = body(text(d.Body))
				} else {
					out[name] = text(d)
				}
			case *ast.GenDecl:
				declared(out, d, text)
			}
		}
	}
	return out
}

// declared adds types and variables by the name of the first one; what registers the source has none.
func declared(out map[string]string, d *ast.GenDecl, text func(ast.Node) string) {
	switch s := d.Specs[0].(type) {
	case *ast.TypeSpec:
		out[s.Name.Name] = text(d)
	case *ast.ValueSpec:
		if name := s.Names[0].Name; name != "_" && name != "source" {
			out[name] = text(d)
		}
	}
}

// body is what stands between the braces of a function, one tab to the left.
func body(block string) string {
	lines := strings.Split(strings.Trim(strings.TrimSuffix(strings.TrimPrefix(block, "{"), "}"), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "\t")
	}
	return strings.Join(lines, "\n")
}

// output is what a function prints, without blanks at the ends of lines and with positions that name files alone.
func output(t *testing.T, cell func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = w
	printed := make(chan string)
	go func() {
		data, err := io.ReadAll(r)
		printed <- fmt.Sprint(string(data), errorText(err))
	}()
	defer func() { os.Stdout = stdout }()
	cell()
	w.Close()
	return tidy(t, <-printed)
}

func errorText(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

func tidy(t *testing.T, text string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	text = strings.NewReplacer(dir+string(os.PathSeparator), "", "github.com/cutile-go/cutile/docs/cute/", "").Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// TestNames: every name of package cute that the document's tables and sentences give is there.
func TestNames(t *testing.T) {
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	files, err := filepath.Glob("../../cute/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				exported[d.Name.Name] = d.Recv == nil || exported[d.Name.Name]
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						exported[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, id := range s.Names {
							exported[id.Name] = true
						}
					}
				}
			}
		}
	}
	_, names, _ := strings.Cut(string(data), "## From CuTe's names")
	found := regexp.MustCompile("`cute\\.([A-Z]\\w*)`").FindAllStringSubmatch(names, -1)
	if len(found) < 60 {
		t.Errorf("the table has %d names only", len(found))
	}
	for _, m := range found {
		if !exported[m[1]] {
			t.Errorf("docs/cute.md names cute.%s, which does not exist", m[1])
		}
	}
}
