package engine

import (
	"context"
	"time"

	"github.com/cutile-go/cutile/tileir"
)

// Shadow says how launches are repeated on the CPU and compared: cutile.Shadow has the same fields and says what they mean.
type Shadow struct {
	Tolerance float64
	Warn      bool
	Time      time.Duration
	Memory    int64
}

// Shadowing is a device that repeats launches on the CPU and compares the results. Its streams are [Checking]: what a launch was given
// serves their messages.
type Shadowing interface {
	// CompileBeside is Compile of a module whose launches are compared with those of a reference, which has an entry of the same name and
	// parameters. title is the name of the kernel for users.
	CompileBeside(ctx context.Context, m, reference *tileir.Module, entry, title string) (Kernel, error)
	// Compared counts the launches that were compared, and those that could not be.
	Compared() (compared, left int64)
	// Real is the device whose launches are compared, and which may have more abilities.
	Real() Device
}

// ShadowedBuffer is a buffer of a [Shadowing] device.
type ShadowedBuffer interface {
	Buffer
	// Real is the buffer of [Shadowing.Real].
	Real() Buffer
}

// Difference is the error of a launch that ended otherwise than on the CPU. The fault has the store on the CPU, as far as it was found.
type Difference struct {
	Fault
	Tensor    string // the parameter; "" if the launch only fails on the CPU
	Index     []int  // of the first element that differs; nil if it is outside of the tensor
	Got, Want string // the element on the device and on the CPU
	Count     int64  // elements that differ, or bytes outside of the tensor
	Elements  int64  // of the tensor; 0 for bytes outside of it
}

// Error is the text of the fault.
func (d *Difference) Error() string { return d.Fault.Error() }
