package eval

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

// emitter writes what programs compute at run time, and holds the values, variables and regions of the evaluation. It sees no
// syntax: what is evaluated, its caller says.
type emitter struct {
	goval.Reporter
	opts    Options
	mod     *simt.Module
	b       *simt.Builder
	fn      *funcState
	cur     *region
	journal []undo
	out     []string // printed
	calls   []call   // the functions being evaluated, the host function first
	loop    *loopState
	pos     token.Pos
	tokens  int
	cells   int
}

// call is a function that is being evaluated.
type call struct {
	name   string
	at     token.Pos // where it is called
	lang   bool      // a function of the language's own source, whose code counts as its caller's
	kernel bool
	body   any // tells functions apart
}

// Options are the choices that change what is written.
type Options struct {
	Straight bool // no dynamic control flow: loops unroll, and a dynamic condition is a mistake
	Strict   bool // warnings are mistakes
	Asserts  bool // keep device assertions
	Checks   bool // write down what checked launches look at: [simt.OpCheck]
}

// newEmitter makes an emitter that writes the host function of a module.
func newEmitter(mod *simt.Module, opts Options, meter *limit.Meter) *emitter {
	em := &emitter{opts: opts, mod: mod, fn: &funcState{name: mod.Name}}
	em.Reporter = goval.Reporter{Compiler: em, Meter: meter.OrDefault()}
	em.b = em.builder(mod.Host, token.Position{})
	em.cur = &region{fn: em.fn}
	return em
}

// attempt runs f and keeps the mistake that it may end with.
func (em *emitter) attempt(f func()) (ok bool) {
	return em.Try(em.cur.up == nil && len(em.calls) == 0, em.unwind(), f)
}

// unwind notes what evaluating changes; the result restores it after a panic.
func (em *emitter) unwind() (undo func()) {
	cur, fn, b, calls, loop := em.cur, em.fn, em.b, len(em.calls), em.loop
	return func() {
		em.cur, em.fn, em.b, em.calls, em.loop = cur, fn, b, em.calls[:calls], loop
	}
}

func (em *emitter) position(p token.Pos) token.Position { return source.Fset.Position(p) }

// Here is the code being evaluated.
func (em *emitter) Here() token.Pos { return em.pos }

// Where implements [goval.Compiler].
func (em *emitter) Where(pos token.Pos) (at token.Position, calls []token.Position) {
	lang := em.inLanguage()
	for i := len(em.calls) - 1; i >= 0; i-- {
		from := i > 0 && em.calls[i-1].lang
		switch {
		case lang && !from:
			pos, lang = em.calls[i].at, false
		case !lang && em.calls[i].at.IsValid():
			calls = append(calls, em.position(em.calls[i].at))
		}
	}
	if n := len(calls); n > 0 { // the call of the host function itself has no place
		calls = calls[:n-1]
	}
	return em.position(pos), calls
}

// Called is the function that the statement of the host function or kernel calls.
func (em *emitter) Called() (name string, at token.Position) {
	called := 1
	for i, f := range em.calls {
		if f.kernel {
			called = i + 1
		}
	}
	if called < len(em.calls) && !em.calls[called].lang {
		return em.calls[called].name, em.position(em.calls[called].at)
	}
	return "", at
}

// inLanguage reports whether the function being evaluated is one of the language's own source.
func (em *emitter) inLanguage() bool { return len(em.calls) > 0 && em.calls[len(em.calls)-1].lang }

// at says which code is being evaluated. Code of the language counts as its caller's.
func (em *emitter) at(p token.Pos) {
	if em.inLanguage() {
		return
	}
	em.pos = p
	em.b.Pos = em.position(p)
}

// own refuses a number of another function than the one being written.
func (em *emitter) own(n *num) {
	if n.fn != em.b.Func {
		em.Fail(em.pos, "this uses a run-time value of the host function in a kernel: pass it to the kernel as an argument")
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
