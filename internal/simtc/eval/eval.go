package eval

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval/constexpr"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// Input is a host function to evaluate.
type Input struct {
	World   *world.World
	Host    *world.Function
	Name    string      // name of the module
	Symbol  string      // symbol of the host function
	Args    []Arg       // arguments of the function, its receiver first
	Attrs   []simt.Attr // attributes of the GPU module
	Options emit.Options
	Meter   *limit.Meter // what the evaluation may spend; nil for the defaults
}

// Output is the module that was written, with what the function printed while it was evaluated.
type Output struct {
	Module  *simt.Module
	Printed string
	Results []Result
}

// Result describes a result of the host function: the element type of the register that it returns.
type Result struct{ Elem *emit.Elem }

// evaluator walks the syntax. Its emitter writes what is computed at run time.
type evaluator struct {
	*emit.Emitter
	in      *Input
	w       *world.World
	globals map[types.Object]*emit.Cell
	consts  *constexpr.Evaluator
}

// Host evaluates a host function with the kernels that it launches. The error is a diag.List with
// every mistake that was found, or the error of the meter's context.
func Host(in *Input) (*Output, error) {
	f := &simt.Func{Name: in.Symbol, Host: true}
	mod := &simt.Module{Name: in.Name, Host: f, Attrs: in.Attrs}
	ev := &evaluator{Emitter: emit.NewEmitter(mod, in.Options, in.Meter), in: in, w: in.World, globals: map[types.Object]*emit.Cell{}}
	// Constants of the types of package cute are rounded to these types.
	ev.consts = constexpr.New(ev.w, elements{ev.Emitter})
	var results []Result
	if err := ev.Run(func() { ev.Attempt(func() { results = ev.host() }) }); err != nil {
		return nil, err
	}
	return &Output{Module: mod, Printed: ev.Printed(), Results: results}, nil
}

// host evaluates the function on its parameters, and returns its results from the function that is
// written.
func (ev *evaluator) host() (results []Result) {
	fv := ev.function(ev.in.Host)
	ev.Pos = fv.typ.Pos()
	sig := ev.in.Host.Sig
	var params []*types.Var
	if r := sig.Recv(); r != nil {
		params = append(params, r)
	}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i))
	}
	args := make([]emit.Value, len(params))
	for i, v := range params {
		args[i] = ev.parameter(v.Name(), ev.w.Subst(v.Type(), ev.in.Host.Env), ev.in.Args[i])
	}
	if sig.Recv() != nil {
		// A method value as host function has its receiver as the first argument.
		fv.self, args = args[0], args[1:]
	}
	ret := ev.call(fv.body.Pos(), fv, args)
	ev.At(fv.body.Rbrace)
	var ops []simt.Operand
	for i, v := range ret {
		t := ev.w.Subst(sig.Results().At(i).Type(), ev.in.Host.Env)
		if emit.Poisoned(v) { // the function does not come to its end, which is a mistake already
			continue
		}
		if isErrorType(t) {
			ev.Must(emit.IsNil(v), fv.typ.Results.Pos(), "a host function must return nil as its error: the call returns the errors of launches itself")
			continue
		}
		// A result must fit a register of the host function.
		e := emit.ElemOf(t)
		ev.Must(e != nil, fv.typ.Results.Pos(), "a host function can return numbers, truth values and a last error, not %s", t)
		ops = append(ops, ev.InReg(v, e))
		ev.B.Result = append(ev.B.Result, e.Class)
		results = append(results, Result{e})
	}
	// Several results are returned in registers, in order.
	ev.B.Emit("ret", nil, ops...)
	return results
}

// isErrorType reports whether a type is Go's error.
func isErrorType(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
