package goval

import (
	"errors"
	"go/token"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/limit"
)

// Poison is the value of a variable whose statement has a mistake.
type Poison struct{}

// Bailout is the panic that leaves a statement which uses a value that an earlier mistake left undefined.
type Bailout struct{}

// Endless is the panic that leaves every function that is being compiled, because they call each other without end.
type Endless struct{ Err *diag.Error }

// Halt is the panic that ends the compilation.
type Halt struct{ Err error }

// Reporter keeps the mistakes of a program that is being compiled, with the calls that led to each, and counts what compiling it
// takes. A compiler embeds it.
type Reporter struct {
	Errs  diag.List
	Meter *limit.Meter
	Pos   token.Pos // the code that is being compiled; that of the language counts as its caller's
	Calls Calls

	nest, unrolled int // nested unrolled loops, and their iterations
}

// Run compiles a program by f. The error is a diag.List with every mistake, or what f halts with.
func (r *Reporter) Run(f func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case Halt:
			err = e.Err
			if m, ok := err.(*diag.Error); ok {
				err = append(r.Errs, m).Err()
			}
		default:
			panic(e)
		}
	}()
	f()
	return r.Errs.Err()
}

// Try runs f and keeps the mistake that it may end with; then undo restores what f may have left changed. An [Endless] is kept
// only by the outermost function, since each statement on the way there would try again.
func (r *Reporter) Try(outermost bool, undo, f func()) (ok bool) {
	defer func() {
		switch e := recover().(type) {
		case nil:
			return
		case *diag.Error:
			r.Errs = append(r.Errs, e)
		case diag.List:
			r.Errs = append(r.Errs, e...)
		case Bailout:
			if len(r.Errs) == 0 { // nothing has said yet why
				r.Errs = append(r.Errs, r.Mistake(r.Pos, "this cannot be compiled"))
			}
		case Endless:
			if !outermost {
				panic(e)
			}
			r.Errs = append(r.Errs, e.Err)
		default:
			panic(e)
		}
		undo()
		ok = false
	}()
	f()
	return true
}

// Mistake is an error of the user's at a position; types among args are written as code writes them.
func (r *Reporter) Mistake(pos token.Pos, format string, args ...any) *diag.Error {
	at, calls := r.Calls.where(pos)
	where := position(at)
	return &diag.Error{Pos: where, Stage: diag.Lower, Msg: diag.Textf(format, args...), Source: source.Line(where), Calls: positions(calls)}
}

// Fail ends what is being compiled with a [Reporter.Mistake].
func (r *Reporter) Fail(pos token.Pos, format string, args ...any) {
	panic(r.Mistake(pos, format, args...))
}

// Must fails unless ok.
func (r *Reporter) Must(ok bool, pos token.Pos, format string, args ...any) {
	if !ok {
		r.Fail(pos, format, args...)
	}
}

// Checked gives a result of this package and reports its error as a mistake at pos.
func Checked[V any](r *Reporter, pos token.Pos, v V, err error) V {
	if err != nil {
		r.Fail(pos, "%v", err)
	}
	return v
}

// Enter begins to compile a function in the place of a call; the result ends it. Functions that call each other without end are a
// mistake at the call that begins anew; the hint says by what a recursion must end.
func (r *Reporter) Enter(c Call, hint string) (leave func()) {
	n := len(r.Calls)
	if n >= MaxDepth {
		r.deep(c, hint)
	}
	r.Calls = append(r.Calls, c)
	return func() { r.Calls = r.Calls[:n] }
}

func (r *Reporter) deep(c Call, hint string) {
	all := append(slices.Clip(r.Calls), c)
	circle, n := all.circle()
	if circle == nil {
		panic(Endless{r.Mistake(c.At, "more than %d nested calls", MaxDepth)})
	}
	way := circle[0] + " calls itself"
	if len(circle) > 1 {
		way = circle[0] + " calls " + strings.Join(slices.Concat(circle[1:], circle[:1]), ", which calls ")
	}
	r.Calls = all[:n]
	panic(Endless{r.Mistake(all[n].At, "%s: a recursion must end by %s, within %d nested calls", way, hint, MaxDepth)})
}

// Spend counts work, and halts if there was too much of it or if nobody waits for the result any more.
func (r *Reporter) Spend(k limit.Kind, n int64) {
	err := r.Meter.Spend(k, n)
	if err == nil {
		return
	}
	var over *limit.Exceeded
	if errors.As(err, &over) {
		err = r.tooMuch("%v", over)
	}
	panic(Halt{err})
}

// tooMuch is the mistake of a program that takes too much to compile. It belongs to the program's own statement, and names the
// function that is called there.
func (r *Reporter) tooMuch(format string, args ...any) *diag.Error {
	e := r.Mistake(r.Pos, "this takes "+format, args...)
	if name, at := r.Calls.called(); name != "" {
		e.Msg = "the call of " + name + strings.TrimPrefix(e.Msg, "this")
		e.Pos, e.Source, e.Calls = position(at), source.Line(position(at)), nil
	}
	return e
}

// Unroll begins a loop that is unrolled; end ends it.
func (r *Reporter) Unroll() (end func()) {
	if r.nest++; r.nest == 1 {
		r.unrolled = 0
	}
	return func() { r.nest-- }
}

// Turn counts an iteration of an unrolled loop, together with those of the loops around it and in it.
func (r *Reporter) Turn() {
	if r.unrolled++; r.unrolled > r.Meter.Unrolled {
		panic(Halt{r.tooMuch("more than %d iterations of unrolled loops, counting nested loops: %s", r.Meter.Unrolled, limit.Hint("Unrolled"))})
	}
	r.Spend(limit.Calls, 0)
}
