package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simtc/emit"
	"github.com/cutile-go/cutile/internal/simtc/words"
)

// callExpr evaluates a call, which in Go's syntax may be a conversion or a call of a built-in
// function as well.
func (ev *evaluator) callExpr(fr *frame, e *ast.CallExpr) emit.Value {
	ev.At(e.Pos())
	tv := fr.pkg.Info.Types[e.Fun]
	if tv.IsType() {
		return ev.Conversion(e.Pos(), ev.eval(fr, e.Args[0]), ev.typeOf(fr, e.Args[0]), ev.w.Subst(tv.Type, fr.env))
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if b, ok := fr.pkg.Info.Uses[id].(*types.Builtin); ok {
			return ev.builtin(fr, e, b.Name())
		}
	}
	// Which function a value holds is always static, so that every call can be inlined.
	f := ev.eval(fr, e.Fun)
	if emit.Poisoned(f) {
		panic(emit.Bailout{})
	}
	fv, ok := f.(*funcVal)
	ev.Must(ok, e.Pos(), "this function is nil")
	sig := ev.typeOf(fr, e.Fun).Underlying().(*types.Signature)
	args := ev.arguments(fr, e, sig)
	res := ev.call(e.Pos(), fv, args)
	// A call of one result is a value, and every other one a tuple.
	if len(res) == 1 {
		return res[0]
	}
	return emit.Tuple(res)
}

// arguments evaluates the arguments of a call. Those of a variadic parameter become a slice.
func (ev *evaluator) arguments(fr *frame, e *ast.CallExpr, sig *types.Signature) []emit.Value {
	n := sig.Params().Len()
	args := ev.evalList(fr, e.Args, n)
	for i := range args {
		t := sig.Params().At(min(i, n-1)).Type()
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			t = t.(*types.Slice).Elem()
		}
		args[i] = ev.Coerce(args[i], ev.fromType(fr, e.Args, i), t)
	}
	if !sig.Variadic() || e.Ellipsis.IsValid() {
		return args
	}
	// As in Go, a call without variadic arguments passes a nil slice.
	rest := args[n-1:]
	var last emit.Value = emit.None{}
	if len(rest) > 0 {
		last = ev.NewSlice(sig.Params().At(n-1).Type().(*types.Slice).Elem(), slices.Clone(rest))
	}
	return append(args[:n-1:n-1], last)
}

// call inlines a function, or does what its directive tells. A call of a kernel is bound to its
// arguments, as it does nothing before its launch.
func (ev *evaluator) call(pos token.Pos, fv *funcVal, args []emit.Value) []emit.Value {
	if slices.ContainsFunc(args, emit.Poisoned) || emit.Poisoned(fv.self) {
		panic(emit.Bailout{})
	}
	// A method expression takes its receiver as the first argument.
	if _, ok := fv.self.(methodExpr); ok {
		c := *fv
		c.self, args = args[0], args[1:]
		fv = &c
	}
	switch {
	case fv.typ == nil:
		return words.Std(ev.Emitter, pos, fv.name, args)
	case fv.decl != nil && fv.decl.Dir != nil:
		return ev.declaredCall(pos, fv, args)
	case fv.body == nil:
		ev.Fail(pos, "%s has no body in Go", fv.name)
	// A kernel that the program calls as a host function has no caller, and is evaluated as one.
	case ev.isKernel(fv) && len(ev.Calls) > 0:
		return []emit.Value{ev.bind(pos, fv, args)}
	}
	ev.Spend(limit.Calls, 1)
	// The checker's errors in a function matter only if the function is called.
	if errs := fv.pkg.Errors(fv.typ.Pos(), fv.body.End()); len(errs) > 0 {
		panic(errs)
	}
	return ev.inline(pos, fv, args)
}

// declaredCall does what the directive of a function tells.
func (ev *evaluator) declaredCall(pos token.Pos, fv *funcVal, args []emit.Value) []emit.Value {
	if fv.recv != nil {
		args = append([]emit.Value{fv.self}, args...)
	}
	ev.Spend(limit.Calls, 1)
	return words.Do(ev.Emitter, ev.callee(fv), pos, args)
}

// callee gives what package words needs to know of a function.
func (ev *evaluator) callee(fv *funcVal) *words.Callee {
	f := fv.decl
	return &words.Callee{
		Name: fv.name, PTX: f.Dir.Word == ptxWord, Words: f.Dir.Words, Sig: f.Pkg.Info.Defs[f.Decl.Name].Type().(*types.Signature),
		Subst: func(t types.Type) types.Type { return ev.w.Subst(t, fv.env) },
	}
}

// inline evaluates a function's body with its parameters as variables.
//
// A return is usually reached while the program is compiled, and evaluation goes on behind the
// call. A return in code that may not run must be a jump to the end of the call, and the results
// must be variables that every return sets. That is known only when the return is reached: it sets
// wanted, and the call is evaluated anew as a region.
func (ev *evaluator) inline(pos token.Pos, fv *funcVal, args []emit.Value) []emit.Value {
	// The caller's loop and position count again behind the call.
	defer func(loop *emit.Loop, at token.Pos) {
		ev.Loop = loop
		ev.At(at)
	}(ev.Loop, ev.Pos)
	defer ev.Enter(goval.Call{Name: fv.name, At: pos, Lang: fv.pkg.Src.Lang, Entry: len(ev.Calls) == 0 || ev.isKernel(fv), Body: fv.body}, "something static")()
	defer ev.Within(fv.name, fv.typ.Pos(), pos, ev.isKernel(fv))()
	// break and continue cannot leave the function.
	ev.Loop = nil
	at := ev.Mark()
	c := &callState{base: ev.Cur}
	var f emit.Flow
	ev.Guarded(&c.wanted, func() { f = ev.body(fv, args, c) })
	if !c.wanted {
		if f.Kind != emit.LeaveCall {
			// Evaluation reached the end of the body, so the results are those with names, or none.
			for _, r := range c.results {
				c.values = append(c.values, ev.Get(r))
			}
		}
		return c.values
	}
	ev.Rollback(at)
	// The first attempt is forgotten, except that a jump is needed.
	c = &callState{exits: true, base: ev.Cur}
	// The results are made in front of the region, as code behind it reads them.
	c.results = ev.results(fv)
	results := c.results
	ev.Region(func() {
		c = &callState{exits: true, base: ev.Cur, results: results, end: ev.B.NewLabel()}
		ev.body(fv, args, c)
		ev.B.Place(c.end)
	})
	var out []emit.Value
	for _, r := range results {
		out = append(out, ev.Get(r))
	}
	return out
}

// body evaluates a function's statements.
func (ev *evaluator) body(fv *funcVal, args []emit.Value, c *callState) emit.Flow {
	// A literal sees the variables of the frame around it, and a declared function none.
	fr := &frame{up: fv.up, vars: map[types.Object]*emit.Cell{}, env: fv.env, pkg: fv.pkg, call: c}
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
		// A parameter without a name still takes an argument.
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
					ev.known(c.results[j], o)
				}
				j++
			}
			j += max(0, 1-len(f.Names))
		}
	}
	return ev.stmts(fr, fv.body.List)
}

// results makes the variables of a call's results. Those with names start as zero; the others have
// no value before a return gives them one.
func (ev *evaluator) results(fv *funcVal) (cells []*emit.Cell) {
	if fv.typ.Results == nil {
		return nil
	}
	for _, f := range fv.typ.Results.List {
		t := ev.w.Subst(fv.pkg.Info.Types[f.Type].Type, fv.env)
		for _, id := range f.Names {
			cells = append(cells, ev.NewCell(id.Name, t, ev.Zero(t)))
		}
		if len(f.Names) == 0 {
			cells = append(cells, ev.NewCell("the result", t, nil))
		}
	}
	return cells
}

// callState is a call that is being inlined.
type callState struct {
	base    *emit.Region // the region in which a return needs no jump
	exits   bool         // returns are jumps, and the call is a region of its own
	wanted  bool         // a return needs a jump
	end     int          // the label behind the call, if exits is set
	results []*emit.Cell
	values  []emit.Value // the results of a return that needs no jump
}
