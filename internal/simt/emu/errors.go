package emu

import (
	"fmt"
	"go/token"

	"github.com/cutile-go/cutile/internal/simt"
)

// Error is a mistake that a kernel or a host function made while it ran.
type Error struct {
	Kernel string // the name of the kernel in the program's source, or the host function's
	Host   bool
	Block  [3]int
	Thread [3]int
	Pos    token.Position // of the instruction
	Text   string
}

// LaunchError says why a launch cannot begin.
type LaunchError struct {
	Kernel string // the name of the kernel in the program's source
	Err    error  // the reason without the kernel
}

// Error is "kernel k: reason".
func (e *LaunchError) Error() string { return "kernel " + e.Kernel + ": " + e.Err.Error() }

// Unwrap is the reason.
func (e *LaunchError) Unwrap() error { return e.Err }

// Error gives position, kernel, block and thread, and what happened.
func (e *Error) Error() string {
	where := ""
	if e.Pos.IsValid() {
		where = e.Pos.String() + ": "
	}
	if e.Host {
		return fmt.Sprintf("%shost function %s: %s", where, e.Kernel, e.Text)
	}
	return fmt.Sprintf("%skernel %s, block %s, thread %s: %s", where, e.Kernel, triple(e.Block), triple(e.Thread), e.Text)
}

func triple(t [3]int) string { return fmt.Sprintf("(%d,%d,%d)", t[0], t[1], t[2]) }

// fault ends the run with a mistake of one lane at the present instruction. The first mistake counts.
func (w *warp) fault(lane int, format string, args ...any) {
	if w.err != nil {
		return
	}
	w.event = failed
	w.err = &Error{
		Kernel: w.fn.def.Title(), Host: w.fn.def.Host, Block: w.block.id, Thread: w.thread(lane),
		Pos: w.fn.code[w.pc].src.Pos, Text: fmt.Sprintf(format, args...),
	}
}

// op is the name of the present instruction.
func (w *warp) op() string {
	in := w.fn.code[w.pc].src
	if in.Op == simt.OpCall {
		return in.Text
	}
	return in.Op
}

// thread gives the index of a lane's thread.
func (w *warp) thread(lane int) [3]int { return unflat(w.index*lanes+lane, w.block.cluster.run.size) }

// unflat turns a number into an index: x goes fastest.
func unflat(n int, size [3]int) [3]int {
	x, y := max(size[0], 1), max(size[1], 1)
	return [3]int{n % x, n / x % y, n / (x * y)}
}
