package eval

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/goval/interval"
)

// A region is code that may run another number of times than the code around it.
type region struct {
	up     *region
	fn     *funcState
	wants  map[want]span // what must be a register before it starts
	grown  int           // how often that has grown
	doomed bool          // it must be evaluated anew
}

// want names a part of a cell by its index among the leaves.
type want struct {
	c    *cell
	leaf int
}

// span is a type of number with the values that a variable takes.
type span struct {
	elem *Elem
	in   interval.Range
}

// num is a number of the span, without a register. An int that 32 bits hold takes 32.
func (s span) num() *num {
	n := &num{elem: s.elem, in: s.in, div: 1}
	if s.elem.isInt() && s.elem.Bits == 64 {
		n.wide = !in32(s.elem, s.in)
	}
	return n
}

// below gives the outermost region around r that is inside of "outside": nil where r is that itself.
func (r *region) below(outside *region) *region {
	if r == outside {
		return nil
	}
	for r.up != outside {
		if r.up == nil {
			return nil // a cell of a function value that came from elsewhere
		}
		r = r.up
	}
	return r
}

// within reports whether code in r runs only after what ran in "of".
func (r *region) within(of *region) bool {
	for ; r != nil; r = r.up {
		if r == of {
			return true
		}
	}
	return false
}

// want notes that a part of a cell must be a register before a region starts.
func (em *emitter) want(r *region, c *cell, leaf int, old, now value) {
	key := want{c, leaf}
	s, known := r.wants[key]
	e := em.leafElem(c, leaf, old, now)
	in := em.rangeIn(now, e).Union(em.rangeIn(old, e))
	if known {
		in = in.Union(s.in)
		if r.grown++; r.grown > maxGrowth {
			in = e.all()
		}
	}
	r.wants[key] = span{e, in}
	r.doomed = true
}

// maxGrowth is how often the ranges of a region's variables may grow before they are given up.
const maxGrowth = 4

// maxAttempts bounds the attempts at one region: each makes at least one more part a register.
const maxAttempts = 1000

// region evaluates code as a region.
func (em *emitter) region(body func()) { em.regionOf(map[want]span{}, func(*region) { body() }) }

func (em *emitter) regionOf(wants map[want]span, body func(*region)) {
	grown := 0
	for range maxAttempts {
		at := em.mark()
		for w, s := range sortedWants(wants) {
			em.promote(w, s)
		}
		r := &region{up: em.cur, fn: em.fn, wants: wants, grown: grown}
		em.guarded(&r.doomed, func() {
			em.cur = r
			body(r)
		})
		em.cur = r.up
		if !r.doomed {
			return
		}
		grown = r.grown
		em.rollback(at)
	}
	panic(fmt.Sprintf("BUG: eval: a region changes without end at %v", em.position(em.pos)))
}

// promote makes a part of a cell a register, before a region that changes it.
func (em *emitter) promote(w want, s span) {
	if w.c.v == nil {
		return // its first value is given inside
	}
	leaves := em.leaves(w.c.v)
	if w.leaf >= len(leaves) {
		return
	}
	if n, ok := leaves[w.leaf].(*num); ok && n.mut && s.in.Within(n.in) {
		return
	}
	leaves[w.leaf] = em.variable(s, leaves[w.leaf])
	em.put(w.c, em.withLeaves(w.c.v, leaves), true)
}

// marked is a state to go back to.
type marked struct {
	fn                                           *funcState
	body, regs, labels, params, journal, kernels int
	out, errs, smem, local, tokens               int
}

func (em *emitter) mark() marked {
	f := em.b.Func
	return marked{
		fn: em.fn, body: len(f.Body), regs: len(f.Regs), labels: f.Labels, params: len(f.Params), journal: len(em.journal),
		kernels: len(em.mod.Kernels), out: len(em.out), errs: len(em.Errs), smem: em.fn.smem, local: f.Local, tokens: em.tokens,
	}
}

func (em *emitter) rollback(m marked) {
	f := em.b.Func
	f.Body, f.Regs, f.Labels, f.Params, f.Local = f.Body[:m.body], f.Regs[:m.regs], m.labels, f.Params[:m.params], m.local
	for i := len(em.journal) - 1; i >= m.journal; i-- {
		u := &em.journal[i]
		u.c.v, u.c.mut = u.v, u.mut
	}
	em.journal = em.journal[:m.journal]
	em.mod.Kernels, em.out, em.Errs, em.tokens = em.mod.Kernels[:m.kernels], em.out[:m.out], em.Errs[:m.errs], m.tokens
	em.fn.smem = m.smem
}
