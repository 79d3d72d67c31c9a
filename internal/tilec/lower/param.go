package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// parameter makes the parameters of the entry for a parameter of the kernel, and gives its value. A
// struct or an array becomes the parameters of its fields or elements.
func (l *lowerer) parameter(v *types.Var, t types.Type) emit.Value {
	l.Pos = v.Pos()
	switch l.World.ParamOf(t) {
	case describe.StructParam:
		st := t.Underlying().(*types.Struct)
		s := &emit.Struct{Type: t, Fields: make([]emit.Value, st.NumFields())}
		for i := range s.Fields {
			s.Fields[i] = l.parameter(v, st.Field(i).Type())
		}
		return s
	case describe.ArrayParam:
		a := t.Underlying().(*types.Array)
		list := &emit.List{Type: t, Elems: make([]emit.Value, a.Len())}
		for i := range list.Elems {
			list.Elems[i] = l.parameter(v, a.Elem())
		}
		return list
	}
	// Parameters of structs and arrays are counted one by one, as a launch packs them.
	defer func() { l.param++ }()
	arg := &l.in.Args[l.param]
	switch l.World.ParamOf(t) {
	case describe.NoneParam:
		return emit.None{}
	case describe.TensorParam:
		return l.tensor(v.Pos(), t, l.World.ParamFunc(t), arg)
	case describe.FuncParam:
		l.Must(arg.Func != nil, v.Pos(), "no function is given for %s", v.Name())
		return l.function(arg.Func)
	case describe.ScalarParam:
		return l.newParam(t)
	}
	l.Fail(v.Pos(), "a kernel cannot have a parameter of type %s", t)
	return nil
}

// newParam makes a parameter of the entry. It is known in the prologue.
func (l *lowerer) newParam(t types.Type) *emit.Tile {
	x := l.NewTile(t)
	l.Entry.Params = append(l.Entry.Params, x.V)
	l.owner = append(l.owner, l.param)
	l.Early[x.V] = true
	return x
}

// tensor makes the parameters for a tensor, as the language's function for the parameter's type
// asks: a pointer is the base address, the first list has the extents, and the second one the
// strides. The function then makes the views of them, in the prologue, so that all of the kernel
// can use them.
func (l *lowerer) tensor(pos token.Pos, t types.Type, fn *world.Func, arg *Arg) emit.Value {
	obj := fn.Pkg.Info.Defs[fn.Decl.Name].(*types.Func)
	sig := obj.Type().(*types.Signature)
	// The type arguments of the function follow from the type of the parameter.
	env := world.NewEnv()
	err := l.World.Unify(sig.Results().At(0).Type(), t, env)
	l.Must(err == nil, pos, "%v", err)
	env = l.World.Canonical(obj, sig.TypeParams(), env)
	fv := &funcVal{w: l.World.World, name: fn.Decl.Name.Name, typ: fn.Decl.Type, body: fn.Decl.Body, env: env, pkg: fn.Pkg}
	var args []emit.Value
	lists := 0
	for i := range sig.Params().Len() {
		pt := l.World.Subst(sig.Params().At(i).Type(), env)
		d := l.Desc(pt)
		if d == nil || d.Kind != describe.ListKind {
			x := l.newParam(pt)
			x.Div = arg.BaseDiv
			args = append(args, x)
			continue
		}
		list := &emit.List{}
		for k := range d.N {
			list.Elems = append(list.Elems, l.listParam(emit.ElemType(pt), arg, lists, k))
		}
		// The first list is that of the extents, and the second one that of the strides.
		lists++
		args = append(args, l.NewSlice(emit.ElemType(pt), list.Elems, len(list.Elems)))
	}
	var out []emit.Value
	l.InBlock(l.Prologue, func() { out = l.call(pos, fv, args) })
	return out[0]
}

// listParam makes the parameter for one extent or stride. A stride that the launch found to be 1
// still takes a parameter, so that all kernels of these types have the same parameters, but the
// kernel uses the constant.
func (l *lowerer) listParam(t types.Type, arg *Arg, list, k int) emit.Value {
	x := l.newParam(t)
	div := arg.ExtentDiv
	if list == 1 {
		// Kernels are compiled for the strides that are 1, as contiguous memory is faster.
		if k < len(arg.Unit) && arg.Unit[k] {
			return constant.MakeInt64(1)
		}
		div = arg.StrideDiv
	}
	if k < len(div) {
		x.Div = div[k]
	}
	return x
}
