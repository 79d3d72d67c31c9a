package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// A CompileError says why an engine did not make code of a module. Each engine has a type of its own that implements it.
type CompileError interface {
	error
	// Where is the position of the operation or entry at fault; zero where it is not known.
	Where() tileir.Loc
	// Why is the reason without the position.
	Why() string
}

// Bundled is a CompileError that may have left a folder with the files to reproduce it.
type Bundled interface {
	error
	// Folder is that folder, which may get more files; "" where there is none.
	Folder() string
}

// DamagedError says that what [Options].Code holds is not what an [Exporter] wrote. No other code takes its place, as somebody wants to
// know.
type DamagedError struct{ Err error }

// Error is the error's text.
func (e *DamagedError) Error() string { return e.Err.Error() }

// Unwrap is the error.
func (e *DamagedError) Unwrap() error { return e.Err }

// Damaged reports whether an error is a [*DamagedError].
func Damaged(err error) bool {
	var e *DamagedError
	return errors.As(err, &e)
}

// Error is "file.go:12:3: kernel add, block (1, 0, 0): assertion failed: …", then the calls that were inlined.
func (f *Fault) Error() string {
	var b strings.Builder
	if !f.Loc.IsZero() {
		fmt.Fprintf(&b, "%s:%d:%d: ", f.Loc.File, f.Loc.Line, f.Loc.Col)
	}
	fmt.Fprintf(&b, "kernel %s", f.Kernel)
	if f.Known {
		fmt.Fprintf(&b, ", block (%d, %d, %d)", f.Block[0], f.Block[1], f.Block[2])
	}
	b.WriteString(": " + f.Text)
	for c := f.Loc.Caller; c != nil; c = c.Caller {
		fmt.Fprintf(&b, "\n\tcalled at %s:%d:%d", c.File, c.Line, c.Col)
	}
	if f.Stack != "" {
		b.WriteString("\n" + f.Stack)
	}
	return b.String()
}
