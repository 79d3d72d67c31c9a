package shadow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// Default is what a field of [engine.Shadow] that is 0 stands for.
var Default = engine.Shadow{Time: time.Minute, Memory: 4 << 30}

// device implements [engine.Device] and [engine.Shadowing]. [New] adds what only some devices can do.
type device struct {
	real engine.Device
	opts engine.Shadow
	log  *slog.Logger // nil for slog.Default

	where   string      // launches are repeated, for messages: "on the CPU"
	twin    *cpu.Device // repeats launches
	checked *cpu.Device // repeats those that differ
	finding sync.Mutex  // held while checked runs a launch: it can take all cores and much memory

	mu      sync.Mutex
	buffers []*buffer         // by address
	maps    map[string][]byte // tensor maps of the device: as the emulator has them
	streams map[*stream]bool

	compared, left atomic.Int64
	told           sync.Map // why launches of a kernel were not compared, once each
}

var (
	_ engine.Shadowing = (*device)(nil)
	_ engine.Promising = (*device)(nil)
	_ engine.Covering  = (*device)(nil)
)

// New makes a device of another one, which it closes with itself. o are the options with which that one was opened; its Shadow is not nil.
func New(real engine.Device, o engine.Options) engine.Device {
	opts := *o.Shadow
	opts.Time, opts.Memory = cmp.Or(opts.Time, Default.Time), cmp.Or(opts.Memory, Default.Memory)
	bounds := o.Limits
	bounds.Run = 0 // opts.Time stops launches
	_, same := real.(*cpu.Device)
	plain := cpu.Options{Workers: o.Workers, Output: io.Discard, StopOnCancel: true, Limits: bounds, Interpret: same}
	checked := plain
	checked.CheckAssumes = true
	d := &device{real: real, opts: opts, log: o.Log, twin: cpu.New(plain), checked: cpu.New(checked), maps: map[string][]byte{}, streams: map[*stream]bool{}}
	if d.where = "on the CPU"; same {
		d.where = "in the interpreter"
	}
	simt, isSIMT := real.(engine.SIMT)
	wrapper, wraps := real.(engine.Wrapper)
	switch {
	case isSIMT && wraps:
		return &wrapDevice{simtDevice{d, simt}, wrapper}
	case isSIMT:
		return &simtDevice{d, simt}
	}
	return d
}

// Name implements [engine.Device].
func (d *device) Name() string { return d.real.Name() }

// Description implements [engine.Device].
func (d *device) Description() string { return d.real.Description() }

// Target implements [engine.Device].
func (d *device) Target() string { return d.real.Target() }

// Promises implements [engine.Promising].
func (d *device) Promises() bool {
	p, ok := d.real.(engine.Promising)
	return ok && p.Promises()
}

// Covers implements [engine.Covering].
func (d *device) Covers() bool {
	c, ok := d.real.(engine.Covering)
	return ok && c.Covers()
}

// Parallel implements [engine.Parallel].
func (d *device) Parallel() int {
	p, ok := d.real.(engine.Parallel)
	if !ok {
		return 0
	}
	return p.Parallel()
}

// Compared implements [engine.Shadowing].
func (d *device) Compared() (compared, left int64) { return d.compared.Load(), d.left.Load() }

// Real implements [engine.Shadowing].
func (d *device) Real() engine.Device { return d.real }

// NewStream implements [engine.Device].
func (d *device) NewStream() (engine.Stream, error) {
	real, err := d.real.NewStream()
	if err != nil {
		return nil, err
	}
	twin, err := d.twin.NewStream()
	if err != nil {
		return nil, errors.Join(err, real.Close())
	}
	s := newStream(d, real, twin)
	d.mu.Lock()
	d.streams[s] = true
	d.mu.Unlock()
	if stops, ok := real.(engine.Stopping); ok {
		return &stoppingStream{s, stops}, nil
	}
	return s, nil
}

// Close implements [engine.Device].
func (d *device) Close() error {
	d.mu.Lock()
	var open []*stream
	for s := range d.streams {
		open = append(open, s)
	}
	d.mu.Unlock()
	var errs []error
	for _, s := range open {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, d.twin.Close(), d.checked.Close(), d.real.Close())...)
}

// Compile implements [engine.Device].
func (d *device) Compile(ctx context.Context, m *tileir.Module, entry string) (engine.Kernel, error) {
	return d.CompileBeside(ctx, m, m, entry, entry)
}

// CompileBeside implements [engine.Shadowing]. A reference that the CPU engine does not take leaves the launches without a comparison.
func (d *device) CompileBeside(ctx context.Context, m, reference *tileir.Module, entry, title string) (engine.Kernel, error) {
	real, err := d.real.Compile(ctx, m, entry)
	if err != nil {
		return nil, err
	}
	k := &kernel{d: d, real: real, title: title, module: reference}
	if k.entry, err = engine.FindEntry(reference, entry); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", d.Name(), err), real.Close())
	}
	if k.why = incomparable(reference, k.entry); k.why != "" {
		return k, nil
	}
	twin, err := d.twin.Compile(ctx, reference, entry)
	switch {
	case err == nil:
		k.twin = twin
	case ctx.Err() != nil:
		return nil, errors.Join(err, real.Close())
	default:
		k.why = "the CPU engine does not take it: " + err.Error()
	}
	return k, nil
}

// incomparable says why launches of an entry are not compared; "" if they are.
func incomparable(m *tileir.Module, e *tileir.Entry) string {
	for _, g := range m.Globals {
		if !g.Constant {
			return "it has a global variable that may keep numbers from one launch to the next, of which the CPU has another one"
		}
	}
	for op := range e.All() {
		if c := op.Info.Opcode; c == tileir.OpIntToPtr || c == tileir.OpPtrToInt {
			return "it computes with addresses, which are others on the CPU"
		}
	}
	return ""
}

// kernel implements [engine.Kernel].
type kernel struct {
	d      *device
	real   engine.Kernel
	twin   engine.Kernel // nil with why
	title  string
	module *tileir.Module // the reference
	entry  *tileir.Entry
	why    string // launches are not compared; "" if they are

	checked engine.Kernel // of the device with checks, made when it is needed; guarded by d.finding
}

// Close implements [engine.Kernel].
func (k *kernel) Close() error {
	err := k.real.Close()
	k.d.finding.Lock()
	defer k.d.finding.Unlock()
	for _, c := range []engine.Kernel{k.twin, k.checked} {
		if c != nil {
			err = engine.Join(err, c.Close())
		}
	}
	return err
}

// leave counts a launch that is not compared, and says why, once for a kernel and a reason.
func (d *device) leave(title, why string) {
	d.left.Add(1)
	if _, known := d.told.LoadOrStore(title+"\x00"+why, true); !known {
		d.logger().Warn("launches of a kernel are not compared with the CPU", "device", d.Name(), "kernel", title, "reason", why)
	}
}

func (d *device) logger() *slog.Logger { return cmp.Or(d.log, slog.Default()) }
