package run

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simtc/emit"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// Stats counts what was done in this process.
type Stats struct {
	Evaluated int64 // runs of the front end: one for each set of static arguments
	Compiled  int64 // programs that were made of a module
	Hits      int64 // modules for which there was a program
	Assembled int64 // PTX or machine code that was made
	Found     int64 // PTX or machine code that was found in the cache folder instead
	Loaded    int64 // modules loaded on a device
	Unloaded  int64
}

// counters are the Stats.
var counters struct{ evaluated, compiled, hits, assembled, found, loaded, unloaded atomic.Int64 }

// StatsNow gives the counts so far.
func StatsNow() Stats {
	c := &counters
	return Stats{c.evaluated.Load(), c.compiled.Load(), c.hits.Load(), c.assembled.Load(), c.found.Load(), c.loaded.Load(), c.unloaded.Load()}
}

// evaluate makes the module of a function for what is static in its arguments.
func (f *Function) evaluate(b *binder, args []reflect.Value, o *Options, checks bool, m *limit.Meter) (*eval.Output, error) {
	counters.evaluated.Add(1)
	roots := append(eval.Language.TypeNames(f.value.Type()), f.ref.Root)
	for _, t := range b.types {
		roots = append(roots, eval.Language.TypeNames(t)...)
		roots = append(roots, methodsOf(t)...)
	}
	for _, v := range b.funcs {
		ref, err := hostFunction.Find(v)
		if err != nil {
			return nil, err
		}
		roots = append(append(roots, eval.Language.TypeNames(v.Type())...), ref.Root)
	}
	w, err := eval.Language.Load(roots)
	if err != nil {
		return nil, err
	}
	w.Lock()
	defer w.Unlock()
	if err := m.Err(); err != nil { // it may have taken long to get the lock
		return nil, err
	}
	fn, err := f.ref.Bind(w)
	if err != nil {
		return nil, err
	}
	if err := f.ref.Unify(w, fn, f.value.Type()); err != nil {
		return nil, f.ref.Fault("%s: the registered source does not match the running program: %v: rebuild it", f.Name(), err)
	}
	if err := capture.Unbound(fn, "a call", mention); err != nil {
		return nil, err
	}
	if outer := captured(fn); outer != nil {
		return nil, f.ref.Fault("%s uses %s of the function around it, whose value is not in the source: make it a parameter", f.Name(), outer.Name())
	}
	in := &eval.Input{World: w, Host: fn, Attrs: o.attrs(), Meter: m}
	in.Options = emit.Options{Straight: o.Straight, Asserts: o.Assertions, Checks: checks, Strict: o.Strict, Variables: debug.On(debug.Variables)}
	in.Name = symbol(append([]string{f.Name()}, b.names...)...)
	in.Symbol = symbol("cute " + in.Name)
	if in.Args, err = b.build(w, args); err != nil {
		return nil, err
	}
	return eval.Host(in)
}

// methodsOf are the methods of a type of registered source: an interface may call them.
func methodsOf(t reflect.Type) (out []world.Symbol) {
	if t.PkgPath() == "" {
		return nil
	}
	p, err := source.Load(t.PkgPath())
	if err != nil || p == nil || p.Lang {
		return nil
	}
	name, _, _ := cutArgs(t.Name())
	for m := range p.Methods[name] {
		out = append(out, world.Symbol{Path: t.PkgPath(), Name: name + "." + m})
	}
	return out
}

// captured gives a variable of the function around a literal that the literal uses: nil for none.
func captured(f *world.Function) (outer types.Object) {
	if f.Lit == nil {
		return nil
	}
	ast.Inspect(f.Lit, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := f.Pkg.Info.Uses[id].(*types.Var)
		if ok && !v.IsField() && v.Parent() != f.Pkg.Types.Scope() && v.Pkg() == f.Pkg.Types && (v.Pos() < f.Lit.Pos() || v.Pos() > f.Lit.End()) {
			outer = v
		}
		return outer == nil
	})
	return outer
}

// function binds a function, which is always static.
func (b *binder) function(v reflect.Value, _ bool) eval.Arg {
	if v.IsNil() {
		b.note('n', "")
		return eval.NilArg{}
	}
	ref, err := findOnce(v)
	if err != nil {
		b.failWith(err)
	}
	b.note('f', ref.key)
	b.names = append(b.names, ref.Root.Name)
	b.funcs = append(b.funcs, v)
	if b.world == nil {
		return nil
	}
	f, err := ref.Bind(b.world)
	if err == nil {
		err = ref.Unify(b.world, f, v.Type())
	}
	if err == nil {
		err = capture.Unbound(f, "a call", mention)
	}
	if err != nil {
		b.failWith(err)
	}
	if outer := captured(f); outer != nil {
		b.fail("%s is a function literal at %v that uses %s of the function around it, whose value is not in the source: "+
			"use a declared function, or a method of a struct that has %[3]s as a field",
			b.argument(), source.Fset.Position(f.Lit.Pos()), outer.Name())
	}
	return eval.Fn{F: f}
}

// mention says how a type parameter that no parameter mentions becomes known.
func mention(tp *types.TypeParam) string {
	return fmt.Sprintf("add a parameter whose type mentions it, such as _ %s", tp)
}

// mistakes reports whether an error is one of the user's code, which comes again.
func mistakes(err error) bool {
	switch err.(type) {
	case diag.List, *diag.Error, *ArgumentError:
		return true
	}
	return false
}

// foundFunc is a function that was found, with a text for keys.
type foundFunc struct {
	capture.Ref
	key string
}
