package emit

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/goval/interval"
)

// A Region is code that may run another number of times than the code around it.
type Region struct {
	Up     *Region
	Fn     *FuncState
	wants  map[want]Span // what must be a register before it starts
	grown  int           // how often that has grown
	doomed bool          // it must be evaluated anew
}

// want names a part of a cell by its index among the leaves of the cell's value.
type want struct {
	c    *Cell
	leaf int
}

// Span is a type of numbers with the range of values that a variable of it takes.
type Span struct {
	Elem *Elem
	In   interval.Range
}

// num makes a number of the span, still without a register. An int takes 32 bits if these hold the
// range.
func (s Span) num() *Num {
	n := &Num{Elem: s.Elem, in: s.In, Div: 1}
	if s.Elem.IsInt() && s.Elem.Bits == 64 {
		n.wide = !in32(s.Elem, s.In)
	}
	return n
}

// below gives the outermost region around r that is inside of outside, or nil if r is outside
// itself.
func (r *Region) below(outside *Region) *Region {
	if r == outside {
		return nil
	}
	for r.Up != outside {
		if r.Up == nil {
			return nil // a cell of a function value that came from elsewhere
		}
		r = r.Up
	}
	return r
}

// within reports whether code in r runs only after what ran in of.
func (r *Region) within(of *Region) bool {
	for ; r != nil; r = r.Up {
		if r == of {
			return true
		}
	}
	return false
}

// want notes that a part of a cell must be a register before a region starts, and dooms the region.
// The register's range holds the values before and after; from a loop these may grow with each
// attempt, so that after some attempts the range becomes that of the type.
func (em *Emitter) want(r *Region, c *Cell, leaf int, old, now Value) {
	key := want{c, leaf}
	s, known := r.wants[key]
	e := em.leafElem(c, leaf, old, now)
	in := em.rangeIn(now, e).Union(em.rangeIn(old, e))
	if known {
		in = in.Union(s.In)
		// A counter of a loop would grow with each attempt.
		if r.grown++; r.grown > maxGrowth {
			in = e.All()
		}
	}
	r.wants[key] = Span{e, in}
	r.doomed = true
}

// maxGrowth is how often the ranges of a region's variables may grow before they become the ranges
// of their types.
const maxGrowth = 4

// maxAttempts bounds the attempts at one region. Each attempt makes a register of at least one more
// part, so that only a bug reaches the bound.
const maxAttempts = 1000

// Region evaluates code as a region. It evaluates the code anew, with more parts of variables in
// registers, until an attempt finds them all.
func (em *Emitter) Region(body func()) { em.regionOf(map[want]Span{}, func(*Region) { body() }) }

// regionOf evaluates a region. An attempt begins in the state from before the former one, except
// for the wants, which it starts with.
func (em *Emitter) regionOf(wants map[want]Span, body func(*Region)) {
	grown := 0
	for range maxAttempts {
		at := em.Mark()
		// The registers of the wanted parts are set in front of the region.
		for w, s := range sortedWants(wants) {
			em.promote(w, s)
		}
		r := &Region{Up: em.Cur, Fn: em.Fn, wants: wants, grown: grown}
		em.Guarded(&r.doomed, func() {
			em.Cur = r
			body(r)
		})
		em.Cur = r.Up
		if !r.doomed {
			return
		}
		grown = r.grown
		em.Rollback(at)
	}
	panic(fmt.Sprintf("BUG: emit: a region changes without end at %v", em.position(em.Pos)))
}

// promote makes a register of a part of a cell, in front of a region that changes the part.
func (em *Emitter) promote(w want, s Span) {
	if w.c.v == nil {
		return // its first value is given inside
	}
	leaves := em.leaves(w.c.v)
	// The variable has another form in this attempt.
	if w.leaf >= len(leaves) {
		return
	}
	// The part is in a variable's register already, for a region around this one.
	if n, ok := leaves[w.leaf].(*Num); ok && n.Mut && s.In.Within(n.in) {
		return
	}
	leaves[w.leaf] = em.variable(s, leaves[w.leaf])
	em.Put(w.c, em.withLeaves(w.c.v, leaves), true)
	em.placed(w.c)
}

// Marked is how much was written at some point of the evaluation, for [Emitter.Rollback].
type Marked struct {
	fn                                           *FuncState
	body, regs, labels, params, journal, kernels int
	out, errs, smem, local, tokens               int
}

// Mark notes how much is written, and how often cells were changed.
func (em *Emitter) Mark() Marked {
	f := em.B.Func
	return Marked{
		fn: em.Fn, body: len(f.Body), regs: len(f.Regs), labels: f.Labels, params: len(f.Params), journal: len(em.journal),
		kernels: len(em.mod.Kernels), out: len(em.out), errs: len(em.Errs), smem: em.Fn.Smem, local: f.Local, tokens: em.tokens,
	}
}

// Rollback takes back what was written since m, and how cells were changed. The changes are undone
// in reverse order, as one cell may have changed several times.
func (em *Emitter) Rollback(m Marked) {
	f := em.B.Func
	f.Body, f.Regs, f.Labels, f.Params, f.Local = f.Body[:m.body], f.Regs[:m.regs], m.labels, f.Params[:m.params], m.local
	// The newest change comes first, so that the oldest value remains.
	for i := len(em.journal) - 1; i >= m.journal; i-- {
		u := &em.journal[i]
		u.c.v, u.c.mut = u.v, u.mut
	}
	em.journal = em.journal[:m.journal]
	em.mod.Kernels, em.out, em.Errs, em.tokens = em.mod.Kernels[:m.kernels], em.out[:m.out], em.Errs[:m.errs], m.tokens
	em.Fn.Smem = m.smem
}
