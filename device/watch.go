package device

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// WithLogger makes a device say to a logger what it does beside running kernels:
//   - at level Info that it was opened (with its description) and closed, that a kernel was loaded (with the time that this took,
//     and on a GPU whether its code was assembled or found in the cache folder, and
//     why our own compiler made it, where it did), that one cannot be compiled or loaded, and
//     which operations of a kernel the CPU interprets, with the reason of the first;
//   - at level Debug that a kernel was compiled to Tile IR, and why there are no devices of a kind, such as a missing driver.
//
// Each record has the name of the device, and the kernel's where there is one. Launches are not logged. Without the option, or with
// nil, nothing is logged and it costs nothing; with it, loading a kernel takes about twice as long on the CPU, as the reasons are found
// by compiling it once more.
//
// The handler may ask the device for its [Device.Stats], and use other devices. It must not launch or wait on the device, which may wait for the
// handler. After a panic of the handler the device tells it nothing more, and [Device.Close] returns the panic as an error.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.Log = l } }

// explain gives the function that says how an engine runs a kernel; nil for engines about which there is nothing to say.
func explain(eng engine.Device) core.Explain {
	d, ok := eng.(*cpu.Device)
	if !ok {
		return nil
	}
	return func(ctx context.Context, m *tileir.Module, entry string) []any {
		if d.Checks() {
			return []any{"reason", "the device has checks (WithChecks, CUTILE_CHECKS)"}
		}
		target, err := host.Choose()
		if err != nil {
			return []any{"reason", err.Error()}
		}
		x, err := cpu.Explain(ctx, m, entry, target)
		if err != nil {
			return []any{"reason", err.Error()}
		}
		return interpreted(x)
	}
}

// interpreted says how many operations of a kernel are interpreted, and why the first is: nothing if none is.
func interpreted(x *cpu.Explanation) []any {
	count, all := 0, 0
	var first *cpu.ExplainedOp
	for i := range x.Ops {
		switch x.Ops[i].Way {
		case cpu.Interpreted:
			if count++; first == nil {
				first = &x.Ops[i]
			}
			all++
		case cpu.Native:
			all++
		}
	}
	if first == nil {
		return nil
	}
	at := ""
	if l := first.Op.Loc; l.File != "" {
		at = fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Col)
	}
	return []any{"operations", count, "of", all, "first", first.Op.Info.Mnemonic, "at", at, "reason", first.Text}
}

// Stats are counts of what a device did since it was opened. It is made for encoding/json, and so for package expvar:
//
//	expvar.Publish("cutile", expvar.Func(func() any { return dev.Stats() }))
type Stats struct {
	Device            string        // its name
	Launches          int64         // kernels that were queued
	Compiled          int64         // kernels that were compiled from Go to Tile IR: others, as those of graphs, were Tile IR already
	Loaded            int64         // kernels of which the device made or loaded code
	Failed            int64         // kernels that could not be compiled or loaded
	CompileTime       time.Duration // spent compiling to Tile IR; in JSON, as all durations, nanoseconds
	LoadTime          time.Duration // spent making and loading code
	Tensors           int64         // memories of tensors that were not freed; views share that of their tensor
	MemoryBytes       int64         // of these, with the memory that Wrap uses
	PeakBytes         int64         // the most that MemoryBytes has been
	UnusedBytes       int64         // that a GPU keeps for later tensors, and that Trim gives back
	PinnedBytes       int64         // of [Pinned] memory that was not freed
	UnusedPinnedBytes int64         // of it that is kept for later, and that Trim gives back
	Compared          int64         // launches that were compared with the CPU: see WithShadow
	NotCompared       int64         // launches that could not be
}

// Stats returns the counts so far. Counts of one call need not be of one moment. [CompileStats] of package cutile has those of the process,
// with the caches that all devices share.
func (d *Device) Stats() Stats {
	if d == nil || d.core == nil {
		return Stats{}
	}
	s := d.core.Stats()
	return Stats{Device: d.Name(), Launches: s.Launches, Compiled: s.Compiled, Loaded: s.Loaded, Failed: s.Failed, CompileTime: s.Compiling,
		LoadTime: s.Loading, Tensors: s.Buffers, MemoryBytes: s.Memory, PeakBytes: s.Peak, UnusedBytes: s.Unused, PinnedBytes: s.Pinned, UnusedPinnedBytes: s.UnusedPinned,
		Compared: s.Compared, NotCompared: s.Left}
}

// Trim gives the memory back to the system that a GPU keeps for later tensors and for later [Pinned] memory: freed memory stays with the device, so that making tensors
// does not wait for its work. Other programs, and other users of the GPU in this one, can use it then. Drivers before CUDA 11.2 keep none, and
// neither does the CPU engine.
func (d *Device) Trim() error {
	if d == nil || d.core == nil {
		return errNilDevice
	}
	return named("device "+d.Name(), d, d.core.Trim())
}
