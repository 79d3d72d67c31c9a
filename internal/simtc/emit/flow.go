package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/front/diag"
)

// Flow says where evaluation goes on after a statement.
type Flow struct {
	Kind   FlowKind
	Target any // the call, or the *Loop, that is left, nil where a jump was written
}

// FlowKind says how a statement ends.
type FlowKind uint8

// The ways in which a statement ends.
const (
	Next         FlowKind = iota // with the statement behind it
	Gone                         // never here: a jump was written
	LeaveCall                    // with the code behind the call of the function
	BreakLoop                    // with the code behind a loop or switch
	ContinueLoop                 // with the next turn of a loop
)

// Doomed reports whether what is being evaluated will be evaluated anew.
func (em *Emitter) Doomed() bool {
	for r := em.Cur; r != nil; r = r.Up {
		if r.doomed {
			return true
		}
	}
	return false
}

// Loop is a loop, or a switch, that break and continue may leave.
type Loop struct {
	Up              *Loop
	Label           string
	Base            *Region
	Dynamic         bool // jumps are written to the labels below
	Wanted          bool // an unrolled loop that must have labels
	Break, Continue int
	Switch          bool
}

// BranchOn evaluates one side or the other.
func (em *Emitter) BranchOn(cond Value, pos token.Pos, then, els func() Flow) (f Flow) {
	if Poisoned(cond) {
		panic(Bailout{})
	}
	if c, ok := cond.(constant.Value); ok {
		if constant.BoolVal(c) {
			return then()
		}
		return els()
	}
	em.Straight(pos, "a condition")
	p := em.InReg(cond, Bool).Reg
	em.Region(func() {
		other, end := em.B.NewLabel(), em.B.NewLabel()
		em.B.BranchIf(p, false, other)
		a := then()
		n := len(em.B.Body)
		if a.Kind == Next {
			em.B.Branch(end)
		}
		em.B.Place(other)
		m := len(em.B.Body)
		b := els()
		if len(em.B.Body) == m && a.Kind == Next { // no other side: the jump over it goes
			em.B.Body = append(em.B.Body[:n], em.B.Body[n+1:]...)
		}
		em.B.Place(end)
		f = Flow{Kind: Gone}
		if a.Kind == Next || b.Kind == Next {
			f = Flow{}
		}
	})
	return f
}

// Straight refuses what is dynamic where a function was made without control flow.
func (em *Emitter) Straight(pos token.Pos, what string) {
	em.Must(!em.Opts.Straight, pos, "%s is dynamic, but the function is compiled without dynamic control flow (cute.Straight): "+
		"leave that option out, or make it static", what)
}

// either is x || y of values that are both computed.
func (em *Emitter) either(x, y Value) Value {
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
	return em.Binary(token.OR, x, y, Bool)
}

// Leavable evaluates a switch or an unrolled loop, which break and continue may leave: by a jump where they are in a
// dynamic part, and then the whole is a region.
func (em *Emitter) Leavable(label string, isSwitch bool, body func(*Loop) Flow) (f Flow) {
	at := em.Mark()
	l := &Loop{Up: em.Loop, Label: label, Base: em.Cur, Switch: isSwitch}
	em.Guarded(&l.Wanted, func() {
		em.Loop = l
		f = body(l)
	})
	em.Loop = l.Up
	if !l.Wanted {
		return l.passed(f)
	}
	em.Rollback(at)
	em.Region(func() {
		l = &Loop{Up: l.Up, Label: label, Switch: isSwitch, Base: em.Cur, Dynamic: true, Break: em.B.NewLabel(), Continue: -1}
		em.Loop = l
		f = body(l)
		em.B.Place(l.Break)
		em.Loop = l.Up
	})
	return Flow{}
}

// Guarded runs code whose mistakes do not count once wanted is set, as it will run again.
func (em *Emitter) Guarded(wanted *bool, run func()) {
	undo := em.unwind()
	defer func() {
		if !*wanted {
			return
		}
		switch e := recover().(type) {
		case nil, *diag.Error, Bailout:
		default:
			panic(e)
		}
		undo()
	}()
	run()
}

// passed is the flow behind a loop: a break out of it goes on there.
func (l *Loop) passed(f Flow) Flow {
	if f.Target == any(l) && f.Kind == BreakLoop {
		return Flow{}
	}
	return f
}
