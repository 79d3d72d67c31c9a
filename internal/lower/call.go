package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/directive"
	"github.com/cutile-go/cutile/tileir"
)

func (l *lowerer) callExpr(fr *frame, e *ast.CallExpr) value {
	defer l.here(fr, e.Pos())()
	tv := fr.pkg.Info.Types[e.Fun]
	if tv.IsType() {
		return l.convert(e.Pos(), l.eval(fr, e.Args[0]), l.w.Subst(tv.Type, fr.env))
	}
	switch o := callee(fr, e).(type) {
	case *types.Builtin:
		return l.builtin(fr, e, o.Name())
	case *types.Func:
		if o.Pkg() != nil && o.Pkg().Path() == "math" {
			return l.mathCall(fr, e, o.Name())
		}
	}
	fun := ast.Unparen(e.Fun)
	fv, ok := l.eval(fr, fun).(*funcVal)
	l.must(ok, e.Pos(), "this cannot be called in a kernel")
	sig := l.typeOf(fr, fun).Underlying().(*types.Signature)
	n := sig.Params().Len()
	args := l.evalList(fr, e.Args, n)
	if sig.Variadic() && !e.Ellipsis.IsValid() {
		list := &listVal{append([]value{}, args[n-1:]...)}
		args = append(args[:n-1:n-1], list)
	}
	res := l.call(e.Pos(), fv, args)
	if len(res) == 1 {
		return res[0]
	}
	return tuple(res)
}

// callee is the object that a call names: nil for a function value.
func callee(fr *frame, c *ast.CallExpr) types.Object {
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

// builtins are the functions of Go itself that kernels may call.
var builtins map[string]func(*lowerer, *frame, *ast.CallExpr) value

func init() { // a literal would refer to itself
	builtins = map[string]func(*lowerer, *frame, *ast.CallExpr) value{
		"len": func(l *lowerer, fr *frame, e *ast.CallExpr) value {
			list, ok := l.eval(fr, e.Args[0]).(*listVal)
			l.must(ok, e.Pos(), "len needs a slice or array of known length")
			return constant.MakeInt64(int64(len(list.elems)))
		},
		"min": func(l *lowerer, fr *frame, e *ast.CallExpr) value { return l.extreme(fr, e, "min") },
		"max": func(l *lowerer, fr *frame, e *ast.CallExpr) value { return l.extreme(fr, e, "max") },
		"make": func(l *lowerer, fr *frame, e *ast.CallExpr) value {
			t := l.typeOf(fr, e)
			_, ok := t.Underlying().(*types.Slice)
			l.must(ok && len(e.Args) >= 2, e.Pos(), "a kernel can make only slices")
			n, ok := l.eval(fr, e.Args[1]).(constant.Value)
			l.must(ok, e.Args[1].Pos(), "the length of a slice must be known when the kernel is compiled")
			k, _ := constant.Int64Val(constant.ToInt(n))
			list := &listVal{}
			for range k {
				list.elems = append(list.elems, l.zero(e.Pos(), elemType(t)))
			}
			return list
		},
		"append": func(l *lowerer, fr *frame, e *ast.CallExpr) value {
			t := elemType(l.typeOf(fr, e))
			list := &listVal{}
			if first, ok := l.eval(fr, e.Args[0]).(*listVal); ok {
				list.elems = append(list.elems, first.elems...)
			}
			for _, a := range e.Args[1:] {
				v := l.eval(fr, a)
				if more, ok := v.(*listVal); ok && e.Ellipsis.IsValid() {
					list.elems = append(list.elems, more.elems...)
					continue
				}
				list.elems = append(list.elems, l.coerce(a.Pos(), v, t))
			}
			return list
		},
		"panic": func(l *lowerer, fr *frame, e *ast.CallExpr) value {
			l.fail(e.Pos(), "a kernel cannot panic: use Assert")
			return nil
		},
	}
}

func (l *lowerer) builtin(fr *frame, e *ast.CallExpr, name string) value {
	f, ok := builtins[name]
	if !ok {
		l.fail(e.Pos(), "a kernel cannot call the built-in %s", name)
	}
	return f(l, fr, e)
}

func (l *lowerer) extreme(fr *frame, e *ast.CallExpr, name string) value {
	t := l.typeOf(fr, e)
	v := l.eval(fr, e.Args[0])
	for _, a := range e.Args[1:] {
		w := l.eval(fr, a)
		if isConst(v) && isConst(w) {
			if compareConst(token.LSS, v, w) == (name == "max") {
				v = w
			}
			continue
		}
		x, y := l.pair(e.Pos(), v, w, t)
		v = l.operate(e.Pos(), name+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, y)
	}
	return v
}

func (l *lowerer) mathCall(fr *frame, e *ast.CallExpr, name string) value {
	if name == "NaN" {
		return nonFinite(math.NaN())
	}
	k, ok := l.eval(fr, e.Args[0]).(constant.Value)
	l.must(ok, e.Pos(), "math.Inf needs a sign that is known when the kernel is compiled")
	if constant.Sign(k) >= 0 {
		return nonFinite(math.Inf(1))
	}
	return nonFinite(math.Inf(-1))
}

// call inlines a function, or emits what its directive says.
func (l *lowerer) call(pos token.Pos, fv *funcVal, args []value) []value {
	for _, a := range args {
		if poisoned(a) && fv.dir != nil {
			panic(bailout{})
		}
	}
	if l.depth >= maxDepth {
		l.tooDeep(pos)
	}
	l.depth++
	defer func(caller *tileir.Loc) { l.depth, l.caller = l.depth-1, caller }(l.caller)
	fv = l.rebind(fv, args)
	if fv.dir != nil {
		if fv.dir.Word == directive.Op {
			return l.emitOp(pos, fv, args)
		}
		return l.intrinsic(pos, fv, args)
	}
	if !(fv.body != nil) {
		l.fail(pos, "%s has no body in Go", fv.name)
	}
	if errs := fv.pkg.Errors(fv.typ.Pos(), fv.body.End()); len(errs) > 0 {
		panic(errs)
	}
	if !fv.pkg.Src.Lang && l.depth > 1 {
		from := l.loc()
		l.caller = &from
		defer func(at token.Pos) { l.at = at }(l.at)
	}
	return l.inline(fv, args)
}

func (l *lowerer) inline(fv *funcVal, args []value) []value {
	l.active = append(l.active, fv)
	defer func() { l.active = l.active[:len(l.active)-1] }()
	fr := &frame{parent: fv.frame, vars: map[types.Object]*cell{}, env: fv.env, pkg: fv.pkg, loops: len(l.loops)}
	n := len(l.cells)
	if fv.recv != nil {
		for _, id := range fv.recv.List[0].Names {
			l.declare(fr, id, l.w.Subst(fv.pkg.Info.Defs[id].Type(), fv.env), fv.self)
		}
	}
	i := 0
	for _, f := range fv.typ.Params.List {
		t := l.paramType(fv, f)
		for _, id := range f.Names {
			l.declare(fr, id, t, args[i])
			i++
		}
		if len(f.Names) == 0 {
			i++
		}
	}
	l.results(fr, fv)
	if l.stmts(fr, fv.body.List) == next && len(fr.named) > 0 && fr.ret == nil {
		for _, c := range fr.named {
			fr.ret = append(fr.ret, c.v)
		}
	}
	l.trim(n)
	return fr.ret
}

// tooDeep reports the circle in which functions call each other, if there is one.
func (l *lowerer) tooDeep(pos token.Pos) {
	for last := len(l.active) - 1; last > 0; last-- {
		for i := last - 1; i >= 0; i-- {
			if l.active[i].body == l.active[last].body {
				panic(endless{l.mistake(pos, "%s: a kernel cannot be recursive", circle(l.active[i:last]))})
			}
		}
	}
	panic(endless{l.mistake(pos, "more than %d calls inside one another", maxDepth)})
}

// circle is "f calls itself", or "f calls g, which calls f".
func circle(fs []*funcVal) string {
	if len(fs) == 1 {
		return fs[0].name + " calls itself"
	}
	text := fs[0].name
	for _, f := range fs[1:] {
		text += " calls " + f.name + ", which"
	}
	return text + " calls " + fs[0].name
}

// results declares named results and notes the types of all.
func (l *lowerer) results(fr *frame, fv *funcVal) {
	if fv.typ.Results == nil {
		return
	}
	for _, f := range fv.typ.Results.List {
		t := l.w.Subst(fv.pkg.Info.Types[f.Type].Type, fv.env)
		for _, id := range f.Names {
			c := l.newCell(id.Name, t, l.zero(id.Pos(), t))
			if id.Name != "_" {
				fr.vars[fv.pkg.Info.Defs[id]] = c
			}
			fr.named = append(fr.named, c)
			fr.sig = append(fr.sig, t)
		}
		if len(f.Names) == 0 {
			fr.sig = append(fr.sig, t)
		}
	}
}

// paramType is the type of a parameter; that of a variadic one is a slice.
func (l *lowerer) paramType(fv *funcVal, f *ast.Field) types.Type {
	if e, ok := f.Type.(*ast.Ellipsis); ok {
		return types.NewSlice(l.w.Subst(fv.pkg.Info.Types[e.Elt].Type, fv.env))
	}
	return l.w.Subst(fv.pkg.Info.Types[f.Type].Type, fv.env)
}

// rebind gives a type parameter that Go inferred as plain bool the mask type of the argument.
func (l *lowerer) rebind(fv *funcVal, args []value) *funcVal {
	i := 0
	for _, f := range fv.typ.Params.List {
		for range max(1, len(f.Names)) {
			if i >= len(args) {
				return fv
			}
			x, isTile := args[i].(*tile)
			i++
			id, isName := f.Type.(*ast.Ident)
			if !isTile || !isName || x.typ == nil || x.desc.Elem.IR != tileir.I1 {
				continue
			}
			tp, ok := fv.pkg.Info.Types[id].Type.(*types.TypeParam)
			if !ok || fv.env.Get(tp) == nil {
				continue
			}
			if b, ok := types.Unalias(fv.env.Get(tp)).(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
				c := *fv
				c.env = fv.env.With(tp, x.typ)
				fv = &c
			}
		}
	}
	return fv
}
