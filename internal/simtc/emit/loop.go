package emit

import (
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
)

// LoopWhile writes a loop: top: if !cond goto end; body; next: post; goto top; end. All of it is
// one region, the condition too, as it runs once more than the body.
func (em *Emitter) LoopWhile(label string, cond func() Value, body func() Flow, post func()) (f Flow) {
	em.Region(func() {
		// The labels are made inside of the region, so that an attempt that is taken back takes its
		// labels along.
		top, cnt, end := em.B.NewLabel(), em.B.NewLabel(), em.B.NewLabel()
		l := &Loop{Up: em.Loop, Label: label, Base: em.Cur, Dynamic: true, Break: end, Continue: cnt}
		start := len(em.B.Body)
		em.B.Place(top)
		c := cond()
		// The condition is false from the start: the loop never runs.
		if k, ok := c.(constant.Value); ok && !constant.BoolVal(k) {
			em.B.Body = em.B.Body[:start]
			return
		}
		if n, ok := c.(*Num); ok {
			em.B.BranchIf(n.Reg, false, end)
		} else if Poisoned(c) {
			panic(Bailout{})
		}
		em.Loop = l
		body()
		em.Loop = l.Up
		em.B.Place(cnt)
		post()
		em.B.Branch(top)
		em.B.Place(end)
	})
	return Flow{}
}

// UnrollLoop evaluates a body as long as there are turns. start goes to the first turn, as the loop
// may be evaluated twice ([Emitter.Leavable]).
func (em *Emitter) UnrollLoop(label string, start func(), more func() bool, body func() Flow, post func()) Flow {
	defer em.Unroll()()
	return em.Leavable(label, false, func(l *Loop) Flow {
		for start(); more(); {
			if l.Dynamic {
				l.Continue = em.B.NewLabel()
			}
			em.Turn()
			f := body()
			if l.Dynamic {
				em.B.Place(l.Continue)
			}
			if f.Kind != Next && !(f.Kind == ContinueLoop && f.Target == any(l)) && !(f.Kind == Gone && l.Dynamic) {
				return f
			}
			post()
		}
		return Flow{}
	})
}

// Counted is what cute.Unroll, cute.Range and their like give to a range statement.
type Counted struct {
	From, To, Step Value
	Unrolled       bool
	Times          int // turns in one turn of the loop that is written, at least 1
}

// RangeUnrolled evaluates each turn of a counted loop on its own. The bounds must be static.
func (em *Emitter) RangeUnrolled(pos token.Pos, label string, c *Counted, turn func(Value) Flow) Flow {
	what := "the count of cute.Unroll"
	if em.Opts.Straight {
		for _, v := range []Value{c.From, c.To, c.Step} {
			if _, ok := v.(*Num); ok {
				em.Straight(pos, "the bound of a loop")
			}
		}
	}
	for _, v := range []Value{c.From, c.To, c.Step} {
		if _, ok := v.(*Num); ok {
			em.Fail(pos, "%s must be known when the function is compiled, but this is dynamic: use a plain range for a loop at run time", what)
		}
	}
	from, to, step := em.StaticInt(pos, c.From, what), em.StaticInt(pos, c.To, what), em.StaticInt(pos, c.Step, what)
	em.Must(step > 0, pos, "the step of a loop must be positive, not %d", step)
	turns := uint64(0)
	if from < to {
		// In uint64, since the distance of two ints may not fit an int.
		turns = (uint64(to)-uint64(from)-1)/uint64(step) + 1
	}
	em.Must(turns <= uint64(em.Meter.Unrolled), pos, "a loop of %d turns is too long to unroll: use a plain range, or %s", turns, limit.Hint("Unrolled"))
	k := 0
	return em.UnrollLoop(label, func() { k = 0 }, func() bool { return k < int(turns) }, func() Flow { return turn(constant.MakeInt64(int64(from + k*step))) }, func() { k++ })
}

// RangeLoop writes a counted loop. The counter has a register of its own, and the loop's variable
// is a copy of it in each turn: as in Go, assigning the variable does not change the count.
func (em *Emitter) RangeLoop(label string, c *Counted, e *Elem, turn func(Value) Flow) Flow {
	step := em.StaticInt(em.Pos, c.Step, "the step of cute.Range")
	em.Must(step > 0, em.Pos, "the step of a loop must be positive, not %d", step)
	// The step is an immediate of the addition, and several turns add several steps at once.
	em.Must(step <= math.MaxInt32/c.Times, em.Pos, "the step of a loop at run time is at most %d, not %d by %d turns at once", math.MaxInt32, step, c.Times)
	// If the ranges tell that there is no turn, the body is not even evaluated: it may be wrong for
	// such bounds.
	if none, known := interval.Compare(token.GEQ, em.rangeIn(c.From, e), em.rangeIn(c.To, e)); known && none {
		return Flow{}
	}
	if c.Times > 1 {
		return em.rangeTimes(label, c, e, step, c.Times, turn)
	}
	em.rangePart(label, c.From, c.To, e, step, 1, turn)
	return Flow{}
}

// rangePart writes a loop whose body is several turns, and returns the counter's register, as it is
// behind the loop.
func (em *Emitter) rangePart(label string, from, to Value, e *Elem, step, times int, turn func(Value) Flow) (counter *Num) {
	first, last := em.rangeIn(from, e), em.rangeIn(to, e)
	stride := int64(step * times)
	// The counter passes the bound by less than a stride.
	over, exact := interval.Binary(token.ADD, e.integer(), last, interval.Ints(0, stride-1)) // the counter behind the last turn
	test := token.LSS
	// The counter may wrap around behind the last turn and would then be below the bound again. So
	// its last value is computed before the loop, and the test is for that value alone.
	if !exact {
		to, test = em.lastTurn(from, to, e, stride), token.NEQ
		first = e.All()
	}
	counter = em.variable(Span{e, first.Union(over)}, from)
	// In the body the variable is below the bound. Its range tells how many bits the indices that
	// are computed of it take.
	within := interval.Range{Lo: em.rangeIn(from, e).Lo, Hi: last.Hi}
	if within.Hi.Cmp(within.Lo) > 0 {
		in, _ := interval.Binary(token.SUB, e.integer(), interval.One(within.Hi), interval.Ints(1, 1))
		within.Hi = in.Hi
	} else {
		within.Hi = within.Lo
	}
	em.LoopWhile(label, func() Value { return em.Binary(test, counter, to, e) }, func() Flow {
		// These are the turns of one turn of the loop that is written. Each has its own number.
		for k := range times {
			// The variable is a copy, since the counter changes before a function literal or the
			// next turn reads it.
			i := *counter
			i.Mut, i.in, i.Div = false, within, gcd(divOf(from), step)
			i.Reg = em.move(i.Class(), counter.Op())
			var v Value = &i
			if k > 0 {
				v = em.Binary(token.ADD, v, constant.MakeInt64(int64(k*step)), e)
			}
			if f := turn(v); f.Kind != Next {
				break
			}
		}
		return Flow{}
	}, func() {
		em.B.Emit("add."+counter.suffix(), []simt.Operand{counter.Op()}, counter.Op(), simt.I(stride))
	})
	return counter
}

// distance gives how far it is from one integer to another, as an unsigned integer that always
// holds it, and 0 if there is no turn.
func (em *Emitter) distance(from, to Value, e *Elem) Value {
	turns := em.Binary(token.LSS, from, to, e)
	apart := em.Binary(token.SUB, em.Convert(to, e, U64), em.Convert(from, e, U64), U64)
	return em.Choose(turns, apart, constant.MakeInt64(0), U64)
}

// lastTurn gives the counter behind the last turn: from, plus as many strides as reach the bound or
// pass it. It may wrap around.
func (em *Emitter) lastTurn(from, to Value, e *Elem, stride int64) Value {
	apart := em.distance(from, to, e)
	by := constant.MakeInt64(stride)
	rest := em.Binary(token.REM, apart, by, U64)
	// It is what the distance lacks to be a multiple of the stride.
	missing := em.Binary(token.REM, em.Binary(token.SUB, by, rest, U64), by, U64)
	whole := em.Binary(token.ADD, apart, missing, U64)
	return em.Binary(token.ADD, from, em.Convert(whole, U64, e), e)
}

// rangeTimes writes one loop that does several turns at once, and a second one for the rest, turn
// by turn.
func (em *Emitter) rangeTimes(label string, c *Counted, e *Elem, step, times int, turn func(Value) Flow) Flow {
	// The first loop runs as long as there are enough turns for a whole turn of it.
	whole := constant.MakeInt64(int64(step * times))
	rest := em.Binary(token.REM, em.distance(c.From, c.To, e), whole, U64)
	end := em.Binary(token.SUB, c.To, em.Convert(rest, U64, e), e)
	at := em.rangePart(label, c.From, end, e, step, times, turn)
	from := *at
	from.Mut = false
	from.Reg = em.move(at.Class(), at.Op())
	em.rangePart(label, &from, c.To, e, step, 1, turn)
	return Flow{}
}
