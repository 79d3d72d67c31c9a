package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
		for m := range mutants(files, 7) {
			if all = append(all, m.String()); len(all) == 50 {
				break
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
		if strings.HasSuffix(f.name, "_"+map[bool]string{true: "linux", false: "windows"}[runtime.GOOS == "windows"]+".go") {
			t.Errorf("%s is not compiled on %s", f.name, runtime.GOOS)
		}
		for _, pkg := range testsOf(filepath.ToSlash(filepath.Dir(f.name))) {
			if dir := filepath.Join(top, trimDots(pkg)); !isDir(dir) {
				t.Errorf("%s is tested by %s, which does not exist", f.name, pkg)
			}
		}
	}
}

// TestPart: a part of the sample has the same places as the whole, and places that are used up end it.
func TestPart(t *testing.T) {
	files, err := product(".", "kinds")
	if err != nil {
		t.Fatal(err)
	}
	var whole []string
	for m := range mutants(files, 3) {
		whole = append(whole, m.String())
	}
	if len(whole) < 20 || len(whole) > 1000 {
		t.Errorf("kinds.go has %d places", len(whole))
	}
	next := 5
	for k, m := range (&options{seed: 3, from: 5, to: 9}).places(files) {
		if k != next || m.String() != whole[k] {
			t.Errorf("place %d is %s, want %d, %s", k, m, next, whole[next])
		}
		next++
	}
	if next != 9 {
		t.Errorf("the part ends at %d, want 9", next)
	}
}

// TestAgain: the places that a run printed are found again, also where they moved to other lines.
func TestAgain(t *testing.T) {
	files, err := product(".", "kinds")
	if err != nil {
		t.Fatal(err)
	}
	list, want := "", map[string]bool{}
	for k, m := range (&options{seed: 3, to: 12}).places(files) {
		m.line += 100
		list += []string{"", "SURVIVED ", "explained (why not) ", fmt.Sprint(k, " ")}[k%4] + m.report()
		want[m.String()] = true
	}
	o := options{again: filepath.Join(t.TempDir(), "list"), to: 100}
	if err := os.WriteFile(o.again, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.readAgain(); err != nil {
		t.Fatal(err)
	}
	for _, m := range o.places(files) {
		if !o.wanted[spelling(m)] {
			t.Errorf("%s was not asked for", m)
		}
		delete(want, m.String())
	}
	for m := range want {
		t.Errorf("%s is not found again", m)
	}
	if err := os.WriteFile(o.again, []byte("12 mutants: 3 noticed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.readAgain(); err == nil {
		t.Error("a file without places is accepted")
	}
}

// TestBug: what nobody can see is not broken: the text of a panic that only a mistake of cuTile's reaches, and its check.
func TestBug(t *testing.T) {
	for body, want := range map[string]int{
		`if a == 1 { panic("BUG: one") }`:                           0,
		`if a == 1 { panic("one") }`:                                1,
		`if a == 1 { b++; panic("BUG: one") }`:                      1,
		`panic(fmt.Sprintf("BUG: %d", a+(1)))`:                      0,
		`panic(fmt.Sprintf("%d", a+(1)))`:                           1,
		"switch { case a+1 > 2: panic(\"BUG: \" + f(a + 1)) }; b++": 2,
	} {
		f := &file{name: "p.go", fset: token.NewFileSet(), text: "package p\nfunc f(a, b int) {" + body + "}"}
		var err error
		if f.ast, err = parser.ParseFile(f.fset, f.name, f.text, 0); err != nil {
			t.Fatal(err)
		}
		got := 0
		for m := range mutants([]*file{f}, 1) {
			if (m.kind == "check") == strings.HasPrefix(body, "if") && (m.kind == "check" || m.kind == "number") {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %d places, want %d", body, got, want)
		}
	}
}

// TestUnread: numbers beside an error are left as they are; those beside a result that may be read are not.
func TestUnread(t *testing.T) {
	for body, want := range map[string]int{
		"return 1, err": 0, "return 1, false": 0, "return 1, nil": 1, "return 1, true": 1, "return 1, 2": 2, "return f(1), err": 1, "return 1": 1, `return 1, fmt.Errorf("%d", 7)`: 0,
		`return 1, errors.New("x")`: 0, "return 1, f(2)": 2, "return T{}, 1, err": 0, "return T{1}, err": 1,
	} {
		f := &file{name: "p.go", fset: token.NewFileSet(), text: "package p\nfunc f() {" + body + "}"}
		var err error
		if f.ast, err = parser.ParseFile(f.fset, f.name, f.text, 0); err != nil {
			t.Fatal(err)
		}
		got := 0
		for m := range mutants([]*file{f}, 1) {
			if m.kind == "number" {
				got++
			}
		}
		if got != want {
			t.Errorf("%s: %d places, want %d", body, got, want)
		}
	}
}

// TestStages: a folder's own tests come first, and none of the others is forgotten.
func TestStages(t *testing.T) {
	for folder, want := range map[string]string{
		".": "[.]", "dtype": "[./dtype]", "internal/engine/cpu": "[./internal/engine/cpu ./internal/testing/numerics ./internal/testing/conformance ./cute . ./internal/testing/gogen]",
		"internal/simt/emu":    "[./internal/simt/emu ./internal/simt/... ./internal/simtc/... ./internal/testing/ptxsuites ./internal/testing/cutecases ./cute ./internal/testing/gogen]",
		"internal/front/world": "[./internal/front/world ./internal/tilec/describe ./internal/tilec/compile ./internal/testing/languagetest ./internal/tilec/lower ./internal/testing/gogen]", "vet": "[./vet]",
		"internal/tilec/lower": "[./internal/tilec/lower ./internal/tilec/compile ./internal/testing/languagetest ./internal/testing/gogen]",
		"device":               "[. ./cute]", "internal/driver/cudrv": "[./internal/driver/cudrv/... ./internal/engine/cuda]",
	} {
		if got := fmt.Sprint(stages(folder)); got != want {
			t.Errorf("%s: %s, want %s", folder, got, want)
		}
	}
}

// TestBuildCache: it begins with the user's files, keeps what it is told to, drops the rest, and leaves the user's alone.
func TestBuildCache(t *testing.T) {
	users := t.TempDir()
	t.Setenv("GOCACHE", users)
	write := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := func(dir string) (all []string) {
		each(dir, func(name, _ string) { all = append(all, filepath.ToSlash(name)) })
		return all
	}
	write(filepath.Join(users, "trim.txt"))
	write(filepath.Join(users, "00", "user-d"))
	c, err := newBuildCache()
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(c.dir)
	write(filepath.Join(c.dir, "01", "tests-d"))
	c.keep()
	write(filepath.Join(c.dir, "01", "mutant-d"))
	c.trim()
	if got := fmt.Sprint(names(c.dir)); got != "[00/user-d 01/tests-d]" && got != "[01/tests-d]" { // the latter where links cannot be made
		t.Errorf("the cache has %s", got)
	}
	if got := fmt.Sprint(names(users)); got != "[00/user-d trim.txt]" {
		t.Errorf("the user's cache has %s", got)
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
