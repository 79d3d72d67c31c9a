package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/internal/tilec/words"
	"github.com/cutile-go/cutile/tileir"
)

// callExpr lowers a call, which in Go's syntax may be a conversion or a call of a built-in function
// as well.
func (l *lowerer) callExpr(fr *frame, e *ast.CallExpr) emit.Value {
	// Operations of the call have its position, and not that of the statement.
	defer l.here(fr, e.Pos())()
	tv := fr.pkg.Info.Types[e.Fun]
	if tv.IsType() {
		return l.conversion(fr, e, l.World.Subst(tv.Type, fr.env))
	}
	// Package math has no registered source: the compiler computes its functions itself.
	switch o := callee(fr, e).(type) {
	case *types.Builtin:
		return l.builtin(fr, e, o.Name())
	case *types.Func:
		if o.Pkg() != nil && o.Pkg().Path() == "math" {
			return l.mathCall(fr, e, o)
		}
	}
	fun := ast.Unparen(e.Fun)
	f := l.eval(fr, fun)
	if emit.Poisoned(f) {
		panic(emit.Bailout{})
	}
	fv, ok := f.(*funcVal)
	l.Must(!emit.IsNil(f), e.Pos(), "this function is nil")
	l.Must(ok, e.Pos(), "this cannot be called in a kernel")
	// The arguments of such a call need not be evaluated.
	if l.required(fr, e, fv) {
		return emit.Tuple(nil)
	}
	// The types of the parameters tell which arguments become interfaces.
	sig := l.World.Subst(tv.Type, fr.env).Underlying().(*types.Signature)
	n := sig.Params().Len()
	args := l.heldList(fr, e.Args, n, func(i int) types.Type {
		if sig.Variadic() && i >= n-1 {
			if t := sig.Params().At(n - 1).Type(); !e.Ellipsis.IsValid() {
				return emit.ElemType(t)
			}
		}
		return sig.Params().At(i).Type()
	})
	if sig.Variadic() && !e.Ellipsis.IsValid() {
		args = append(args[:n-1:n-1], l.variadic(fv, sig, args[n-1:]))
	}
	res := l.call(e.Pos(), fv, args)
	if len(res) == 1 {
		return res[0]
	}
	return emit.Tuple(res)
}

// callee gives the object that a call names, or nil for a function value.
func callee(fr *frame, c *ast.CallExpr) types.Object {
	// An instantiation names the function inside of its brackets.
	f := ast.Unparen(c.Fun)
	switch x := f.(type) {
	case *ast.IndexExpr:
		f = x.X
	case *ast.IndexListExpr:
		f = x.X
	}
	switch x := f.(type) {
	case *ast.Ident:
		return fr.pkg.Info.Uses[x]
	case *ast.SelectorExpr:
		return fr.pkg.Info.Uses[x.Sel]
	}
	return nil
}

// variadic gives the slice that takes the last arguments of a call. A function with a directive
// takes a list, as operations know no slices.
func (l *lowerer) variadic(fv *funcVal, sig *types.Signature, args []emit.Value) emit.Value {
	elem := emit.ElemType(sig.Params().At(sig.Params().Len() - 1).Type())
	switch {
	case len(args) == 0:
		return &emit.Slice{}
	case fv.dir != nil:
		// It is a list, and not a slice with an array of its own.
		return &emit.List{Elems: slices.Clone(args)}
	}
	return l.NewSlice(elem, slices.Clone(args), len(args))
}

// conversion lowers T(x).
func (l *lowerer) conversion(fr *frame, e *ast.CallExpr, t types.Type) emit.Value {
	if emit.IsInterface(t) {
		return l.valueFor(fr, e.Args[0], t)
	}
	v := l.eval(fr, e.Args[0])
	// nil has the type that it is converted to.
	if _, ok := v.(emit.None); ok {
		return l.Coerce(e.Pos(), v, t)
	}
	// The conversion of a variable wraps around or rounds, also if its value is known.
	if emit.IsConst(v) && !isWritten(fr, e.Args[0]) {
		v = l.ConvertKnown(v, l.typeOf(fr, e.Args[0]), t)
	}
	return l.Convert(e.Pos(), v, t)
}

// isWritten reports whether an expression is a constant in the source, or a call for a number that
// Go's constants cannot be. Go refuses a constant that its type cannot hold, so that is a mistake;
// the value of a variable is converted as at run time.
func isWritten(fr *frame, e ast.Expr) bool {
	if fr.pkg.Info.Types[e].Value != nil {
		return true
	}
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := callee(fr, c).(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg().Path() == "math" && (f.Name() == "Inf" || f.Name() == "NaN")
}

// call inlines a function, or does what its directive tells. The poison of a mistake may be an
// argument of a function in Go, which may not use it, but not of an operation.
func (l *lowerer) call(pos token.Pos, fv *funcVal, args []emit.Value) []emit.Value {
	if fv.dir != nil && (emit.Poisoned(fv.self) || slices.ContainsFunc(args, emit.Poisoned)) {
		panic(emit.Bailout{})
	}
	l.Spend(limit.Calls, 1)
	// The operations behind the call belong to this function again.
	defer func(caller *tileir.Loc, callee *tileir.Scope) { l.Caller, l.Callee = caller, callee }(l.Caller, l.Callee)
	fv = l.rebind(fv, args)
	if fv.dir != nil {
		return l.declared(pos, fv, args)
	}
	if !(fv.body != nil) {
		l.Fail(pos, "%s has no body in Go", fv.name)
	}
	// The checker's errors in a function matter only if the function is called.
	if errs := fv.pkg.Errors(fv.typ.Pos(), fv.body.End()); len(errs) > 0 {
		panic(errs)
	}
	// Operations name the calls through which they were inlined. Functions of the language do not
	// count, since users do not see them.
	if !fv.pkg.Src.Lang && len(l.Calls) > 0 {
		from := l.Loc()
		l.Caller = &from
		if l.Opts.Debug {
			l.Callee = l.scope(fv)
		}
		defer func(at token.Pos) { l.Pos = at }(l.Pos)
	}
	return l.inline(pos, fv, args)
}

// scope describes a function for debuggers.
func (l *lowerer) scope(fv *funcVal) *tileir.Scope {
	p := source.Fset.Position(fv.body.Pos())
	file := &tileir.SourceFile{Name: p.Filename}
	return &tileir.Scope{File: file, Unit: file, Line: p.Line, ScopeLine: p.Line, Name: fv.name, Linkage: fv.name}
}

// declared does what the directive of a function tells.
func (l *lowerer) declared(pos token.Pos, fv *funcVal, args []emit.Value) []emit.Value {
	if fv.recv != nil {
		// Directives name the receiver like a parameter.
		args = append([]emit.Value{fv.self}, args...)
	}
	return words.Do(l.Emitter, fv, pos, args)
}

// Call implements [emit.Language].
func (l *lowerer) Call(pos token.Pos, f emit.Function, args []emit.Value) []emit.Value {
	return l.call(pos, f.(*funcVal), args)
}

// Instance implements [emit.Language].
func (l *lowerer) Instance(pos token.Pos, op world.Symbol, ts []types.Type) emit.Function {
	return l.language(pos, op, ts)
}

// inline lowers the body of a function with its parameters as variables. Tile IR has no functions
// that a kernel could call, so every call is inlined.
func (l *lowerer) inline(pos token.Pos, fv *funcVal, args []emit.Value) []emit.Value {
	// The kernel is the call that no other call is around.
	entry := len(l.Calls) == 0
	defer l.Enter(goval.Call{Name: fv.name, At: pos, Lang: fv.pkg.Src.Lang, Entry: entry, Body: fv.body}, "what is known when the kernel is compiled")()
	fr := &frame{
		// A literal finds the variables around it by its frame.
		parent: fv.frame, vars: variables{}, env: fv.env, pkg: fv.pkg,
		exits: exitsOf(fv.body), blk: l.Block, kernel: entry && fv.body == l.body,
	}
	// The variables of the function are the cells from here on.
	n := len(l.Cells)
	if fv.recv != nil {
		for _, id := range fv.recv.List[0].Names {
			l.declare(fr, id, l.World.Subst(fv.pkg.Info.Defs[id].Type(), fv.env), fv.self)
		}
	}
	i := 0
	for _, f := range fv.typ.Params.List {
		t := fv.fieldType(f)
		for _, id := range f.Names {
			l.declare(fr, id, t, args[i])
			i++
		}
		if len(f.Names) == 0 {
			i++
		}
	}
	l.results(fr, fv)
	l.stmts(fr, fv.body.List)
	// All paths through the body come together here.
	ret := fr.returned()
	// The function's variables are gone, unless a result leads to them.
	l.Trim(n, ret)
	return ret
}

// rebind gives a type parameter that Go inferred as bool the mask type of the argument. The type of
// a comparison is bool in Go, whatever the shape of its operands is.
func (l *lowerer) rebind(fv *funcVal, args []emit.Value) *funcVal {
	i := 0
	for _, f := range fv.typ.Params.List {
		for range max(1, len(f.Names)) {
			if i >= len(args) {
				return fv
			}
			// Only masks matter: every other type parameter has the type that Go inferred.
			x, isTile := args[i].(*emit.Tile)
			i++
			// Only a parameter whose type is a type parameter itself can have been inferred.
			id, isName := f.Type.(*ast.Ident)
			if !isTile || !isName || x.Type == nil || x.Desc.Elem.IR != tileir.I1 {
				continue
			}
			tp, ok := fv.pkg.Info.Types[id].Type.(*types.TypeParam)
			if !ok || fv.env.Get(tp) == nil {
				continue
			}
			if b, ok := types.Unalias(fv.env.Get(tp)).(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
				// The function value may be called again with other arguments.
				c := *fv
				c.env = fv.env.With(tp, x.Type)
				fv = &c
			}
		}
	}
	return fv
}

// required reports whether e is a call of Require whose condition is true; fv is the function
// called. The parts of its message are then not needed, and the language's functions would compute
// them at each call.
func (l *lowerer) required(fr *frame, e *ast.CallExpr, fv *funcVal) bool {
	if !fr.pkg.Src.Lang || fv.dir == nil || fv.dir.Word != directive.Intrinsic || fv.dir.Words[0] != "require" {
		return false
	}
	k, ok := l.eval(fr, e.Args[0]).(constant.Value)
	return ok && constant.BoolVal(k)
}
