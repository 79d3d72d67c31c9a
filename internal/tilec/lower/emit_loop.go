package lower

import (
	"cmp"
	"go/constant"
	"go/token"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// loopCtx is a loop being lowered.
type loopCtx struct {
	carried []*place
	args    []*tile // types of the carried values
	base    int     // cells outside the loop
	before  []value
	changed []change
	lost    []*place // what a mistake left undefined
	post    func()   // of a three-clause loop
}

// change is a part of an outer variable that a loop changes, with a value that it has.
type change struct {
	*place
	v value
}

func (lc *loopCtx) knows(p *place) bool {
	return slices.ContainsFunc(lc.carried, p.same) || slices.ContainsFunc(lc.changed, func(c change) bool { return c.same(p) })
}

// note remembers what changed of outer variables and is not carried yet.
func (lc *loopCtx) note(em *emitter) {
	for i, c := range em.cells[:lc.base] {
		if c.v == lc.before[i] {
			continue
		}
		differ(c.v, lc.before[i], nil, func(path []int) {
			p := &place{c, path}
			switch v := p.get(); {
			case poisoned(v):
				lc.lost = append(lc.lost, p)
			case !lc.knows(p):
				lc.changed = append(lc.changed, change{p, v})
			}
		})
	}
}

// leave ends the block by break or continue with the carried values.
func (em *emitter) leave(pos token.Pos, brk bool) {
	lc := em.loops[len(em.loops)-1]
	save := em.snapshot(len(em.cells))
	if !brk && lc.post != nil {
		lc.post()
	}
	lc.note(em)
	var vs []*tile
	for _, p := range lc.carried {
		vs = append(vs, em.carry(pos, p, p.get()))
	}
	for i, v := range vs {
		if isInterface(lc.carried[i].typ()) {
			em.sameHeld(pos, lc.carried[i], lc.args[i], v)
		}
		if !tileir.Identical(v.v.Type, lc.args[i].v.Type) {
			em.Fail(pos, "a variable of the loop is a tile of %s at first and of %s later", typeText(lc.args[i].desc), typeText(v.desc))
		}
	}
	if brk {
		em.terminate("break", vs)
	} else {
		em.terminate("continue", vs)
	}
	em.restore(save)
}

// loopBody lowers a loop's body until nothing further turns out to change: that becomes carried values. Mistakes of
// passes that are repeated are forgotten, as they may come from constants that are none.
func (em *emitter) loopBody(in *inlined, pos token.Pos, iv *tile, post func(), body func() flow) (lc *loopCtx, blk *tileir.Block, inits []*tile) {
	base := len(em.cells)
	before := em.snapshot(base)
	var carried []change
	for {
		lc = &loopCtx{base: base, before: before, post: post}
		ops, errs, wanted := len(em.blk.Ops), len(em.Errs), em.wanted
		inits, blk = nil, &tileir.Block{}
		if iv != nil {
			blk.Args = append(blk.Args, iv.v)
		}
		for _, p := range carried {
			init, _ := em.agree(pos, p.place, p.get(), spreadOnly(p), em.blk, em.blk)
			x := em.carry(pos, p.place, init)
			arg := like([]*tile{x})[0]
			inits, blk.Args = append(inits, x), append(blk.Args, arg.v)
			lc.carried, lc.args = append(lc.carried, p.place), append(lc.args, arg)
			p.set(arg)
		}
		if in.exit != nil {
			in.exit.v = number(0) // else the last turn would have left the loop
		}
		em.loops = append(em.loops, lc)
		em.inBlock(blk, func() {
			if body() == next {
				em.leave(pos, false)
			}
		})
		em.loops = em.loops[:len(em.loops)-1]
		em.restore(before)
		if len(lc.changed) == 0 {
			return lc, blk, inits
		}
		em.blk.Ops, em.Errs, em.wanted = em.blk.Ops[:ops], em.Errs[:errs], wanted
		carried = append(carried, em.sorted(lc.changed)...)
	}
}

// sorted orders changes as their variables were declared.
func (em *emitter) sorted(cs []change) []change {
	slices.SortFunc(cs, func(a, b change) int {
		return cmp.Or(slices.Index(em.cells, a.c)-slices.Index(em.cells, b.c), slices.Compare(a.path, b.path))
	})
	return cs
}

// spreadOnly keeps a value that a plain truth value may have to spread to, or that nothing was before.
func spreadOnly(p change) value {
	x, ok := p.v.(*tile)
	if p.get() == (unset{}) || ok && x.desc.Shape != nil && x.desc.Elem.IR == tileir.I1 {
		return p.v
	}
	return nil
}

// finish emits the loop and gives the carried variables its results.
func (em *emitter) finish(name string, groups [][]*tileir.Value, lc *loopCtx, blk *tileir.Block, inits []*tile) {
	res := like(inits)
	em.control(name, groups, res, blk)
	for i, p := range lc.carried {
		p.set(res[i])
	}
	for _, p := range lc.lost {
		p.set(poison{})
	}
}

// forOp emits a counted loop.
func (em *emitter) forOp(in *inlined, pos token.Pos, lo, hi, step *tile, v *cell, body func(iv *tile) flow) *loopCtx {
	iv := like([]*tile{lo})[0]
	iv.min = lowerBound(lo)
	if v != nil {
		v.v = iv // before the loop looks for what changes
	}
	lc, blk, inits := em.loopBody(in, pos, iv, nil, func() flow { return body(iv) })
	em.finish("for", [][]*tileir.Value{{lo.v}, {hi.v}, {step.v}, irValues(inits)}, lc, blk, inits)
	if lo.desc.Elem.IR.IsInt() && !lo.desc.Elem.Signed() {
		op := em.blk.Ops[len(em.blk.Ops)-1]
		op.Attrs[op.Info.AttrIndex("unsignedCmp")] = tileir.Bool(true)
	}
	return lc
}

func lowerBound(x *tile) *int64 {
	if x.min != nil && *x.min >= 0 {
		return x.min
	}
	return nil
}

// loopOp emits a loop that is left by break. Each turn is lowered inside around.
func (em *emitter) loopOp(in *inlined, pos token.Pos, cond func() value, post func(), around func(turn func() flow) flow, body func() flow) {
	turn := func() flow {
		if cond == nil {
			return body()
		}
		switch cv := cond().(type) {
		case *tile:
			then, _ := em.region(in, func() flow { em.terminate("yield", nil); return left })
			els, _ := em.region(in, func() flow { em.leave(pos, true); return left })
			em.ifOp(cv, nil, then, els)
		case constant.Value:
			if !constant.BoolVal(cv) {
				em.leave(pos, true)
				return left
			}
		}
		return body()
	}
	lc, blk, inits := em.loopBody(in, pos, nil, post, func() flow { return around(turn) })
	em.finish("loop", [][]*tileir.Value{irValues(inits)}, lc, blk, inits)
}
