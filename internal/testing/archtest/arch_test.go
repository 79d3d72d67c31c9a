// Package archtest enforces the import rules of the repository.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

const (
	module = "github.com/cutile-go/cutile"
	top    = "../../.."
)

// TestImports holds every import inside the module, and every one of other modules, against rules.txt. Tests may import
// what they like.
func TestImports(t *testing.T) {
	rules := readRules(t)
	used := map[string]bool{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(top, filepath.Dir(p))
		from := filepath.ToSlash(rel)
		if from == "." {
			from = "root"
		}
		for _, imp := range f.Imports {
			to := strings.Trim(imp.Path.Value, `"`)
			if to == module {
				to = "root"
			}
			to = strings.TrimPrefix(to, module+"/")
			if to == strings.Trim(imp.Path.Value, `"`) && !strings.Contains(strings.Split(to, "/")[0], ".") {
				continue // the standard library
			}
			if rule, ok := rules.allows(from, to); ok {
				used[rule] = true
			} else {
				t.Errorf("%s: %s may not import %s", fset.Position(imp.Pos()), from, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for rule := range rules {
		if !used[rule] {
			t.Errorf("rules.txt: %s is not needed", rule)
		}
	}
}

// ruleSet holds rules as "from -> to"; either may end in /* for everything below.
type ruleSet map[string]bool

func readRules(t *testing.T) ruleSet {
	text, err := os.ReadFile("rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	rules := ruleSet{}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		from, to, ok := strings.Cut(line, "->")
		if !ok {
			continue
		}
		for _, to := range strings.Fields(to) {
			rules[strings.TrimSpace(from)+" -> "+to] = true
		}
	}
	return rules
}

func (r ruleSet) allows(from, to string) (string, bool) {
	for _, f := range above(from) {
		for _, g := range above(to) {
			if rule := f + " -> " + g; r[rule] {
				return rule, true
			}
		}
	}
	return "", false
}

// above gives a path and the patterns that cover it.
func above(p string) []string {
	out := []string{p}
	for d := p; d != "."; d = path.Dir(d) {
		out = append(out, d+"/*")
	}
	return out
}
