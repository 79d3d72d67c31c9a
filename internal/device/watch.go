package device

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/trace"
	"github.com/cutile-go/cutile/tileir"
)

// counts are what a device did.
type counts struct {
	launches, compiled, loaded, failed atomic.Int64
	compiling, loading                 atomic.Int64 // nanoseconds
	tensors, pinned                    tally
}

// tally counts memory of a kind.
type tally struct{ bytes, peak, buffers atomic.Int64 }

// Stats are the counts of a device at one time.
type Stats struct {
	Launches           int64
	Compiled, Loaded   int64
	Failed             int64
	Compiling, Loading time.Duration
	Memory, Peak       int64
	Buffers            int64
	Unused             int64
	Pinned             int64
	UnusedPinned       int64
	Compared, Left     int64
}

// Stats gives the counts so far. Memory that was closed is not among them once its work has ended.
func (d *Device) Stats() Stats {
	d.mu.Lock()
	if !d.closed {
		d.reap()
	}
	d.mu.Unlock()
	c := &d.counts
	s := Stats{c.launches.Load(), c.compiled.Load(), c.loaded.Load(), c.failed.Load(), time.Duration(c.compiling.Load()),
		time.Duration(c.loading.Load()), c.tensors.bytes.Load(), c.tensors.peak.Load(), c.tensors.buffers.Load(), 0, c.pinned.bytes.Load(), 0, 0, 0}
	if eng, ok := d.eng.(engine.Pooling); ok {
		s.Unused = eng.Unused()
	}
	if eng, ok := d.eng.(engine.Pinning); ok {
		s.UnusedPinned = eng.UnusedHost()
	}
	if d.shadow != nil {
		s.Compared, s.Left = d.shadow.Compared()
	}
	return s
}

// kind is a kind of memory with its bound.
type kind struct {
	*tally
	most  int64  // bytes; 0 for no bound
	what  string // for messages
	limit string // the field of [limit.Limits]
}

// tensors is the memory of tensors.
func (d *Device) tensors() kind {
	return kind{&d.counts.tensors, d.limits.Memory, "tensors", "Memory"}
}

// reserve counts memory that the engine is asked for.
func (k kind) reserve(bytes int64) error {
	for {
		now := k.bytes.Load()
		if k.most > 0 && bytes > k.most-now {
			return fmt.Errorf("%d bytes are too many beside the %d of the device's other %s: at most %d are allowed; close %[3]s, or %[5]s", bytes, now,
				k.what, k.most, limit.Hint(k.limit))
		}
		if k.bytes.CompareAndSwap(now, now+bytes) {
			return nil
		}
	}
}

// took counts a buffer for which memory was reserved.
func (c *tally) took() {
	c.buffers.Add(1)
	now := c.bytes.Load()
	for peak := c.peak.Load(); now > peak && !c.peak.CompareAndSwap(peak, now); {
		peak = c.peak.Load()
	}
}

// gave counts memory that the engine took back.
func (c *tally) gave(bytes int64) {
	c.buffers.Add(-1)
	c.bytes.Add(-bytes)
}

// Explain says how an engine runs an entry, where that is worth knowing, as words and their values in turn.
type Explain func(ctx context.Context, m *tileir.Module, entry string) []any

// Watch makes the device say what it does to a logger. It is called before the device is used. explain may be nil.
func (d *Device) Watch(log *slog.Logger, explain Explain) { d.log, d.explain = log, explain }

// says logs something, if anybody listens.
func (d *Device) says(ctx context.Context, level slog.Level, text string, args ...any) {
	if d.log != nil && d.log.Enabled(ctx, level) {
		d.log.Log(ctx, level, text, append([]any{"device", d.Name()}, args...)...)
	}
}

// Opened says that the device is open.
func (d *Device) Opened() {
	if d.log != nil {
		d.says(context.Background(), slog.LevelInfo, "device opened", "description", d.eng.Description(), "target", d.eng.Target(), "checks", d.checks)
	}
}

// Compiled counts and logs that the compiler made Tile IR of a kernel for the device. A nil device does not care.
func (d *Device) Compiled(ctx context.Context, kernel string, took time.Duration, err error) {
	if d == nil {
		return
	}
	d.counts.compiling.Add(int64(took))
	d.tracer.compiled(kernel+trace.ToIR, took, nil, err)
	if err != nil {
		d.counts.failed.Add(1)
		d.says(ctx, slog.LevelInfo, "kernel does not compile", "kernel", kernel, "took", took, "error", err)
		return
	}
	d.counts.compiled.Add(1)
	d.says(ctx, slog.LevelDebug, "kernel compiled to Tile IR", "kernel", kernel, "took", took)
}

// Replaced logs that the Tile IR of a kernel is that of a file.
func (d *Device) Replaced(ctx context.Context, kernel, file string) {
	d.says(ctx, slog.LevelWarn, "kernel is replaced", "kernel", kernel, "file", file)
}

// OldRecords logs that records of searches are not used, as they are those of an older version of this module.
func (d *Device) OldRecords(ctx context.Context, n int) {
	d.says(ctx, slog.LevelWarn, "records of an older version are not used, as they do not say what was tried: search again", "records", n)
}

// loads counts and logs what makes code of the device. do is given the context in which the engine notes what it does.
func (d *Device) loads(ctx context.Context, kernel string, do func(context.Context) error) error {
	var notes []any
	var args map[string]any
	if d.log != nil || d.tracer != nil {
		var mu sync.Mutex
		args = map[string]any{}
		ctx = engine.Noting(ctx, func(what, value string) {
			mu.Lock()
			defer mu.Unlock()
			notes = append(notes, what, value)
			args[what] = value
		})
	}
	start := time.Now()
	end := d.profiler.Range("compile " + kernel)
	err := do(ctx)
	end()
	took := time.Since(start)
	d.counts.loading.Add(int64(took))
	d.tracer.compiled(kernel+trace.ForDevice, took, args, err)
	if err != nil {
		d.counts.failed.Add(1)
		d.says(ctx, slog.LevelInfo, "kernel cannot be loaded", "kernel", kernel, "took", took, "error", err)
		return err
	}
	d.counts.loaded.Add(1)
	d.says(ctx, slog.LevelInfo, "kernel loaded", append([]any{"kernel", kernel, "took", took}, notes...)...)
	return nil
}

// explains logs how the engine runs an entry.
func (d *Device) explains(ctx context.Context, kernel string, m *tileir.Module, entry string) {
	if d.log == nil || d.explain == nil || !d.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	if words := d.explain(ctx, m, entry); len(words) > 0 {
		d.says(ctx, slog.LevelInfo, "kernel is interpreted, in whole or in part", append([]any{"kernel", kernel}, words...)...)
	}
}
