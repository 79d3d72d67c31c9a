package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// callable is a function whose source is known from the text: a declared one with its type arguments, or a literal.
type callable struct {
	fn    *types.Func
	targs *types.TypeList
	lit   *ast.FuncLit
	sig   *types.Signature // with the type arguments, where those are known
}

// callable finds the function that an expression gives: nil if only the running program knows it.
func (c *checker) callable(e ast.Expr) *callable { return c.callableIn(e, maxSteps) }

// maxSteps bounds the way through variables, as some are given to each other in a circle.
const maxSteps = 10

func (c *checker) callableIn(e ast.Expr, steps int) *callable {
	e = ast.Unparen(e)
	if lit, ok := e.(*ast.FuncLit); ok {
		return &callable{lit: lit, sig: c.pass.TypesInfo.Types[lit].Type.(*types.Signature)}
	}
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && steps > 0 && c.pass.TypesInfo.Types[call.Fun].IsType() {
		return c.callableIn(call.Args[0], steps-1) // a conversion
	}
	if fn, targs := c.function(e); fn != nil {
		f := &callable{fn: fn, targs: targs, sig: fn.Signature()}
		if targs.Len() > 0 && f.known() {
			list := make([]types.Type, targs.Len())
			for i := range list {
				list[i] = targs.At(i)
			}
			if t, err := types.Instantiate(nil, f.sig, list, false); err == nil {
				f.sig = t.(*types.Signature)
			}
		}
		return f
	}
	if id, ok := e.(*ast.Ident); ok && steps > 0 {
		if v, ok := c.pass.TypesInfo.Uses[id].(*types.Var); ok {
			if value := c.given(v); value != nil {
				return c.callableIn(value, steps-1)
			}
		}
	}
	return nil
}

// known reports whether no type depends on a type parameter of the function around.
func (f *callable) known() bool {
	if f.lit != nil {
		return !mentions(f.sig)
	}
	return known(f.targs)
}

// resolveKernel and resolveFunc find the source of a function for the kernel compiler. Without an error there may be no
// kernel, where that compiler knows an older state of the package than this run.
func (c *checker) resolveKernel(f *callable) (*compile.Kernel, error) {
	if f.lit == nil {
		return compile.ResolveInstance(f.fn.Pkg().Path(), f.fn.Name(), spell(f.targs))
	}
	at, ok := c.literalPlace(f.lit)
	if !ok {
		return nil, nil
	}
	return compile.ResolveLiteral(c.pass.Pkg.Path(), at)
}

func (c *checker) resolveFunc(f *callable) (*compile.Kernel, error) {
	if f.lit == nil {
		return compile.ResolveFuncInstance(f.fn.Pkg().Path(), f.fn.Name(), spell(f.targs))
	}
	at, ok := c.literalPlace(f.lit)
	if !ok {
		return nil, nil
	}
	return compile.ResolveFuncLiteral(c.pass.Pkg.Path(), at)
}

// literalPlace is where a literal stands in the registered source. A driver that checks many packages may have registered
// this one without the files of its tests: of a literal in such a file nothing can be said, and ok is false.
func (c *checker) literalPlace(lit *ast.FuncLit) (at token.Position, ok bool) {
	at = c.pass.Fset.PositionFor(lit.Pos(), false)
	name := filepath.Base(at.Filename)
	at.Filename = filepath.ToSlash(at.Filename)
	src := langsrc.Lookup(c.pass.Pkg.Path())
	if c.own == nil || src == nil {
		return at, true
	}
	if !slices.ContainsFunc(c.own.Files, func(f file) bool { return f.Name == name }) {
		return at, true
	}
	for _, fsys := range src.FS {
		if _, err := fs.Stat(fsys, name); err == nil {
			return at, true
		}
	}
	return at, false
}

// values is what the package's text gives a variable.
type values struct {
	declared bool       // by a declaration that says what it starts with, and is no parameter
	given    []ast.Expr // nil for what is not known
}

// given is the only value that a variable ever has: nil if it has several, or one that the text does not tell.
func (c *checker) given(v *types.Var) ast.Expr {
	if c.variables == nil {
		c.variables = map[*types.Var]*values{}
		c.inspect(c.collect)
	}
	if of := c.variables[v]; of != nil && of.declared && len(of.given) == 1 {
		return of.given[0]
	}
	return nil
}

// collect notes what a node gives to variables. The address of one may give it anything.
func (c *checker) collect(n ast.Node) {
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, id := range n.Names {
			c.declare(id)
			if len(n.Values) == len(n.Names) {
				c.give(id, n.Values[i])
			} else if len(n.Values) > 0 {
				c.give(id, nil)
			}
		}
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
				c.declare(id)
			}
			if len(n.Lhs) == len(n.Rhs) {
				c.give(e, n.Rhs[i])
			} else {
				c.give(e, nil)
			}
		}
	case *ast.RangeStmt:
		c.give(n.Key, nil)
		c.give(n.Value, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.give(n.X, nil)
		}
	}
}

func (c *checker) declare(id *ast.Ident) {
	if v, ok := c.pass.TypesInfo.Defs[id].(*types.Var); ok {
		c.valuesOf(v).declared = true
	}
}

func (c *checker) give(to, value ast.Expr) {
	if to == nil {
		return
	}
	if id, ok := ast.Unparen(to).(*ast.Ident); ok {
		if v, ok := c.pass.TypesInfo.ObjectOf(id).(*types.Var); ok {
			of := c.valuesOf(v)
			of.given = append(of.given, value)
		}
	}
}

func (c *checker) valuesOf(v *types.Var) *values {
	if c.variables[v] == nil {
		c.variables[v] = &values{}
	}
	return c.variables[v]
}
