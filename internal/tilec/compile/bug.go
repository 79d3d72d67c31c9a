package compile

import (
	"fmt"
	rdebug "runtime/debug"
	"strings"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/front/diag"
)

// internalError turns a panic of the compiler into an error that calls it a bug.
func internalError(k *Kernel, r any) error {
	msg := fmt.Sprintf("BUG: compiling %s: %v", k.name, r)
	if strings.HasPrefix(fmt.Sprint(r), "BUG: ") {
		msg = fmt.Sprintf("%v (compiling %s)", r, k.name)
	}
	if debug.On(debug.Backtrace) {
		msg += "\n" + string(rdebug.Stack())
	}
	return &diag.Error{Pos: k.pos, Stage: diag.Lower, Msg: msg + " (CUTILE_DEBUG=backtrace shows the stack)"}
}
