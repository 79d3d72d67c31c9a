package world

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/diag"
)

// Env binds type parameters to types. There is one for each instance of a function, so that what was substituted can
// be remembered.
type Env struct {
	bound map[*types.TypeParam]types.Type
	memo  map[types.Type]types.Type
	names map[string]types.Type
}

// NewEnv makes an environment without bindings.
func NewEnv() *Env {
	return &Env{bound: map[*types.TypeParam]types.Type{}, memo: map[types.Type]types.Type{}}
}

// Get gives the type that a parameter is bound to: nil if it is not bound.
func (e *Env) Get(p *types.TypeParam) types.Type { return e.bound[p] }

// With is a copy with one binding replaced.
func (e *Env) With(p *types.TypeParam, t types.Type) *Env {
	n := NewEnv()
	for k, v := range e.bound {
		n.bound[k] = v
	}
	n.bound[p] = t
	return n
}

// Names gives the bindings by name.
func (e *Env) Names() map[string]types.Type {
	if e.names == nil || len(e.names) != len(e.bound) {
		e.names = map[string]types.Type{}
		for p, t := range e.bound {
			e.names[p.Obj().Name()] = t
		}
	}
	return e.names
}

// instKey is a function with its first type argument.
type instKey struct {
	f     any
	first types.Type
}

// instance is an environment with all type arguments.
type instance struct {
	args []types.Type
	env  *Env
}

// Instance is the environment of a function with these type arguments. Few instances share the first one: comparing their
// others in turn is quicker than a hash of all.
func (w *World) Instance(f any, params *types.TypeParamList, args []types.Type) *Env {
	k := instKey{f: f}
	if len(args) > 0 {
		k.first = args[0]
	}
	for _, known := range w.insts[k] {
		if slices.Equal(known.args, args) {
			return known.env
		}
	}
	e := NewEnv()
	for i, a := range args {
		e.bound[params.At(i)] = a
	}
	w.insts[k] = append(w.insts[k], instance{slices.Clone(args), e})
	return e
}

// Canonical gives the one environment of a function with the bindings of env, which must bind every parameter.
func (w *World) Canonical(f any, params *types.TypeParamList, env *Env) *Env {
	if params.Len() != len(env.bound) {
		return env
	}
	args := make([]types.Type, params.Len())
	for i := range args {
		args[i] = env.bound[params.At(i)]
	}
	return w.Instance(f, params, args)
}

// Subst replaces type parameters by what they are bound to.
func (w *World) Subst(t types.Type, env *Env) types.Type {
	if env == nil || len(env.bound) == 0 {
		return t
	}
	switch x := t.(type) { // quicker than the memory
	case *types.Basic:
		return t
	case *types.TypeParam:
		if r := env.bound[x]; r != nil {
			return r
		}
		return t
	case *types.Named:
		if x.TypeArgs() == nil {
			return t
		}
	}
	if r, ok := env.memo[t]; ok {
		return r
	}
	r := w.subst(t, env)
	env.memo[t] = r
	return r
}

func (w *World) subst(t types.Type, env *Env) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if r, ok := env.bound[t]; ok {
			return r
		}
	case *types.Named:
		return w.substNamed(t, env)
	case *types.Slice:
		return types.NewSlice(w.Subst(t.Elem(), env))
	case *types.Array:
		return types.NewArray(w.Subst(t.Elem(), env), t.Len())
	case *types.Pointer:
		return types.NewPointer(w.Subst(t.Elem(), env))
	case *types.Struct:
		fields := make([]*types.Var, t.NumFields())
		for i := range fields {
			f := t.Field(i)
			fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), w.Subst(f.Type(), env), f.Embedded())
		}
		return types.NewStruct(fields, nil)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, w.substTuple(t.Params(), env), w.substTuple(t.Results(), env), t.Variadic())
	}
	return t
}

func (w *World) substNamed(t *types.Named, env *Env) types.Type {
	n := t.TypeArgs().Len()
	args := make([]types.Type, n)
	same := true
	for i := range n {
		args[i] = w.Subst(t.TypeArgs().At(i), env)
		same = same && args[i] == t.TypeArgs().At(i)
	}
	if same {
		return t
	}
	r, err := types.Instantiate(w.ctx, t.Origin(), args, false)
	if err != nil {
		panic("BUG: world: " + err.Error())
	}
	return r
}

func (w *World) substTuple(x *types.Tuple, env *Env) *types.Tuple {
	vs := make([]*types.Var, x.Len())
	for i := range vs {
		v := x.At(i)
		vs[i] = types.NewParam(v.Pos(), v.Pkg(), v.Name(), w.Subst(v.Type(), env))
	}
	return types.NewTuple(vs...)
}

// Unify binds the type parameters of a declared type so that it becomes the actual one.
func (w *World) Unify(decl, actual types.Type, env *Env) error {
	decl, actual = types.Unalias(decl), types.Unalias(actual)
	switch d := decl.(type) {
	case *types.TypeParam:
		if old, ok := env.bound[d]; ok && !types.Identical(old, actual) {
			return fmt.Errorf("type parameter %s is both %s and %s", d, diag.TypeText(old), diag.TypeText(actual))
		}
		env.bound[d] = actual
		return nil
	case *types.Named:
		a, ok := actual.(*types.Named)
		if !ok || a.Origin() != d.Origin() {
			return mismatch(actual, decl)
		}
		for i := range d.TypeArgs().Len() {
			if err := w.Unify(d.TypeArgs().At(i), a.TypeArgs().At(i), env); err != nil {
				return err
			}
		}
		return nil
	case *types.Array:
		if a, ok := actual.(*types.Array); ok && a.Len() == d.Len() {
			return w.Unify(d.Elem(), a.Elem(), env)
		}
		return mismatch(actual, decl)
	case *types.Pointer:
		if a, ok := actual.(*types.Pointer); ok {
			return w.Unify(d.Elem(), a.Elem(), env)
		}
		return mismatch(actual, decl)
	case *types.Slice:
		if a, ok := actual.(*types.Slice); ok {
			return w.Unify(d.Elem(), a.Elem(), env)
		}
		return mismatch(actual, decl)
	case *types.Struct:
		a, ok := actual.(*types.Struct)
		if !ok || a.NumFields() != d.NumFields() {
			return mismatch(actual, decl)
		}
		for i := range d.NumFields() {
			if d.Field(i).Name() != a.Field(i).Name() {
				return mismatch(actual, decl)
			}
			if err := w.Unify(d.Field(i).Type(), a.Field(i).Type(), env); err != nil {
				return err
			}
		}
		return nil
	case *types.Signature:
		a, ok := actual.Underlying().(*types.Signature)
		if !ok || a.Params().Len() != d.Params().Len() || a.Results().Len() != d.Results().Len() {
			return mismatch(actual, decl)
		}
		if err := w.unifyTuple(d.Params(), a.Params(), env); err != nil {
			return err
		}
		return w.unifyTuple(d.Results(), a.Results(), env)
	}
	if !types.Identical(decl, actual) {
		return mismatch(actual, decl)
	}
	return nil
}

func (w *World) unifyTuple(d, a *types.Tuple, env *Env) error {
	for i := range d.Len() {
		if err := w.Unify(d.At(i).Type(), a.At(i).Type(), env); err != nil {
			return err
		}
	}
	return nil
}

func mismatch(have, want types.Type) error {
	return fmt.Errorf("have %s, want %s", diag.TypeText(have), diag.TypeText(want))
}

// TypeOf is the type of an expression in an instance: nil if the checker reported a mistake instead.
func (w *World) TypeOf(p *Pkg, env *Env, e ast.Expr) types.Type {
	id, isName := e.(*ast.Ident)
	if isName {
		if v, ok := p.Info.Uses[id].(*types.Var); ok {
			return w.Subst(v.Type(), env)
		}
	}
	if tv, ok := p.Info.Types[e]; ok {
		return w.Subst(tv.Type, env)
	}
	if isName {
		if o := p.Info.ObjectOf(id); o != nil {
			return w.Subst(o.Type(), env)
		}
	}
	return nil
}
