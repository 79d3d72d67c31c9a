package vet

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// isMethod reports a method, whose source no launch can find.
func (c *checker) isMethod(e ast.Expr, fn *types.Func) bool {
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	c.report(e.Pos(), "%s is a method: a kernel must be a function", types.ExprString(e))
	return true
}

// hostVariables reports variables of the function around a literal that cannot be compiled here.
func (c *checker) hostVariables(lit *ast.FuncLit) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := c.pass.TypesInfo.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Pkg() == c.pass.Pkg && (v.Pos() < lit.Pos() || v.Pos() > lit.End()) && !c.isState(v) {
			c.report(id.Pos(), "%s is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant", id.Name)
		}
		return true
	})
}

// isState reports a variable that //cutile:state makes the kernel's own.
func (c *checker) isState(v *types.Var) bool {
	if v.Parent() != c.pass.Pkg.Scope() {
		return false
	}
	for _, f := range c.pass.Files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if ok && g.Doc != nil && g.Pos() <= v.Pos() && v.Pos() < g.End() {
				return slices.ContainsFunc(g.Doc.List, func(line *ast.Comment) bool { return strings.HasPrefix(line.Text, "//cutile:state") })
			}
		}
	}
	return false
}

// isBare reports whether a target has no grid: it is a device or stream itself.
func (c *checker) isBare(on ast.Expr) bool {
	p, ok := types.Unalias(c.pass.TypesInfo.Types[on].Type).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != devicePath {
		return false
	}
	return n.Obj().Name() == "Device" || n.Obj().Name() == "Stream"
}

// variable identifies a variable, or a field of one, that an argument is: "" for other expressions, and for a Spec, which
// stands for no memory.
func (c *checker) variable(e ast.Expr) string {
	if _, ok := types.Unalias(c.pass.TypesInfo.Types[e].Type).(*types.Pointer); !ok {
		return ""
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return c.named(x)
	case *ast.SelectorExpr:
		if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
			if of := c.named(id); of != "" {
				return of + "." + x.Sel.Name
			}
		}
	}
	return ""
}

func (c *checker) named(id *ast.Ident) string {
	v, ok := c.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok {
		return ""
	}
	return fmt.Sprint(id.Name, "@", v.Pos())
}

// mayAdapt reports whether an adapter may know a type: one of another package, or one that this package registers.
func (c *checker) mayAdapt(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != c.pass.Pkg {
		return true
	}
	found := false
	for id, inst := range c.pass.TypesInfo.Instances {
		fn, ok := c.pass.TypesInfo.Uses[id].(*types.Func)
		if ok && fn.Name() == "RegisterAdapter" && fn.Pkg().Path() == rootPath {
			found = found || types.Identical(inst.TypeArgs.At(0), t)
		}
	}
	return found
}

func structName(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.Named); !ok {
		return ""
	}
	return typeText(t)
}

// typeAt is the type of a parameter, or of a field or element in it: nil if there is none.
func typeAt(sig *types.Signature, path []int) types.Type {
	if len(path) == 0 || path[0] >= sig.Params().Len() {
		return nil
	}
	t := sig.Params().At(path[0]).Type()
	for _, at := range path[1:] {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			t = u.Field(at).Type()
		case *types.Array:
			t = u.Elem()
		}
	}
	return t
}

// kindAt is typeAt for messages.
func kindAt(sig *types.Signature, path []int) string {
	if t := typeAt(sig, path); t != nil {
		return typeText(t)
	}
	return ""
}

// typeText is a type for messages.
func typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == devicePath {
			return "cutile" // whose names for these types users know
		}
		return p.Name()
	})
}

// resized checks the extents that cutile.Sized is given, where they are constants.
func (c *checker) resized() {
	c.inspect(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || call.Ellipsis.IsValid() {
			return
		}
		if fn := c.callee(call); fn == nil || fn.Name() != "Sized" || fn.Pkg() == nil || fn.Pkg().Path() != rootPath {
			return
		}
		if lit, ok := ast.Unparen(call.Args[0]).(*ast.FuncLit); ok {
			c.hostVariables(lit)
		}
		fn, targs := c.function(call.Args[0])
		if c.isMethod(call.Args[0], fn) || fn == nil || !known(targs) {
			return
		}
		k, err := compile.ResolveFuncInstance(fn.Pkg().Path(), fn.Name(), spell(targs)) // its own extents do not count
		if err != nil {
			return // the types of its instance are those of Sized
		}
		list, at, all := make([]int, len(call.Args)-1), call.Pos(), true
		for i, e := range call.Args[1:] {
			list[i] = 1 // known when the program runs
			v := c.pass.TypesInfo.Types[e].Value
			if v == nil {
				all = false
				continue
			}
			if n, exact := constant.Int64Val(constant.ToInt(v)); exact {
				list[i] = int(n)
				if at == call.Pos() && (n < 1 || n&(n-1) != 0) {
					at = e.Pos()
				}
			}
		}
		if _, err := k.Resize(list); err != nil {
			c.reportResize(at, err, all)
		}
	})
}

// reportResize leaves out what may depend on extents that are not known yet, unless all are.
func (c *checker) reportResize(at token.Pos, err error, all bool) {
	var list diag.List
	if e, ok := err.(*diag.Error); ok && !e.OfTypes {
		c.report(at, "%s", e.Msg)
	} else if all && errors.As(err, &list) {
		for _, e := range list {
			c.report(at, "%s", e.Msg)
		}
	}
}
