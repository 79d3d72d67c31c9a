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

// FuncState holds what belongs to the function being written.
type FuncState struct {
	Smem int // bytes of shared memory that are taken
	name string

	Cooperative bool // its launch runs all blocks at once

	Largest int            // bytes of the largest tensor in shared memory, for [simt.Func].SharedPos
	At      token.Position // where it is allocated
}

// A mistake leaves one of these behind: Poison as the value of a variable, and Bailout as a panic
// out of the statement that uses it.
type (
	Poison  = goval.Poison
	Bailout = goval.Bailout
)

// Emitter writes the instructions for what programs compute at run time, and holds the values,
// variables and regions of the evaluation. It sees no syntax: its caller walks the program and says
// what to compute.
type Emitter struct {
	goval.Reporter
	Opts Options
	// mod and B are what is written, and Fn and Cur the function and the region that it is written
	// in.
	mod     *simt.Module
	B       *simt.Builder
	Fn      *FuncState
	Cur     *Region
	journal []undo
	out     []string // what the program printed while it was compiled
	Loop    *Loop
	tokens  int
	cells   int

	variables map[variableKey]*simt.Variable // for debuggers
}

// Options are the choices that change what is written.
type Options struct {
	Straight  bool // no dynamic control flow: loops unroll, and a dynamic condition is a mistake
	Strict    bool // warnings are mistakes
	Asserts   bool // keep device assertions
	Variables bool // tell debuggers of functions and variables: [simt.OpVar]
	Checks    bool // write the checks that checked launches make: [simt.OpCheck]
}

// NewEmitter makes an emitter that writes the host function of a module first.
func NewEmitter(mod *simt.Module, opts Options, meter *limit.Meter) *Emitter {
	em := &Emitter{Opts: opts, mod: mod, Fn: &FuncState{name: mod.Name}}
	em.Reporter = goval.Reporter{Meter: meter.OrDefault()}
	em.B = em.builder(mod.Host, token.Position{})
	// The outermost region of a function runs once and wants nothing.
	em.Cur = &Region{Fn: em.Fn}
	return em
}

// Attempt runs f and keeps the mistake that may end it, so that evaluation can go on and find
// further mistakes. It does so at the top level only: inside of a region or a call a mistake ends
// the whole of it.
func (em *Emitter) Attempt(f func()) (ok bool) {
	// A mistake in a region may be dropped together with the region, and one in a call has the
	// position of the caller's statement.
	return em.Try(em.Cur.Up == nil && len(em.Calls) == 0, em.unwind(), f)
}

// unwind notes the state that evaluation changes and that a panic leaves behind. undo restores it.
func (em *Emitter) unwind() (undo func()) {
	cur, fn, b, calls, loop, scope := em.Cur, em.Fn, em.B, len(em.Calls), em.Loop, em.B.Scope
	return func() {
		em.Cur, em.Fn, em.B, em.Calls, em.Loop = cur, fn, b, em.Calls[:calls], loop
		b.Scope = scope
	}
}

// position gives the position in the source.
func (em *Emitter) position(p token.Pos) token.Position { return source.Fset.Position(p) }

// At sets the position of the code being evaluated. Code of the language has the position of its
// caller, since users cannot change the language.
func (em *Emitter) At(p token.Pos) {
	if em.Calls.InLanguage() {
		return
	}
	em.Pos = p
	em.B.Pos = em.position(p)
}

// Own refuses a number that belongs to another function than the one being written, as a register
// of the host function does while a kernel is written.
func (em *Emitter) Own(n *Num) {
	if n.fn != em.B.Func {
		em.Fail(em.Pos, "this uses a run-time value of the host function in a kernel: pass it to the kernel as an argument")
	}
}

// sortedWants gives the wants in the order of their cells, so that the same program always gets the
// same registers.
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
