package engine

import (
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
