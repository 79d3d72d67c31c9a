package vet

import (
	"context"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/compile"
	"github.com/cutile-go/cutile/internal/launch"
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
		for i := range params.Len() - 1 { // the arguments follow; those of Sized are extents
			if params.At(i).Name() == "kernel" && i < len(call.Args) && params.At(i+1).Name() == "args" {
				c.launch(call, i)
			}
		}
	})
}

// launch checks the launch of a kernel that is a declared function, the argument number at.
func (c *checker) launch(call *ast.CallExpr, at int) {
	fn, targs := c.function(call.Args[at])
	if c.noKernel(call.Args[at], fn) || fn == nil || !known(targs) {
		return
	}
	k := kernel{fn: fn, args: spell(targs), pos: call.Args[at].Pos()}
	r, err := resolve(k)
	if err != nil {
		c.reportAll(k.pos, err)
		return
	}
	if text := launch.NeedsGrid(r.Params()); text != "" && at > 0 && c.isBare(call.Args[at-1]) {
		c.report(call.Args[at-1].Pos(), "kernel %s %s", r.Name(), text)
	}
	given := call.Args[at+1:]
	if call.Ellipsis.IsValid() {
		given = nil
	}
	if given != nil && c.fits(call, r, fn, given) {
		c.compileWith(k, r, given)
	}
}

// fits checks the arguments by their types.
func (c *checker) fits(call *ast.CallExpr, r *compile.Kernel, fn *types.Func, given []ast.Expr) bool {
	var args []*launch.Static
	var places []token.Pos
	for _, e := range given {
		list, ok := c.static(e)
		if !ok {
			return true // it may stand for any number of arguments
		}
		if name := c.variable(e); name != "" && len(list) == 1 && list[0] != nil && list[0].Tensor {
			list[0].Name = name
		}
		for _, a := range list {
			args, places = append(args, a), append(places, e.Pos())
		}
	}
	kinds := make([]string, len(r.Params()))
	for i := range kinds {
		kinds[i] = kindAt(fn.Signature(), r.Params()[i].Path)
	}
	wrong := launch.CheckStatic(r.Params(), kinds, args)
	for number, text := range wrong {
		at := call.Pos()
		if number > 0 {
			at = places[number-1]
		}
		c.report(at, "kernel %s %s", r.Name(), text)
	}
	return len(wrong) == 0
}

// compileWith compiles a kernel with the functions that the launch names.
func (c *checker) compileWith(k kernel, r *compile.Kernel, given []ast.Expr) {
	facts := compile.Facts{Args: make([]compile.ArgFacts, len(r.Params()))}
	functions, next, all := false, 0, 0
	for _, p := range r.Params() {
		if p.Kind != compile.None {
			all++
		}
	}
	if all != len(given) {
		return // structs and arrays stand for several arguments
	}
	for i, p := range r.Params() {
		if p.Kind == compile.None {
			continue
		}
		e := given[next]
		next++
		if p.Kind != compile.Func {
			continue
		}
		fn, targs := c.function(e)
		if fn == nil || !known(targs) {
			return // a literal or variable: known when the program runs
		}
		f, err := compile.ResolveFuncInstance(fn.Pkg().Path(), fn.Name(), spell(targs))
		if err != nil {
			c.reportAll(e.Pos(), err)
			return
		}
		facts.Args[i].Func, functions = f, true
	}
	if !functions && k.fn.Pkg() == c.pass.Pkg {
		return // compiled where it is declared
	}
	if _, err := r.Compile(context.Background(), facts); err != nil {
		c.reportAll(k.pos, err)
	}
}

// static gives what is known of an argument; a struct stands for its fields. A nil element may be anything; ok is false
// where even the number of arguments is not known.
func (c *checker) static(e ast.Expr) (list []*launch.Static, ok bool) {
	tv := c.pass.TypesInfo.Types[e]
	t := tv.Type
	if b, isBasic := t.(*types.Basic); isBasic && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	if s := c.staticType(t); s != nil && tv.Value != nil && s.Type != nil {
		s.Const = goValue(tv.Value, s.Type)
		return []*launch.Static{s}, true
	}
	return c.parts(t)
}

// parts describes the arguments that a value of a type stands for.
func (c *checker) parts(t types.Type) (list []*launch.Static, ok bool) {
	if s := c.staticType(t); s != nil {
		return []*launch.Static{s}, true
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return nil, false
	case *types.Struct:
		return c.fields(t, u)
	case *types.Array:
		if c.mayAdapt(t) {
			return nil, false
		}
		for range u.Len() {
			elem, ok := c.parts(u.Elem())
			if !ok || len(list) > maxParts {
				return nil, false
			}
			list = append(list, elem...)
		}
		return list, true
	}
	if _, named := types.Unalias(t).(*types.Named); named {
		return nil, false
	}
	return []*launch.Static{nil}, true
}

// maxParts is how many arguments an array stands for that is looked at.
const maxParts = 1000

// fields describes the arguments that a struct stands for, unless an adapter must make something of it.
func (c *checker) fields(t types.Type, u *types.Struct) (list []*launch.Static, ok bool) {
	for f := range u.Fields() {
		s := c.staticType(f.Type())
		if s == nil || !s.Tensor && !s.Func && s.Type == nil {
			return nil, false
		}
		if !f.Exported() && s.Type == nil {
			if c.mayAdapt(t) {
				return nil, false
			}
			s.Text, s.Hidden = strings.TrimSpace("struct "+structName(t)), f.Name()
		}
		list = append(list, s)
	}
	return list, true
}

// staticType describes a type: nil for one that an adapter may know.
func (c *checker) staticType(t types.Type) *launch.Static {
	s := &launch.Static{Text: types.TypeString(t, (*types.Package).Name)}
	if elem := tensorElem(t); elem != nil {
		d, ok := elements[elem.String()]
		s.Tensor, s.Elem = true, d
		if !ok {
			return nil
		}
		return s
	}
	under := types.Unalias(t)
	if p, ok := under.(*types.Pointer); ok {
		under = types.Unalias(p.Elem()) // a scalar may be given as a pointer
	}
	if r, ok := goTypes[under.String()]; ok {
		s.Type = r
		return s
	}
	switch u := under.Underlying().(type) {
	case *types.Basic:
		if r, ok := goTypes[types.Typ[u.Kind()].Name()]; ok {
			s.Type = r
			return s
		}
		if _, named := under.(*types.Named); !named {
			return s // a string
		}
	case *types.Signature:
		s.Func = true
		return s
	case *types.Slice, *types.Map, *types.Chan:
		if _, named := under.(*types.Named); !named {
			return s
		}
	}
	return nil
}

// tensorElem is the element type of a tensor, a Spec or a type with the method Tensor; nil for others.
func tensorElem(t types.Type) types.Type {
	if n := tensorType(t); n != nil {
		return n
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Tensor")
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Params().Len() != 0 || fn.Signature().Results().Len() != 1 {
		return nil
	}
	return tensorType(fn.Signature().Results().At(0).Type())
}

func tensorType(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != rootPath || n.TypeArgs().Len() != 1 {
		return nil
	}
	if name := n.Obj().Name(); name != "Tensor" && name != "Spec" {
		return nil
	}
	return types.Unalias(n.TypeArgs().At(0))
}

// elements are the element types of tensors, and goTypes all types that a scalar may have, by the names of their Go types.
var elements, goTypes = func() (map[string]dtype.Type, map[string]reflect.Type) {
	elems := map[string]dtype.Type{}
	all := map[string]reflect.Type{"int": reflect.TypeFor[int](), "uint": reflect.TypeFor[uint]()}
	for _, d := range dtype.Types() {
		t := launch.GoType(d)
		name := t.Name()
		if t.PkgPath() != "" {
			name = t.PkgPath() + "." + name
		}
		elems[name], all[name] = d, t
	}
	return elems, all
}()

// goValue is a constant as a value of a type: nil where it is none.
func goValue(v constant.Value, t reflect.Type) any {
	out := reflect.New(t).Elem()
	switch {
	case out.CanInt():
		if n, ok := constant.Int64Val(constant.ToInt(v)); ok {
			out.SetInt(n)
			return out.Interface()
		}
	case out.CanFloat():
		f, _ := constant.Float64Val(constant.ToFloat(v))
		out.SetFloat(f)
		return out.Interface()
	}
	return nil
}
