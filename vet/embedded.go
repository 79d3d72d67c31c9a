package vet

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// unembedded reports kernels and functions that a call of package cutile is given and that the running program finds by the
// lines on which they are named, literals and generic functions that generic code names, where the file with that
// line is not registered. It reports whether there are any.
func (c *checker) unembedded(call *ast.CallExpr) (found bool) {
	for _, e := range call.Args {
		name, what := c.byLine(e, maxSteps)
		if name == nil || c.embeds(name) {
			continue
		}
		if _, literal := name.(*ast.FuncLit); literal && (c.own == nil || c.own.Of != "") {
			continue // the kernel compiler says so
		}
		found = true
		c.report(name.Pos(), "the program finds %s by its line, but the source of %s is not registered: %s", what, c.fileOf(name), c.embedding(name))
	}
	return found
}

// byLine finds, through variables and conversions, the expression of a function that the running program finds by its line, and
// says what it is; nil if there is none.
func (c *checker) byLine(e ast.Expr, steps int) (at ast.Expr, what string) {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.FuncLit:
		return x, "this function literal"
	case *ast.CallExpr:
		if len(x.Args) == 1 && steps > 0 && c.pass.TypesInfo.Types[x.Fun].IsType() {
			return c.byLine(x.Args[0], steps-1)
		}
		return nil, ""
	case *ast.Ident:
		if v, ok := c.pass.TypesInfo.Uses[x].(*types.Var); ok {
			if value := c.given(v); value != nil && steps > 0 {
				return c.byLine(value, steps-1)
			}
			return nil, ""
		}
	}
	if fn, targs := c.function(e); fn != nil && targs.Len() > 0 && !known(targs) {
		return e, "the instance of " + fn.Name() + " that generic code names"
	}
	return nil, ""
}

// embeds reports whether the file of a node is registered.
func (c *checker) embeds(n ast.Node) bool {
	return c.own != nil && slices.ContainsFunc(c.own.Files, func(f file) bool { return f.Name == c.fileOf(n) })
}

// fileOf is the name of the file of a node.
func (c *checker) fileOf(n ast.Node) string {
	return filepath.Base(c.pass.Fset.PositionFor(n.Pos(), false).Filename)
}

// embedding says what registers the file of a node.
func (c *checker) embedding(n ast.Node) string {
	if c.own == nil || c.own.Of != "" {
		return "add to package " + c.pass.Pkg.Name() + "\n\t//go:embed *.go\n\tvar source embed.FS\n\tvar _ = cutile.Module(source)"
	}
	var names []string
	for _, f := range c.own.Files {
		names = append(names, f.Name)
	}
	return "write //go:embed " + strings.Join(append(names, c.fileOf(n)), " ")
}
