package gogen_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/testing/gogen"
)

// edit replaces a part of a text.
type edit struct {
	from, to int
	text     string
}

func (e edit) saves() int { return e.to - e.from - len(e.text) }

func apply(text string, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
	for _, e := range edits {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return text
}

// class is what a finding is about, whatever its numbers.
func class(what string) string {
	line, _, _ := strings.Cut(what, "\n")
	if strings.Contains(line, ": result ") {
		return "differs"
	}
	if i := strings.Index(line, "not valid"); i >= 0 {
		return "not valid"
	}
	return regexp.MustCompile(`gogen/\S+|0x[0-9a-f]+|\d+`).ReplaceAllString(line, "")
}

// still gives those of some texts of a program that have the same finding.
func still(dir string, f found, texts []string) (out []bool) {
	out = make([]bool, len(texts))
	var units []unit
	var at []int
	for i, text := range texts {
		p := *f.unit.p
		p.Source = text
		if u := (unit{i, &p}); strings.Contains(text, "func entryZq(") && checkGo(p.Text(i)) == nil {
			units, at = append(units, u), append(at, i)
		}
	}
	sub, err := os.MkdirTemp(dir, "m")
	if err != nil {
		return out
	}
	defer os.RemoveAll(sub)
	want, err := onHost(sub, units)
	if err != nil {
		fmt.Fprintln(os.Stderr, "minimising:", err)
		return out
	}
	r := &report{}
	if err := judge(f.level, f.caller, units, want, r); err != nil {
		return out
	}
	for _, g := range r.found {
		out[g.unit.n] = class(g.what) == class(f.what)
	}
	return out
}

// batch is how many changes of a program are tried in one build.
const batch = 120

// minimised drops and simplifies parts of a program as long as the finding stays, and gives it as a file for testdata.
func minimised(dir string, f found) string {
	text := f.unit.p.Source
	for range 25 {
		all := reductions(text)
		slices.SortStableFunc(all, func(a, b edit) int { return cmp.Compare(b.saves(), a.saves()) })
		var good []edit
		for len(all) > 0 && len(good) == 0 {
			some := all[:min(batch, len(all))]
			all = all[len(some):]
			var texts []string
			for _, e := range some {
				texts = append(texts, tidy(apply(text, []edit{e})))
			}
			for i, ok := range still(dir, f, texts) {
				if ok {
					good = append(good, some[i])
				}
			}
		}
		if len(good) == 0 {
			break
		}
		// Several at once, as many as go together.
		var together []edit
		for _, e := range good {
			if !slices.ContainsFunc(together, func(o edit) bool { return e.from < o.to && o.from < e.to }) {
				together = append(together, e)
			}
		}
		var texts []string
		for n := len(together); n > 1; n = n * 2 / 3 {
			texts = append(texts, tidy(apply(text, together[:n])))
		}
		texts = append(texts, tidy(apply(text, good[:1])))
		text = texts[len(texts)-1] // which was good
		if i := slices.Index(still(dir, f, texts), true); i >= 0 {
			text = texts[i]
		}
	}
	p := *f.unit.p
	p.Source = text
	return file(&p, f.level+", "+f.caller+": "+f.what)
}

// reductions are edits that make a program smaller.
func reductions(text string) (out []edit) {
	const head = "package p\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", head+text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	off := func(p token.Pos) int { return fset.Position(p).Offset - len(head) }
	src := func(n ast.Node) string { return text[off(n.Pos()):off(n.End())] }
	put := func(n ast.Node, text string) {
		if e := (edit{off(n.Pos()), off(n.End()), text}); e.saves() > 0 {
			out = append(out, e)
		}
	}
	body := func(n ast.Node, list []ast.Stmt) {
		if len(list) > 0 {
			put(n, text[off(list[0].Pos()):off(list[len(list)-1].End())])
		}
	}
	for _, d := range f.Decls {
		put(d, "")
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CaseClause:
			put(n, "")
			for _, s := range n.Body {
				put(s, "")
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				put(s, "")
			}
		case *ast.IfStmt:
			body(n, n.Body.List)
			if n.Else != nil {
				out = append(out, edit{off(n.Body.End()), off(n.Else.End()), ""})
				put(n, src(n.Else))
			}
		case *ast.ForStmt:
			body(n, n.Body.List)
		case *ast.RangeStmt:
			body(n, n.Body.List)
		case *ast.LabeledStmt:
			put(n, src(n.Stmt))
		case *ast.BinaryExpr:
			put(n, src(n.X))
			put(n, src(n.Y))
			put(n, "1")
		case *ast.CallExpr:
			for _, a := range n.Args {
				put(n, src(a))
			}
			put(n, "1")
		case *ast.ParenExpr:
			put(n, src(n.X))
		case *ast.UnaryExpr:
			put(n, src(n.X))
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				put(e, "")
			}
		case *ast.BasicLit:
			put(n, "1")
		}
		return true
	})
	return out
}

// header starts the line of a file that says how its program is called.
const header = "//gogen:program "

// file writes a program for testdata.
func file(p *gogen.Program, what string) string {
	return "// " + strings.ReplaceAll(what, "\n", "\n// ") + "\n" + textOf(p) + p.Source
}

// stored are the programs of testdata, by file.
func stored() (map[string]*gogen.Program, error) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		return nil, err
	}
	out := map[string]*gogen.Program{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if out[name], err = parse(string(text)); err != nil {
			return nil, err
		}
	}
	return out, nil
}
