package eval

import (
	"go/token"
	"go/types"
	"iter"
	"maps"
	"slices"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
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
	goval.Reporter
	in      *Input
	w       *world.World
	mod     *simt.Module
	b       *simt.Builder
	fn      *funcState
	cur     *region
	journal []undo
	out     []string // printed
	active  []*funcVal
	calls   []token.Pos
	loop    *loopState
	pos     token.Pos
	tokens  int
	cells   int
	globals map[types.Object]*cell
	consts  *constexpr.Evaluator
}

// funcState is what belongs to the function being written.
type funcState struct {
	smem int // bytes of shared memory that are taken
	name string

	largest int            // bytes of the largest tensor in shared memory
	at      token.Position // where it is allocated
}

// What a mistake leaves behind: the value of a variable, and a panic out of a statement that uses it.
type (
	poison  = goval.Poison
	bailout = goval.Bailout
)

// Host evaluates a host function with the kernels that it launches. The error is a diag.List with every mistake that was
// found, or that of the meter's context.
func Host(in *Input) (*Output, error) {
	f := &simt.Func{Name: in.Symbol, Host: true}
	ev := &evaluator{
		in: in, w: in.World, mod: &simt.Module{Name: in.Name, Host: f, Attrs: in.Attrs},
		fn: &funcState{name: in.Name}, globals: map[types.Object]*cell{},
	}
	ev.Reporter = goval.Reporter{Compiler: ev, Meter: in.Meter.OrDefault()}
	ev.consts = constexpr.New(ev.w, elements{ev})
	ev.b = ev.builder(f, token.Position{})
	ev.cur = &region{fn: ev.fn}
	var results []Result
	if err := ev.Run(func() { ev.try(func() { results = ev.host() }) }); err != nil {
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
			ev.Must(isNil(v), fv.typ.Results.Pos(), "a host function gives nil as its error: those of launches come by themselves")
			continue
		}
		e := ElemOf(t)
		ev.Must(e != nil, fv.typ.Results.Pos(), "a host function can give numbers, truth values and a last error, not %s", t)
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
	return ev.Try(ev.cur.up == nil && len(ev.active) == 0, ev.unwind(), f)
}

// unwind notes what evaluating changes; the result restores it after a panic.
func (ev *evaluator) unwind() (undo func()) {
	cur, fn, b, active, calls, loop := ev.cur, ev.fn, ev.b, len(ev.active), len(ev.calls), ev.loop
	return func() {
		ev.cur, ev.fn, ev.b, ev.active, ev.calls, ev.loop = cur, fn, b, ev.active[:active], ev.calls[:calls], loop
	}
}

func (ev *evaluator) position(p token.Pos) token.Position { return source.Fset.Position(p) }

// Here is the code being evaluated.
func (ev *evaluator) Here() token.Pos { return ev.pos }

// Where implements [goval.Compiler].
func (ev *evaluator) Where(pos token.Pos) (at token.Position, calls []token.Position) {
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
	return ev.position(pos), calls
}

// Called is the function that the statement of the host function or kernel calls.
func (ev *evaluator) Called() (name string, at token.Position) {
	called := 1
	for i, f := range ev.active {
		if ev.isKernel(f) {
			called = i + 1
		}
	}
	if called < len(ev.active) && !ev.active[called].pkg.Src.Lang {
		return ev.active[called].name, ev.position(ev.calls[called])
	}
	return "", at
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
		ev.Fail(ev.pos, "this uses a run-time value of the host function in a kernel: pass it to the kernel as an argument")
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
