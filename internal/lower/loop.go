package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// loopCtx is a loop being lowered.
type loopCtx struct {
	carried []*cell
	args    []*tile // types of the carried values
	base    int     // cells outside the loop
	before  []value
	changed map[*cell]value
	post    func() // of a three-clause loop
}

// note remembers the outer cells that changed and are not carried yet.
func (lc *loopCtx) note(l *lowerer) {
	for i, c := range l.cells[:lc.base] {
		if !same(c.v, lc.before[i]) && !slices.Contains(lc.carried, c) {
			lc.changed[c] = c.v
		}
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
	for _, c := range lc.carried {
		vs = append(vs, l.leaves(pos, c)...)
	}
	for i, v := range vs {
		if i < len(lc.args) && !tileir.Identical(v.v.Type, lc.args[i].v.Type) {
			l.fail(pos, "a variable of the loop is a tile of %s at first and of %s later", typeText(lc.args[i].desc), typeText(v.desc))
		}
	}
	if brk {
		l.terminate("break", vs)
	} else {
		l.terminate("continue", vs)
	}
	l.restore(save)
}

// body lowers a loop's body until no further variable turns out to change: those become carried values. Mistakes of
// passes that are repeated are forgotten, as they may come from constants that are none.
func (l *lowerer) loopBody(pos token.Pos, iv *tile, post func(), body func() flow) (lc *loopCtx, blk *tileir.Block, inits []*tile) {
	base := len(l.cells)
	before := l.snapshot(base)
	var carried []*cell
	shapes := map[*cell]value{}
	for {
		lc = &loopCtx{carried: carried, base: base, before: before, changed: map[*cell]value{}, post: post}
		ops, errs := len(l.blk.Ops), len(l.errs)
		inits, blk = nil, &tileir.Block{}
		if iv != nil {
			blk.Args = append(blk.Args, iv.v)
		}
		for _, c := range carried {
			init, _ := l.agree(pos, c.name, c.v, spreadOnly(shapes[c]))
			c.v = init
			vs := l.leaves(pos, c)
			inits = append(inits, vs...)
			args := like(vs)
			lc.args = append(lc.args, args...)
			blk.Args = append(blk.Args, irValues(args)...)
			c.v = rebuild(c.v, &args)
		}
		l.loops = append(l.loops, lc)
		l.inBlock(blk, func() {
			if l.scope(body) == next {
				l.leave(pos, false)
			}
		})
		l.loops = l.loops[:len(l.loops)-1]
		l.restore(before)
		if len(lc.changed) == 0 {
			return lc, blk, inits
		}
		l.blk.Ops, l.errs = l.blk.Ops[:ops], l.errs[:errs]
		for _, c := range l.cells[:base] {
			if v, ok := lc.changed[c]; ok {
				carried, shapes[c] = append(carried, c), v
			}
		}
	}
}

// spreadOnly keeps a value that a plain truth value may have to spread to.
func spreadOnly(v value) value {
	if x, ok := v.(*tile); ok && x.desc.Shape != nil && x.desc.Elem.IR == tileir.I1 {
		return x
	}
	return nil
}

// finish emits the loop and gives the carried variables its results.
func (l *lowerer) finish(name string, groups [][]*tileir.Value, lc *loopCtx, blk *tileir.Block, inits []*tile) {
	res := like(inits)
	l.control(name, groups, res, blk)
	for _, c := range lc.carried {
		init, _ := l.agree(token.NoPos, c.name, c.v, nil)
		c.v = rebuild(init, &res)
	}
}

// forOp emits a counted loop.
func (l *lowerer) forOp(pos token.Pos, lo, hi, step *tile, v *cell, body func(iv *tile) flow) *loopCtx {
	iv := like([]*tile{lo})[0]
	iv.min = lowerBound(lo)
	if v != nil {
		v.v = iv // before the loop looks for what changes
	}
	lc, blk, inits := l.loopBody(pos, iv, nil, func() flow { return body(iv) })
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
func (l *lowerer) generalLoop(pos token.Pos, cond func() value, post func(), body func() flow) {
	lc, blk, inits := l.loopBody(pos, nil, post, func() flow {
		if cond == nil {
			return body()
		}
		switch cv := cond().(type) {
		case *tile:
			then, _ := l.region(func() flow { l.terminate("yield", nil); return left })
			els, _ := l.region(func() flow { l.leave(pos, true); return left })
			l.ifOp(cv, nil, then, els)
		case constant.Value:
			if !constant.BoolVal(cv) {
				l.leave(pos, true)
				return left
			}
		}
		return body()
	})
	l.finish("loop", [][]*tileir.Value{irValues(inits)}, lc, blk, inits)
}

func (l *lowerer) rangeStmt(fr *frame, s *ast.RangeStmt) {
	t := l.typeOf(fr, s.X)
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		l.rangeList(fr, s)
		return
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			l.fail(s.X.Pos(), "a kernel cannot range over %s", types.Default(t))
		}
	default:
		l.fail(s.X.Pos(), "a kernel cannot range over %s", t)
	}
	if l.w.Desc(t) == nil || isUntyped(t) {
		t = types.Typ[types.Int]
	}
	n := l.as(s.X.Pos(), l.eval(fr, s.X), t)
	l.must(len(n.desc.Shape) == 0, s.X.Pos(), "a kernel cannot range over a tile")
	if !breaks(s.Body) {
		zero, one := l.constant(s.Pos(), constant.MakeInt64(0), t), l.constant(s.Pos(), constant.MakeInt64(1), t)
		zero.min = new(int64)
		l.forOp(s.Pos(), zero, n, one, nil, func(iv *tile) flow {
			l.rangeVar(fr, s, t, iv)
			return l.stmts(fr, s.Body.List)
		})
		return
	}
	i := l.newCell("range", t, constant.MakeInt64(0))
	l.generalLoop(s.Pos(), func() value { return l.compare(s.Pos(), token.LSS, i.v, n, t) },
		func() { i.v = l.binary(s.Pos(), token.ADD, i.v, constant.MakeInt64(1), t) },
		func() flow { l.rangeVar(fr, s, t, i.v); return l.stmts(fr, s.Body.List) })
}

func isUntyped(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// rangeVar sets the variable of a loop over numbers.
func (l *lowerer) rangeVar(fr *frame, s *ast.RangeStmt, t types.Type, v value) {
	if s.Key == nil {
		return
	}
	if s.Tok == token.ASSIGN {
		l.store(fr, s.Key, v)
		return
	}
	id, _ := s.Key.(*ast.Ident)
	l.declare(fr, id, t, v)
}

// rangeList unrolls a loop over a list, whose length is known.
func (l *lowerer) rangeList(fr *frame, s *ast.RangeStmt) {
	list, ok := l.eval(fr, s.X).(*listVal)
	l.must(ok, s.X.Pos(), "a kernel can range only over a slice of known length")
	l.must(!breaks(s.Body) && !continues(s.Body), s.Pos(), "a loop over a slice is unrolled: it cannot break or continue")
	t := elemType(l.typeOf(fr, s.X))
	for i, v := range list.elems {
		l.scope(func() flow {
			for j, e := range []ast.Expr{s.Key, s.Value} {
				if e == nil {
					continue
				}
				x, xt := []value{constant.MakeInt64(int64(i)), v}[j], []types.Type{types.Typ[types.Int], t}[j]
				if s.Tok == token.ASSIGN {
					l.store(fr, e, x)
				} else if id, ok := e.(*ast.Ident); ok {
					l.declare(fr, id, xt, x)
				}
			}
			return l.stmts(fr, s.Body.List)
		})
	}
}

func continues(body *ast.BlockStmt) bool {
	return holds(body, func(s ast.Node) bool {
		b, ok := s.(*ast.BranchStmt)
		return ok && b.Tok == token.CONTINUE
	}, func(s ast.Node) bool {
		switch s.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		}
		return false
	})
}
