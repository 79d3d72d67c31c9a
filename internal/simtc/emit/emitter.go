package emit

import (
	"go/token"
	"iter"
	"maps"
	"slices"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
)

// FuncState is what belongs to the function being written.
type FuncState struct {
	Smem int // bytes of shared memory that are taken
	name string

	Largest int            // bytes of the largest tensor in shared memory
	At      token.Position // where it is allocated
}

// What a mistake leaves behind: the value of a variable, and a panic out of a statement that uses it.
type (
	Poison  = goval.Poison
	Bailout = goval.Bailout
)

// Emitter writes what programs compute at run time, and holds the values, variables and regions of the evaluation. It sees no
// syntax: what is evaluated, its caller says.
type Emitter struct {
	goval.Reporter
	Opts    Options
	mod     *simt.Module
	B       *simt.Builder
	Fn      *FuncState
	Cur     *Region
	journal []undo
	out     []string // printed
	Loop    *Loop
	tokens  int
	cells   int
}

// Options are the choices that change what is written.
type Options struct {
	Straight bool // no dynamic control flow: loops unroll, and a dynamic condition is a mistake
	Strict   bool // warnings are mistakes
	Asserts  bool // keep device assertions
	Checks   bool // write down what checked launches look at: [simt.OpCheck]
}

// NewEmitter makes an emitter that writes the host function of a module.
func NewEmitter(mod *simt.Module, opts Options, meter *limit.Meter) *Emitter {
	em := &Emitter{Opts: opts, mod: mod, Fn: &FuncState{name: mod.Name}}
	em.Reporter = goval.Reporter{Meter: meter.OrDefault()}
	em.B = em.builder(mod.Host, token.Position{})
	em.Cur = &Region{Fn: em.Fn}
	return em
}

// Attempt runs f and keeps the mistake that it may end with.
func (em *Emitter) Attempt(f func()) (ok bool) {
	return em.Try(em.Cur.Up == nil && len(em.Calls) == 0, em.unwind(), f)
}

// unwind notes what evaluating changes; the result restores it after a panic.
func (em *Emitter) unwind() (undo func()) {
	cur, fn, b, calls, loop := em.Cur, em.Fn, em.B, len(em.Calls), em.Loop
	return func() {
		em.Cur, em.Fn, em.B, em.Calls, em.Loop = cur, fn, b, em.Calls[:calls], loop
	}
}

func (em *Emitter) position(p token.Pos) token.Position { return source.Fset.Position(p) }

// At says which code is being evaluated. Code of the language counts as its caller's.
func (em *Emitter) At(p token.Pos) {
	if em.Calls.InLanguage() {
		return
	}
	em.Pos = p
	em.B.Pos = em.position(p)
}

// Own refuses a number of another function than the one being written.
func (em *Emitter) Own(n *Num) {
	if n.fn != em.B.Func {
		em.Fail(em.Pos, "this uses a run-time value of the host function in a kernel: pass it to the kernel as an argument")
	}
}

func sortedWants(m map[want]Span) iter.Seq2[want, Span] {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b want) int {
		if a.c == b.c {
			return a.leaf - b.leaf
		}
		return a.c.seq - b.c.seq
	})
	return func(yield func(want, Span) bool) {
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
