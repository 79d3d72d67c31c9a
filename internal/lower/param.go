package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/check"
)

// parameter gives the kernel a parameter: the entry's parameters that it becomes, and its value.
func (l *lowerer) parameter(v *types.Var, t types.Type) value {
	l.at = v.Pos()
	arg := &l.in.Args[l.param]
	if d := l.desc(t); d != nil && d.Kind == check.NoneKind {
		return noneVal{}
	}
	if fn := l.w.ParamFunc(t); fn != nil {
		return l.tensor(v.Pos(), t, fn, arg)
	}
	if _, ok := t.Underlying().(*types.Signature); ok {
		l.must(arg.Func != nil, v.Pos(), "no function is given for %s", v.Name())
		return l.function(arg.Func)
	}
	d := l.tileDesc(t)
	l.must(d != nil && len(d.Shape) == 0, v.Pos(), "a kernel cannot have a parameter of type %s", t)
	return l.newParam(t)
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
func (l *lowerer) tensor(pos token.Pos, t types.Type, fn *check.Func, arg *Arg) value {
	obj := fn.Pkg.Info.Defs[fn.Decl.Name].(*types.Func)
	sig := obj.Type().(*types.Signature)
	env := check.NewEnv()
	err := l.w.Unify(sig.Results().At(0).Type(), t, env)
	l.must(err == nil, pos, "%v", err)
	env = l.w.Canonical(obj, sig.TypeParams(), env)
	fv := &funcVal{name: fn.Decl.Name.Name, typ: fn.Decl.Type, body: fn.Decl.Body, env: env, pkg: fn.Pkg}
	var args []value
	lists := 0
	for i := range sig.Params().Len() {
		pt := l.w.Subst(sig.Params().At(i).Type(), env)
		d := l.desc(pt)
		if d == nil || d.Kind != check.ListKind {
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
		args = append(args, list)
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
