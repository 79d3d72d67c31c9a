package capture

import (
	"fmt"
	"go/types"
	"reflect"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
)

// Bind finds the function in a world, its type parameters yet unbound.
func (r Ref) Bind(w *world.World) (*world.Function, error) {
	p := w.Pkgs[r.Root.Path]
	f := &world.Function{Name: r.Root.Name, Pkg: p, Env: world.NewEnv(), Lit: r.Lit}
	switch {
	case r.Lit != nil:
		sig, ok := p.Info.Types[r.Lit].Type.(*types.Signature)
		if !ok {
			return nil, r.typeErrors(p)
		}
		f.Sig = sig
	case r.Recv != "":
		obj, ok := p.Info.Defs[r.Decl.Func().Name].(*types.Func)
		if !ok {
			return nil, r.Fault("%s has no method %s in package %s", r.Recv, r.Decl.Name, r.Root.Path)
		}
		f.Name, f.Sig, f.Decl = r.Recv+"."+r.Decl.Name, obj.Type().(*types.Signature), w.FuncOf(obj)
	default:
		obj, ok := p.Types.Scope().Lookup(r.Root.Name).(*types.Func)
		if !ok {
			return nil, r.Fault("%s is not a function of package %s", r.Root.Name, r.Root.Path)
		}
		f.Sig, f.Decl = obj.Type().(*types.Signature), w.FuncOf(obj)
	}
	if errs := p.Errors(r.Node().Pos(), r.Node().End()); len(errs) > 0 {
		return nil, errs.Err()
	}
	return f, nil
}

func (r Ref) typeErrors(p *world.Pkg) error {
	if errs := p.Errors(r.Node().Pos(), r.Node().End()); len(errs) > 0 {
		return errs.Err()
	}
	return r.Fault("%s could not be checked", r.Root.Name)
}

// Fault is a mistake of the stage capture at the function's declaration.
func (r Ref) Fault(format string, args ...any) error {
	pos := source.Fset.Position(r.Node().Pos())
	return diag.List{{Pos: pos, Stage: diag.Capture, Msg: fmt.Sprintf(format, args...), Source: source.Line(pos)}}
}

// Unify binds the type parameters of a function that [Ref.Bind] found by the type of the function value. That of a
// method expression has the receiver as its first parameter.
func (r Ref) Unify(w *world.World, f *world.Function, t reflect.Type) error {
	actual, err := w.FromReflect(t)
	if err != nil {
		return err
	}
	decl := f.Sig
	if recv := decl.Recv(); recv != nil {
		params := []*types.Var{recv}
		for v := range decl.Params().Variables() {
			params = append(params, v)
		}
		decl = types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), decl.Results(), decl.Variadic())
	}
	return w.Unify(decl, actual, f.Env)
}

// Unbound is a mistake for the first type parameter of a function that [Ref.Unify] could not bind, as the type of no parameter or
// result mentions it: the function value does not tell what stands for it. who is what needs it, and advice says what to do. It is nil where there is none.
func Unbound(f *world.Function, who string, advice func(*types.TypeParam) string) error {
	for tp := range f.Sig.TypeParams().TypeParams() {
		if f.Env.Get(tp) == nil {
			pos := source.Fset.Position(tp.Obj().Pos())
			return diag.List{{Pos: pos, Stage: diag.Capture, Source: source.Line(pos), Msg: fmt.Sprintf(
				"no parameter's type mentions type parameter %s, so %s cannot infer it: %s", tp, who, advice(tp))}}
		}
	}
	return nil
}
