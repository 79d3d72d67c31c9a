package eval

import (
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
)

// loopWhile writes a loop: top: if !cond goto end; body; next: post; goto top; end.
func (em *emitter) loopWhile(label string, cond func() value, body func() flow, post func()) (f flow) {
	em.region(func() {
		top, cnt, end := em.b.NewLabel(), em.b.NewLabel(), em.b.NewLabel()
		l := &loopState{up: em.loop, label: label, base: em.cur, dynamic: true, brk: end, cnt: cnt}
		start := len(em.b.Body)
		em.b.Place(top)
		c := cond()
		if k, ok := c.(constant.Value); ok && !constant.BoolVal(k) {
			em.b.Body = em.b.Body[:start] // it never runs
			return
		}
		if n, ok := c.(*num); ok {
			em.b.BranchIf(n.reg, false, end)
		} else if poisoned(c) {
			panic(bailout{})
		}
		em.loop = l
		body()
		em.loop = l.up
		em.b.Place(cnt)
		post()
		em.b.Branch(top)
		em.b.Place(end)
	})
	return flow{}
}

// unrollLoop evaluates a body as long as there are turns; start goes to the first one.
func (em *emitter) unrollLoop(label string, start func(), more func() bool, body func() flow, post func()) flow {
	defer em.Unroll()()
	return em.leavable(label, false, func(l *loopState) flow {
		for start(); more(); {
			if l.dynamic {
				l.cnt = em.b.NewLabel()
			}
			em.Turn()
			f := body()
			if l.dynamic {
				em.b.Place(l.cnt)
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

func (em *emitter) rangeUnrolled(pos token.Pos, label string, c *counted, turn func(value) flow) flow {
	what := "the count of cute.Unroll"
	if em.opts.Straight {
		for _, v := range []value{c.from, c.to, c.step} {
			if _, ok := v.(*num); ok {
				em.straight(pos, "the bound of a loop")
			}
		}
	}
	for _, v := range []value{c.from, c.to, c.step} {
		if _, ok := v.(*num); ok {
			em.Fail(pos, "%s must be known when the function is compiled, but this is dynamic: use a plain range for a loop at run time", what)
		}
	}
	from, to, step := em.staticInt(pos, c.from, what), em.staticInt(pos, c.to, what), em.staticInt(pos, c.step, what)
	em.Must(step > 0, pos, "the step of a loop must be positive, not %d", step)
	turns := uint64(0)
	if from < to {
		turns = (uint64(to)-uint64(from)-1)/uint64(step) + 1
	}
	em.Must(turns <= uint64(em.Meter.Unrolled), pos, "a loop of %d turns is too long to unroll: use a plain range, or %s", turns, limit.Hint("Unrolled"))
	k := 0
	return em.unrollLoop(label, func() { k = 0 }, func() bool { return k < int(turns) }, func() flow { return turn(constant.MakeInt64(int64(from + k*step))) }, func() { k++ })
}

// rangeLoop counts in a register of its own; the variable is a copy, as in Go.
func (em *emitter) rangeLoop(label string, c *counted, e *Elem, turn func(value) flow) flow {
	step := em.staticInt(em.pos, c.step, "the step of cute.Range")
	em.Must(step > 0, em.pos, "the step of a loop must be positive, not %d", step)
	em.Must(step <= math.MaxInt32/c.times, em.pos, "the step of a loop at run time is at most %d, not %d by %d turns at once", math.MaxInt32, step, c.times)
	if none, known := interval.Compare(token.GEQ, em.rangeIn(c.from, e), em.rangeIn(c.to, e)); known && none {
		return flow{}
	}
	if c.times > 1 {
		return em.rangeTimes(label, c, e, step, c.times, turn)
	}
	em.rangePart(label, c.from, c.to, e, step, 1, turn)
	return flow{}
}

// rangePart is a loop whose body is several turns; it gives the counter's register at the end.
func (em *emitter) rangePart(label string, from, to value, e *Elem, step, times int, turn func(value) flow) (counter *num) {
	first, last := em.rangeIn(from, e), em.rangeIn(to, e)
	stride := int64(step * times)
	over, exact := interval.Binary(token.ADD, e.integer(), last, interval.Ints(0, stride-1)) // where the counter ends
	test := token.LSS
	if !exact { // the counter may wrap around behind the last turn, so the place where it ends is computed before
		to, test = em.lastTurn(from, to, e, stride), token.NEQ
		first = e.all()
	}
	counter = em.variable(span{e, first.Union(over)}, from)
	within := interval.Range{Lo: em.rangeIn(from, e).Lo, Hi: last.Hi}
	if within.Hi.Cmp(within.Lo) > 0 {
		in, _ := interval.Binary(token.SUB, e.integer(), interval.One(within.Hi), interval.Ints(1, 1))
		within.Hi = in.Hi
	} else {
		within.Hi = within.Lo
	}
	em.loopWhile(label, func() value { return em.binary(test, counter, to, e) }, func() flow {
		for k := range times {
			i := *counter
			i.mut, i.in, i.div = false, within, gcd(divOf(from), step)
			i.reg = em.move(i.class(), counter.op())
			var v value = &i
			if k > 0 {
				v = em.binary(token.ADD, v, constant.MakeInt64(int64(k*step)), e)
			}
			if f := turn(v); f.kind != next {
				break
			}
		}
		return flow{}
	}, func() {
		em.b.Emit("add."+counter.suffix(), []simt.Operand{counter.op()}, counter.op(), simt.I(stride))
	})
	return counter
}

// distance is how far it is from one integer to another, as an unsigned one that holds it: 0 where there is no turn.
func (em *emitter) distance(from, to value, e *Elem) value {
	turns := em.binary(token.LSS, from, to, e)
	apart := em.binary(token.SUB, em.convert(to, e, u64Elem), em.convert(from, e, u64Elem), u64Elem)
	return em.choose(turns, apart, constant.MakeInt64(0), u64Elem)
}

// lastTurn is from, and as many strides as there are to reach a bound or to pass it. It may wrap around.
func (em *emitter) lastTurn(from, to value, e *Elem, stride int64) value {
	apart := em.distance(from, to, e)
	by := constant.MakeInt64(stride)
	rest := em.binary(token.REM, apart, by, u64Elem)
	missing := em.binary(token.REM, em.binary(token.SUB, by, rest, u64Elem), by, u64Elem)
	whole := em.binary(token.ADD, apart, missing, u64Elem)
	return em.binary(token.ADD, from, em.convert(whole, u64Elem, e), e)
}

// rangeTimes does several turns at once, and the rest one by one.
func (em *emitter) rangeTimes(label string, c *counted, e *Elem, step, times int, turn func(value) flow) flow {
	whole := constant.MakeInt64(int64(step * times))
	rest := em.binary(token.REM, em.distance(c.from, c.to, e), whole, u64Elem)
	end := em.binary(token.SUB, c.to, em.convert(rest, u64Elem, e), e)
	at := em.rangePart(label, c.from, end, e, step, times, turn)
	from := *at
	from.mut = false
	from.reg = em.move(at.class(), at.op())
	em.rangePart(label, &from, c.to, e, step, 1, turn)
	return flow{}
}
