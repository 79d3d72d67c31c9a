package compile

import (
	"fmt"
	rdebug "runtime/debug"
	"strings"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/tileir"
)

// internalError turns a panic of the compiler into an error that calls it a bug. m is the module as far as it came, nil if it did not.
func internalError(k *Kernel, f *Facts, m *tileir.Module, r any) error {
	msg := fmt.Sprintf("BUG: compiling %s: %v", k.name, r)
	if strings.HasPrefix(fmt.Sprint(r), "BUG: ") {
		msg = fmt.Sprintf("%v (compiling %s)", r, k.name)
	}
	stack := string(rdebug.Stack())
	if debug.On(debug.Backtrace) {
		msg += "\n" + stack
	} else {
		msg += " (CUTILE_DEBUG=backtrace shows the stack)"
	}
	e := &diag.Error{Pos: k.pos, Stage: diag.Lower, Msg: msg}
	k.keep(e, f, m, stack)
	return e
}

// keep writes the folder for a report of a bug, if that is asked for, and says in the message where it is.
func (k *Kernel) keep(e *diag.Error, f *Facts, m *tileir.Module, stack string) {
	r := &bundle.Report{Name: k.name, Fault: e.Msg, Trace: stack, Module: m, Repeat: k.dump(f), Files: k.sources(f)}
	r.Files[FactsFile] = []byte(k.FactsText(f))
	e.Msg += bundle.Words(r.Write()) + bundle.Advice()
}
