package vet

import (
	"context"
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// launches checks each call of package cutile that takes a kernel: the parameter named kernel says which argument it is.
func (c *checker) launches() {
	c.inspect(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		fn := c.callee(call)
		if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != rootPath {
			return
		}
		params := fn.Signature().Params()
		if takesKernel(params) && c.unembedded(call) {
			return
		}
		for i := range params.Len() - 1 { // the arguments follow; those of Sized are extents
			if params.At(i).Name() == "kernel" && i < len(call.Args) && params.At(i+1).Name() == "args" {
				c.launch(call, i)
			}
		}
	})
}

// takesKernel reports whether one of the parameters is a kernel.
func takesKernel(params *types.Tuple) bool {
	for v := range params.Variables() {
		if v.Name() == "kernel" {
			return true
		}
	}
	return false
}

// launch checks the launch of a kernel whose source the text tells, the argument number at.
func (c *checker) launch(call *ast.CallExpr, at int) {
	e := call.Args[at]
	k := c.callable(e)
	if k == nil || c.isMethod(e, k.fn) {
		return
	}
	if !k.known() {
		if k.lit != nil {
			c.hostVariables(k.lit)
		}
		return
	}
	r, err := c.resolveKernel(k)
	if err != nil {
		c.reportAll(e.Pos(), err)
	}
	if r == nil {
		return
	}
	if text := bind.NeedsGrid(r.Params()); text != "" && at > 0 && c.isBare(call.Args[at-1]) {
		c.report(call.Args[at-1].Pos(), "kernel %s %s", r.Name(), text)
	}
	given, exact := c.arguments(call, at+1)
	sure := exact && c.fits(call, r, k, given) || !exact && len(given) == takes(r)
	c.compileWith(e, k, r, given, sure)
}

// takes is how many arguments a kernel takes.
func takes(r *compile.Kernel) (n int) {
	for _, p := range r.Params() {
		if p.Kind != compile.None {
			n++
		}
	}
	return n
}

// fits checks the arguments by their types.
func (c *checker) fits(call *ast.CallExpr, r *compile.Kernel, k *callable, given []argument) bool {
	declared := k.sig
	if k.fn != nil {
		declared = k.fn.Signature()
	}
	kinds := make([]string, len(r.Params()))
	next := 0
	for i, p := range r.Params() {
		kinds[i] = kindAt(declared, p.Path)
		if p.Kind == compile.None {
			continue
		}
		if want := typeAt(k.sig, p.Path); next < len(given) && p.Kind == compile.Func && !fitsFunc(want, given[next].typ) {
			given[next].Static = &bind.Static{Text: typeText(given[next].typ)}
			kinds[i] = typeText(want)
		}
		next++
	}
	args := make([]*bind.Static, len(given))
	for i := range given {
		args[i] = given[i].Static
	}
	wrong := bind.CheckStatic(r.Params(), kinds, args)
	for number, text := range wrong {
		at := call.Pos()
		if number > 0 {
			at = given[number-1].expr.Pos()
		}
		c.report(at, "kernel %s %s", r.Name(), text)
	}
	return len(wrong) == 0
}

// fitsFunc reports whether a function may be the value of a parameter, as far as both types are known.
func fitsFunc(want, got types.Type) bool {
	if want == nil || got == nil || mentions(want) || mentions(got) {
		return true
	}
	_, ok := got.Underlying().(*types.Signature)
	return !ok || types.AssignableTo(got, want)
}

// compileWith compiles a kernel with the functions that the launch names. A declared kernel that takes none is compiled
// where it is declared, unless that is another package. sure says that the arguments are known, and fit.
func (c *checker) compileWith(e ast.Expr, k *callable, r *compile.Kernel, given []argument, sure bool) {
	facts := compile.Facts{Args: make([]compile.ArgFacts, len(r.Params()))}
	functions, all, next := false, true, 0
	for i, p := range r.Params() {
		if p.Kind == compile.None {
			continue
		}
		if p.Kind == compile.Func {
			functions = true
			if sure {
				facts.Args[i].Func = c.argumentFunc(given[next], typeAt(k.sig, p.Path))
			}
			all = all && facts.Args[i].Func != nil
		}
		next++
	}
	if !all {
		if k.lit != nil {
			c.hostVariables(k.lit)
		}
		return
	}
	if !functions && k.lit == nil && (!sure || k.fn.Pkg() == c.pass.Pkg) {
		return
	}
	if _, err := r.Compile(context.Background(), facts); err != nil {
		c.reportAll(e.Pos(), err)
	}
}

// argumentFunc finds the function that is an argument, and reports why a launch will not: nil if it is not known.
func (c *checker) argumentFunc(a argument, want types.Type) *compile.Kernel {
	if a.typ == nil || !fitsFunc(want, a.typ) {
		return nil
	}
	f := c.callable(a.expr)
	if f == nil || c.isMethod(a.expr, f.fn) || !f.known() {
		return nil
	}
	k, err := c.resolveFunc(f)
	if err != nil {
		c.reportAll(a.expr.Pos(), err)
		return nil
	}
	return k
}
