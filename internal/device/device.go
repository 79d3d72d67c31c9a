// Package device keeps track of a device's streams and memory: which stream last used which memory, and who still waits for
// what. It makes work on several streams wait where they use the same memory, and frees memory only when the
// work that uses it has ended.
package device

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/driver/nvtx"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/tileir"
)

// Device is an engine's device with the records of its streams and memory. Its methods may be called from several goroutines.
type Device struct {
	eng  engine.Device
	id   uint64         // of all devices, by age
	busy sync.WaitGroup // calls in the engine
	open context.Context
	shut context.CancelFunc // ends open

	mu      sync.Mutex // guards all below and the records of streams and memories; held while work is queued
	closed  bool
	main    *Stream
	streams []*Stream
	garbage []garbage
	held    map[any]held // what is closed before the engine is

	captures []*capture   // under way
	made     atomic.Int64 // memory, ever

	kernels  sync.Map // the names of kernels by those of their entries
	limits   limit.Limits
	limitKey string
	checks   bool
	promises bool
	covers   bool
	shadow   engine.Shadowing // nil for a device that compares nothing
	log      *slog.Logger     // nil for none
	tracer   *tracer          // nil for none
	profiler *nvtx.Profiler   // nil for none
	names    sync.Map         // of kernels, where somebody asks for them: engine.Kernel to string
	explain  Explain
	counts   counts
}

// devices counts all that were opened.
var devices atomic.Uint64

// held is what others keep with a device.
type held struct {
	value any
	close func()
}

// Open takes over a device and makes its default stream. limits bound what is compiled and run for it.
func Open(eng engine.Device, limits limit.Limits) (*Device, error) {
	d := &Device{eng: eng, id: devices.Add(1), limits: limits.Or(limit.Default), limitKey: limits.Key(), held: map[any]held{}}
	if c, ok := eng.(engine.SIMT); ok {
		d.checks = c.Checks()
	}
	if p, ok := eng.(engine.Promising); ok {
		d.promises = p.Promises()
	}
	if c, ok := eng.(engine.Covering); ok {
		d.covers = c.Covers()
	}
	d.shadow, _ = eng.(engine.Shadowing)
	d.open, d.shut = context.WithCancel(context.Background())
	main, err := d.NewStream()
	if err != nil {
		return nil, errors.Join(err, eng.Close())
	}
	d.main = main
	return d, nil
}

// Limits are the bounds of what is compiled and run for the device.
func (d *Device) Limits() limit.Limits { return d.limits }

// LimitKey names those of them that decide whether a kernel compiles: "" for the defaults.
func (d *Device) LimitKey() string { return d.limitKey }

// Checks reports whether launches look for what a GPU leaves undefined.
func (d *Device) Checks() bool { return d.checks }

// Promises reports whether code that relies on proofs is better on this device than code that does not.
func (d *Device) Promises() bool { return d.promises }

// Covers reports whether the device records which statements of kernels run.
func (d *Device) Covers() bool { return d.covers }

// Parallel is how many blocks the device runs at once, if each fills a multiprocessor or a core. Engines that do not know run 64: enough
// for most processors of the kind.
func (d *Device) Parallel() int {
	const unknown = 64
	if p, ok := d.eng.(engine.Parallel); ok && p.Parallel() > 0 {
		return p.Parallel()
	}
	return unknown
}

// Shadowed reports whether launches are repeated on the CPU and compared.
func (d *Device) Shadowed() bool { return d.shadow != nil }

// Watched reports whether launches should say what they were given, by an [engine.Watch].
func (d *Device) Watched() bool { return d.checks || d.shadow != nil }

// Engine is the engine's device.
func (d *Device) Engine() engine.Device { return d.eng }

// Model names what the speed of code on the device depends on, without what an update of its driver changes.
func (d *Device) Model() string {
	eng := d.real()
	if m, ok := eng.(engine.Modelled); ok {
		return eng.Target() + ", " + m.Model()
	}
	return eng.Target() + ", " + eng.Description()
}

// Maker names what makes code of an entry for the device; "" where there is only one way.
func (d *Device) Maker(ctx context.Context, m *tileir.Module, entry string) (string, error) {
	if eng, ok := d.real().(engine.Making); ok {
		return eng.Maker(ctx, m, entry)
	}
	return "", nil
}

// real is the engine's device, without a shadow.
func (d *Device) real() engine.Device {
	if d.shadow != nil {
		return d.shadow.Real()
	}
	return d.eng
}

// Name is how users ask for the device.
func (d *Device) Name() string { return d.eng.Name() }

// Apart follows "another device" in messages: it names d, or tells it from one of the same name.
func (d *Device) Apart(from *Device) string {
	if d.Name() == from.Name() {
		return " that was opened as " + d.Name() + ", too (each call of Open makes a device)"
	}
	return ", " + d.Name()
}

// Main is the default stream.
func (d *Device) Main() *Stream { return d.main }

// Closed reports whether Close was called.
func (d *Device) Closed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// Until gives a context for work that is useless once the device is closed: it ends with ctx, or when Close is called. err
// turns the error of that work into the caller's, which is ErrClosed if Close ended it. err must be called.
func (d *Device) Until(ctx context.Context) (within context.Context, err func(error) error) {
	within, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(d.open, cancel)
	return within, func(err error) error {
		if err != nil && ctx.Err() == nil && within.Err() != nil {
			err = ErrClosed
		}
		stop()
		cancel()
		return err
	}
}

// Sync waits for all streams and gives the errors of their work. What a stream captures has not run, which is an error, too.
func (d *Device) Sync(ctx context.Context) error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return ErrClosed
	}
	streams := append([]*Stream(nil), d.streams...)
	d.mu.Unlock()
	var errs []error
	for _, s := range streams {
		d.mu.Lock()
		err := s.enter()
		captures := s.capture != nil
		d.mu.Unlock()
		if err == nil { // else another goroutine has just closed it
			errs = append(errs, s.sync(ctx)) // of one that captures, what was queued before
		}
		if captures {
			errs = append(errs, errCapturingDevice)
		}
	}
	d.mu.Lock()
	d.reap()
	d.mu.Unlock()
	return errors.Join(once(errs)...)
}

// Hold gives the value that is kept with the device under a key, and makes it the first time. Close of the device calls the
// value's own close, after all work has ended.
func (d *Device) Hold(key any, make func() (value any, close func())) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	if h, ok := d.held[key]; ok {
		return h.value
	}
	value, close := make()
	if !d.closed {
		d.held[key] = held{value, close}
	}
	return value
}

// Close waits for all work, closes the streams and what is held, and then the engine's device, which frees all memory. It
// gives the errors of work that nobody waited for. Work that takes longer than Limits.Close is stopped, where the engine
// can do that.
func (d *Device) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil
	}
	d.closed = true
	d.mu.Unlock()
	d.shut()
	defer limit.After(d.limits.Close, d.stop)()
	d.busy.Wait()
	d.mu.Lock()
	streams := append([]*Stream(nil), d.streams...)
	last := slices.Collect(maps.Values(d.held))
	d.mu.Unlock()
	var errs []error
	for _, s := range streams {
		errs = append(errs, s.Close())
	}
	errs = once(errs)
	for _, h := range last {
		h.close()
	}
	d.mu.Lock()
	d.reap()
	errs = append(errs, d.eng.Close())
	for _, c := range []*tally{&d.counts.tensors, &d.counts.pinned} { // the engine freed what was left
		c.bytes.Store(0)
		c.buffers.Store(0)
	}
	d.mu.Unlock() // the trace's writer and the logger are the program's, and may ask the device something
	errs = append(errs, d.tracer.failed())
	d.says(context.Background(), slog.LevelInfo, "device closed", "error", errors.Join(errs...))
	return errors.Join(append(errs, engine.LogFailed(d.log))...)
}

// stop ends the work of all streams at once, as they may wait for each other.
func (d *Device) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.streams {
		if eng, ok := s.eng.(engine.Stopping); ok {
			eng.Stop()
		}
	}
}

// enter notes a call that uses the engine without holding mu, so that Close waits for it; busy.Done ends it.
func (d *Device) enter() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.busy.Add(1)
	return nil
}

// Compile compiles an entry and loads it. name is that of its kernel, as users know it.
func (d *Device) Compile(ctx context.Context, m *tileir.Module, entry, name string) (engine.Kernel, error) {
	return d.CompileBeside(ctx, m, m, entry, name)
}

// CompileBeside is Compile of a module that stands for another one, with which its launches are compared where the device does that.
func (d *Device) CompileBeside(ctx context.Context, m, reference *tileir.Module, entry, name string) (engine.Kernel, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.busy.Done()
	d.kernels.Store(entry, name)
	var k engine.Kernel
	err := d.loads(ctx, name, func(ctx context.Context) error {
		return cache.Guard(func() (err error) {
			if d.shadow != nil {
				k, err = d.shadow.CompileBeside(ctx, m, reference, entry, name)
			} else {
				k, err = d.eng.Compile(ctx, m, entry)
			}
			return err
		})
	})
	if err != nil {
		return nil, bundle.Keep(err, func() *bundle.Report { return d.report(m, entry, name) })
	}
	d.explains(ctx, name, m, entry)
	d.Named(k, name)
	return k, nil
}

// KernelName gives the name of an entry's kernel as users know it. Engines know an entry of Tile IR by
// its symbol only; a kernel of the SIMT level has its name in its module ([simt.Func.Title]).
func (d *Device) KernelName(entry string) string {
	if name, ok := d.kernels.Load(entry); ok {
		return name.(string)
	}
	return entry
}

// LoadSIMT loads a module of the SIMT level. unload is called when the device is closed, if that comes first.
func (d *Device) LoadSIMT(ctx context.Context, m *simt.Module, image []byte, unload func()) (engine.SIMTModule, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.busy.Done()
	eng, ok := d.eng.(engine.SIMT)
	if !ok {
		return nil, fmt.Errorf("device %s does not run kernels of package cute", d.eng.Name())
	}
	var loaded engine.SIMTModule
	err := d.loads(ctx, titles(m), func(ctx context.Context) error {
		return cache.Guard(func() (err error) {
			loaded, err = eng.LoadSIMT(ctx, m, image)
			return err
		})
	})
	if err != nil {
		return nil, bundle.Keep(err, func() *bundle.Report { return d.simtReport(m, image) })
	}
	own := &simtModule{loaded, d}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held[own] = held{close: unload}
	return own, nil
}

// titles are the names of a module's kernels.
func titles(m *simt.Module) string {
	var all []string
	for _, f := range m.Kernels {
		all = append(all, f.Title())
	}
	return strings.Join(all, ", ")
}

// simtModule is a module of the SIMT level that the device knows of until it is closed.
type simtModule struct {
	engine.SIMTModule
	dev *Device
}

// Close implements [engine.SIMTModule].
func (m *simtModule) Close() error {
	m.dev.mu.Lock()
	delete(m.dev.held, m)
	m.dev.mu.Unlock()
	return m.SIMTModule.Close()
}
