package eval

import (
	"errors"
	"go/constant"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
)

// instrBytes is what the compiler holds for an instruction, about.
const instrBytes = 512

// halt is a panic out of everything: the compilation must end here.
type halt struct{ err error }

// builder makes what writes a function: each instruction is counted.
func (ev *evaluator) builder(f *simt.Func, pos token.Position) *simt.Builder {
	return &simt.Builder{Func: f, Pos: pos, Emitted: func() {
		ev.spend(limit.Operations, 1)
		ev.spend(limit.Memory, instrBytes)
	}}
}

// spend counts work and ends the evaluation where that is too much, or where nobody waits for it any more.
func (ev *evaluator) spend(k limit.Kind, n int64) {
	err := ev.meter.Spend(k, n)
	if err == nil {
		return
	}
	var over *limit.Exceeded
	if errors.As(err, &over) {
		err = ev.tooMuch("%v", over)
	}
	panic(halt{err})
}

// tooMuch is the mistake of a function that takes too much to compile. It belongs to the statement of the host function or
// kernel, and names the function that is called there.
func (ev *evaluator) tooMuch(format string, args ...any) *diag.Error {
	e := ev.mistake(ev.pos, "this takes "+format, args...).Error
	called := 1
	for i, f := range ev.active {
		if ev.isKernel(f) {
			called = i + 1
		}
	}
	if called < len(ev.active) && !ev.active[called].pkg.Src.Lang {
		e.Pos, e.Calls = ev.position(ev.calls[called]), nil
		e.Source = source.Line(e.Pos)
		e.Msg = "the call of " + ev.active[called].name + strings.TrimPrefix(e.Msg, "this")
	}
	return e
}

// turn counts a turn of an unrolled loop, with those of the loops around it and in it.
func (ev *evaluator) turn() {
	if ev.unrolled++; ev.unrolled > ev.meter.Unrolled {
		panic(halt{ev.tooMuch("more than %d turns of unrolled loops, those of the loops in it counted: %s", ev.meter.Unrolled, limit.Hint("Unrolled"))})
	}
	ev.spend(limit.Calls, 0)
}

// join joins texts.
func (ev *evaluator) join(a, b constant.Value) value {
	if a.Kind() == constant.String {
		ev.spend(limit.Memory, int64(len(constant.StringVal(a))+len(constant.StringVal(b))))
	}
	return constant.BinaryOp(a, token.ADD, b)
}
