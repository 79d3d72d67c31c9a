// Package archtest enforces the import rules of the repository.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	rules, layers := readRules(t)
	used := map[string]bool{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || p != top && isModule(p)) {
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
			switch above, below := layers.of(from), layers.of(to); {
			case above < 0 || below < 0 && !strings.Contains(strings.Split(to, "/")[0], "."):
				t.Errorf("%s: %s or %s is in no layer", fset.Position(imp.Pos()), from, to)
			case below >= 0 && above > below:
				t.Errorf("%s: %s, of the layer %q, may not import %s, of %q above it", fset.Position(imp.Pos()), from, layers[above].name, to, layers[below].name)
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

func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// TestModules holds the modules of their own, which lie in this repository, against using more than what others can use.
func TestModules(t *testing.T) {
	var own string
	found := 0
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		}
		if d.IsDir() && p != top && isModule(p) {
			own = p + string(filepath.Separator)
			found++
		}
		if !strings.HasSuffix(p, ".go") || own == "" || !strings.HasPrefix(p, own) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			if strings.HasPrefix(imp.Path.Value, `"`+module+"/internal/") {
				t.Errorf("%s imports %s", p, imp.Path.Value)
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d modules, %v", found, err)
	}
}

// ruleSet holds rules as "from -> to"; either may end in /* for everything below.
type ruleSet map[string]bool

func readRules(t *testing.T) (ruleSet, stack) {
	text, err := os.ReadFile("rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	rules, layers := ruleSet{}, stack{}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			name, packages, _ := strings.Cut(name, ": ")
			layers = append(layers, layer{name, strings.Fields(packages)})
			continue
		}
		from, to, ok := strings.Cut(line, "->")
		if !ok {
			continue
		}
		for _, to := range strings.Fields(to) {
			rules[strings.TrimSpace(from)+" -> "+to] = true
		}
	}
	return rules, layers
}

// stack is the layers, from the top down.
type stack []layer

type layer struct {
	name     string
	packages []string // or patterns
}

// of is the number of the layer that names a package, or the folder nearest above it; -1 where there is none.
func (h stack) of(p string) int {
	for _, name := range above(p) {
		for i, s := range h {
			if slices.Contains(s.packages, name) {
				return i
			}
		}
	}
	return -1
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

// above gives a path and the patterns that cover it, the nearest first.
func above(p string) []string {
	out := []string{p}
	for d := p; d != "."; d = path.Dir(d) {
		out = append(out, d+"/*")
	}
	return out
}
