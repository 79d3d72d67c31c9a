package eval

import (
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// RebuildArg is an argument that the method CuteFromValues of its type makes of other values: of a
// slice with Args, each in an interface. It is called on the zero value of the type.
type RebuildArg struct {
	Type types.Type
	Args []Arg
}

func (RebuildArg) isArg() {}

// These are the methods of the protocol for arguments: one gives the values that stand for an
// argument of a kernel, and one makes the argument of these values again.
const (
	valuesMethod = "CuteValues"
	fromMethod   = "CuteFromValues"
	hostMethod   = "CuteArgs" // gives the values of an argument of a host function
)

// rebuildParam makes a parameter of the host function of other parameters.
func (ev *evaluator) rebuildParam(name string, a RebuildArg) emit.Value {
	return ev.rebuild(a.Type, ev.paramElems(name, anyType, a.Args))
}

// rebuild calls the method that makes a value of others.
func (ev *evaluator) rebuild(t types.Type, elems []emit.Value) emit.Value {
	fv := ev.methodOf(t, fromMethod)
	ev.Must(fv != nil, ev.Pos, "%s has no method %s in registered source", t, fromMethod)
	// The method needs no receiver value: it makes the value.
	fv.self = ev.Zero(t)
	return ev.call(ev.Pos, fv, []emit.Value{ev.NewSlice(anyType, elems)})[0]
}

// methodOf gives a method of a type, or nil if the type does not have it.
func (ev *evaluator) methodOf(t types.Type, name string) *funcVal {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	// The method may have a pointer receiver, as a variable of the type has it, too.
	o, _, _ := types.LookupFieldOrMethod(t, true, n.Obj().Pkg(), name)
	f, ok := o.(*types.Func)
	if !ok || types.IsInterface(t) {
		return nil
	}
	fn := ev.w.FuncOf(f.Origin())
	if fn == nil {
		return nil
	}
	return ev.declared(fn, f.Origin(), name, goval.TypeArgs(t))
}

// extract replaces each argument of a kernel whose type follows the protocol by the values that
// stand for it, since only these can be parameters.
func (ev *evaluator) extract(pos token.Pos, fv *funcVal, args []emit.Value) {
	i := 0
	for _, field := range fv.typ.Params.List {
		t := ev.w.Subst(fv.pkg.Info.Types[field.Type].Type, fv.env)
		values := ev.methodOf(t, valuesMethod)
		if values == nil {
			// A type that follows only the protocol of host functions would reach the kernel as a
			// struct, which its author does not expect.
			ev.Must(!ev.declares(t, hostMethod), pos, "kernel %s takes a %s, which can only be an argument of host functions: give the type a method %s() []any", fv.name, t, valuesMethod)
		}
		for range max(1, len(field.Names)) {
			if values != nil {
				v := *values
				v.self = args[i]
				args[i] = &emit.StandIn{Type: t, Elems: ev.SliceElems(ev.call(pos, &v, nil)[0])}
			}
			i++
		}
	}
}

// declares reports whether the source of a type has a method, whether or not it can be compiled.
func (ev *evaluator) declares(t types.Type, method string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	p := ev.w.Pkgs[n.Obj().Pkg().Path()]
	return p != nil && p.Src.Methods[n.Obj().Name()][method] != nil
}

// restore makes an argument of a kernel of the values that stand for it.
func (ev *evaluator) restore(v emit.Value) emit.Value {
	if s, ok := v.(*emit.StandIn); ok {
		return ev.rebuild(s.Type, s.Elems)
	}
	return v
}
