package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
)

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
	ev.Must(ok, e.Pos(), "this function is nil")
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
	for i := range args {
		t := sig.Params().At(min(i, n-1)).Type()
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			t = t.(*types.Slice).Elem()
		}
		args[i] = ev.coerce(args[i], ev.fromType(fr, e.Args, i), t)
	}
	if !sig.Variadic() || e.Ellipsis.IsValid() {
		return args
	}
	rest := args[n-1:]
	var last value = none{}
	if len(rest) > 0 {
		last = ev.newSlice(sig.Params().At(n-1).Type().(*types.Slice).Elem(), slices.Clone(rest))
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
		return stdCall(ev.emitter, pos, fv.name, args)
	case fv.decl != nil && fv.decl.Dir != nil:
		return ev.declaredCall(pos, fv, args)
	case fv.body == nil:
		ev.Fail(pos, "%s has no body in Go", fv.name)
	case ev.isKernel(fv) && len(ev.calls) > 0:
		return []value{ev.bind(pos, fv, args)}
	}
	if len(ev.calls) >= goval.MaxDepth {
		ev.tooDeep(pos, fv)
	}
	ev.Spend(limit.Calls, 1)
	if errs := fv.pkg.Errors(fv.typ.Pos(), fv.body.End()); len(errs) > 0 {
		panic(errs)
	}
	return ev.inline(pos, fv, args)
}

// tooDeep reports the circle in which functions call each other, if there is one, at the first call of it.
func (ev *evaluator) tooDeep(pos token.Pos, fv *funcVal) {
	again := func(c call) bool { return c.body == any(fv.body) }
	first := slices.IndexFunc(ev.calls, again)
	var circle []string
	if first >= 0 {
		circle = []string{fv.name}
		for _, f := range ev.calls[first+1:] {
			if again(f) {
				break
			}
			circle = append(circle, f.name)
		}
		pos, ev.calls = ev.calls[first].at, ev.calls[:first]
	}
	ev.Deep(pos, circle, "something static")
}

// declaredCall does what a directive says.
func (ev *evaluator) declaredCall(pos token.Pos, fv *funcVal, args []value) []value {
	if fv.recv != nil {
		args = append([]value{fv.self}, args...)
	}
	ev.Spend(limit.Calls, 1)
	c := &ctx{emitter: ev.emitter, callee: ev.callee(fv), args: args, pos: pos}
	if fv.decl.Dir.Word == ptxWord {
		return c.ptx()
	}
	return c.intrinsic()
}

// callee is what a word must know of the function that it stands for.
func (ev *evaluator) callee(fv *funcVal) *callee {
	f := fv.decl
	return &callee{
		name: fv.name, words: f.Dir.Words, sig: f.Pkg.Info.Defs[f.Decl.Name].Type().(*types.Signature),
		subst: func(t types.Type) types.Type { return ev.w.Subst(t, fv.env) },
	}
}

// inline evaluates a function's body with its parameters as variables.
func (ev *evaluator) inline(pos token.Pos, fv *funcVal, args []value) []value {
	defer func(n int, loop *loopState, at token.Pos) {
		ev.calls, ev.loop = ev.calls[:n], loop
		ev.at(at)
	}(len(ev.calls), ev.loop, ev.pos)
	ev.calls = append(ev.calls, call{fv.name, pos, fv.pkg.Src.Lang, ev.isKernel(fv), fv.body})
	ev.loop = nil
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

// callState is a call that is being inlined.
type callState struct {
	base    *region // the region that it is called in, or its own
	exits   bool    // something returns from the middle: the call is a region of its own
	wanted  bool    // it must be
	end     int     // the label behind it, where exits
	results []*cell
	values  []value // of a static return
}
