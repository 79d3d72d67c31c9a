package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/front/diag"
)

// Flow tells where evaluation goes on after a statement.
type Flow struct {
	Kind   FlowKind
	Target any // the call, or the *Loop, that is left; nil if a jump was written
}

// FlowKind tells how a statement ends.
type FlowKind uint8

// These are the ways in which a statement ends. Each comment says where evaluation goes on.
const (
	Next         FlowKind = iota // at the next statement
	Gone                         // not here, as a jump was written
	LeaveCall                    // behind the call of the function
	BreakLoop                    // behind a loop or switch
	ContinueLoop                 // at the next turn of a loop
)

// Doomed reports whether the code being evaluated will be evaluated anew. A caller can then leave
// out what only matters in the end, such as reporting a mistake.
func (em *Emitter) Doomed() bool {
	for r := em.Cur; r != nil; r = r.Up {
		if r.doomed {
			return true
		}
	}
	return false
}

// Loop is a loop or a switch, which break and continue may leave.
type Loop struct {
	Up              *Loop
	Label           string
	Base            *Region
	Dynamic         bool // break and continue are jumps to the labels below
	Wanted          bool // an unrolled loop that turned out to need labels
	Break, Continue int
	Switch          bool
}

// BranchOn evaluates one of two sides if the condition is static, and otherwise writes a branch and
// both sides. These are one region, as each of them may run or not.
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
		// The branch goes to the other side if the condition is false.
		em.B.BranchIf(p, false, other)
		a := then()
		n := len(em.B.Body)
		if a.Kind == Next {
			em.B.Branch(end)
		}
		em.B.Place(other)
		m := len(em.B.Body)
		b := els()
		// The other side is empty: the jump over it is not needed.
		if len(em.B.Body) == m && a.Kind == Next {
			em.B.Body = append(em.B.Body[:n], em.B.Body[n+1:]...)
		}
		em.B.Place(end)
		// Evaluation goes on behind the branch if at least one side comes to its end.
		f = Flow{Kind: Gone}
		if a.Kind == Next || b.Kind == Next {
			f = Flow{}
		}
	})
	return f
}

// Straight refuses a dynamic condition or bound in a function that is compiled without dynamic
// control flow. what names it.
func (em *Emitter) Straight(pos token.Pos, what string) {
	em.Must(!em.Opts.Straight, pos, "%s is dynamic, but the function is compiled without dynamic control flow (cute.Straight): "+
		"leave that option out, or make it static", what)
}

// Leavable evaluates a switch or an unrolled loop, which break and continue may leave.
//
// Usually they leave it while the program is compiled, and no label is needed. If one of them is in
// code that may or may not run, it must be a jump. That is known only when the statement is
// reached: it sets Wanted, and the whole is then evaluated anew, as a region with labels.
func (em *Emitter) Leavable(label string, isSwitch bool, body func(*Loop) Flow) (f Flow) {
	// What this attempt writes is taken back if the statement turns out to need labels.
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
		// A switch has no continue. An unrolled loop sets the label for continue in each turn.
		l = &Loop{Up: l.Up, Label: label, Switch: isSwitch, Base: em.Cur, Dynamic: true, Break: em.B.NewLabel(), Continue: -1}
		em.Loop = l
		f = body(l)
		em.B.Place(l.Break)
		em.Loop = l.Up
	})
	return Flow{}
}

// Guarded runs code and drops its mistakes if wanted is set in the end, since the code will run
// again: what was wrong may be right then, as more numbers are dynamic. A mistake that remains is
// found again.
func (em *Emitter) Guarded(wanted *bool, run func()) {
	undo := em.unwind()
	defer func() {
		if !*wanted {
			return
		}
		// Only mistakes of the program are dropped. Every other panic is a bug and goes on.
		switch e := recover().(type) {
		case nil, *diag.Error, Bailout:
		default:
			panic(e)
		}
		undo()
	}()
	run()
}

// passed gives the flow behind a loop: after a break out of the loop, evaluation goes on there.
func (l *Loop) passed(f Flow) Flow {
	if f.Target == any(l) && f.Kind == BreakLoop {
		return Flow{}
	}
	return f
}
