package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

const sample = `package p

func f(a, b int, err error) (int, error) {
	mu.Lock()
	if !(a < 3) {
		return keyOf(a, b), err
	}
	a += max(a, b)
	return a, nil
}
`

// TestKinds: what each kind makes of a program that has a place for every kind.
func TestKinds(t *testing.T) {
	f := &file{name: "p.go", fset: token.NewFileSet(), text: sample}
	var err error
	if f.ast, err = parser.ParseFile(f.fset, f.name, sample, 0); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"operator": "if !(a <= 3) {", "negation": "if ((a < 3)) {", "number": "if !(a < 4) {", "check": "if false && (!(a < 3)) {",
		"call": "", "error": "return keyOf(a, b), nil", "key": "return keyOf(a), err", "name": "a += min(a, b)", "assignment": "a = max(a, b)",
	}
	for _, k := range kinds {
		var got []string
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if n != nil {
				for _, e := range k.apply(f, n) {
					text, _, after := f.apply(e)
					if _, err := parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
						t.Errorf("%s: %v", k.name, err)
					}
					got = append(got, after)
				}
			}
			return true
		})
		if len(got) == 0 || got[0] != want[k.name] {
			t.Errorf("%s: got %q, want %q first", k.name, got, want[k.name])
		}
	}
}

// TestChoose: every file of the product is read, the same seed gives the same places, and the tests of each place exist.
func TestChoose(t *testing.T) {
	top := filepath.Join("..", "..", "..")
	files, err := product(top, "")
	if err != nil {
		t.Fatal(err)
	}
	places := func() (all []string) {
		rng := rand.New(rand.NewPCG(7, 0))
		for len(all) < 50 {
			if m := choose(rng, files); m != nil {
				all = append(all, m.String())
			}
		}
		return all
	}
	first, second := places(), places()
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("place %d: %s, then %s", i, first[i], second[i])
		}
	}
	for _, f := range files {
		for _, pkg := range testsOf(filepath.ToSlash(filepath.Dir(f.name))) {
			if dir := filepath.Join(top, trimDots(pkg)); !isDir(dir) {
				t.Errorf("%s is tested by %s, which does not exist", f.name, pkg)
			}
		}
	}
}

func trimDots(pkg string) string {
	if base := filepath.Base(pkg); base == "..." {
		return filepath.Dir(pkg)
	}
	return pkg
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
