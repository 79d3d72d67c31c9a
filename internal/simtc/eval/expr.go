package eval

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/emit"
	"github.com/cutile-go/cutile/internal/simtc/words"
)

// typeOf gives the type of an expression, with the type arguments of this instance of the function.
func (ev *evaluator) typeOf(fr *frame, e ast.Expr) types.Type {
	if t := ev.w.TypeOf(fr.pkg, fr.env, e); t != nil {
		return t
	}
	panic(emit.Bailout{}) // the checker reported it
}

// evalList evaluates a list of expressions, or one expression that has several values. want is the
// number of values.
func (ev *evaluator) evalList(fr *frame, es []ast.Expr, want int) []emit.Value {
	// Go allows one call, or x.(T), for several values.
	if len(es) == 1 && want != 1 {
		if a, ok := ast.Unparen(es[0]).(*ast.TypeAssertExpr); ok && want == 2 {
			v, ok := ev.assertion(fr, a)
			return []emit.Value{v, constant.MakeBool(ok)}
		}
		v := ev.eval(fr, es[0])
		if t, ok := v.(emit.Tuple); ok {
			return t
		}
		return []emit.Value{v}
	}
	out := make([]emit.Value, len(es))
	for i, e := range es {
		out[i] = ev.eval(fr, e)
	}
	return out
}

// fromType gives the type of the i-th value of evalList.
func (ev *evaluator) fromType(fr *frame, es []ast.Expr, i int) types.Type {
	if t, ok := fr.pkg.Info.Types[es[0]].Type.(*types.Tuple); ok && len(es) == 1 {
		return ev.w.Subst(t.At(i).Type(), fr.env)
	}
	return ev.typeOf(fr, es[i])
}

// operandOf evaluates an expression as an operand of type t.
func (ev *evaluator) operandOf(fr *frame, e ast.Expr, t types.Type) emit.Value {
	return ev.Coerce(ev.eval(fr, e), ev.typeOf(fr, e), t)
}

// eval evaluates an expression. What the type checker knows to be constant is not evaluated at all.
func (ev *evaluator) eval(fr *frame, e ast.Expr) emit.Value {
	tv := fr.pkg.Info.Types[e]
	if tv.Value != nil {
		return ev.constant(fr, e, tv)
	}
	if tv.IsNil() {
		return emit.None{}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return ev.eval(fr, e.X)
	case *ast.Ident:
		return ev.ident(fr, e)
	case *ast.IndexExpr:
		if x := fr.pkg.Info.Types[e.X]; x.IsValue() {
			// An index of a function is an instantiation, whose type arguments the checker records
			// at the identifier.
			if _, ok := x.Type.Underlying().(*types.Signature); !ok {
				return ev.Load(ev.elemOrPlace(fr, e))
			}
		}
		return ev.eval(fr, e.X)
	// Only an instantiation has several indices.
	case *ast.IndexListExpr:
		return ev.eval(fr, e.X)
	// A literal keeps the frame around it, whose variables it may read and set.
	case *ast.FuncLit:
		return &funcVal{name: "a function literal", typ: e.Type, body: e.Body, up: fr, env: fr.env, pkg: fr.pkg, pos: e.Pos()}
	case *ast.CompositeLit:
		return ev.composite(fr, e, ev.typeOf(fr, e))
	case *ast.SelectorExpr:
		return ev.selector(fr, e)
	case *ast.UnaryExpr:
		return ev.unary(fr, e)
	case *ast.BinaryExpr:
		return ev.binaryExpr(fr, e)
	case *ast.CallExpr:
		return ev.callExpr(fr, e)
	case *ast.StarExpr:
		return ev.Load(ev.Deref(e.Pos(), ev.eval(fr, e.X)))
	case *ast.SliceExpr:
		return ev.slice(fr, e)
	case *ast.TypeAssertExpr:
		v, ok := ev.assertion(fr, e)
		ev.Must(ok, e.Pos(), "the value is not of type %s", ev.typeOf(fr, e))
		return v
	}
	ev.Fail(e.Pos(), "this expression cannot be compiled")
	return nil
}

// elemOrPlace gives a pointer to an element. An array that is not a variable, such as the result of
// a call, gets a variable for the element.
func (ev *evaluator) elemOrPlace(fr *frame, e *ast.IndexExpr) *emit.Pointer {
	if _, ok := ev.typeOf(fr, e.X).Underlying().(*types.Array); ok && !isPlace(fr, e.X) {
		// The array has no place, so the element is taken from the value.
		i := ev.StaticInt(e.Index.Pos(), ev.eval(fr, e.Index), "an index of an array or slice")
		a := ev.eval(fr, e.X).(*emit.Array)
		ev.InRange(e.Index.Pos(), i, len(a.Elems))
		return &emit.Pointer{Cell: ev.NewCell("", nil, a.Elems[i])}
	}
	switch t := ev.typeOf(fr, e.X).Underlying().(type) {
	case *types.Map:
		ev.Fail(e.Pos(), "a map cannot be used in compiled code")
	case *types.Basic:
		ev.Fail(e.Pos(), "an index of %s cannot be compiled", t)
	}
	return ev.elemPlace(fr, e)
}

// isPlace reports whether an expression is a variable or a part of one.
func isPlace(fr *frame, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return fr.find(fr.pkg.Info.Uses[e]) != nil
	case *ast.SelectorExpr:
		sel := fr.pkg.Info.Selections[e]
		return sel != nil && sel.Kind() == types.FieldVal && (isPlace(fr, e.X) || goval.IsPointer(fr.pkg.Info.TypeOf(e.X)))
	case *ast.IndexExpr:
		return isPlace(fr, e.X)
	case *ast.StarExpr:
		return true
	}
	return false
}

// ident evaluates an identifier: a variable, a function or a variable of package cute.
func (ev *evaluator) ident(fr *frame, id *ast.Ident) emit.Value {
	o := fr.pkg.Info.Uses[id]
	if o == nil {
		panic(emit.Bailout{})
	}
	if c := fr.find(o); c != nil {
		v := ev.Get(c)
		if emit.Poisoned(v) {
			panic(emit.Bailout{})
		}
		return v
	}
	switch o := o.(type) {
	case *types.Func:
		return ev.funcValue(fr, id, o)
	case *types.Var:
		// Package cute has a few variables with a fixed meaning, such as All.
		if v := words.Variable(o); v != nil {
			return v
		}
	}
	ev.Fail(id.Pos(), "%s is a package variable, whose value is not part of the source: pass it as an argument, or make it a constant", id.Name)
	return nil
}

// funcValue gives a declared function as a value, with its type arguments.
func (ev *evaluator) funcValue(fr *frame, id *ast.Ident, f *types.Func) emit.Value {
	if std(f) {
		// Functions of the standard library have no source here; words implements them.
		return &funcVal{name: f.Pkg().Path() + "." + f.Name(), pos: id.Pos(), pkg: fr.pkg}
	}
	fn := ev.w.FuncOf(f)
	if fn == nil {
		ev.Fail(id.Pos(), "%s cannot be called in compiled code: %s", f.FullName(), ev.w.Unregistered(f.Pkg(), f.Name()))
	}
	var args []types.Type
	// The type arguments may be type parameters of the function around, for which this instance has
	// types.
	if inst, ok := fr.pkg.Info.Instances[id]; ok {
		for i := range inst.TypeArgs.Len() {
			args = append(args, ev.w.Subst(inst.TypeArgs.At(i), fr.env))
		}
	}
	return ev.declared(fn, f, id.Name, args)
}

// std reports whether a function is of the packages of the standard library that words know.
func std(f *types.Func) bool {
	return f.Pkg() != nil && (f.Pkg().Path() == "math" || f.Pkg().Path() == "fmt")
}

// declared makes the value of a declared function or method.
func (ev *evaluator) declared(fn *world.Func, f *types.Func, name string, args []types.Type) *funcVal {
	sig := f.Origin().Type().(*types.Signature)
	params := sig.TypeParams()
	if sig.Recv() != nil {
		params = sig.RecvTypeParams()
	}
	env := ev.w.Instance(f.Origin(), params, args)
	return &funcVal{name: name, decl: fn, typ: fn.Decl.Type, body: fn.Decl.Body, recv: fn.Decl.Recv, env: env, pkg: fn.Pkg, pos: fn.Decl.Pos()}
}

// selector evaluates x.f: a name of a package, a field, a method or a method expression.
func (ev *evaluator) selector(fr *frame, e *ast.SelectorExpr) emit.Value {
	// The checker records a selection for fields and methods, and a use for names of packages.
	sel := fr.pkg.Info.Selections[e]
	if sel == nil {
		if fr.pkg.Info.Uses[e.Sel] == nil {
			if id, ok := e.X.(*ast.Ident); ok {
				if p, ok := fr.pkg.Info.Uses[id].(*types.PkgName); ok {
					ev.Fail(e.Pos(), "%s.%s cannot be used in compiled code: %s", id.Name, e.Sel.Name, ev.w.Unregistered(p.Imported(), e.Sel.Name))
				}
			}
			panic(emit.Bailout{})
		}
		// A qualified identifier is evaluated as the identifier.
		return ev.ident(fr, e.Sel)
	}
	switch sel.Kind() {
	case types.MethodVal:
		return ev.method(fr, e, sel)
	case types.MethodExpr:
		f := sel.Obj().(*types.Func).Origin()
		fn := ev.w.FuncOf(f)
		ev.Must(fn != nil, e.Pos(), "method %s cannot be used in compiled code", f.FullName())
		v := ev.declared(fn, f, f.Name(), goval.TypeArgs(sel.Recv()))
		v.self = methodExpr{}
		return v
	}
	// A field of a variable is loaded alone, as loading the struct would copy the registers of all
	// its fields.
	if isPlace(fr, e) {
		return ev.Load(ev.fieldPlace(fr, e, sel))
	}
	return ev.Field(e.Pos(), ev.eval(fr, e.X), sel.Index())
}

// methodExpr stands for the receiver of a method expression, which is the first argument of a call.
type methodExpr struct{}
