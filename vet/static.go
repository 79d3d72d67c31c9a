package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
)

// argument is an argument of a kernel, a struct's field or an array's element among them.
type argument struct {
	*bind.Static            // nil: anything
	expr         ast.Expr   // what the launch has for it
	typ          types.Type // of expr, nil if that stands for several arguments
}

// arguments lists what a launch gives, from a number on. It is not exact where one may stand for any number of arguments,
// and counts as one here; there is nothing where the launch has a list that the running program makes.
func (c *checker) arguments(call *ast.CallExpr, from int) (out []argument, exact bool) {
	if call.Ellipsis.IsValid() {
		return nil, false
	}
	exact = true
	for _, e := range call.Args[from:] {
		list, ok := c.static(e)
		if !ok {
			list, exact = []*bind.Static{nil}, false
		}
		if name := c.variable(e); name != "" && len(list) == 1 && list[0] != nil && list[0].Tensor {
			list[0].Name = name
		}
		for _, s := range list {
			a := argument{Static: s, expr: e}
			if len(list) == 1 {
				a.typ = c.pass.TypesInfo.Types[e].Type
			}
			out = append(out, a)
		}
	}
	return out, exact
}

// static gives what is known of an argument; a struct stands for its fields. A nil element may be anything; ok is false
// where even the number of arguments is not known.
func (c *checker) static(e ast.Expr) (list []*bind.Static, ok bool) {
	tv := c.pass.TypesInfo.Types[e]
	t := tv.Type
	if b, isBasic := t.(*types.Basic); isBasic && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	if s := c.staticType(t); s != nil && tv.Value != nil && s.Type != nil {
		s.Const = goValue(tv.Value, s.Type)
		return []*bind.Static{s}, true
	}
	return c.parts(t)
}

// parts describes the arguments that a value of a type stands for.
func (c *checker) parts(t types.Type) (list []*bind.Static, ok bool) {
	if s := c.staticType(t); s != nil {
		return []*bind.Static{s}, true
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
	return []*bind.Static{nil}, true
}

// maxParts is how many arguments an array stands for that is looked at.
const maxParts = 1000

// fields describes the arguments that a struct stands for, unless an adapter must make something of it.
func (c *checker) fields(t types.Type, u *types.Struct) (list []*bind.Static, ok bool) {
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
func (c *checker) staticType(t types.Type) *bind.Static {
	s := &bind.Static{Text: typeText(t)}
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
	if !ok || n.Obj().Pkg() == nil || n.TypeArgs().Len() != 1 {
		return nil
	}
	if name := n.Obj().Pkg().Path() + "." + n.Obj().Name(); name != devicePath+".Tensor" && name != rootPath+".Spec" {
		return nil
	}
	return types.Unalias(n.TypeArgs().At(0))
}

// elements are the element types of tensors, and goTypes all types that a scalar may have, by the names of their Go types.
var elements, goTypes = func() (map[string]dtype.Type, map[string]reflect.Type) {
	elems := map[string]dtype.Type{}
	all := map[string]reflect.Type{"int": reflect.TypeFor[int](), "uint": reflect.TypeFor[uint]()}
	for _, d := range dtype.Types() {
		t := d.GoType()
		name := t.Name()
		if t.PkgPath() != "" {
			name = t.PkgPath() + "." + name
		}
		elems[name], all[name] = d, t
	}
	return elems, all
}()

// goValue is a constant as a value of a type: nil if it is none.
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
