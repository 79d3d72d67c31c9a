package run

import (
	"errors"

	api "github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Explain turns the error of a call of the function, or of the function itself, into what cutile.Error tells. Other errors
// stay as they are.
func (f *Function) Explain(err error) error {
	if err == nil {
		return nil
	}
	e := &api.Error{Kernel: f.Name(), Text: err.Error(), Cause: err}
	var argument *ArgumentError
	var stage *CompileError
	var fault *emu.Error
	switch {
	case errors.As(err, &argument):
		e.Stage, e.Message, e.Cause = api.StageLaunch, argument.Text, argument.Reason()
	case errors.As(err, &stage):
		e.Stage, e.Message = api.StageAssemble, stage.Err.Error()
		var wrong *simt.Error
		if errors.As(stage.Err, &wrong) {
			e.Pos = wrong.Pos
		}
		if stage.Stage == api.StageVerify {
			e.Stage = api.StageVerify
		}
	case errors.As(err, &fault):
		e.Stage, e.Pos, e.Message = api.StageRun, fault.Pos, fault.Text
	default:
		return failure.Explain("function", f.Name(), err)
	}
	return e
}
