package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// parameter gives the kernel a parameter: the entry's parameters that it becomes, and its value. Structs and arrays become
// those of their fields and elements.
func (l *lowerer) parameter(v *types.Var, t types.Type) value {
	l.at = v.Pos()
	switch l.w.ParamOf(t) {
	case describe.StructParam:
		st := t.Underlying().(*types.Struct)
		s := &structVal{t, make([]value, st.NumFields())}
		for i := range s.fields {
			s.fields[i] = l.parameter(v, st.Field(i).Type())
		}
		return s
	case describe.ArrayParam:
		a := t.Underlying().(*types.Array)
		list := &listVal{t, make([]value, a.Len())}
		for i := range list.elems {
			list.elems[i] = l.parameter(v, a.Elem())
		}
		return list
	}
	defer func() { l.param++ }()
	arg := &l.in.Args[l.param]
	switch l.w.ParamOf(t) {
	case describe.NoneParam:
		return noneVal{}
	case describe.TensorParam:
		return l.tensor(v.Pos(), t, l.w.ParamFunc(t), arg)
	case describe.FuncParam:
		l.Must(arg.Func != nil, v.Pos(), "no function is given for %s", v.Name())
		return l.function(arg.Func)
	case describe.ScalarParam:
		return l.newParam(t)
	}
	l.Fail(v.Pos(), "a kernel cannot have a parameter of type %s", t)
	return nil
}

func (l *lowerer) newParam(t types.Type) *tile {
	x := l.newTile(t)
	l.entry.Params = append(l.entry.Params, x.v)
	l.owner = append(l.owner, l.param)
	l.early[x.v] = true
	return x
}

// tensor flattens a tensor as the language's function for the parameter's type asks: pointers are the base address,
// the first list the extents, the second the strides.
func (l *lowerer) tensor(pos token.Pos, t types.Type, fn *world.Func, arg *Arg) value {
	obj := fn.Pkg.Info.Defs[fn.Decl.Name].(*types.Func)
	sig := obj.Type().(*types.Signature)
	env := world.NewEnv()
	err := l.w.Unify(sig.Results().At(0).Type(), t, env)
	l.Must(err == nil, pos, "%v", err)
	env = l.w.Canonical(obj, sig.TypeParams(), env)
	fv := &funcVal{w: l.w.World, name: fn.Decl.Name.Name, typ: fn.Decl.Type, body: fn.Decl.Body, env: env, pkg: fn.Pkg}
	var args []value
	lists := 0
	for i := range sig.Params().Len() {
		pt := l.w.Subst(sig.Params().At(i).Type(), env)
		d := l.desc(pt)
		if d == nil || d.Kind != describe.ListKind {
			x := l.newParam(pt)
			x.div = arg.BaseDiv
			args = append(args, x)
			continue
		}
		list := &listVal{}
		for k := range d.N {
			list.elems = append(list.elems, l.listParam(elemType(pt), arg, lists, k))
		}
		lists++
		args = append(args, l.newSlice(elemType(pt), list.elems, len(list.elems)))
	}
	var out []value
	l.inBlock(l.pro, func() { out = l.call(pos, fv, args) })
	return out[0]
}

// listParam is one extent or stride. A stride that the launcher found to be 1 still takes a parameter.
func (l *lowerer) listParam(t types.Type, arg *Arg, list, k int) value {
	x := l.newParam(t)
	div := arg.ExtentDiv
	if list == 1 {
		if k < len(arg.Unit) && arg.Unit[k] {
			return constant.MakeInt64(1)
		}
		div = arg.StrideDiv
	}
	if k < len(div) {
		x.div = div[k]
	}
	return x
}
