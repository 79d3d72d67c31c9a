package run

import (
	"errors"

	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// MistakeOf takes an error apart that this package, or a host function, made; false for other errors. The parts of wrong
// arguments have no cause.
func MistakeOf(function string, err error) (p failure.Parts, ok bool) {
	p = failure.Parts{Kernel: function, Text: err.Error(), Cause: err}
	var argument *ArgumentError
	var stage *CompileError
	var fault *emu.Error
	switch {
	case errors.As(err, &argument):
		p.Stage, p.Message, p.Cause = failure.Launch, argument.Text, argument.Cause
	case errors.As(err, &stage):
		p.Stage, p.Message = failure.Assemble, stage.Err.Error()
		var wrong *simt.Error
		if errors.As(stage.Err, &wrong) {
			p.Pos = wrong.Pos
		}
		if stage.Stage == failure.Verify {
			p.Stage = failure.Verify
		}
	case errors.As(err, &fault):
		p.Stage, p.Pos, p.Message = failure.Run, fault.Pos, fault.Text
	default:
		return p, false
	}
	return p, true
}
