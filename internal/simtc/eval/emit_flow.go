package eval

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/front/diag"
)

// flow is where the evaluator goes on after a statement.
type flow struct {
	kind   flowKind
	target any // the *callState or *loopState that is left, nil where a jump was written
}

type flowKind uint8

const (
	next flowKind = iota
	gone          // never here: a jump was written
	leaveCall
	breakLoop
	continueLoop
)

// doomed reports whether what is being evaluated will be evaluated anew.
func (em *emitter) doomed() bool {
	for r := em.cur; r != nil; r = r.up {
		if r.doomed {
			return true
		}
	}
	return false
}

// loopState is a loop, or a switch, that break and continue may leave.
type loopState struct {
	up       *loopState
	label    string
	base     *region
	dynamic  bool // jumps are written to the labels below
	wanted   bool // an unrolled loop that must have labels
	brk, cnt int
	isSwitch bool
}

// branchOn evaluates one side or the other.
func (em *emitter) branchOn(cond value, pos token.Pos, then, els func() flow) (f flow) {
	if poisoned(cond) {
		panic(bailout{})
	}
	if c, ok := cond.(constant.Value); ok {
		if constant.BoolVal(c) {
			return then()
		}
		return els()
	}
	em.straight(pos, "a condition")
	p := em.inReg(cond, boolElem).Reg
	em.region(func() {
		other, end := em.b.NewLabel(), em.b.NewLabel()
		em.b.BranchIf(p, false, other)
		a := then()
		n := len(em.b.Body)
		if a.kind == next {
			em.b.Branch(end)
		}
		em.b.Place(other)
		m := len(em.b.Body)
		b := els()
		if len(em.b.Body) == m && a.kind == next { // no other side: the jump over it goes
			em.b.Body = append(em.b.Body[:n], em.b.Body[n+1:]...)
		}
		em.b.Place(end)
		f = flow{kind: gone}
		if a.kind == next || b.kind == next {
			f = flow{}
		}
	})
	return f
}

// straight refuses what is dynamic where a function was made without control flow.
func (em *emitter) straight(pos token.Pos, what string) {
	em.Must(!em.opts.Straight, pos, "%s is dynamic, but the function is compiled without dynamic control flow (cute.Straight): "+
		"leave that option out, or make it static", what)
}

// either is x || y of values that are both computed.
func (em *emitter) either(x, y value) value {
	if c, ok := x.(constant.Value); ok {
		if constant.BoolVal(c) {
			return x
		}
		return y
	}
	if c, ok := y.(constant.Value); ok {
		if constant.BoolVal(c) {
			return y
		}
		return x
	}
	return em.binary(token.OR, x, y, boolElem)
}

// leavable evaluates a switch or an unrolled loop, which break and continue may leave: by a jump where they are in a
// dynamic part, and then the whole is a region.
func (em *emitter) leavable(label string, isSwitch bool, body func(*loopState) flow) (f flow) {
	at := em.mark()
	l := &loopState{up: em.loop, label: label, base: em.cur, isSwitch: isSwitch}
	em.guarded(&l.wanted, func() {
		em.loop = l
		f = body(l)
	})
	em.loop = l.up
	if !l.wanted {
		return l.passed(f)
	}
	em.rollback(at)
	em.region(func() {
		l = &loopState{up: l.up, label: label, isSwitch: isSwitch, base: em.cur, dynamic: true, brk: em.b.NewLabel(), cnt: -1}
		em.loop = l
		f = body(l)
		em.b.Place(l.brk)
		em.loop = l.up
	})
	return flow{}
}

// guarded runs code whose mistakes do not count once wanted is set, as it will run again.
func (em *emitter) guarded(wanted *bool, run func()) {
	undo := em.unwind()
	defer func() {
		if !*wanted {
			return
		}
		switch e := recover().(type) {
		case nil, *diag.Error, bailout:
		default:
			panic(e)
		}
		undo()
	}()
	run()
}

// passed is the flow behind a loop: a break out of it goes on there.
func (l *loopState) passed(f flow) flow {
	if f.target == any(l) && f.kind == breakLoop {
		return flow{}
	}
	return f
}
