package run

import (
	"errors"
	"go/token"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Mistake is an error of this package, taken apart.
type Mistake struct {
	Stage string // as cutile.Error names it
	Pos   token.Position
	Text  string
	Cause error // nil: the arguments do not fit
}

// MistakeOf takes an error apart that this package, or the host function, made.
func MistakeOf(err error) (Mistake, bool) {
	var argument *ArgumentError
	var stage *CompileError
	var fault *emu.Error
	switch {
	case errors.As(err, &argument):
		return Mistake{Stage: "launch", Text: argument.Text, Cause: argument.Cause}, true
	case errors.As(err, &stage):
		m := Mistake{Stage: "assemble", Text: stage.Err.Error(), Cause: err}
		var wrong *simt.Error
		if errors.As(stage.Err, &wrong) {
			m.Pos = wrong.Pos
		}
		if stage.Stage == "verify" {
			m.Stage = "verify"
		}
		return m, true
	case errors.As(err, &fault):
		return Mistake{Stage: "run", Pos: fault.Pos, Text: fault.Text, Cause: err}, true
	}
	return Mistake{}, false
}
