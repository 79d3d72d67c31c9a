package eval

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/limit"
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

// unrolledFor is a loop whose condition is static. Each turn has variables of its own, as in Go, which functions and
// pointers may keep.
func (ev *evaluator) unrolledFor(fr *frame, s *ast.ForStmt, label string) flow {
	turn := fr
	return ev.unroll(label, func() { turn = fr }, func() bool {
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

// unroll evaluates a body as long as there are turns; start goes to the first one.
func (ev *evaluator) unroll(label string, start func(), more func() bool, body func() flow, post func()) flow {
	defer ev.Unroll()()
	return ev.leavable(label, false, func(l *loopState) flow {
		for start(); more(); {
			if l.dynamic {
				l.cnt = ev.b.NewLabel()
			}
			ev.Turn()
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
			ev.Fail(s.X.Pos(), "%s must be known when the function is compiled, but this is dynamic: use a plain range for a loop at run time", what)
		}
	}
	from, to, step := ev.staticInt(s.X.Pos(), c.from, what), ev.staticInt(s.X.Pos(), c.to, what), ev.staticInt(s.X.Pos(), c.step, what)
	ev.Must(step > 0, s.X.Pos(), "the step of a loop must be positive, not %d", step)
	turns := uint64(0)
	if from < to {
		turns = (uint64(to)-uint64(from)-1)/uint64(step) + 1
	}
	ev.Must(turns <= uint64(ev.Meter.Unrolled), s.X.Pos(), "a loop of %d turns is too long to unroll: use a plain range, or %s", turns, limit.Hint("Unrolled"))
	k := 0
	return ev.unroll(label, func() { k = 0 }, func() bool { return k < int(turns) }, func() flow { return turn(constant.MakeInt64(int64(from + k*step))) }, func() { k++ })
}

// rangeLoop counts in a register of its own; the variable is a copy, as in Go.
func (ev *evaluator) rangeLoop(label string, c *counted, e *Elem, turn func(value) flow) flow {
	step := ev.staticInt(ev.pos, c.step, "the step of cute.Range")
	ev.Must(step > 0, ev.pos, "the step of a loop must be positive, not %d", step)
	ev.Must(step <= math.MaxInt32/c.times, ev.pos, "the step of a loop at run time is at most %d, not %d by %d turns at once", math.MaxInt32, step, c.times)
	if none, known := interval.Compare(token.GEQ, ev.rangeIn(c.from, e), ev.rangeIn(c.to, e)); known && none {
		return flow{}
	}
	if c.times > 1 {
		return ev.rangeTimes(label, c, e, step, c.times, turn)
	}
	ev.rangePart(label, c.from, c.to, e, step, 1, turn)
	return flow{}
}

// rangePart is a loop whose body is several turns; it gives the counter's register at the end.
func (ev *evaluator) rangePart(label string, from, to value, e *Elem, step, times int, turn func(value) flow) (counter *num) {
	first, last := ev.rangeIn(from, e), ev.rangeIn(to, e)
	stride := int64(step * times)
	over, exact := interval.Binary(token.ADD, e.integer(), last, interval.Ints(0, stride-1)) // where the counter ends
	test := token.LSS
	if !exact { // the counter may wrap around behind the last turn, so the place where it ends is computed before
		to, test = ev.lastTurn(from, to, e, stride), token.NEQ
		first = e.all()
	}
	counter = ev.variable(span{e, first.Union(over)}, from)
	within := interval.Range{Lo: ev.rangeIn(from, e).Lo, Hi: last.Hi}
	if within.Hi.Cmp(within.Lo) > 0 {
		in, _ := interval.Binary(token.SUB, e.integer(), interval.One(within.Hi), interval.Ints(1, 1))
		within.Hi = in.Hi
	} else {
		within.Hi = within.Lo
	}
	ev.loopWhile(label, func() value { return ev.binary(test, counter, to, e) }, func() flow {
		for k := range times {
			i := *counter
			i.mut, i.in, i.div = false, within, gcd(divOf(from), step)
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
		ev.b.Emit("add."+counter.suffix(), []simt.Operand{counter.op()}, counter.op(), simt.I(stride))
	})
	return counter
}

// distance is how far it is from one integer to another, as an unsigned one that holds it: 0 where there is no turn.
func (ev *evaluator) distance(from, to value, e *Elem) value {
	turns := ev.binary(token.LSS, from, to, e)
	apart := ev.binary(token.SUB, ev.convert(to, e, u64Elem), ev.convert(from, e, u64Elem), u64Elem)
	return ev.choose(turns, apart, constant.MakeInt64(0), u64Elem)
}

// lastTurn is from, and as many strides as there are to reach a bound or to pass it. It may wrap around.
func (ev *evaluator) lastTurn(from, to value, e *Elem, stride int64) value {
	apart := ev.distance(from, to, e)
	by := constant.MakeInt64(stride)
	rest := ev.binary(token.REM, apart, by, u64Elem)
	missing := ev.binary(token.REM, ev.binary(token.SUB, by, rest, u64Elem), by, u64Elem)
	whole := ev.binary(token.ADD, apart, missing, u64Elem)
	return ev.binary(token.ADD, from, ev.convert(whole, u64Elem, e), e)
}

// rangeTimes does several turns at once, and the rest one by one.
func (ev *evaluator) rangeTimes(label string, c *counted, e *Elem, step, times int, turn func(value) flow) flow {
	whole := constant.MakeInt64(int64(step * times))
	rest := ev.binary(token.REM, ev.distance(c.from, c.to, e), whole, u64Elem)
	end := ev.binary(token.SUB, c.to, ev.convert(rest, u64Elem, e), e)
	at := ev.rangePart(label, c.from, end, e, step, times, turn)
	from := *at
	from.mut = false
	from.reg = ev.move(at.class(), at.op())
	ev.rangePart(label, &from, c.to, e, step, 1, turn)
	return flow{}
}
