package lower

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// turn counts a turn of an unrolled loop: the turns of this loop, and those of all loops in each
// other. The message tells why the loop must be unrolled, if the program did not ask for it.
func (l *lowerer) turn(pos token.Pos, n, most int) {
	if n > most {
		hint := ""
		switch why := l.unrolls; {
		// Loops over lists have another limit, which no option changes.
		case most != l.Meter.Turns:
		case why == nil:
			hint = ": " + limit.Hint("Turns")
		default:
			// The advice of that message is of no use here.
			what, _, _ := strings.Cut(why.Msg, emit.ButDevice)
			hint = fmt.Sprintf(" (%s:%d: %s): change that, or %s", filepath.Base(why.Pos.Filename), why.Pos.Line, what, limit.Hint("Turns"))
		}
		l.Fail(pos, "this loop must be unrolled, as something in it must be known when the kernel is compiled, but it has more than %d turns%s", most, hint)
	}
	l.Turn()
}
