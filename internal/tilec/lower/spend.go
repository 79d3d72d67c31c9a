package lower

import (
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/limit"
)

// What the compiler holds for an operation and for an element of a list, about, in bytes.
const (
	opBytes   = 1024
	elemBytes = 48
)

// halt is a panic out of everything: the compilation must end here.
type halt struct{ err error }

// spend counts work and ends the lowering where that is too much, or where nobody waits for it any more.
func (l *lowerer) spend(k limit.Kind, n int64) {
	err := l.meter.Spend(k, n)
	if err == nil {
		return
	}
	var over *limit.Exceeded
	if errors.As(err, &over) {
		err = l.tooMuch("%v", over)
	}
	panic(halt{err})
}

// tooMuch is the mistake of a kernel that takes too much to compile. It belongs to the kernel's own statement, and names
// the function that is called there.
func (l *lowerer) tooMuch(format string, args ...any) *diag.Error {
	e := l.mistake(l.at, format, args...)
	if n := len(e.Calls); n > 0 {
		e.Pos, e.Calls = e.Calls[n-1], nil
		e.Source = source.Line(e.Pos)
	}
	e.Msg = "this takes " + e.Msg
	for _, f := range l.active[min(1, len(l.active)):] {
		if !f.pkg.Src.Lang {
			e.Msg = "the call of " + f.name + e.Msg[len("this"):]
			break
		}
	}
	return e
}

// turn counts a turn of an unrolled loop: those of a loop, and those of all loops in one another.
func (l *lowerer) turn(pos token.Pos, n, most int) {
	if n > most {
		hint := ""
		switch why := l.unrolls; {
		case most != l.meter.Turns:
		case why == nil:
			hint = ": " + limit.Hint("Turns")
		default:
			what, _, _ := strings.Cut(why.Msg, butDevice)
			hint = fmt.Sprintf(" (%s:%d: %s): change that, or %s", filepath.Base(why.Pos.Filename), why.Pos.Line, what, limit.Hint("Turns"))
		}
		l.fail(pos, "this loop must be unrolled, as something in it must be known when the kernel is compiled, but it has more than %d turns%s", most, hint)
	}
	if l.unrolled++; l.unrolled > l.meter.Unrolled {
		panic(halt{l.tooMuch("more than %d turns of unrolled loops, those of the loops in it counted: %s", l.meter.Unrolled, limit.Hint("Unrolled"))})
	}
}
