package lower

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/goval/constexpr"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// Arg is what is known about one argument of the kernel.
type Arg struct {
	BaseDiv   int64           // divisor of the base address in bytes; 0 for unknown
	ExtentDiv []int64         // divisors of the extents, 0 for unknown
	StrideDiv []int64         // divisors of the strides in elements, 0 for unknown
	Unit      []bool          // strides that are 1
	Func      *world.Function // the value of a function parameter
}

// Input is a kernel to lower.
type Input struct {
	World  *describe.World
	Kernel *world.Function
	Args   []Arg
	Wide   bool         // extents and strides take 64 bits
	Meter  *limit.Meter // what the lowering may spend; nil for the defaults

	Checked  bool // mistakes that only show at run time stop the kernel
	NoChecks bool // the kernel says that nothing may be held against extents while it runs
}

// Output is the kernel in Tile IR. Owner gives, for each parameter of the entry, the parameter of the kernel that it
// belongs to.
type Output struct {
	Entry   *tileir.Entry
	Globals []*tileir.Global
	Owner   []int
	Equal   []Equal
}

type lowerer struct {
	goval.Reporter
	w     *describe.World
	in    *Input
	entry *tileir.Entry
	owner []int
	param int // the kernel's parameter that is being lowered

	blk, pro *tileir.Block // where operations go; the prologue
	cells    []*cell
	loops    []*loopCtx
	depth    int
	active   []*funcVal // the calls being inlined
	state    variables
	body     *ast.BlockStmt // of the kernel
	consts   *constexpr.Evaluator
	captures map[*ast.FuncLit][]*types.Var // the variables of literals
	reads    *[]*place                     // gathers what is read, where not nil
	wanted   bool                          // something was not known that must be
	unrolls  *diag.Error                   // why the loop that is being unrolled must be: nil where the program says so

	combining bool // a function is being lowered that must only combine its arguments

	early map[*tileir.Value]bool
	traps map[*tileir.Op]bool // operations that can end the kernel
	memo  map[string][]*tileir.Value

	at     token.Pos // the user's code being lowered
	caller *tileir.Loc
	locs   map[locKey]tileir.Loc

	globals map[globalKey]*tileir.Global
	global  []*tileir.Global // in the order of the source

	releases bool // the kernel has an operation that releases

	wide *describe.Desc // the desc of op.Index where it takes 64 bits

	top    *tileir.Block // what every block runs
	equals []Equal
}

type locKey struct {
	pos    token.Pos
	caller *tileir.Loc
}

// What a mistake leaves behind: the value of a variable, and a panic out of a statement that uses it.
type (
	poison  = goval.Poison
	bailout = goval.Bailout
)

// errReleases ends a lowering that took the kernel for one that releases nowhere.
var errReleases = errors.New("BUG: lower: the kernel releases")

// Kernel lowers a kernel. The error is a diag.List with every mistake that was found, or that of the meter's context.
func Kernel(in *Input) (*Output, error) {
	meter := in.Meter.OrDefault()
	out, err := attempt(in, meter, false)
	if err == errReleases {
		return attempt(in, meter, true)
	}
	return out, err
}

// attempt lowers a kernel that is known to release, or assumed not to.
func attempt(in *Input, meter *limit.Meter, releases bool) (*Output, error) {
	l := &lowerer{
		w: in.World, in: in, releases: releases, blk: &tileir.Block{}, pro: &tileir.Block{}, state: variables{},
		early: map[*tileir.Value]bool{}, traps: map[*tileir.Op]bool{}, memo: map[string][]*tileir.Value{}, locs: map[locKey]tileir.Loc{},
		globals: map[globalKey]*tileir.Global{}, captures: map[*ast.FuncLit][]*types.Var{},
		entry: &tileir.Entry{Name: symbol(in.Kernel.Name)},
	}
	l.Reporter = goval.Reporter{Compiler: l, Meter: meter}
	l.top = l.blk
	l.consts = constexpr.New(l.w.World, elements{l})
	if err := l.Run(func() { l.try(l.kernel) }); err != nil {
		return nil, err
	}
	l.entry.Body = &tileir.Block{Ops: append(l.pro.Ops, l.blk.Ops...)}
	return &Output{Entry: l.entry, Globals: l.global, Owner: l.owner, Equal: l.equals}, nil
}

// symbol makes a name that assemblers take.
func symbol(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	return strings.Trim(name, "_")
}

func (l *lowerer) kernel() {
	k := l.in.Kernel
	fv := l.function(k)
	l.at = fv.typ.Pos()
	l.entry.Loc = l.loc()
	l.inBlock(l.pro, l.states)
	args := make([]value, k.Sig.Params().Len())
	for i := range args {
		v := k.Sig.Params().At(i)
		l.try(func() {
			args[i] = poison{}
			args[i] = l.parameter(v, l.w.Subst(v.Type(), k.Env))
		})
	}
	l.body = fv.body
	l.call(fv.body.Pos(), fv, args)
	l.at = fv.body.Rbrace
	l.terminate("return", nil)
}

// function makes the value of a function.
func (l *lowerer) function(f *world.Function) *funcVal {
	fv := &funcVal{name: f.Name, env: f.Env, pkg: f.Pkg}
	if f.Lit != nil {
		fv.typ, fv.body = f.Lit.Type, f.Lit.Body
		fv.frame = &frame{vars: variables{}, env: f.Env, pkg: f.Pkg}
		return fv
	}
	fv.typ, fv.body, fv.dir = f.Decl.Decl.Type, f.Decl.Decl.Body, decl.Checked(f.Decl.Dir)
	return fv
}

// states makes the variables that live as long as a kernel.
func (l *lowerer) states() {
	for _, g := range l.w.State {
		p := l.w.StatePkg(g)
		spec := g.Specs[0].(*ast.ValueSpec)
		obj := p.Info.Defs[spec.Names[0]]
		c := l.newCell(spec.Names[0].Name, obj.Type(), nil)
		c.keep = true
		if len(spec.Values) > 0 {
			c.v = l.eval(&frame{vars: variables{}, env: world.NewEnv(), pkg: p}, spec.Values[0])
		} else {
			c.v = l.zero(g.Pos(), obj.Type())
		}
		l.state.set(obj, c)
	}
}

// try runs f and keeps the mistake that it may end with. It restores what f may have left changed.
func (l *lowerer) try(f func()) (ok bool) {
	blk, loops, depth, at, caller, reads, active := l.blk, len(l.loops), l.depth, l.at, l.caller, l.reads, len(l.active)
	combining := l.combining
	return l.Try(depth <= 1, func() {
		l.blk, l.loops, l.depth, l.at, l.caller, l.reads, l.active = blk, l.loops[:loops], depth, at, caller, reads, l.active[:active]
		l.combining = combining
	}, f)
}

// Here is the user's code being lowered.
func (l *lowerer) Here() token.Pos { return l.at }

// Where implements [goval.Compiler].
func (l *lowerer) Where(pos token.Pos) (token.Position, []token.Position) {
	if l.at != token.NoPos && source.IsLanguage(pos) {
		pos = l.at
	}
	var calls []token.Position
	for c := l.caller; c != nil; c = c.Caller {
		calls = append(calls, token.Position{Filename: c.File, Line: c.Line, Column: c.Col})
	}
	return source.Fset.Position(pos), calls
}

// Called is the first function of the user's that the kernel's statement leads to.
func (l *lowerer) Called() (name string, at token.Position) {
	if _, calls := l.Where(l.at); len(calls) > 0 {
		at = calls[len(calls)-1]
	}
	for _, f := range l.active[min(1, len(l.active)):] {
		if !f.pkg.Src.Lang {
			return f.name, at
		}
	}
	return "", at
}

// failTypes reports that types do not fit each other.
func (l *lowerer) failTypes(pos token.Pos, format string, args ...any) {
	e := l.Mistake(pos, format, args...)
	e.OfTypes = true
	panic(e)
}

// loc is the place of the code being lowered.
func (l *lowerer) loc() tileir.Loc {
	key := locKey{l.at, l.caller}
	loc, ok := l.locs[key]
	if !ok {
		p := source.Fset.Position(l.at)
		loc = tileir.Loc{File: p.Filename, Line: p.Line, Col: p.Column, Caller: l.caller}
		l.locs[key] = loc
	}
	return loc
}

// here notes that the user's code at pos is being lowered; the result undoes it.
func (l *lowerer) here(fr *frame, pos token.Pos) (undo func()) {
	if fr.pkg.Src.Lang {
		return func() {}
	}
	old := l.at
	l.at = pos
	return func() { l.at = old }
}

// desc is what a type means; the width of an index is that of the launch.
func (l *lowerer) desc(t types.Type) *describe.Desc {
	d := l.w.Desc(t)
	if d != nil && d.Wrong != "" {
		e := l.Mistake(l.at, "%s", d.Wrong)
		e.OfTypes, e.NoExtent = true, true
		panic(e)
	}
	if d == nil || !d.Index || !l.in.Wide {
		return d
	}
	if l.wide == nil {
		w := *d
		w.Elem = l.w.Desc(types.Typ[types.Int]).Elem
		l.wide = &w
	}
	return l.wide
}

// tileDesc is the desc of a type whose values are tiles: nil for others.
func (l *lowerer) tileDesc(t types.Type) *describe.Desc {
	d := l.desc(t)
	if d == nil || d.Elem.IR == tileir.NoElem || d.Kind != describe.TileKind && d.Kind != describe.EnumKind && d.Kind != describe.ElemKind {
		return nil
	}
	return d
}
