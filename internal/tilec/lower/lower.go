package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval/constexpr"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/internal/tilec/note"
	"github.com/cutile-go/cutile/tileir"
)

// Arg is what a launch tells about one argument of the kernel.
type Arg struct {
	BaseDiv   int64           // divisor of the base address in bytes; 0 if not known
	ExtentDiv []int64         // divisors of the extents; 0 if not known
	StrideDiv []int64         // divisors of the strides in elements; 0 if not known
	Unit      []bool          // tells which strides are 1
	Func      *world.Function // the value of a function parameter
}

// Input is a kernel to lower.
type Input struct {
	World  *describe.World
	Kernel *world.Function
	Args   []Arg
	Wide   bool         // extents and strides take 64 bits
	Meter  *limit.Meter // what the lowering may spend; nil for the defaults

	Checked  bool  // mistakes that only show at run time end the kernel
	NoChecks bool  // the kernel says that no access is checked against extents while it runs
	Debug    bool  // positions have the functions that were inlined, and the entry has [tileir.Holding]
	Cover    Cover // nil for nobody
}

// Output is the kernel in Tile IR. For each parameter of the entry, Owner gives the parameter of
// the kernel that it belongs to.
type Output struct {
	Entry   *tileir.Entry
	Globals []*tileir.Global
	Owner   []int
	Equal   []emit.Equal
	Notes   *note.Notes // those among the entry's operations; nil without Input.Debug
}

// lowerer walks the syntax. Its emitter writes what the device computes.
type lowerer struct {
	*emit.Emitter
	in    *Input
	owner []int
	param int // the kernel's parameter that is being lowered

	state    variables
	body     *ast.BlockStmt // of the kernel
	consts   *constexpr.Evaluator
	captures map[*ast.FuncLit][]*types.Var // the variables of literals
	marks    marks
	unrolls  *diag.Error // why the loop that is being unrolled must be; nil if the program asks for it
}

// Kernel lowers a kernel. The error is a diag.List with every mistake that was found, or the error
// of the meter's context.
//
// It assumes first that the kernel has no operation that releases, as most have none, and begins
// again if it meets one: a kernel that releases must order more of its accesses.
func Kernel(in *Input) (*Output, error) {
	meter := in.Meter.OrDefault()
	out, err := attempt(in, meter, false)
	if err == emit.ErrReleases {
		return attempt(in, meter, true)
	}
	return out, err
}

// attempt lowers a kernel that is known to release, or assumed not to.
func attempt(in *Input, meter *limit.Meter, releases bool) (*Output, error) {
	opts := emit.Options{Wide: in.Wide, Checked: in.Checked, NoChecks: in.NoChecks, Debug: in.Debug, Releases: releases}
	l := &lowerer{Emitter: emit.NewEmitter(in.World, names.Entry(in.Kernel.Name), opts, meter), in: in, state: variables{}, captures: map[*ast.FuncLit][]*types.Var{}, marks: marks{of: map[*tileir.Block]*mark{}}}
	// The emitter calls functions of the language by the lowerer.
	l.Lang = l
	l.consts = constexpr.New(l.World.World, elements{l.Emitter})
	if err := l.Run(func() { l.Attempt(l.kernel) }); err != nil {
		return nil, err
	}
	entry, globals, equals := l.Finished()
	return &Output{Entry: entry, Globals: globals, Owner: l.owner, Equal: equals, Notes: l.Notes}, nil
}

// kernel lowers the kernel on its parameters. A mistake in one parameter leaves the others, so that
// all are reported.
func (l *lowerer) kernel() {
	k := l.in.Kernel
	fv := l.function(k)
	l.Pos = fv.typ.Pos()
	l.Entry.Loc = l.Loc()
	// The kernel's own variables exist before any of its code runs.
	l.InBlock(l.Prologue, l.states)
	args := make([]emit.Value, k.Sig.Params().Len())
	for i := range args {
		v := k.Sig.Params().At(i)
		l.Attempt(func() {
			// A parameter that cannot be made is undefined in the body.
			args[i] = emit.Poison{}
			args[i] = l.parameter(v, l.World.Subst(v.Type(), k.Env))
		})
	}
	// A return in this body ends the kernel.
	l.body = fv.body
	l.call(fv.body.Pos(), fv, args)
	l.Pos = fv.body.Rbrace
	l.Terminate("return", nil)
}

// function makes the value of a function.
func (l *lowerer) function(f *world.Function) *funcVal {
	fv := &funcVal{w: l.World.World, name: f.Name, env: f.Env, pkg: f.Pkg}
	if f.Lit != nil {
		fv.typ, fv.body = f.Lit.Type, f.Lit.Body
		// A literal as kernel or argument has no variables around it that a kernel could read.
		fv.frame = &frame{vars: variables{}, env: f.Env, pkg: f.Pkg}
		return fv
	}
	fv.typ, fv.body, fv.dir = f.Decl.Decl.Type, f.Decl.Decl.Body, decl.Checked(f.Decl.Dir)
	return fv
}

// states makes the variables that live as long as the kernel.
func (l *lowerer) states() {
	for _, g := range l.World.State {
		p := l.World.StatePkg(g)
		spec := g.Specs[0].(*ast.ValueSpec)
		obj := p.Info.Defs[spec.Names[0]]
		c := l.NewCell(spec.Names[0].Name, obj.Type(), nil)
		// It lives as long as the kernel.
		c.Keep = true
		if len(spec.Values) > 0 {
			// The initial value is an expression of the package that declares the variable.
			c.V = l.eval(&frame{vars: variables{}, env: world.NewEnv(), pkg: p}, spec.Values[0])
		} else {
			c.V = l.Zero(g.Pos(), obj.Type())
		}
		l.state.set(obj, c)
	}
}

// here records that the user's code at pos is being lowered. undo restores the position from
// before. Code of the language has the position of its caller.
func (l *lowerer) here(fr *frame, pos token.Pos) (undo func()) {
	if fr.pkg.Src.Lang {
		return func() {}
	}
	old := l.Pos
	l.Pos = pos
	return func() { l.Pos = old }
}
