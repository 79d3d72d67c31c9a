package device

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
)

// shadowEnv makes devices that are opened without [WithShadow] compare their launches.
const shadowEnv = "CUTILE_SHADOW"

// Shadow says how [WithShadow] compares. The zero value is the usual way.
type Shadow struct {
	// Tolerance is by how much floats may differ, as a part of their size. 0 stands for 2⁻⁴⁰ for float64, 2⁻¹³ for float32, 2⁻⁸ for
	// float16, 2⁻⁵ for bfloat16, and one step for floats of 8 bits. The size is the larger of the two numbers, or the median of the
	// tensor's elements that are not zero, if that is larger. Integers have to be equal. NaN equals NaN, and 0 equals -0.
	Tolerance float64
	// Warn logs differences in place of errors: to the logger of [WithLogger], else to slog.Default.
	Warn bool
	// Time is how long a launch may take on the CPU. Longer ones are not compared. Default 1 minute.
	Time time.Duration
	// Memory is how many bytes the memory of a launch's tensors may have. Launches with more are not compared. Default 4 GiB.
	Memory int64
}

// WithShadow repeats each launch on the CPU and compares what the two leave in memory. A difference is an error of the next call that waits, a
// [*DifferenceError], and names kernel, tensor and element, both values, and the block and line that store the element on the CPU. The program
// keeps the results of the device, with which each comparison begins, so that a difference is reported once.
//
// For that, memory that the arguments of a launch point into is copied to the host before and after it, the whole of it even if a tensor
// is a view of a part. The host needs three to four times as many bytes, and a launch takes as long as on the CPU. Launches are still queued;
// events, and times in traces, include the comparison. A launch that differs is repeated up to three times by the interpreter with checks
// ([WithChecks]). That finds block and line, and data races, which are reported in place of the line.
//
// Results that depend on the order of blocks are no differences: sums by atomic operations of floats, places that an atomic counter gives.
// Where the interpreter itself gives other bits in another order of blocks, the launch counts as not compared. The order within a block is
// not tried for tile kernels: an atomic operation on one place by several elements of a tile may be reported.
//
// These launches are not compared either: what takes too long or too much memory, kernels with global variables that are not constant, kernels that
// compute with addresses, and what the CPU engine refuses. The logger is told why, once for each kernel and reason; [Stats] counts them.
// What kernels print is not compared. Memory is not shared with other libraries: [FromForeign], [Share], and the imports and exports of package interop
// return an error. Graphs of launches are replayed launch by launch.
//
// On the CPU, machine code is compared with the interpreter. With CUTILE_OVERRIDE, kernels that were changed by hand are compared with what
// the compiler made. Where a GPU does not say where a kernel failed, the error has what the CPU does with the launch.
//
// The environment variable CUTILE_SHADOW=1 does the same for devices that are opened without the option. It may also be a list:
// CUTILE_SHADOW=warn,tolerance=0.001,time=10m,memory=8GiB. CUTILE_SHADOW=off, or 0, is none.
func WithShadow(s Shadow) Option { return func(o *options) { o.Shadow = (*engine.Shadow)(&s) } }

// check refuses values that mean nothing.
func checkShadow(s *engine.Shadow) error {
	switch {
	case s == nil:
	case !(s.Tolerance >= 0) || math.IsInf(s.Tolerance, 0):
		return fmt.Errorf("Shadow.Tolerance is %v: expected 0 for the default, or a positive number", s.Tolerance)
	case s.Time < 0:
		return fmt.Errorf("Shadow.Time is %v: expected 0 for the default, or more", s.Time)
	case s.Memory < 0:
		return fmt.Errorf("Shadow.Memory is %d: expected 0 for the default, or a positive number of bytes", s.Memory)
	}
	return nil
}

// shadowWords are the words of CUTILE_SHADOW, and what they set. Those with a value end in =.
var shadowWords = []struct {
	word string
	set  func(s *engine.Shadow, value string) error
}{
	{"on", func(*engine.Shadow, string) error { return nil }},
	{"1", func(*engine.Shadow, string) error { return nil }},
	{"warn", func(s *engine.Shadow, _ string) error { s.Warn = true; return nil }},
	{"tolerance=", func(s *engine.Shadow, v string) (err error) { s.Tolerance, err = strconv.ParseFloat(v, 64); return err }},
	{"time=", func(s *engine.Shadow, v string) (err error) { s.Time, err = time.ParseDuration(v); return err }},
	{"memory=", func(s *engine.Shadow, v string) (err error) { s.Memory, err = limit.Bytes(v); return err }},
}

// envShadow is what CUTILE_SHADOW says; nil for nothing.
func envShadow() (*engine.Shadow, error) {
	text := os.Getenv(shadowEnv)
	if text == "" || text == "0" || text == "off" {
		return nil, nil
	}
	s := &engine.Shadow{}
	for part := range strings.SplitSeq(text, ",") {
		if err := setShadow(s, strings.TrimSpace(part)); err != nil {
			return nil, fmt.Errorf("%s is %q: %w", shadowEnv, text, err)
		}
	}
	return s, nil
}

func setShadow(s *engine.Shadow, part string) error {
	var all []string
	for _, w := range shadowWords {
		all = append(all, w.word)
		value, ok := strings.CutPrefix(part, w.word)
		if !ok || value != "" && !strings.HasSuffix(w.word, "=") {
			continue
		}
		if err := w.set(s, value); err != nil {
			return fmt.Errorf("%s: %w", part, cmp.Or(errors.Unwrap(err), err))
		}
		return nil
	}
	return fmt.Errorf("expected off, or a list of %s, not %q", strings.Join(all, ", "), part)
}

// DifferenceError is the error of a launch that left other results than the CPU: see [WithShadow]. An [Error] of [StageRun] wraps it.
type DifferenceError struct {
	Kernel    string         // such as main.add[D1024]
	Tensor    string         // the kernel's parameter; "" if the launch ends with an error on the CPU alone
	Index     []int          // of the first element that differs, along each axis; nil if a byte outside of all tensors does
	Got, Want string         // its values, on the device and on the CPU
	Count     int64          // elements of the tensor that differ; without Index, bytes
	Elements  int64          // of the tensor
	Pos       token.Position // of the store on the CPU; invalid if there is none, or it was not found
	Block     [3]int         // that stored it, if Pos is valid
	Message   string         // without position and kernel
}

// Error returns the message, with the position and the kernel.
func (e *DifferenceError) Error() string {
	text := "kernel " + e.Kernel
	if e.Pos.IsValid() {
		text = fmt.Sprintf("%v: %s, block (%d, %d, %d)", e.Pos, text, e.Block[0], e.Block[1], e.Block[2])
	}
	return text + ": " + e.Message
}

// differs is the error of a launch that differs from the CPU.
func (d *Device) differs(diff *engine.Difference) error {
	e := d.failed(diff.Fault, nil).(*Error)
	e.Cause = &DifferenceError{Kernel: e.Kernel, Tensor: diff.Tensor, Index: diff.Index, Got: diff.Got, Want: diff.Want, Count: diff.Count,
		Elements: diff.Elements, Pos: e.Pos, Block: e.Block, Message: e.Message}
	return e
}
