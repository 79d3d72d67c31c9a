package compile

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/cutile-go/cutile/internal/diag"
)

// internalError turns a panic of the compiler into an error that says so.
func internalError(k *Kernel, r any) error {
	msg := fmt.Sprintf("BUG: compiling %s: %v", k.name, r)
	if strings.HasPrefix(fmt.Sprint(r), "BUG: ") {
		msg = fmt.Sprintf("%v (compiling %s)", r, k.name)
	}
	if strings.Contains(os.Getenv("CUTILE_DEBUG"), "backtrace") {
		msg += "\n" + string(debug.Stack())
	}
	return &diag.Error{Pos: k.pos, Stage: diag.Lower, Msg: msg + " (CUTILE_DEBUG=backtrace shows the stack)"}
}
