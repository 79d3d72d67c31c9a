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
	"github.com/cutile-go/cutile/internal/tilec/note"
	"github.com/cutile-go/cutile/tileir"
)

// Emitter writes Tile IR, and holds the values and variables of a lowering. It sees no syntax: its
// caller walks the kernel and says what to compute.
type Emitter struct {
	goval.Reporter
	World *describe.World
	Opts  Options
	Lang  Language
	Entry *tileir.Entry

	Block, Prologue *tileir.Block // the block that operations go to; the block in front of the kernel's code
	Cells           []*Cell
	loops           []*Loop
	Reads           *[]*Place // if not nil, gathers what is read
	Wanted          bool      // something must be known that is not: unrolling a loop may help

	Combining bool // a function that may only combine its arguments is being lowered

	// Early holds the values that are known in the prologue.
	Early map[*tileir.Value]bool
	Traps map[*tileir.Op]bool // operations that can end the kernel
	// Memo holds the results of the operations that the prologue has once each.
	Memo map[string][]*tileir.Value

	Caller *tileir.Loc
	Callee *tileir.Scope // the function that is inlined there, with Options.Debug
	locs   map[locKey]tileir.Loc

	// Globals holds the global memory that the kernel names, and Global the same in the order of
	// the source.
	Globals map[GlobalKey]*tileir.Global
	Global  []*tileir.Global

	wide *describe.Desc // the description of op.Index if it takes 64 bits

	Notes     *note.Notes // of what variables hold; nil if no debugger wants to know
	variables map[variableKey]*tileir.Variable

	Top    *tileir.Block // the block that every block of a launch runs
	Equals []Equal
}

// Options are what a launch tells about a kernel.
type Options struct {
	Wide     bool // extents and strides take 64 bits
	Checked  bool // mistakes that only show at run time end the kernel
	NoChecks bool // the kernel says that no access is checked against extents while it runs
	Debug    bool // positions have the functions that were inlined, and there are notes of what variables hold
	Releases bool // the kernel has an operation that releases
}

// Inlined is what the emitter knows of a function that is being inlined.
type Inlined struct {
	Ret  []Value // the results, which outlive the variables
	Exit *Cell   // holds the code of the exit in progress; nil if the function needs none
}

// Function is a function as a value of the kernel. Package lower implements it.
type Function interface {
	Name() string
	Params() (names []string, ts []types.Type) // without a receiver
	Results() []types.Type
	// Reach calls visit for the values that the function holds, and reach for the variables around it.
	Reach(visit func(Value), reach func(*Cell))
}

// Language is what the emitter needs of the language, whose operators are functions and may have
// bodies in Go. Package lower implements it.
type Language interface {
	// Instance gives a function of the language for some types.
	Instance(pos token.Pos, op world.Symbol, ts []types.Type) Function
	// Call inlines a function and gives its results.
	Call(pos token.Pos, f Function, args []Value) []Value
}

// NewEmitter makes an emitter for an entry.
func NewEmitter(w *describe.World, name string, opts Options, meter *limit.Meter) *Emitter {
	em := &Emitter{
		World: w, Opts: opts, Block: &tileir.Block{}, Prologue: &tileir.Block{}, Entry: &tileir.Entry{Name: name},
		Early: map[*tileir.Value]bool{}, Traps: map[*tileir.Op]bool{}, Memo: map[string][]*tileir.Value{}, locs: map[locKey]tileir.Loc{},
		Globals: map[GlobalKey]*tileir.Global{},
	}
	em.Reporter = goval.Reporter{Meter: meter}
	em.Top = em.Block
	if opts.Debug {
		em.Notes = note.New()
	}
	return em
}

// Finished gives the entry with its body, the globals that it names, and what must be equal at a
// launch.
func (em *Emitter) Finished() (*tileir.Entry, []*tileir.Global, []Equal) {
	em.Entry.Body = &tileir.Block{Ops: append(em.Prologue.Ops, em.Block.Ops...)}
	return em.Entry, em.Global, em.Equals
}

// locKey identifies a position in the source and the calls through which it was inlined. Operations
// at the same key share a location.
type locKey struct {
	pos    token.Pos
	caller *tileir.Loc
}

// A mistake leaves one of these behind: Poison as the value of a variable, and Bailout as a panic
// out of the statement that uses it.
type (
	Poison  = goval.Poison
	Bailout = goval.Bailout
)

// Attempt runs f, keeps the mistake that may end it, and restores what f may have left changed. So
// lowering goes on after a mistake, and one run reports them all. Inside of a call the mistake goes
// on to the caller's statement.
func (em *Emitter) Attempt(f func()) (ok bool) {
	blk, loops, at, caller, callee, reads, calls := em.Block, len(em.loops), em.Pos, em.Caller, em.Callee, em.Reads, len(em.Calls)
	// A mistake may end f anywhere, so everything that f can change is restored.
	combining := em.Combining
	return em.Try(calls <= 1, func() {
		em.Block, em.loops, em.Pos, em.Caller, em.Reads, em.Calls = blk, em.loops[:loops], at, caller, reads, em.Calls[:calls]
		em.Combining, em.Callee = combining, callee
	}, f)
}

// FailTypes reports that types do not match.
func (em *Emitter) FailTypes(pos token.Pos, format string, args ...any) {
	e := em.Mistake(pos, format, args...)
	e.OfTypes = true
	panic(e)
}

// Loc gives the location of the code being lowered.
func (em *Emitter) Loc() tileir.Loc {
	key := locKey{em.Pos, em.Caller}
	// Many operations come from one expression, and share its location.
	loc, ok := em.locs[key]
	if !ok {
		p := source.Fset.Position(em.Pos)
		loc = tileir.Loc{File: p.Filename, Line: p.Line, Col: p.Column, Caller: em.Caller, Scope: em.Callee}
		em.locs[key] = loc
	}
	return loc
}

// Desc gives what a type means in Tile IR. The width of an index depends on the launch.
func (em *Emitter) Desc(t types.Type) *describe.Desc {
	d := em.World.Desc(t)
	// The type cannot exist, as a tile with an extent that is not a power of two.
	if d != nil && d.Wrong != "" {
		e := em.Mistake(em.Pos, "%s", d.Wrong)
		e.OfTypes, e.NoExtent = true, true
		panic(e)
	}
	// Indices take 32 bits unless a tensor of the launch is too large for that.
	if d == nil || !d.Index || !em.Opts.Wide {
		return d
	}
	if em.wide == nil {
		// Only the width differs: the index is an int of Go.
		w := *d
		w.Elem = em.World.Desc(types.Typ[types.Int]).Elem
		em.wide = &w
	}
	return em.wide
}

// TileDesc gives the description of a type whose values are tiles, and nil for other types.
func (em *Emitter) TileDesc(t types.Type) *describe.Desc {
	d := em.Desc(t)
	if d == nil || d.Elem.IR == tileir.NoElem || d.Kind != describe.TileKind && d.Kind != describe.EnumKind && d.Kind != describe.ElemKind {
		return nil
	}
	return d
}

// GlobalKey identifies a global: its position in the source and the type of what it holds. A loop
// that is lowered twice makes it once.
type GlobalKey struct {
	At   token.Pos
	Elem tileir.Elem
	Size int
}

// Equal is a pair of numbers that must be equal at a launch. The launch checks them before anything
// runs.
type Equal struct {
	A, B Number
	Loc  tileir.Loc
}

// Number is a value of the entry, or a constant if Value is nil.
type Number struct {
	Value *tileir.Value
	Const int64
}

// ErrReleases ends a lowering that assumed that the kernel has no operation that releases, when it
// meets one. The kernel is then lowered again.
var ErrReleases = errors.New("BUG: lower: the kernel releases")
