package paritytest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lists gives the first and the last line of each list of behaviour; the lines of S4 and S5 are numbered together.
var lists = []struct {
	name        string
	first, last int
}{{"S1", 1, 52}, {"S2", 1, 86}, {"S3", 1, 45}, {"S4", 1, 14}, {"S5", 15, 42}, {"S4", 43, 74}}

// mechanisms are the lines of behaviour that only a mechanism of another host language has: they may be not needed.
var mechanisms = map[string]bool{"S1.7": true, "S1.16": true, "S1.29": true, "S1.37": true, "S3.33": true}

var (
	lineID   = regexp.MustCompile(`^S[1-5]\.[1-9][0-9]*$`)
	citation = regexp.MustCompile(`\b(Test\w+(?:/[0-9]+)?) \(([\w/]+)\)`)
	onlyYes  = regexp.MustCompile(`^` + cited + `(, ` + cited + `)*$`)
)

// cited is a test with its folder; a number stands for a part of TestChecklist.
const cited = `Test\w+(/[0-9]+)? \([\w/]+\)`

// statuses are the words of the third column, and what the fourth must look like.
var statuses = map[string]func(by string) bool{
	"yes":              onlyYes.MatchString,
	"partly":           func(by string) bool { return by != "" && !onlyYes.MatchString(by) },
	"open":             func(by string) bool { return by != "" && !citation.MatchString(by) },
	"not needed":       func(by string) bool { return by != "" },
	"not run on a GPU": citation.MatchString,
}

// TestParity holds docs/parity.md against the lists and the tree: each line once, known words, and tests that exist.
func TestParity(t *testing.T) {
	seen := map[string]int{}
	features := 0
	for i, text := range strings.Split(fileText(t, "../../../docs/parity.md"), "\n") {
		if !strings.HasPrefix(text, "| ") || strings.HasPrefix(text, "| line |") || strings.HasPrefix(text, "| feature |") {
			continue
		}
		cells := strings.Split(strings.Trim(text, "| "), " | ")
		at := fmt.Sprintf("docs/parity.md:%d", i+1)
		switch {
		case len(cells) == 4 && lineID.MatchString(cells[0]):
			seen[cells[0]]++
		case len(cells) == 7:
			features++
		default:
			t.Errorf("%s: %d cells: %s", at, len(cells), text)
			continue
		}
		status, by := cells[len(cells)-2], cells[len(cells)-1]
		fits, known := statuses[status]
		if !known || !fits(by) || len(cells[1]) == 0 {
			t.Errorf("%s: %q with %q", at, status, by)
		}
		if status == "not needed" && !mechanisms[cells[0]] {
			t.Errorf("%s: %s is no mechanism of another language: it is needed", at, cells[0])
		}
		for _, c := range citation.FindAllStringSubmatch(by, -1) {
			if !testsOf(t, c[2])[c[1]] {
				t.Errorf("%s: there is no %s in %s", at, c[1], c[2])
			}
		}
	}
	n := 0
	for _, list := range lists {
		for line := list.first; line <= list.last; line++ {
			n++
			if id := fmt.Sprintf("%s.%d", list.name, line); seen[id] != 1 {
				t.Errorf("%s has %d rows, want one", id, seen[id])
			}
		}
	}
	if len(seen) != n || features < 60 {
		t.Errorf("%d lines, want %d; %d features, want at least 60", len(seen), n, features)
	}
}

var tests = map[string]map[string]bool{}

// testsOf lists the tests that are declared in a folder, as the go command sees them, and TestChecklist/n for a part that
// a call add(n, …) declares.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	if found := tests[dir]; found != nil {
		return found
	}
	found := map[string]bool{}
	folder := filepath.Join("../../..", filepath.FromSlash(dir))
	if dir == "cutile" {
		folder = "../../.."
	}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && len(fn.Type.Params.List) == 1 {
				found[fn.Name.Name] = true
			}
		}
		checklist(f, found)
	}
	tests[dir] = found
	return found
}

// checklist adds the parts of TestChecklist that a file declares.
func checklist(f *ast.File, found map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 3 {
			id, _ := call.Fun.(*ast.Ident)
			number, _ := call.Args[0].(*ast.BasicLit)
			if id != nil && id.Name == "add" && number != nil {
				found["TestChecklist/"+number.Value] = true
			}
		}
		return true
	})
}
