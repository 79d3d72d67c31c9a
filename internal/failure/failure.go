// Package failure turns the errors of compilers and engines into what cutile.Error tells.
package failure

import (
	"errors"
	"go/token"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/tileir"
)

// Explain turns an error of a function's way through a compiler and an engine into a [device.Error], joined with others
// if there are several. noun says what the function is: "kernel" or "function". It returns other errors as they are.
func Explain(noun, function string, err error) error {
	var list diag.List
	if errors.As(err, &list) {
		errs := make([]error, len(list))
		for i, e := range list {
			errs[i] = Explain(noun, function, e)
		}
		return errors.Join(errs...)
	}
	if err == nil {
		return nil
	}
	e := &device.Error{Kernel: function, Text: err.Error(), Cause: err}
	var mistake *diag.Error
	var refused engine.CompileError
	var bug *cache.Panic
	var kept *bundle.Fault
	switch {
	case errors.As(err, &mistake):
		e.Stage, e.Pos, e.Message = string(mistake.Stage), mistake.Pos, mistake.Msg
	case errors.As(err, &refused):
		e.Stage, e.Pos, e.Message = device.StageAssemble, Position(refused.Where()), refused.Why()
	case errors.As(err, &bug):
		e.Stage, e.Message, e.Text = device.StageAssemble, bug.Error(), panicText(noun+" "+function, bug)
		if errors.As(err, &kept) {
			e.Text += kept.Words()
		}
	default:
		return err
	}
	return e
}

// panicText is the message for a panic in a compiler.
func panicText(function string, bug *cache.Panic) string {
	text := function + ": " + bug.Error()
	if debug.On(debug.Backtrace) {
		return text + "\n" + string(bug.Stack)
	}
	return text + "; CUTILE_DEBUG=backtrace shows where" + bundle.Advice()
}

// Position is a source position as Go's tools write it.
func Position(l tileir.Loc) token.Position {
	return token.Position{Filename: l.File, Line: l.Line, Column: l.Col}
}
