// Package diag reports mistakes in kernels: each with a position, a message and the line of source, all at once.
package diag

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Stage says which part of the compiler found an error.
type Stage string

// The stages, in the order in which a kernel passes them.
const (
	Capture Stage = "capture" // finding the kernel's source
	Check   Stage = "check"   // types, by the rules of Go
	Lower   Stage = "lower"   // the rules of kernels
	Verify  Stage = "verify"  // the rules of what the kernel becomes; an error here is a bug of ours
)

// Error is one mistake.
type Error struct {
	Pos    token.Position // Line 0: no position
	Stage  Stage
	Msg    string
	Source string           // the line of source, "" where it is not at hand
	Calls  []token.Position // of the functions on the way from the kernel, the last one first
	// OfTypes says that the types do not fit each other, in shape or element: other type arguments of the kernel may.
	OfTypes bool
	// NoExtent says that an extent which follows from others does not exist. It is a mistake of types, too.
	NoExtent bool
	// SameShape says that two operands must have one shape, which types of the kernel can say.
	SameShape bool
}

// shownCalls is how many of the innermost calls, and of the outermost ones, a message lists.
const shownCalls = 4

// Error is "file.go:12:9: message", with the line, a mark under the column, and the calls on the way;
// of a long way it lists both ends.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Pos.IsValid() {
		b.WriteString(e.Pos.String() + ": ")
	}
	b.WriteString(e.Msg)
	if e.Source != "" {
		line := strings.ReplaceAll(e.Source, "\t", "    ")
		col := max(e.Pos.Column-1, 0)
		col += 3 * strings.Count(e.Source[:min(col, len(e.Source))], "\t")
		fmt.Fprintf(&b, "\n    %s\n    %s^", line, strings.Repeat(" ", col))
	}
	for i, at := range e.Calls {
		if left := len(e.Calls) - 2*shownCalls; left > 1 && i >= shownCalls && i < shownCalls+left {
			if i == shownCalls {
				fmt.Fprintf(&b, "\n\t(%d more calls)", left)
			}
			continue
		}
		fmt.Fprintf(&b, "\n\tcalled at %v", at)
	}
	return b.String()
}

// List is several mistakes of one kernel, in the order of their positions.
type List []*Error

// Error joins the messages, one after another.
func (l List) Error() string {
	parts := make([]string, len(l))
	for i, e := range l {
		parts[i] = e.Error()
	}
	return strings.Join(parts, "\n")
}

// Unwrap gives each mistake to errors.As.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Err gives the list sorted and without duplicates: nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	sorted = slices.CompactFunc(sorted, func(a, b *Error) bool { return a.Pos == b.Pos && a.Msg == b.Msg })
	return sorted
}
