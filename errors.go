package cutile

import (
	"errors"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// Errors that a program can test for with errors.Is.
var (
	// ErrClosed is returned by every use of a device, stream or tensor after its Close.
	ErrClosed = device.ErrClosed
	// ErrFrozen is returned by every write to a tensor after [Tensor.Freeze].
	ErrFrozen = device.ErrFrozen
	// ErrMismatch is returned by a launch whose arguments do not fit the kernel.
	ErrMismatch = bind.ErrMismatch
	// ErrNoDevice is returned by Open for a device that does not exist.
	ErrNoDevice = device.ErrNoDevice
	// ErrNoToolchain is returned by a launch that needs the assembler of CUDA Tile IR when that is missing.
	ErrNoToolchain = toolchain.ErrNotFound
)

// The stages of an [Error].
const (
	StageCapture  = device.StageCapture  // finding the kernel's source
	StageCheck    = device.StageCheck    // the rules of Go
	StageLower    = device.StageLower    // the rules of kernels
	StageVerify   = device.StageVerify   // the rules of Tile IR: a bug in this library
	StageAssemble = device.StageAssemble // making code for the device
	StageLaunch   = device.StageLaunch   // arguments and grid
	StageRun      = device.StageRun      // the running kernel
)

// Error is one thing that went wrong with a kernel, with its stage, position and message: [device.Error] has the fields.
// Several errors are joined: errors.As finds the first, and Unwrap() []error returns all.
type Error = device.Error

// DifferenceError is the error of a launch that left other results than the CPU: see [WithShadow]. [device.DifferenceError] has the fields.
type DifferenceError = device.DifferenceError

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
