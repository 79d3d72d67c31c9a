package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/directive"
	"github.com/cutile-go/cutile/internal/simt"
)

// maxDepth bounds inlining; a function that goes deeper calls itself.
const maxDepth = 100

func (ev *evaluator) callExpr(fr *frame, e *ast.CallExpr) value {
	ev.at(e.Pos())
	tv := fr.pkg.Info.Types[e.Fun]
	if tv.IsType() {
		return ev.conversion(e.Pos(), ev.eval(fr, e.Args[0]), ev.typeOf(fr, e.Args[0]), ev.w.Subst(tv.Type, fr.env))
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := fr.pkg.Info.Uses[id].(*types.Builtin); ok {
			return ev.builtin(fr, e, b.Name())
		}
	}
	f := ev.eval(fr, e.Fun)
	if poisoned(f) {
		panic(bailout{})
	}
	fv, ok := f.(*funcVal)
	ev.must(ok, e.Pos(), "this function is nil")
	sig := ev.typeOf(fr, e.Fun).Underlying().(*types.Signature)
	args := ev.arguments(fr, e, sig)
	res := ev.call(e.Pos(), fv, args)
	if len(res) == 1 {
		return res[0]
	}
	return tuple(res)
}

// arguments evaluates the arguments of a call; the last ones of a variadic function are a slice.
func (ev *evaluator) arguments(fr *frame, e *ast.CallExpr, sig *types.Signature) []value {
	n := sig.Params().Len()
	args := ev.evalList(fr, e.Args, n)
	given := len(e.Args) == len(args)
	for i := range args {
		t := sig.Params().At(min(i, n-1)).Type()
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			t = t.(*types.Slice).Elem()
		}
		if given {
			args[i] = ev.coerce(args[i], ev.typeOf(fr, e.Args[i]), t)
		}
	}
	if !sig.Variadic() || e.Ellipsis.IsValid() {
		return args
	}
	rest := args[n-1:]
	var last value = none{}
	if len(rest) > 0 {
		last = ev.newSlice(slices.Clone(rest))
	}
	return append(args[:n-1:n-1], last)
}

// call inlines a function, or does what its directive says.
func (ev *evaluator) call(pos token.Pos, fv *funcVal, args []value) []value {
	if slices.ContainsFunc(args, poisoned) || poisoned(fv.self) {
		panic(bailout{})
	}
	if _, ok := fv.self.(methodExpr); ok {
		c := *fv
		c.self, args = args[0], args[1:]
		fv = &c
	}
	switch {
	case fv.typ == nil:
		return ev.stdCall(pos, fv.name, args)
	case fv.decl != nil && fv.decl.Dir != nil:
		return ev.declaredCall(pos, fv, args)
	case fv.body == nil:
		ev.fail(pos, "%s has no body in Go", fv.name)
	case ev.isKernel(fv) && len(ev.active) > 0:
		return []value{ev.bind(pos, fv, args)}
	}
	for i, f := range ev.active {
		if len(ev.active) >= maxDepth && f.body == fv.body {
			at := ev.calls[i]
			ev.active, ev.calls = ev.active[:i], ev.calls[:i]
			panic(endless{ev.mistake(at, "%s calls itself: what is compiled cannot be recursive", fv.name)})
		}
	}
	if len(ev.active) >= maxDepth {
		panic(endless{ev.mistake(pos, "more than %d calls inside one another", maxDepth)})
	}
	if errs := fv.pkg.Errors(fv.typ.Pos(), fv.body.End()); len(errs) > 0 {
		panic(errs)
	}
	return ev.inline(pos, fv, args)
}

// declaredCall does what a directive says.
func (ev *evaluator) declaredCall(pos token.Pos, fv *funcVal, args []value) []value {
	if fv.recv != nil {
		args = append([]value{fv.self}, args...)
	}
	c := &ctx{evaluator: ev, fv: fv, args: args, pos: pos}
	if fv.decl.Dir.Word == directive.PTX {
		return c.ptx()
	}
	return c.intrinsic()
}

// inline evaluates a function's body with its parameters as variables.
func (ev *evaluator) inline(pos token.Pos, fv *funcVal, args []value) []value {
	defer func(n, m int, loop *loopState, at token.Pos) {
		ev.active, ev.calls, ev.loop = ev.active[:n], ev.calls[:m], loop
		ev.at(at)
	}(len(ev.active), len(ev.calls), ev.loop, ev.pos)
	ev.active, ev.calls, ev.loop = append(ev.active, fv), append(ev.calls, pos), nil
	at := ev.mark()
	c := &callState{base: ev.cur}
	var f flow
	ev.guarded(&c.wanted, func() { f = ev.body(fv, args, c) })
	if !c.wanted {
		if f.kind != leaveCall { // the end was reached: named results, or none
			for _, r := range c.results {
				c.values = append(c.values, ev.get(r))
			}
		}
		return c.values
	}
	ev.rollback(at)
	c = &callState{exits: true, base: ev.cur}
	c.results = ev.results(fv)
	results := c.results
	ev.region(func() {
		c = &callState{exits: true, base: ev.cur, results: results, end: ev.b.NewLabel()}
		ev.body(fv, args, c)
		ev.b.Place(c.end)
	})
	var out []value
	for _, r := range results {
		out = append(out, ev.get(r))
	}
	return out
}

// body evaluates a function's statements.
func (ev *evaluator) body(fv *funcVal, args []value, c *callState) flow {
	fr := &frame{up: fv.up, vars: map[types.Object]*cell{}, env: fv.env, pkg: fv.pkg, call: c}
	if fv.recv != nil {
		for _, id := range fv.recv.List[0].Names {
			ev.declare(fr, id, fv.self)
		}
	}
	i := 0
	for _, f := range fv.typ.Params.List {
		for _, id := range f.Names {
			ev.declare(fr, id, args[i])
			i++
		}
		i += max(0, 1-len(f.Names))
	}
	if !c.exits {
		c.results = ev.results(fv)
	}
	j := 0
	if fv.typ.Results != nil {
		for _, f := range fv.typ.Results.List {
			for _, id := range f.Names {
				if o := fr.pkg.Info.Defs[id]; o != nil && id.Name != "_" {
					fr.vars[o] = c.results[j]
				}
				j++
			}
			j += max(0, 1-len(f.Names))
		}
	}
	return ev.stmts(fr, fv.body.List)
}

// results makes the variables of a call's results; those with names start as zero.
func (ev *evaluator) results(fv *funcVal) (cells []*cell) {
	if fv.typ.Results == nil {
		return nil
	}
	for _, f := range fv.typ.Results.List {
		t := ev.w.Subst(fv.pkg.Info.Types[f.Type].Type, fv.env)
		for _, id := range f.Names {
			cells = append(cells, ev.newCell(id.Name, t, ev.zero(t)))
		}
		if len(f.Names) == 0 {
			cells = append(cells, ev.newCell("the result", t, nil))
		}
	}
	return cells
}

// method binds a method to its receiver.
func (ev *evaluator) method(fr *frame, e *ast.SelectorExpr, sel *types.Selection) value {
	f, path := sel.Obj().(*types.Func).Origin(), sel.Index()
	recv := ev.w.Subst(sel.Recv(), fr.env)
	var held value
	if types.IsInterface(recv) {
		v := ev.eval(fr, e.X)
		if poisoned(v) {
			panic(bailout{})
		}
		i, ok := v.(*iface)
		ev.must(ok, e.X.Pos(), "this interface holds nothing")
		recv, held = i.typ, i.v
	}
	if types.IsInterface(f.Signature().Recv().Type()) {
		o, index, _ := types.LookupFieldOrMethod(recv, true, f.Pkg(), f.Name())
		m, ok := o.(*types.Func)
		ev.must(ok, e.Sel.Pos(), "method %s cannot be called here", f.Name())
		f, path = m.Origin(), index
	}
	fn := ev.w.FuncOf(f)
	ev.must(fn != nil, e.Sel.Pos(), "method %s cannot be called in compiled code: it has no registered source", f.Name())
	t := recv
	for _, i := range path[:len(path)-1] {
		t = behind(t).Underlying().(*types.Struct).Field(i).Type()
	}
	fv := ev.declared(fn, f, f.Name(), typeArgs(t))
	fv.self = ev.receiver(fr, e, f, recv, held, path[:len(path)-1])
	return fv
}

// receiver is the value of a method's receiver, or the variable where it is a pointer.
func (ev *evaluator) receiver(fr *frame, e *ast.SelectorExpr, f *types.Func, recv types.Type, held value, path []int) value {
	_, wantPtr := f.Type().(*types.Signature).Recv().Type().(*types.Pointer)
	if wantPtr && held == nil && !isPointer(recv) && len(path) == 0 {
		return ev.place(fr, e.X)
	}
	v := held
	if v == nil {
		if wantPtr && isPlace(fr, e.X) && !isPointer(recv) {
			v = ev.place(fr, e.X)
		} else {
			v = ev.eval(fr, e.X)
		}
	}
	for _, i := range path {
		if p, ok := v.(*pointer); ok {
			v = &pointer{p.cell, append(p.path[:len(p.path):len(p.path)], i)}
			if inner, ok := ev.load(v.(*pointer)).(*pointer); ok {
				v = inner
			}
			continue
		}
		v = ev.field(e.Pos(), v, []int{i})
	}
	if p, ok := v.(*pointer); ok && !wantPtr {
		return ev.load(p)
	}
	ev.must(!wantPtr || !isNil(v), e.X.Pos(), "this pointer is nil")
	return v
}

// behind is the type that a pointer points at, else the type itself.
func behind(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// builtin evaluates a call of one of Go's own functions.
func (ev *evaluator) builtin(fr *frame, e *ast.CallExpr, name string) value {
	switch name {
	case "min", "max":
		return ev.minmaxCall(fr, e, name)
	case "len", "cap":
		return ev.length(fr, e, name)
	case "append":
		return ev.appendCall(fr, e)
	case "make":
		t := ev.typeOf(fr, e)
		s, ok := t.Underlying().(*types.Slice)
		ev.must(ok, e.Pos(), "a %s cannot be made in compiled code", t)
		elems := make([]value, ev.staticInt(e.Args[1].Pos(), ev.eval(fr, e.Args[1]), "the length of a slice"))
		for i := range elems {
			elems[i] = ev.zero(s.Elem())
		}
		return ev.newSlice(elems)
	case "new":
		t := ev.typeOf(fr, e).Underlying().(*types.Pointer).Elem()
		return &pointer{cell: ev.newCell("", t, ev.zero(t))}
	case "print", "println":
		args := make([]value, len(e.Args))
		for i, a := range e.Args {
			args[i] = ev.coerce(ev.eval(fr, a), ev.typeOf(fr, a), anyType)
		}
		ev.print(args, name == "println")
		return tuple{}
	case "panic":
		ev.panicCall(fr, e)
		return tuple{}
	case "copy":
		dst, src := ev.eval(fr, e.Args[0]), ev.sliceElems(ev.eval(fr, e.Args[1]))
		d, _ := dst.(*sliceVal)
		n := 0
		for d != nil && n < len(src) && n < d.to-d.from {
			ev.store(d.elem(n), src[n])
			n++
		}
		return constant.MakeInt64(int64(n))
	}
	ev.fail(e.Pos(), "%s cannot be compiled", name)
	return nil
}

var anyType = types.NewInterfaceType(nil, nil)

func (ev *evaluator) minmaxCall(fr *frame, e *ast.CallExpr, name string) value {
	t := ev.typeOf(fr, e)
	el, _ := numbers(t)
	r := ev.operandOf(fr, e.Args[0], t)
	for _, a := range e.Args[1:] {
		y := ev.operandOf(fr, a, t)
		if poisoned(r) || poisoned(y) {
			panic(bailout{})
		}
		xs, ys, many := ev.pair(r, y)
		if !many {
			r = ev.minmax(name, r, y, el)
			continue
		}
		v := &vec{elem: el, shape: ev.vecShape(r, y)}
		for i := range xs {
			v.elems = append(v.elems, ev.minmax(name, xs[i], ys[i], el))
		}
		r = v
	}
	return r
}

func (ev *evaluator) length(fr *frame, e *ast.CallExpr, name string) value {
	n := 0
	switch x := ev.eval(fr, e.Args[0]).(type) {
	case *sliceVal:
		n = map[string]int{"len": x.to - x.from, "cap": x.cap - x.from}[name]
	case *arrayVal:
		n = len(x.elems)
	case *pointer:
		n = len(ev.load(x).(*arrayVal).elems)
	case constant.Value:
		n = len(constant.StringVal(x))
	}
	return constant.MakeInt64(int64(n))
}

func (ev *evaluator) appendCall(fr *frame, e *ast.CallExpr) value {
	all := ev.sliceElems(ev.eval(fr, e.Args[0]))
	t := ev.typeOf(fr, e).Underlying().(*types.Slice).Elem()
	if e.Ellipsis.IsValid() {
		all = append(all, ev.sliceElems(ev.eval(fr, e.Args[1]))...)
		return ev.newSlice(all)
	}
	for _, a := range e.Args[1:] {
		all = append(all, ev.operandOf(fr, a, t))
	}
	return ev.newSlice(all)
}

// panicCall is a mistake that the function's author found, where it is reached while compiling, and a device assertion
// where it is reached in a dynamic part.
func (ev *evaluator) panicCall(fr *frame, e *ast.CallExpr) {
	text := "panic"
	if v, ok := ev.eval(fr, e.Args[0]).(*iface); ok {
		text = ev.display(v)
	} else if c, ok := ev.eval(fr, e.Args[0]).(constant.Value); ok && c.Kind() == constant.String {
		text = constant.StringVal(c)
	}
	if ev.cur.up == nil || ev.cur.up.fn != ev.cur.fn {
		ev.fail(e.Pos(), "%s", text)
	}
	never := ev.inReg(constant.MakeBool(false), boolElem)
	ev.b.Emit(simt.OpAssert, nil, never).Text = text
}
