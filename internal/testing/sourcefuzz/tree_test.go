package sourcefuzz_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
)

// edit replaces a part of a program's text.
type edit struct {
	from, to int
	text     string
}

// tree is a program's syntax with its types, as the checker saw them.
type tree struct {
	rng   *rand.Rand
	text  string
	info  *types.Info
	pkg   *types.Package
	names map[string]string // of imported packages, by path; "" for dot imports and the package itself

	exprs []ast.Expr // that have a value
	types []ast.Expr // that are types
	lists []stmtList
	nodes []ast.Node      // all nodes of functions
	inOf  map[ast.Node]at // where statements and expressions stand
	serie int             // for fresh names
}

// at is what surrounds a node.
type at struct {
	fn   *ast.FuncDecl
	loop int // loops around it inside the innermost function
	sw   int // switches
}

// stmtList is a place that holds statements.
type stmtList struct {
	list []ast.Stmt
	end  token.Pos // where a last statement may go
	in   at
}

// treeOf gathers the syntax of the functions of a program that were checked.
func treeOf(rng *rand.Rand, p *program, o *outcome) (t *tree) {
	err := o.kernel.Inspect(o.facts, func(in *lower.Input) error {
		pkg := in.World.Pkgs[o.path]
		t = &tree{rng: rng, text: p.text, info: pkg.Info, pkg: pkg.Types, names: map[string]string{o.path: ""}, inOf: map[ast.Node]at{}}
		for _, f := range pkg.Src.Files {
			byName, dot := source.Imports(f)
			for name, path := range byName {
				t.names[path] = name
			}
			for _, path := range dot {
				t.names[path] = ""
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && pkg.Info.Defs[fn.Name] != nil && fn.Body != nil {
					t.gather(fn, at{fn: fn})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return t
}

func (t *tree) gather(n ast.Node, in at) {
	ast.Inspect(n, func(c ast.Node) bool {
		if c == nil || c == n {
			return true
		}
		t.nodes, t.inOf[c] = append(t.nodes, c), in
		if e, ok := c.(ast.Expr); ok {
			switch tv := t.info.Types[e]; {
			case tv.IsType():
				t.types = append(t.types, e)
			case tv.IsValue() && t.spelled(tv.Type) != "":
				t.exprs = append(t.exprs, e)
			}
		}
		inner := in
		switch c := c.(type) {
		case *ast.BlockStmt:
			t.lists = append(t.lists, stmtList{c.List, c.Rbrace, in})
		case *ast.CaseClause:
			t.lists = append(t.lists, stmtList{c.Body, c.End(), in})
		case *ast.ForStmt, *ast.RangeStmt:
			inner.loop++
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			inner.sw++
		case *ast.FuncLit:
			inner.loop, inner.sw = 0, 0
		}
		if inner != in {
			t.gather(c, inner)
			return false
		}
		return true
	})
}

func (t *tree) off(p token.Pos) int   { return source.Fset.Position(p).Offset }
func (t *tree) src(n ast.Node) string { return t.text[t.off(n.Pos()):t.off(n.End())] }
func (t *tree) one(n int) bool        { return t.rng.IntN(n) == 0 }
func (t *tree) fresh(s string) string {
	t.serie++
	return fmt.Sprintf("%s%d%d", s, t.rng.IntN(1000), t.serie)
}
func pick[T any](r *rand.Rand, s []T) T { return s[r.IntN(len(s))] }

// replace is an edit of a whole node.
func (t *tree) replace(n ast.Node, format string, args ...any) []edit {
	return []edit{{t.off(n.Pos()), t.off(n.End()), fmt.Sprintf(format, args...)}}
}

// tileName is how the program writes a name of package tile: "" where it does not import it.
func (t *tree) tileName(name string) string {
	q, ok := t.names[describe.TilePath]
	switch {
	case !ok:
		return ""
	case q == "":
		return name
	}
	return q + "." + name
}

// spelled is how the program writes a type: "" where it cannot.
func (t *tree) spelled(typ types.Type) string {
	if typ == nil {
		return ""
	}
	ok := true
	s := types.TypeString(typ, func(p *types.Package) string {
		name, known := t.names[p.Path()]
		ok = ok && known
		return name
	})
	if !ok || strings.Contains(s, "invalid type") || strings.Contains(s, "untyped") || strings.HasPrefix(s, "(") {
		return ""
	}
	return s
}

// choose gives a random node of a kind that a condition holds for: nil where there is none.
func choose[N ast.Node](t *tree, ok func(N) bool) (n N, found bool) {
	var all []N
	for _, c := range t.nodes {
		if x, is := c.(N); is && (ok == nil || ok(x)) {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return n, false
	}
	return pick(t.rng, all), true
}

// expr gives a random expression that a condition holds for.
func (t *tree) expr(ok func(ast.Expr, types.Type) bool) ast.Expr {
	var all []ast.Expr
	for _, e := range t.exprs {
		if ok(e, t.info.Types[e].Type) {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return pick(t.rng, all)
}

// visible lists the variables that may be named at a place.
func (t *tree) visible(pos token.Pos, ok func(types.Type) bool) (out []*types.Var) {
	for _, o := range t.info.Defs {
		v, isVar := o.(*types.Var)
		if isVar && v.Name() != "_" && !v.IsField() && v.Parent() != nil && v.Parent().Contains(pos) && v.Pos() < pos && ok(v.Type()) {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b *types.Var) int { return int(a.Pos() - b.Pos()) }) // in the same order each time
	return out
}

// movable reports whether what an expression mentions may be named at a place.
func (t *tree) movable(e ast.Node, pos token.Pos) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		if !is {
			return ok
		}
		o := t.info.Uses[id]
		if o != nil && o.Parent() != nil && o.Parent() != t.pkg.Scope() && o.Parent() != types.Universe && o.Pos() >= e.Pos() && o.Pos() < e.End() {
			return ok // declared inside
		}
		switch v := o.(type) {
		case *types.Var:
			ok = ok && (v.IsField() || v.Parent() == t.pkg.Scope() || v.Parent() != nil && v.Parent().Contains(pos) && v.Pos() < pos)
		case *types.TypeName:
			if _, param := v.Type().(*types.TypeParam); param {
				ok = ok && v.Parent() != nil && v.Parent().Contains(pos)
			}
		}
		return ok
	})
	return ok
}

// another gives the text of an expression of the same type, for a place.
func (t *tree) another(typ types.Type, pos token.Pos) string {
	if e := t.expr(func(e ast.Expr, et types.Type) bool { return types.Identical(et, typ) && t.movable(e, pos) }); e != nil {
		return t.src(e)
	}
	return ""
}
