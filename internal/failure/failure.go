// Package failure takes the errors of compilers, engines and devices apart into what cutile.Error tells.
package failure

import (
	"errors"
	"go/token"
	"sync"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/tileir"
)

// The stages of errors that no compiler names. cutile.Error lists all of them.
const (
	Verify   = "verify"
	Assemble = "assemble"
	Launch   = "launch"
	Run      = "run"
)

// Parts describes one thing that went wrong. It has the fields of cutile.Error, which documents them.
type Parts struct {
	Stage   string
	Kernel  string
	Pos     token.Position
	Block   [3]int
	Message string
	Text    string
	Cause   error
}

// Maker makes an error of its parts: a *cutile.Error.
type Maker func(Parts) error

// Explain turns an error of a function's way through a compiler and an engine into what the maker makes, joined where
// there are several. It returns other errors as they are.
func (m Maker) Explain(function string, err error) error {
	var list diag.List
	if errors.As(err, &list) {
		errs := make([]error, len(list))
		for i, e := range list {
			errs[i] = m.Explain(function, e)
		}
		return errors.Join(errs...)
	}
	p := Parts{Kernel: function, Cause: err}
	if err == nil || !p.find(err) {
		return err
	}
	if p.Text == "" {
		p.Text = err.Error()
	}
	return m(p)
}

// find fills in the parts of an error; false for one of no known kind.
func (p *Parts) find(err error) bool {
	var mistake *diag.Error
	var refused engine.CompileError
	var fault *engine.Fault
	var bug *cache.Panic
	switch {
	case errors.As(err, &mistake):
		p.Stage, p.Pos, p.Message = string(mistake.Stage), mistake.Pos, mistake.Msg
	case errors.As(err, &refused):
		p.Stage, p.Pos, p.Message = Assemble, Position(refused.Where()), refused.Why()
	case errors.As(err, &fault):
		p.fault(*fault)
	case errors.As(err, &bug):
		p.bug(bug)
	default:
		return false
	}
	return true
}

// fault fills in the parts of a launch that failed.
func (p *Parts) fault(f engine.Fault) {
	if name, ok := kernels.Load(f.Kernel); ok {
		f.Kernel = name.(string)
	}
	p.Stage, p.Kernel, p.Pos, p.Message, p.Text = Run, f.Kernel, Position(f.Loc), f.Text, f.Error()
	for i, n := range f.Block {
		p.Block[i] = int(n)
	}
}

// bug fills in the parts of a panic in a compiler.
func (p *Parts) bug(b *cache.Panic) {
	p.Stage, p.Message = Assemble, b.Error()
	p.Text = "kernel " + p.Kernel + ": " + p.Message + "; CUTILE_DEBUG=backtrace shows where"
	if debug.On(debug.Backtrace) {
		p.Text = "kernel " + p.Kernel + ": " + p.Message + "\n" + string(b.Stack)
	}
}

// kernels maps the names of entries to those of kernels.
var kernels sync.Map

// Name notes which kernel an entry of Tile IR is of: engines know only the name of the entry.
func Name(entry, kernel string) { kernels.Store(entry, kernel) }

// Position is a place in source as Go's tools write it.
func Position(l tileir.Loc) token.Position {
	return token.Position{Filename: l.File, Line: l.Line, Column: l.Col}
}
