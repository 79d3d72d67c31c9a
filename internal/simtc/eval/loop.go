package eval

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// forStmt writes a loop at run time. In a function that is compiled without dynamic control flow it
// unrolls the loop.
func (ev *evaluator) forStmt(fr *frame, s *ast.ForStmt, label string) emit.Flow {
	// The variables of the init statement belong to the loop.
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	if ev.Opts.Straight {
		return ev.unrolledFor(fr, s, label)
	}
	// At run time all turns share the registers of the loop's variables: no turn can keep a function
	// or a pointer for a later one.
	post := func() {
		if s.Post != nil {
			ev.stmt(fr, s.Post)
		}
	}
	return ev.LoopWhile(label, func() emit.Value { return ev.condition(fr, s.Cond) }, func() emit.Flow { return ev.stmts(fr.sub(), s.Body.List) }, post)
}

// condition evaluates the condition of a loop, which is true if it is left out.
func (ev *evaluator) condition(fr *frame, e ast.Expr) emit.Value {
	if e == nil {
		return constant.MakeBool(true)
	}
	ev.At(e.Pos())
	return ev.eval(fr, e)
}

// unrolledFor unrolls a loop, whose condition must be static. Each turn has variables of its own,
// as in Go, since function literals and pointers may keep them.
func (ev *evaluator) unrolledFor(fr *frame, s *ast.ForStmt, label string) emit.Flow {
	// turn is the frame with the variables of the current turn.
	turn := fr
	return ev.UnrollLoop(label, func() { turn = fr }, func() bool {
		c, ok := ev.condition(turn, s.Cond).(constant.Value)
		if !ok {
			ev.Straight(s.Cond.Pos(), "the condition of a loop")
		}
		return constant.BoolVal(c)
	}, func() emit.Flow { return ev.stmts(turn.sub(), s.Body.List) }, func() {
		turn = ev.nextTurn(fr, turn)
		if s.Post != nil {
			ev.stmt(turn, s.Post)
		}
	})
}

// nextTurn makes a frame with copies of a loop's variables, which frame loop declares, as the turn
// before left them. They are sorted, so that the same program always gets the same registers.
func (ev *evaluator) nextTurn(loop, turn *frame) *frame {
	next := loop.sub()
	for _, o := range slices.SortedFunc(maps.Keys(loop.vars), func(a, b types.Object) int { return cmp.Compare(a.Pos(), b.Pos()) }) {
		c := turn.vars[o]
		next.vars[o] = ev.NewCell(c.Name, c.Type, ev.Get(c))
		ev.known(next.vars[o], o)
	}
	return next
}

// rangeStmt evaluates a range over numbers, or over an array or a slice, whose length is static.
func (ev *evaluator) rangeStmt(fr *frame, s *ast.RangeStmt, label string) emit.Flow {
	x := ev.eval(fr, s.X)
	if emit.Poisoned(x) {
		panic(emit.Bailout{})
	}
	ev.At(s.Pos())
	t := ev.typeOf(fr, s.X)
	// cute.Unroll and cute.Range tell how the loop is to be written.
	if c, ok := x.(*emit.Counted); ok {
		return ev.rangeCounted(fr, s, label, c)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			c := &emit.Counted{From: constant.MakeInt64(0), To: x, Step: constant.MakeInt64(1), Times: 1, Unrolled: ev.Opts.Straight}
			return ev.rangeCounted(fr, s, label, c)
		}
	case *types.Array, *types.Slice, *types.Pointer:
		return ev.rangeElems(fr, s, label, x)
	}
	ev.Fail(s.X.Pos(), "a range over %s cannot be compiled: range over an integer, cute.Unroll, cute.Range, an array or a slice", t)
	return emit.Flow{}
}

// rangeElems unrolls a loop over an array or a slice: its elements are variables, which an index at
// run time could not choose.
func (ev *evaluator) rangeElems(fr *frame, s *ast.RangeStmt, label string, x emit.Value) emit.Flow {
	var at func(i int) emit.Value
	n := 0
	switch x := x.(type) {
	case *emit.Array:
		// As in Go, a range over an array uses a copy, and a range over a slice sees assignments in
		// the loop.
		n, at = len(x.Elems), func(i int) emit.Value { return x.Elems[i] }
	case *emit.Slice:
		n, at = x.To-x.From, func(i int) emit.Value { return ev.Load(x.Elem(i)) }
	case *emit.Pointer:
		n = len(ev.Load(x).(*emit.Array).Elems)
		at = func(i int) emit.Value {
			return ev.Load(&emit.Pointer{Cell: x.Cell, Path: append(x.Path[:len(x.Path):len(x.Path)], i)})
		}
	}
	i := 0
	return ev.UnrollLoop(label, func() { i = 0 }, func() bool { return i < n }, func() emit.Flow {
		// Each turn has variables of its own.
		in := fr.sub()
		ev.iterVar(in, s, s.Key, func() emit.Value { return constant.MakeInt64(int64(i)) })
		ev.iterVar(in, s, s.Value, func() emit.Value { return at(i) })
		return ev.stmts(in, s.Body.List)
	}, func() { i++ })
}

// iterVar gives a variable of a range statement its value in a turn. It declares the variable, or
// assigns to it.
func (ev *evaluator) iterVar(fr *frame, s *ast.RangeStmt, e ast.Expr, v func() emit.Value) {
	id, ok := e.(*ast.Ident)
	if e == nil || ok && id.Name == "_" {
		return
	}
	if s.Tok == token.DEFINE {
		ev.declare(fr, id, v())
		return
	}
	// The loop assigns to a variable from outside.
	ev.Store(ev.place(fr, e), v())
}

// rangeCounted evaluates a counted loop, at run time or unrolled.
func (ev *evaluator) rangeCounted(fr *frame, s *ast.RangeStmt, label string, c *emit.Counted) emit.Flow {
	e := emit.Int
	if t := emit.ElemOf(ev.typeOf(fr, s.X)); t != nil {
		e = t
	}
	turn := func(i emit.Value) emit.Flow {
		in := fr.sub()
		ev.iterVar(in, s, s.Key, func() emit.Value { return i })
		return ev.stmts(in, s.Body.List)
	}
	if c.Unrolled {
		return ev.RangeUnrolled(s.X.Pos(), label, c, turn)
	}
	return ev.RangeLoop(label, c, e, turn)
}
