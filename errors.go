package cutile

import (
	"errors"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// What a program may test an error for, with errors.Is.
var (
	// ErrClosed is the error of every use of a device, stream or tensor after its Close.
	ErrClosed = device.ErrClosed
	// ErrMismatch is the error of a launch whose arguments do not fit the kernel.
	ErrMismatch = bind.ErrMismatch
	// ErrNoDevice is the error of Open for a device that is not there.
	ErrNoDevice = device.ErrNoDevice
	// ErrNoToolchain is the error of a launch for which the assembler of CUDA Tile IR is missing.
	ErrNoToolchain = toolchain.ErrNotFound
)

// The stages of an [Error].
const (
	StageCapture  = device.StageCapture  // finding the kernel's source
	StageCheck    = device.StageCheck    // the rules of Go
	StageLower    = device.StageLower    // the rules of kernels
	StageVerify   = device.StageVerify   // the rules of Tile IR: a fault of this library
	StageAssemble = device.StageAssemble // making code for the device
	StageLaunch   = device.StageLaunch   // arguments and grid
	StageRun      = device.StageRun      // the kernel, while it ran
)

// Error is one thing that went wrong with a kernel, with its stage, position and message: [device.Error] has the fields.
// Several of them come joined: errors.As finds the first, and Unwrap() []error all.
type Error = device.Error

// mismatch makes the error of a launch with mistakes: nil for none.
func mismatch(kernel string, wrong []bind.Mistake) error {
	errs := make([]error, len(wrong))
	for i, m := range wrong {
		errs[i] = &Error{Stage: StageLaunch, Kernel: kernel, Message: m.Text, Text: "kernel " + kernel + ": " + m.Text, Cause: m.Reason()}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
