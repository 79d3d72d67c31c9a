package device

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tools/bundle"
)

// Errors that a program can test for with errors.Is.
var (
	// ErrClosed is returned by every use of a device, stream, tensor, event or graph after its Close.
	ErrClosed = core.ErrClosed
	// ErrFrozen is returned by every write to a tensor after Tensor.Freeze.
	ErrFrozen = core.ErrFrozen
	// ErrNoDevice is returned by Open for a device that does not exist.
	ErrNoDevice = errors.New("no such device")
)

// The errors of a nil pointer where there must be something, and of a nil context.
var (
	errNilDevice  = errors.New("cutile: the device is nil")
	errNilStream  = errors.New("cutile: the stream is nil")
	errNilEvent   = errors.New("cutile: the event is nil: use the one that Record returns")
	errNilTensor  = errors.New("cutile: the tensor is nil")
	errNilContext = errors.New("cutile: the context is nil: pass context.Background() for one that never ends")
)

// The stages of an [Error].
const (
	StageCapture  = "capture"  // finding the kernel's source
	StageCheck    = "check"    // the rules of Go
	StageLower    = "lower"    // the rules of kernels
	StageVerify   = "verify"   // the rules of Tile IR: a bug in this library
	StageAssemble = "assemble" // making code for the device
	StageLaunch   = "launch"   // arguments and grid
	StageRun      = "run"      // the running kernel
)

// Error is one thing that went wrong with a kernel. Several errors are joined: errors.As finds the first, and Unwrap() []error
// returns all.
type Error struct {
	Stage   string         // the stage that found it: one of the Stage constants
	Kernel  string         // such as main.add[D1024]; "" if it is not known
	Pos     token.Position // in the kernel's source; invalid if there is none
	Block   [3]int         // at StageRun the block that failed if the engine knows it, else zero
	Message string         // without position and kernel
	Text    string         // the result of Error
	Cause   error          // the result of Unwrap
}

// Error returns the position, the message and, if it is available, the source line.
func (e *Error) Error() string { return e.Text }

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Cause }

// CheckContext returns an error if the context is nil or has ended.
func CheckContext(ctx context.Context) error {
	if ctx == nil {
		return errNilContext
	}
	return ctx.Err()
}

// named adds to an error which thing it is about, and which kernel failed, if one did.
func named(what string, d *Device, err error) error {
	if err == nil {
		return nil
	}
	var diff *engine.Difference
	if errors.As(err, &diff) && !errors.Is(err, ErrClosed) {
		return d.differs(diff)
	}
	var fault *engine.Fault
	if errors.As(err, &fault) && !errors.Is(err, ErrClosed) {
		return d.failed(*fault, err)
	}
	return core.Named[*Error](what, err)
}

// suspects names kernels with their places: "main.scale[D16] (kernels.go:12:1) or main.add[D16] (kernels.go:20:1)".
func suspects(d *core.Device, all []engine.Suspect) string {
	var words []string
	for _, s := range all {
		word := d.KernelName(s.Kernel)
		if !s.Loc.IsZero() {
			word = fmt.Sprintf("%s (%s:%d:%d)", word, s.Loc.File, s.Loc.Line, s.Loc.Col)
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " or ")
}

// failed is the error of a kernel that failed while it ran.
func (d *Device) failed(f engine.Fault, cause error) error {
	names := d.core
	var other *core.On
	if errors.As(cause, &other) {
		names = other.Dev
	}
	f.Kernel = names.KernelName(f.Kernel)
	if len(f.Suspects) > 0 {
		f.Kernel = suspects(names, f.Suspects)
	}
	var kept *bundle.Fault
	if errors.As(cause, &kept) {
		f.Text += kept.Words()
	} else if _, ours := bundle.Ours(&f); ours {
		f.Text += bundle.Advice()
	}
	e := &Error{Stage: StageRun, Kernel: f.Kernel, Message: f.Text, Text: f.Error(), Cause: cause}
	e.Pos = token.Position{Filename: f.Loc.File, Line: f.Loc.Line, Column: f.Loc.Col}
	for i, n := range f.Block {
		e.Block[i] = int(n)
	}
	return e
}
