package lower

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
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
func (lc *loopCtx) note(l *lowerer) {
	for i, c := range l.cells[:lc.base] {
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
func (l *lowerer) leave(pos token.Pos, brk bool) {
	lc := l.loops[len(l.loops)-1]
	save := l.snapshot(len(l.cells))
	if !brk && lc.post != nil {
		lc.post()
	}
	lc.note(l)
	var vs []*tile
	for _, p := range lc.carried {
		vs = append(vs, l.carry(pos, p, p.get()))
	}
	for i, v := range vs {
		if isInterface(lc.carried[i].typ()) {
			l.sameHeld(pos, lc.carried[i], lc.args[i], v)
		}
		if !tileir.Identical(v.v.Type, lc.args[i].v.Type) {
			l.Fail(pos, "a variable of the loop is a tile of %s at first and of %s later", typeText(lc.args[i].desc), typeText(v.desc))
		}
	}
	if brk {
		l.terminate("break", vs)
	} else {
		l.terminate("continue", vs)
	}
	l.restore(save)
}

// loopBody lowers a loop's body until nothing further turns out to change: that becomes carried values. Mistakes of
// passes that are repeated are forgotten, as they may come from constants that are none.
func (l *lowerer) loopBody(fr *frame, s ast.Stmt, iv *tile, post func(), body func() flow) (lc *loopCtx, blk *tileir.Block, inits []*tile) {
	pos := s.Pos()
	base := len(l.cells)
	before := l.snapshot(base)
	var carried []change
	for {
		lc = &loopCtx{base: base, before: before, post: post}
		ops, errs, wanted := len(l.blk.Ops), len(l.Errs), l.wanted
		inits, blk = nil, &tileir.Block{}
		if iv != nil {
			blk.Args = append(blk.Args, iv.v)
		}
		for _, p := range carried {
			init, _ := l.agree(pos, p.place, p.get(), spreadOnly(p), l.blk, l.blk)
			x := l.carry(pos, p.place, init)
			arg := like([]*tile{x})[0]
			inits, blk.Args = append(inits, x), append(blk.Args, arg.v)
			lc.carried, lc.args = append(lc.carried, p.place), append(lc.args, arg)
			p.set(arg)
		}
		if fr.exit != nil {
			fr.exit.v = number(0) // else the last turn would have left the loop
		}
		l.loops = append(l.loops, lc)
		l.inBlock(blk, func() {
			if l.within(fr, s, true, func() flow { return l.scope(fr, body) }) == next {
				l.leave(pos, false)
			}
		})
		l.loops = l.loops[:len(l.loops)-1]
		l.restore(before)
		if len(lc.changed) == 0 {
			return lc, blk, inits
		}
		l.blk.Ops, l.Errs, l.wanted = l.blk.Ops[:ops], l.Errs[:errs], wanted
		carried = append(carried, l.sorted(lc.changed)...)
	}
}

// sorted orders changes as their variables were declared.
func (l *lowerer) sorted(cs []change) []change {
	slices.SortFunc(cs, func(a, b change) int {
		return cmp.Or(slices.Index(l.cells, a.c)-slices.Index(l.cells, b.c), slices.Compare(a.path, b.path))
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
func (l *lowerer) finish(name string, groups [][]*tileir.Value, lc *loopCtx, blk *tileir.Block, inits []*tile) {
	res := like(inits)
	l.control(name, groups, res, blk)
	for i, p := range lc.carried {
		p.set(res[i])
	}
	for _, p := range lc.lost {
		p.set(poison{})
	}
}

// forOp emits a counted loop.
func (l *lowerer) forOp(fr *frame, s ast.Stmt, lo, hi, step *tile, v *cell, body func(iv *tile) flow) *loopCtx {
	iv := like([]*tile{lo})[0]
	iv.min = lowerBound(lo)
	if v != nil {
		v.v = iv // before the loop looks for what changes
	}
	lc, blk, inits := l.loopBody(fr, s, iv, nil, func() flow { return body(iv) })
	l.finish("for", [][]*tileir.Value{{lo.v}, {hi.v}, {step.v}, irValues(inits)}, lc, blk, inits)
	if lo.desc.Elem.IR.IsInt() && !lo.desc.Elem.Signed() {
		op := l.blk.Ops[len(l.blk.Ops)-1]
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

// generalLoop emits a loop that is left by break.
func (l *lowerer) generalLoop(fr *frame, s ast.Stmt, cond func() value, post func(), body func() flow) {
	lc, blk, inits := l.loopBody(fr, s, nil, post, func() flow {
		if cond == nil {
			return body()
		}
		switch cv := cond().(type) {
		case *tile:
			then, _ := l.region(fr, func() flow { l.terminate("yield", nil); return left })
			els, _ := l.region(fr, func() flow { l.leave(s.Pos(), true); return left })
			l.ifOp(cv, nil, then, els)
		case constant.Value:
			if !constant.BoolVal(cv) {
				l.leave(s.Pos(), true)
				return left
			}
		}
		return body()
	})
	l.finish("loop", [][]*tileir.Value{irValues(inits)}, lc, blk, inits)
	if codes := fr.exits.escapes[s]; cond == nil && len(codes) == 1 {
		if _, breaks := fr.exits.has(s, token.BREAK); !breaks {
			fr.exit.v = number(codes[0]) // there is no other way out
		}
	}
}

// countTo lowers `for i := range n` of a number.
func (l *lowerer) countTo(fr *frame, s *ast.RangeStmt, t types.Type, n *tile) {
	if !fr.exits.leaves(s) {
		zero, one := l.constant(s.Pos(), number(0), t), l.constant(s.Pos(), number(1), t)
		zero.min = new(int64)
		l.forOp(fr, s, zero, n, one, nil, func(iv *tile) flow {
			l.rangeVar(fr, s, t, iv)
			return l.stmts(fr, s.Body.List)
		})
		return
	}
	i := l.newCell("range", t, number(0))
	l.generalLoop(fr, s, func() value { return l.compare(s.Pos(), token.LSS, i.v, n, t) },
		func() { i.v = l.binary(s.Pos(), token.ADD, i.v, number(1), t) },
		func() flow { l.rangeVar(fr, s, t, i.v); return l.stmts(fr, s.Body.List) })
}

// rangeVar sets the variable of a loop over numbers.
func (l *lowerer) rangeVar(fr *frame, s *ast.RangeStmt, t types.Type, v value) {
	if s.Key == nil {
		return
	}
	if s.Tok == token.ASSIGN {
		l.store(fr, s.Key, v, t)
		return
	}
	id, _ := s.Key.(*ast.Ident)
	l.declare(fr, id, t, v)
}
