package cutile

import (
	"context"
	"errors"
	"fmt"
	"go/token"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// What a program may test an error for, with errors.Is.
var (
	// ErrClosed is the error of every use of a device, stream or tensor after its Close.
	ErrClosed = device.ErrClosed
	// ErrMismatch is the error of a launch whose arguments do not fit the kernel.
	ErrMismatch = errors.New("arguments do not fit the kernel")
	// ErrNoDevice is the error of Open for a device that is not there.
	ErrNoDevice = errors.New("no such device")
	// ErrNoToolchain is the error of a launch for which the assembler of CUDA Tile IR is missing.
	ErrNoToolchain = toolchain.ErrNotFound
)

// The errors of a nil pointer where there must be something, and of a nil context.
var (
	errNilDevice   = errors.New("cutile: the device is nil")
	errNilStream   = errors.New("cutile: the stream is nil")
	errNilEvent    = errors.New("cutile: the event is nil: take what Record gives")
	errNilTensor   = errors.New("cutile: the tensor is nil")
	errNilPrepared = errors.New("cutile: the Prepared is nil: take what Prepare gives")
	errNilContext  = errors.New("cutile: the context is nil: give context.Background() for one that never ends")
)

// errRepeats is the error of a write through a view that repeats elements.
var errRepeats = errors.New("a broadcast view repeats elements and cannot be written")

// known gives the error of a context that is nil or has ended.
func known(ctx context.Context) error {
	if ctx == nil {
		return errNilContext
	}
	return ctx.Err()
}

// The stages of an [Error].
const (
	StageCapture  = "capture"  // finding the kernel's source
	StageCheck    = "check"    // the rules of Go
	StageLower    = "lower"    // the rules of kernels
	StageVerify   = "verify"   // the rules of Tile IR: a fault of this library
	StageAssemble = "assemble" // making code for the device
	StageLaunch   = "launch"   // arguments and grid
	StageRun      = "run"      // the kernel, while it ran
)

// Error is one thing that went wrong with a kernel. Several of them come joined: errors.As finds the first, and
// Unwrap() []error all.
type Error struct {
	Stage   string         // where it was found: one of the Stage constants
	Kernel  string         // such as main.add[D1024], "" where it is not known
	Pos     token.Position // in the kernel's source; invalid where there is none
	Block   [3]int         // at StageRun the block that failed, where the engine knows it, else zero
	Message string         // without position and kernel
	Text    string         // what Error returns
	Cause   error          // what Unwrap returns
}

// Error gives the position, the message and, where it is at hand, the line of source.
func (e *Error) Error() string { return e.Text }

// Unwrap gives the error behind it.
func (e *Error) Unwrap() error { return e.Cause }

// newError makes an Error of its parts, which are its fields.
func newError(p failure.Parts) error { return (*Error)(&p) }

// explain turns the error of a kernel's way through the compiler and the engine into Errors. Other errors stay as they
// are.
func explain(kernel string, err error) error { return failure.Maker(newError).Explain(kernel, err) }

// mismatch makes the error of a launch with mistakes: nil for none.
func mismatch(kernel string, wrong []bind.Mistake) error {
	errs := make([]error, len(wrong))
	for i, m := range wrong {
		cause := m.Cause
		if cause == nil {
			cause = ErrMismatch
		}
		errs[i] = &Error{Stage: StageLaunch, Kernel: kernel, Message: m.Text, Text: "kernel " + kernel + ": " + m.Text, Cause: cause}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// named says which thing an error is about. Errors that say so themselves stay as they are.
func named(what string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrClosed) {
		return fmt.Errorf("cutile: %s is %w", what, ErrClosed)
	}
	var known *Error
	if err = explain("", err); errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("cutile: %s: %w", what, err)
}
