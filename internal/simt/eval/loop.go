package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/simt"
)

// forStmt is a loop at run time. Where a function is compiled without dynamic control flow it is unrolled.
func (ev *evaluator) forStmt(fr *frame, s *ast.ForStmt, label string) flow {
	fr = fr.sub()
	if s.Init != nil {
		ev.stmt(fr, s.Init)
	}
	if ev.in.Straight {
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

// loopWhile writes a loop: top: if !cond goto end; body; next: post; goto top; end.
func (ev *evaluator) loopWhile(label string, cond func() value, body func() flow, post func()) (f flow) {
	ev.region(func() {
		top, cnt, end := ev.b.NewLabel(), ev.b.NewLabel(), ev.b.NewLabel()
		l := &loopState{up: ev.loop, label: label, base: ev.cur, dynamic: true, brk: end, cnt: cnt}
		start := len(ev.b.Body)
		ev.b.Place(top)
		c := cond()
		if k, ok := c.(constant.Value); ok && !constant.BoolVal(k) {
			ev.b.Body = ev.b.Body[:start] // it never runs
			return
		}
		if n, ok := c.(*num); ok {
			ev.b.BranchIf(n.reg, false, end)
		} else if poisoned(c) {
			panic(bailout{})
		}
		ev.loop = l
		body()
		ev.loop = l.up
		ev.b.Place(cnt)
		post()
		ev.b.Branch(top)
		ev.b.Place(end)
	})
	return flow{}
}

// unrolledFor is a loop whose condition is static.
func (ev *evaluator) unrolledFor(fr *frame, s *ast.ForStmt, label string) flow {
	n := 0
	return ev.unroll(label, func() { n = 0 }, func() bool {
		c, ok := ev.condition(fr, s.Cond).(constant.Value)
		if !ok {
			ev.straight(s.Cond.Pos(), "the condition of a loop")
		}
		n++
		ev.must(n <= maxTurns, s.Pos(), "this loop is unrolled more than %d times", maxTurns)
		return constant.BoolVal(c)
	}, func() flow { return ev.stmts(fr.sub(), s.Body.List) }, func() {
		if s.Post != nil {
			ev.stmt(fr, s.Post)
		}
	})
}

// maxTurns bounds unrolling.
const maxTurns = 1 << 16

// unroll evaluates a body as long as there are turns; start goes to the first one.
func (ev *evaluator) unroll(label string, start func(), more func() bool, body func() flow, post func()) flow {
	return ev.leavable(label, false, func(l *loopState) flow {
		for start(); more(); {
			if l.dynamic {
				l.cnt = ev.b.NewLabel()
			}
			f := body()
			if l.dynamic {
				ev.b.Place(l.cnt)
			}
			if f.kind != next && !(f.kind == continueLoop && f.target == any(l)) && !(f.kind == gone && l.dynamic) {
				return f
			}
			post()
		}
		return flow{}
	})
}

// counted is what cute.Unroll, Range and their like give to a range statement.
type counted struct {
	from, to, step value
	unrolled       bool
	times          int // turns at once, at least 1
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
			c := &counted{from: constant.MakeInt64(0), to: x, step: constant.MakeInt64(1), times: 1, unrolled: ev.in.Straight}
			return ev.rangeCounted(fr, s, label, c)
		}
	case *types.Array, *types.Slice, *types.Pointer:
		return ev.rangeElems(fr, s, label, x)
	}
	ev.fail(s.X.Pos(), "a range over %s cannot be compiled: range over an integer, cute.Unroll, cute.Range, an array or a slice", t)
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
	return ev.unroll(label, func() { i = 0 }, func() bool { return i < n }, func() flow {
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
		return ev.rangeUnrolled(s, label, c, turn)
	}
	return ev.rangeLoop(label, c, e, turn)
}

func (ev *evaluator) rangeUnrolled(s *ast.RangeStmt, label string, c *counted, turn func(value) flow) flow {
	what := "the count of cute.Unroll"
	if ev.in.Straight {
		for _, v := range []value{c.from, c.to, c.step} {
			if _, ok := v.(*num); ok {
				ev.straight(s.X.Pos(), "the bound of a loop")
			}
		}
	}
	for _, v := range []value{c.from, c.to, c.step} {
		if _, ok := v.(*num); ok {
			ev.fail(s.X.Pos(), "%s must be known when the function is compiled, but this is dynamic: use a plain range for a loop at run time", what)
		}
	}
	i, from, to, step := 0, ev.staticInt(s.X.Pos(), c.from, what), ev.staticInt(s.X.Pos(), c.to, what), ev.staticInt(s.X.Pos(), c.step, what)
	ev.must(step > 0, s.X.Pos(), "the step of a loop must be positive, not %d", step)
	ev.must((to-from)/step <= maxTurns, s.X.Pos(), "a loop of %d turns is too long to unroll: use a plain range", (to-from)/step)
	return ev.unroll(label, func() { i = from }, func() bool { return i < to }, func() flow { return turn(constant.MakeInt64(int64(i))) }, func() { i += step })
}

// rangeLoop counts in a register of its own; the variable is a copy, as in Go.
func (ev *evaluator) rangeLoop(label string, c *counted, e *Elem, turn func(value) flow) flow {
	step := ev.staticInt(ev.pos, c.step, "the step of cute.Range")
	ev.must(step > 0, ev.pos, "the step of a loop must be positive, not %d", step)
	if lo, hi, ok := ev.rangeOf(c.to); ok {
		if from, _, ok := ev.rangeOf(c.from); ok && lo == hi && from >= hi {
			return flow{} // no turn
		}
	}
	if c.times > 1 {
		return ev.rangeTimes(label, c, e, step, c.times, turn)
	}
	ev.rangePart(label, c.from, c.to, e, step, 1, turn)
	return flow{}
}

// rangePart is a loop whose body is several turns; it gives the counter's register at the end.
func (ev *evaluator) rangePart(label string, from, to value, e *Elem, step, times int, turn func(value) flow) (counter *num) {
	lo, _, _ := ev.rangeOf(from)
	_, hi, known := ev.rangeOf(to)
	if !known {
		_, hi = e.limits()
	}
	over := hi
	if s := int64(step * times); over <= 1<<62-s {
		over += s
	}
	counter = ev.variable(span{e, lo, max(over, lo)}, from)
	ev.loopWhile(label, func() value { return ev.binary(token.LSS, counter, to, e) }, func() flow {
		for k := range times {
			i := *counter
			i.mut, i.hi, i.div = false, max(hi-1, lo), gcd(divOf(from), step)
			i.reg = ev.move(i.class(), counter.op())
			var v value = &i
			if k > 0 {
				v = ev.binary(token.ADD, v, constant.MakeInt64(int64(k*step)), e)
			}
			if f := turn(v); f.kind != next {
				break
			}
		}
		return flow{}
	}, func() {
		n := simt.I(int64(step * times))
		ev.b.Emit("add."+counter.suffix(), []simt.Operand{counter.op()}, counter.op(), n)
	})
	return counter
}

// rangeTimes does several turns at once, and the rest one by one.
func (ev *evaluator) rangeTimes(label string, c *counted, e *Elem, step, times int, turn func(value) flow) flow {
	whole := int64(step * times)
	span := ev.binary(token.SUB, c.to, c.from, e)
	rest := ev.binary(token.REM, span, constant.MakeInt64(whole), e)
	end := ev.binary(token.SUB, c.to, rest, e)
	at := ev.rangePart(label, c.from, end, e, step, times, turn)
	from := *at
	from.mut = false
	from.reg = ev.move(at.class(), at.op())
	ev.rangePart(label, &from, c.to, e, step, 1, turn)
	return flow{}
}
