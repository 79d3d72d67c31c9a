package eval

import (
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval/constexpr"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
)

const tokenEQL = token.EQL

// Input is a host function to evaluate.
type Input struct {
	World    *world.World
	Host     *world.Function
	Name     string       // of the module
	Symbol   string       // of the host function
	Args     []Arg        // of the function, its receiver first
	Straight bool         // no dynamic control flow: loops unroll, and a dynamic condition is a mistake
	Attrs    []simt.Attr  // of the GPU module
	Strict   bool         // warnings are mistakes
	Asserts  bool         // keep device assertions
	Checks   bool         // write down what checked launches look at: [simt.OpCheck]
	Meter    *limit.Meter // what the evaluation may spend; nil for the defaults
}

// Output is the module, with what the function printed while it was evaluated.
type Output struct {
	Module  *simt.Module
	Printed string
	Results []Result
}

// Result describes a result of the host function: those of its registers that it takes.
type Result struct{ Elem *Elem }

type evaluator struct {
	in             *Input
	meter          *limit.Meter
	nest, unrolled int // unrolled loops in one another, and their turns
	w              *world.World
	mod            *simt.Module
	b              *simt.Builder
	fn             *funcState
	cur            *region
	journal        []undo
	errs           diag.List
	out            []string // printed
	active         []*funcVal
	calls          []token.Pos
	loop           *loopState
	pos            token.Pos
	tokens         int
	cells          int
	globals        map[types.Object]*cell
	consts         *constexpr.Evaluator
}

// funcState is what belongs to the function being written.
type funcState struct {
	smem int // bytes of shared memory that are taken
	name string

	largest int            // bytes of the largest tensor in shared memory
	at      token.Position // where it is allocated
}

// mistake is a panic with an error of the user's; bailout one that follows from an earlier mistake.
type mistake struct{ *diag.Error }
type bailout struct{}

// endless is a panic out of everything, as functions call each other without end.
type endless struct{ mistake }

// Host evaluates a host function with the kernels that it launches. The error is a diag.List with every mistake that was
// found, or that of the meter's context.
func Host(in *Input) (out *Output, err error) {
	f := &simt.Func{Name: in.Symbol, Host: true}
	ev := &evaluator{
		in: in, w: in.World, meter: in.Meter.OrDefault(), mod: &simt.Module{Name: in.Name, Host: f, Attrs: in.Attrs},
		fn: &funcState{name: in.Name}, globals: map[types.Object]*cell{},
	}
	ev.consts = constexpr.New(ev.w, elements{ev})
	ev.b = ev.builder(f, token.Position{})
	defer func() {
		switch r := recover().(type) {
		case nil:
		case halt:
			out, err = nil, r.err
			if e, ok := r.err.(*diag.Error); ok {
				err = append(ev.errs, e).Err()
			}
		default:
			panic(r)
		}
	}()
	ev.cur = &region{fn: ev.fn}
	var results []Result
	ev.try(func() { results = ev.host() })
	if err := ev.errs.Err(); err != nil {
		return nil, err
	}
	return &Output{Module: ev.mod, Printed: joined(ev.out), Results: results}, nil
}

func joined(parts []string) (s string) {
	for _, p := range parts {
		s += p
	}
	return s
}

// host evaluates the function on its parameters.
func (ev *evaluator) host() (results []Result) {
	fv := ev.function(ev.in.Host)
	ev.pos = fv.typ.Pos()
	sig := ev.in.Host.Sig
	var params []*types.Var
	if r := sig.Recv(); r != nil {
		params = append(params, r)
	}
	for i := range sig.Params().Len() {
		params = append(params, sig.Params().At(i))
	}
	args := make([]value, len(params))
	for i, v := range params {
		args[i] = ev.parameter(v.Name(), ev.w.Subst(v.Type(), ev.in.Host.Env), ev.in.Args[i])
	}
	if sig.Recv() != nil {
		fv.self, args = args[0], args[1:]
	}
	ret := ev.call(fv.body.Pos(), fv, args)
	ev.at(fv.body.Rbrace)
	var ops []simt.Operand
	for i, v := range ret {
		t := ev.w.Subst(sig.Results().At(i).Type(), ev.in.Host.Env)
		if isErrorType(t) {
			ev.must(isNil(v), fv.typ.Results.Pos(), "a host function gives nil as its error: those of launches come by themselves")
			continue
		}
		e := ElemOf(t)
		ev.must(e != nil, fv.typ.Results.Pos(), "a host function can give numbers, truth values and a last error, not %s", t)
		ops = append(ops, ev.inReg(v, e))
		ev.b.Result = append(ev.b.Result, e.Class)
		results = append(results, Result{e})
	}
	ev.b.Emit("ret", nil, ops...)
	return results
}

func isErrorType(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// function makes the value of a function.
func (ev *evaluator) function(f *world.Function) *funcVal {
	if f.Lit != nil {
		up := &frame{vars: map[types.Object]*cell{}, env: f.Env, pkg: f.Pkg}
		return &funcVal{name: f.Name, env: f.Env, pkg: f.Pkg, typ: f.Lit.Type, body: f.Lit.Body, up: up, pos: f.Lit.Pos()}
	}
	d := f.Decl.Decl
	return &funcVal{name: f.Name, decl: f.Decl, env: f.Env, pkg: f.Pkg, typ: d.Type, body: d.Body, recv: d.Recv, pos: d.Pos()}
}

// frame is the variables of a function or a block.
type frame struct {
	up   *frame
	vars map[types.Object]*cell
	env  *world.Env
	pkg  *world.Pkg
	call *callState
}

// sub is the frame of a block.
func (fr *frame) sub() *frame {
	return &frame{up: fr, vars: map[types.Object]*cell{}, env: fr.env, pkg: fr.pkg, call: fr.call}
}

func (fr *frame) find(o types.Object) *cell {
	for ; fr != nil; fr = fr.up {
		if c := fr.vars[o]; c != nil {
			return c
		}
	}
	return nil
}

// try runs f and keeps the mistake that it may end with.
func (ev *evaluator) try(f func()) (ok bool) {
	cur, fn, b, active, calls, loop := ev.cur, ev.fn, ev.b, len(ev.active), len(ev.calls), ev.loop
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		switch e := r.(type) {
		case mistake:
			ev.errs = append(ev.errs, e.Error)
		case diag.List:
			ev.errs = append(ev.errs, e...)
		case endless:
			if cur.up != nil || active > 0 { // each statement on the way would try again
				panic(r)
			}
			ev.errs = append(ev.errs, e.Error)
		case bailout:
			if len(ev.errs) == 0 {
				ev.errs = append(ev.errs, ev.mistake(ev.pos, "this cannot be compiled").Error)
			}
		default:
			panic(r)
		}
		ev.cur, ev.fn, ev.b, ev.active, ev.calls, ev.loop = cur, fn, b, ev.active[:active], ev.calls[:calls], loop
		ok = false
	}()
	f()
	return true
}

func (ev *evaluator) position(p token.Pos) token.Position { return source.Fset.Position(p) }

// mistake is an error at a position. One inside the language's own source belongs to the innermost call outside of it.
func (ev *evaluator) mistake(pos token.Pos, format string, args ...any) mistake {
	var calls []token.Position
	lang := len(ev.active) > 0 && ev.active[len(ev.active)-1].pkg.Src.Lang
	for i := len(ev.calls) - 1; i >= 0; i-- {
		from := i > 0 && ev.active[i-1].pkg.Src.Lang
		switch {
		case lang && !from:
			pos, lang = ev.calls[i], false
		case !lang && ev.calls[i].IsValid():
			calls = append(calls, ev.position(ev.calls[i]))
		}
	}
	if n := len(calls); n > 0 { // the call of the host function itself has no place
		calls = calls[:n-1]
	}
	at := ev.position(pos)
	return mistake{&diag.Error{Pos: at, Stage: diag.Lower, Msg: diag.Textf(format, args...), Source: source.Line(at), Calls: calls}}
}

func (ev *evaluator) fail(pos token.Pos, format string, args ...any) {
	panic(ev.mistake(pos, format, args...))
}

func (ev *evaluator) must(ok bool, pos token.Pos, format string, args ...any) {
	if !ok {
		ev.fail(pos, format, args...)
	}
}

// at says which code is being evaluated. Code of the language counts as its caller's.
func (ev *evaluator) at(p token.Pos) {
	if len(ev.active) > 0 && ev.active[len(ev.active)-1].pkg.Src.Lang {
		return
	}
	ev.pos = p
	ev.b.Pos = ev.position(p)
}

// own refuses a number of another function than the one being written.
func (ev *evaluator) own(n *num) {
	if n.fn != ev.b.Func {
		ev.fail(ev.pos, "this uses a run-time value of the host function in a kernel: pass it to the kernel as an argument")
	}
}

func sortedWants(m map[want]span) iter.Seq2[want, span] {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b want) int {
		if a.c == b.c {
			return a.leaf - b.leaf
		}
		return a.c.seq - b.c.seq
	})
	return func(yield func(want, span) bool) {
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
