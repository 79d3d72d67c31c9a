package eval

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// forStmt is a loop at run time. Where a function is compiled without dynamic control flow it is unrolled.
func (ev *evaluator) forStmt(fr *frame, s *ast.ForStmt, label string) flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	if ev.opts.Straight {
		return ev.unrolledFor(fr, s, label)
	}
	post := func() {
		if s.Post != nil {
			ev.stmt(fr, s.Post)
		}
	}
	return ev.loopWhile(label, func() value { return ev.condition(fr, s.Cond) }, func() flow { return ev.stmts(fr.sub(), s.Body.List) }, post)
}

func (ev *evaluator) condition(fr *frame, e ast.Expr) value {
	if e == nil {
		return constant.MakeBool(true)
	}
	ev.at(e.Pos())
	return ev.eval(fr, e)
}

// unrolledFor is a loop whose condition is static. Each turn has variables of its own, as in Go, which functions and
// pointers may keep.
func (ev *evaluator) unrolledFor(fr *frame, s *ast.ForStmt, label string) flow {
	turn := fr
	return ev.unrollLoop(label, func() { turn = fr }, func() bool {
		c, ok := ev.condition(turn, s.Cond).(constant.Value)
		if !ok {
			ev.straight(s.Cond.Pos(), "the condition of a loop")
		}
		return constant.BoolVal(c)
	}, func() flow { return ev.stmts(turn.sub(), s.Body.List) }, func() {
		turn = ev.nextTurn(fr, turn)
		if s.Post != nil {
			ev.stmt(turn, s.Post)
		}
	})
}

// nextTurn is a frame with copies of a loop's variables, which frame loop declares, as a turn has left them.
func (ev *evaluator) nextTurn(loop, turn *frame) *frame {
	next := loop.sub()
	for _, o := range slices.SortedFunc(maps.Keys(loop.vars), func(a, b types.Object) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
		c := turn.vars[o]
		next.vars[o] = ev.newCell(c.name, c.typ, ev.get(c))
	}
	return next
}

// rangeStmt is a loop over numbers, or over what is static.
func (ev *evaluator) rangeStmt(fr *frame, s *ast.RangeStmt, label string) flow {
	x := ev.eval(fr, s.X)
	if poisoned(x) {
		panic(bailout{})
	}
	ev.at(s.Pos())
	t := ev.typeOf(fr, s.X)
	if c, ok := x.(*counted); ok {
		return ev.rangeCounted(fr, s, label, c)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			c := &counted{from: constant.MakeInt64(0), to: x, step: constant.MakeInt64(1), times: 1, unrolled: ev.opts.Straight}
			return ev.rangeCounted(fr, s, label, c)
		}
	case *types.Array, *types.Slice, *types.Pointer:
		return ev.rangeElems(fr, s, label, x)
	}
	ev.Fail(s.X.Pos(), "a range over %s cannot be compiled: range over an integer, cute.Unroll, cute.Range, an array or a slice", t)
	return flow{}
}

// rangeElems is a loop over an array or slice, whose length is static: unrolled.
func (ev *evaluator) rangeElems(fr *frame, s *ast.RangeStmt, label string, x value) flow {
	var at func(i int) value
	n := 0
	switch x := x.(type) {
	case *arrayVal:
		n, at = len(x.elems), func(i int) value { return x.elems[i] }
	case *sliceVal:
		n, at = x.to-x.from, func(i int) value { return ev.load(x.elem(i)) }
	case *pointer:
		n = len(ev.load(x).(*arrayVal).elems)
		at = func(i int) value { return ev.load(&pointer{x.cell, append(x.path[:len(x.path):len(x.path)], i)}) }
	}
	i := 0
	return ev.unrollLoop(label, func() { i = 0 }, func() bool { return i < n }, func() flow {
		in := fr.sub()
		ev.iterVar(in, s, s.Key, func() value { return constant.MakeInt64(int64(i)) })
		ev.iterVar(in, s, s.Value, func() value { return at(i) })
		return ev.stmts(in, s.Body.List)
	}, func() { i++ })
}

// iterVar gives a variable of a range statement its value in a turn.
func (ev *evaluator) iterVar(fr *frame, s *ast.RangeStmt, e ast.Expr, v func() value) {
	id, ok := e.(*ast.Ident)
	if e == nil || ok && id.Name == "_" {
		return
	}
	if s.Tok == token.DEFINE {
		ev.declare(fr, id, v())
		return
	}
	ev.store(ev.place(fr, e), v())
}

func (ev *evaluator) rangeCounted(fr *frame, s *ast.RangeStmt, label string, c *counted) flow {
	e := intElem
	if t := ElemOf(ev.typeOf(fr, s.X)); t != nil {
		e = t
	}
	turn := func(i value) flow {
		in := fr.sub()
		ev.iterVar(in, s, s.Key, func() value { return i })
		return ev.stmts(in, s.Body.List)
	}
	if c.unrolled {
		return ev.rangeUnrolled(s.X.Pos(), label, c, turn)
	}
	return ev.rangeLoop(label, c, e, turn)
}
