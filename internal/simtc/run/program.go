package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	"github.com/cutile-go/cutile/internal/tools/store"
)

// program is a module with what was made of it for a target.
type program struct {
	module  *simt.Module
	text    string // as the front end made it
	results []eval.Result
	target  target
	arch    string
	options Options
	stages  Stages
	hash    store.Key

	ptx, cubin []byte
	image      []byte // what a GPU loads
	host       *emu.Program

	mu     sync.Mutex
	loaded map[*device.Device]*loaded
}

// loaded is a program on a device, with its kernels by name.
type loaded struct {
	module  engine.SIMTModule
	kernels map[string]engine.Kernel
}

// programs holds what was made in this process.
var programs = cache.New[store.Key, *program](func(error) bool { return false })

// newProgram gives the program for a module: the one that was made for the same text, options and target, else a new one.
func newProgram(ctx context.Context, out *eval.Output, t target, o *Options) (*program, error) {
	p := &program{module: out.Module, text: out.Module.String(), results: out.Results, target: t, options: *o, loaded: map[*device.Device]*loaded{}}
	p.hash = store.KeyOf([]byte(version()), []byte(p.text), []byte(titles(p.module)), []byte(t.name), []byte(o.text(false)), []byte(environment()))
	if o.PrintIR {
		fmt.Fprint(o.Output, p.text)
	}
	if o.DryRun {
		return p, p.dump(o.Dump)
	}
	if o.NoCache {
		if err := p.compile(ctx); err != nil {
			return nil, err
		}
		return p, p.dump(o.Dump)
	}
	made := false
	q, err := programs.Get(ctx, p.hash, func(ctx context.Context) (*program, error) {
		made = true
		return p, p.compile(ctx)
	})
	if err != nil {
		return nil, err
	}
	if !made {
		counters.hits.Add(1)
		o.log("%s: program found in the cache", p.module.Name)
	}
	return q, q.dump(o.Dump)
}

// titles lists the names of a module's kernels in the source. The text of the module does not have
// them, but messages of a program that is found in the cache name its kernels.
func titles(m *simt.Module) string {
	names := make([]string, len(m.Kernels))
	for i, k := range m.Kernels {
		names[i] = k.Title()
	}
	return strings.Join(names, "\n")
}

// compile takes the module through the stages.
func (p *program) compile(ctx context.Context) error {
	counters.compiled.Add(1)
	return cache.Guard(func() error { return p.through(ctx) })
}

// through does the work of the stages.
func (p *program) through(ctx context.Context) (err error) {
	if p.stages, err = ParsePipeline(p.options.Pipeline); err != nil {
		return err
	}
	if p.stages == nil {
		p.stages = defaultPipeline(p.target, &p.options)
	}
	p.arch = p.target.archs[0]
	for _, name := range p.stages {
		p.options.log("%s: %s for %s", p.module.Name, name, p.arch)
		start := time.Now()
		if err := stages[name](ctx, p); err != nil {
			return err
		}
		p.options.timed(start, p.module.Name, name)
	}
	if !p.target.modules && p.image == nil {
		return fmt.Errorf("the stages %s make no code for a GPU: add ptx", p.stages)
	}
	if p.host, err = emu.Load(&simt.Module{Name: p.module.Name, Host: p.module.Host}); err != nil {
		return &CompileError{Stage: "load", Arch: p.arch, Module: p.module, Err: err}
	}
	return nil
}

// on gives the program on a device, and loads it there at the first call.
func (p *program) on(ctx context.Context, d *device.Device) (*loaded, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.loaded[d]; l != nil {
		return l, nil
	}
	m, err := d.LoadSIMT(ctx, p.module, p.image, func() { p.unload(d) })
	if err != nil {
		if failed := p.forget(); failed != nil {
			err = errors.Join(err, failed)
		}
		return nil, err
	}
	counters.loaded.Add(1)
	l := &loaded{m, map[string]engine.Kernel{}}
	for _, k := range p.module.Kernels {
		if l.kernels[k.Name], err = m.Kernel(k.Name); err != nil {
			return nil, errors.Join(err, m.Close())
		}
		d.Named(l.kernels[k.Name], k.Title())
	}
	p.loaded[d] = l
	return l, nil
}

// unload frees the program on a device.
func (p *program) unload(d *device.Device) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.loaded[d]
	if l == nil {
		return nil
	}
	delete(p.loaded, d)
	counters.unloaded.Add(1)
	return l.module.Close()
}

// close frees the program on every device.
func (p *program) close() error {
	p.mu.Lock()
	var on []*device.Device
	for d := range p.loaded {
		on = append(on, d)
	}
	p.mu.Unlock()
	var errs []error
	for _, d := range on {
		if !d.Closed() {
			errs = append(errs, d.Sync(context.Background()))
		}
		errs = append(errs, p.unload(d))
	}
	return errors.Join(errs...)
}
