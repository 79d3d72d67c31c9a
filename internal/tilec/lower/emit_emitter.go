package lower

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

// emitter writes Tile IR, and holds the values and variables of a lowering. It sees no syntax: what is computed of what, its
// caller says.
type emitter struct {
	goval.Reporter
	w     *describe.World
	opts  options
	lang  Language
	entry *tileir.Entry

	blk, pro *tileir.Block // where operations go; the prologue
	cells    []*cell
	loops    []*loopCtx
	depth    int
	active   []activation // the calls being inlined
	reads    *[]*place    // gathers what is read, where not nil
	wanted   bool         // something was not known that must be

	combining bool // a function is being lowered that must only combine its arguments

	early map[*tileir.Value]bool
	traps map[*tileir.Op]bool // operations that can end the kernel
	memo  map[string][]*tileir.Value

	at     token.Pos // the user's code being lowered
	caller *tileir.Loc
	locs   map[locKey]tileir.Loc

	globals map[globalKey]*tileir.Global
	global  []*tileir.Global // in the order of the source

	wide *describe.Desc // the desc of op.Index where it takes 64 bits

	top    *tileir.Block // what every block runs
	equals []Equal
}

// options are what a launch says of a kernel.
type options struct {
	Wide     bool // extents and strides take 64 bits
	Checked  bool // mistakes that only show at run time stop the kernel
	NoChecks bool // the kernel says that nothing may be held against extents while it runs
	Releases bool // the kernel has an operation that releases
}

// inlined is what the emitter knows of a function that is being inlined.
type inlined struct {
	ret  []value // the results, which outlive the variables
	exit *cell   // the code of the exit on its way, where the function needs it
}

// activation is a function that is being inlined.
type activation struct {
	name string
	lang bool // of the language's own source
	body any  // tells functions apart
}

// function is a function as a value.
type function interface {
	Name() string
	Params() (names []string, ts []types.Type) // without a receiver
	Results() []types.Type
	// Reach calls visit for the values that the function holds, and reach for the variables around it.
	Reach(visit func(value), reach func(*cell))
}

// Language is what the emitter asks of the language whose operators are functions: they may have bodies in Go.
type Language interface {
	// Instance is a function of the language on types.
	Instance(pos token.Pos, op world.Operator, ts []types.Type) function
	// Call gives the results of a function.
	Call(pos token.Pos, f function, args []value) []value
}

// newEmitter makes an emitter of an entry.
func newEmitter(w *describe.World, name string, opts options, meter *limit.Meter) *emitter {
	em := &emitter{
		w: w, opts: opts, blk: &tileir.Block{}, pro: &tileir.Block{}, entry: &tileir.Entry{Name: name},
		early: map[*tileir.Value]bool{}, traps: map[*tileir.Op]bool{}, memo: map[string][]*tileir.Value{}, locs: map[locKey]tileir.Loc{},
		globals: map[globalKey]*tileir.Global{},
	}
	em.Reporter = goval.Reporter{Compiler: em, Meter: meter}
	em.top = em.blk
	return em
}

// finished is the entry with its body, the globals that it names and what a launch must hold.
func (em *emitter) finished() (*tileir.Entry, []*tileir.Global, []Equal) {
	em.entry.Body = &tileir.Block{Ops: append(em.pro.Ops, em.blk.Ops...)}
	return em.entry, em.global, em.equals
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

// try runs f and keeps the mistake that it may end with. It restores what f may have left changed.
func (em *emitter) try(f func()) (ok bool) {
	blk, loops, depth, at, caller, reads, active := em.blk, len(em.loops), em.depth, em.at, em.caller, em.reads, len(em.active)
	combining := em.combining
	return em.Try(depth <= 1, func() {
		em.blk, em.loops, em.depth, em.at, em.caller, em.reads, em.active = blk, em.loops[:loops], depth, at, caller, reads, em.active[:active]
		em.combining = combining
	}, f)
}

// Here is the user's code being lowered.
func (em *emitter) Here() token.Pos { return em.at }

// Where implements [goval.Compiler].
func (em *emitter) Where(pos token.Pos) (token.Position, []token.Position) {
	if em.at != token.NoPos && source.IsLanguage(pos) {
		pos = em.at
	}
	var calls []token.Position
	for c := em.caller; c != nil; c = c.Caller {
		calls = append(calls, token.Position{Filename: c.File, Line: c.Line, Column: c.Col})
	}
	return source.Fset.Position(pos), calls
}

// Called is the first function of the user's that the kernel's statement leads to.
func (em *emitter) Called() (name string, at token.Position) {
	if _, calls := em.Where(em.at); len(calls) > 0 {
		at = calls[len(calls)-1]
	}
	for _, f := range em.active[min(1, len(em.active)):] {
		if !f.lang {
			return f.name, at
		}
	}
	return "", at
}

// failTypes reports that types do not fit each other.
func (em *emitter) failTypes(pos token.Pos, format string, args ...any) {
	e := em.Mistake(pos, format, args...)
	e.OfTypes = true
	panic(e)
}

// loc is the place of the code being lowered.
func (em *emitter) loc() tileir.Loc {
	key := locKey{em.at, em.caller}
	loc, ok := em.locs[key]
	if !ok {
		p := source.Fset.Position(em.at)
		loc = tileir.Loc{File: p.Filename, Line: p.Line, Col: p.Column, Caller: em.caller}
		em.locs[key] = loc
	}
	return loc
}

// desc is what a type means; the width of an index is that of the launch.
func (em *emitter) desc(t types.Type) *describe.Desc {
	d := em.w.Desc(t)
	if d != nil && d.Wrong != "" {
		e := em.Mistake(em.at, "%s", d.Wrong)
		e.OfTypes, e.NoExtent = true, true
		panic(e)
	}
	if d == nil || !d.Index || !em.opts.Wide {
		return d
	}
	if em.wide == nil {
		w := *d
		w.Elem = em.w.Desc(types.Typ[types.Int]).Elem
		em.wide = &w
	}
	return em.wide
}

// tileDesc is the desc of a type whose values are tiles: nil for others.
func (em *emitter) tileDesc(t types.Type) *describe.Desc {
	d := em.desc(t)
	if d == nil || d.Elem.IR == tileir.NoElem || d.Kind != describe.TileKind && d.Kind != describe.EnumKind && d.Kind != describe.ElemKind {
		return nil
	}
	return d
}

// globalKey is what makes a global: where it stands, and what it holds.
type globalKey struct {
	at   token.Pos
	elem tileir.Elem
	size int
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

// errReleases ends a lowering that took the kernel for one that releases nowhere.
var errReleases = errors.New("BUG: lower: the kernel releases")
