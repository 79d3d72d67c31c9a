package emit

import (
	"errors"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// Emitter writes Tile IR, and holds the values and variables of a lowering. It sees no syntax: what is computed of what, its
// caller says.
type Emitter struct {
	goval.Reporter
	World *describe.World
	Opts  Options
	Lang  Language
	Entry *tileir.Entry

	Block, Prologue *tileir.Block // where operations go; the prologue
	Cells           []*Cell
	loops           []*Loop
	Reads           *[]*Place // gathers what is read, where not nil
	Wanted          bool      // something was not known that must be

	Combining bool // a function is being lowered that must only combine its arguments

	Early map[*tileir.Value]bool
	Traps map[*tileir.Op]bool // operations that can end the kernel
	Memo  map[string][]*tileir.Value

	Caller *tileir.Loc
	locs   map[locKey]tileir.Loc

	Globals map[GlobalKey]*tileir.Global
	Global  []*tileir.Global // in the order of the source

	wide *describe.Desc // the desc of op.Index where it takes 64 bits

	Top    *tileir.Block // what every block runs
	Equals []Equal
}

// Options are what a launch says of a kernel.
type Options struct {
	Wide     bool // extents and strides take 64 bits
	Checked  bool // mistakes that only show at run time stop the kernel
	NoChecks bool // the kernel says that nothing may be held against extents while it runs
	Releases bool // the kernel has an operation that releases
}

// Inlined is what the emitter knows of a function that is being inlined.
type Inlined struct {
	Ret  []Value // the results, which outlive the variables
	Exit *Cell   // the code of the exit on its way, where the function needs it
}

// Function is a function as a value.
type Function interface {
	Name() string
	Params() (names []string, ts []types.Type) // without a receiver
	Results() []types.Type
	// Reach calls visit for the values that the function holds, and reach for the variables around it.
	Reach(visit func(Value), reach func(*Cell))
}

// Language is what the emitter asks of the language whose operators are functions: they may have bodies in Go.
type Language interface {
	// Instance is a function of the language on types.
	Instance(pos token.Pos, op world.Operator, ts []types.Type) Function
	// Call gives the results of a function.
	Call(pos token.Pos, f Function, args []Value) []Value
}

// NewEmitter makes an emitter of an entry.
func NewEmitter(w *describe.World, name string, opts Options, meter *limit.Meter) *Emitter {
	em := &Emitter{
		World: w, Opts: opts, Block: &tileir.Block{}, Prologue: &tileir.Block{}, Entry: &tileir.Entry{Name: name},
		Early: map[*tileir.Value]bool{}, Traps: map[*tileir.Op]bool{}, Memo: map[string][]*tileir.Value{}, locs: map[locKey]tileir.Loc{},
		Globals: map[GlobalKey]*tileir.Global{},
	}
	em.Reporter = goval.Reporter{Meter: meter}
	em.Top = em.Block
	return em
}

// Finished is the entry with its body, the globals that it names and what a launch must hold.
func (em *Emitter) Finished() (*tileir.Entry, []*tileir.Global, []Equal) {
	em.Entry.Body = &tileir.Block{Ops: append(em.Prologue.Ops, em.Block.Ops...)}
	return em.Entry, em.Global, em.Equals
}

type locKey struct {
	pos    token.Pos
	caller *tileir.Loc
}

// What a mistake leaves behind: the value of a variable, and a panic out of a statement that uses it.
type (
	Poison  = goval.Poison
	Bailout = goval.Bailout
)

// Attempt runs f and keeps the mistake that it may end with. It restores what f may have left changed.
func (em *Emitter) Attempt(f func()) (ok bool) {
	blk, loops, at, caller, reads, calls := em.Block, len(em.loops), em.Pos, em.Caller, em.Reads, len(em.Calls)
	combining := em.Combining
	return em.Try(calls <= 1, func() {
		em.Block, em.loops, em.Pos, em.Caller, em.Reads, em.Calls = blk, em.loops[:loops], at, caller, reads, em.Calls[:calls]
		em.Combining = combining
	}, f)
}

// FailTypes reports that types do not fit each other.
func (em *Emitter) FailTypes(pos token.Pos, format string, args ...any) {
	e := em.Mistake(pos, format, args...)
	e.OfTypes = true
	panic(e)
}

// Loc is the place of the code being lowered.
func (em *Emitter) Loc() tileir.Loc {
	key := locKey{em.Pos, em.Caller}
	loc, ok := em.locs[key]
	if !ok {
		p := source.Fset.Position(em.Pos)
		loc = tileir.Loc{File: p.Filename, Line: p.Line, Col: p.Column, Caller: em.Caller}
		em.locs[key] = loc
	}
	return loc
}

// Desc is what a type means; the width of an index is that of the launch.
func (em *Emitter) Desc(t types.Type) *describe.Desc {
	d := em.World.Desc(t)
	if d != nil && d.Wrong != "" {
		e := em.Mistake(em.Pos, "%s", d.Wrong)
		e.OfTypes, e.NoExtent = true, true
		panic(e)
	}
	if d == nil || !d.Index || !em.Opts.Wide {
		return d
	}
	if em.wide == nil {
		w := *d
		w.Elem = em.World.Desc(types.Typ[types.Int]).Elem
		em.wide = &w
	}
	return em.wide
}

// TileDesc is the desc of a type whose values are tiles: nil for others.
func (em *Emitter) TileDesc(t types.Type) *describe.Desc {
	d := em.Desc(t)
	if d == nil || d.Elem.IR == tileir.NoElem || d.Kind != describe.TileKind && d.Kind != describe.EnumKind && d.Kind != describe.ElemKind {
		return nil
	}
	return d
}

// GlobalKey is what makes a global: where it stands, and what it holds.
type GlobalKey struct {
	At   token.Pos
	Elem tileir.Elem
	Size int
}

// Equal is two numbers that must be equal at a launch, before anything runs.
type Equal struct {
	A, B Number
	Loc  tileir.Loc
}

// Number is a value of the entry, or a constant where Value is nil.
type Number struct {
	Value *tileir.Value
	Const int64
}

// ErrReleases ends a lowering that took the kernel for one that releases nowhere.
var ErrReleases = errors.New("BUG: lower: the kernel releases")
