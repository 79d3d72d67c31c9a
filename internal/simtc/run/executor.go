package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// Executor is a function that was compiled for what is static in some arguments.
type Executor struct {
	fn      *Function
	options Options
	args    []reflect.Value // of the compilation
	key     []byte
	ends    []int
	target  string
	pruned  []Pruned
	kept    []int // the parameters that a run takes
	program *program

	mu     sync.Mutex
	closed bool
}

// Pruned is a parameter that a run takes no argument for, as it is static.
type Pruned struct {
	Index int // from 1; 0 is a receiver
	Name  string
}

// Compile compiles a function for untyped arguments. It neither looks for what was made before nor keeps what it makes.
func (f *Function) Compile(ctx context.Context, args []any, extra Options) (*Executor, error) {
	o, err := extra.Or(f.options).withEnv()
	if err != nil {
		return nil, err
	}
	values, err := f.convertAll(args)
	if err != nil {
		return nil, err
	}
	c, err := f.prepare(values)
	if err != nil {
		return nil, err
	}
	o.NoCache = true
	within, end := c.device.Until(ctx)
	p, err := f.compile(within, c, values, &o)
	if err = end(err); err != nil {
		return nil, err
	}
	e := &Executor{fn: f, options: o, args: values, key: c.key, ends: c.ends, target: c.device.Engine().Target(), program: p}
	for i, n := range c.counts {
		if n == 0 {
			e.pruned = append(e.pruned, Pruned{f.number(i), f.paramName(i)})
		} else {
			e.kept = append(e.kept, i)
		}
	}
	runtime.AddCleanup(e, func(p *program) { go p.close() }, p)
	return e, nil
}

// Pruned lists the parameters that are static.
func (e *Executor) Pruned() []Pruned { return e.pruned }

// errClosed is the error of a run after Close.
var errClosed = errors.New("the executor is closed")

// Run runs the function with other dynamic arguments: those of the parameters that were not pruned, in order.
func (e *Executor) Run(ctx context.Context, args []any) ([]reflect.Value, error) {
	e.mu.Lock()
	closed := e.closed
	e.mu.Unlock()
	switch {
	case closed:
		return nil, fmt.Errorf("function %s: %w", e.fn.Name(), errClosed)
	case e.options.DryRun:
		return nil, fmt.Errorf("function %s was compiled with dry-run: there is nothing to run", e.fn.Name())
	case len(args) != len(e.kept):
		return nil, e.fn.mistake("%s", bind.Count(len(e.kept), "run-time argument", e.keptNames(), len(args)))
	}
	values := append([]reflect.Value(nil), e.args...)
	b := &binder{fn: e.fn}
	for i, x := range args {
		var err error
		if values[e.kept[i]], err = b.take(e.kept[i], x); err != nil {
			return nil, err
		}
	}
	c, err := e.fn.prepare(values)
	if err != nil {
		return nil, err
	}
	if err := e.fits(c); err != nil {
		return nil, err
	}
	return c.run(ctx, e.program)
}

// Occupancy says for each kernel, in launch order, what it takes of a device.
func (e *Executor) Occupancy(ctx context.Context, d *device.Device) (all []engine.Occupancy, err error) {
	e.mu.Lock()
	closed := e.closed
	e.mu.Unlock()
	switch t := d.Engine().Target(); {
	case closed:
		return nil, fmt.Errorf("function %s: %w", e.fn.Name(), errClosed)
	case e.options.DryRun || e.options.NoRun:
		return nil, fmt.Errorf("function %s was compiled not to be run: no device has its kernels", e.fn.Name())
	case t != e.target:
		return nil, fmt.Errorf("function %s was compiled for %s: the device is %s, for %s", e.fn.Name(), e.target, d.Name(), t)
	}
	l, err := e.program.on(ctx, d)
	if err != nil {
		return nil, err
	}
	for _, k := range e.program.module.Kernels {
		o, err := d.Occupancy(l.kernels[k.Name], engine.SIMTLaunch{Shared: uint32(k.Shared)})
		if err != nil {
			return nil, fmt.Errorf("function %s: kernel %s: %w", e.fn.Name(), k.Title(), err)
		}
		all = append(all, o)
	}
	return all, nil
}

// keptNames lists the parameters that a run takes.
func (e *Executor) keptNames() (names []string) {
	for _, p := range e.kept {
		names = append(names, e.fn.paramName(p))
	}
	return names
}

// fits refuses arguments that the compiled program does not fit: other layouts, other types in interfaces, another kind of
// device.
func (e *Executor) fits(c *call) error {
	if t := c.device.Engine().Target(); t != e.target {
		return e.fn.mistake("was compiled for %s, but the arguments are on a device of %s: compile it again", e.target, t)
	}
	from, to := 0, 0
	for i := range e.ends {
		if !bytes.Equal(e.key[from:e.ends[i]], c.key[to:c.ends[i]]) {
			c.param, c.path = i, nil
			return e.fn.mistake("the static part of %s has changed: it is %s, but the function was compiled for %s; compile it again",
				c.argument(), shown(c.key[to:c.ends[i]]), shown(e.key[from:e.ends[i]]))
		}
		from, to = e.ends[i], c.ends[i]
	}
	return nil
}

// shown is a key as text for messages.
func shown(key []byte) string {
	var parts [][]byte
	for _, p := range bytes.Split(bytes.TrimRight(key, "\x00"), []byte{0}) {
		if len(p) > 1 {
			parts = append(parts, p[1:])
		}
	}
	return string(bytes.Join(parts, []byte(" ")))
}

// Close unloads the code when the work that is queued has ended. An executor that was forgotten is closed some time later.
func (e *Executor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	return e.program.close()
}

// Module gives what was compiled.
func (e *Executor) Module() *Module { return &Module{e.program} }

// Module is a host function with its kernels.
type Module struct{ p *program }

// Text is the module as the front end made it, without positions.
func (m *Module) Text() string { return m.p.text }

// Hash names the module with all that it was compiled for.
func (m *Module) Hash() string { return fmt.Sprintf("%x", m.p.hash[:]) }

// Stages is what the module went through.
func (m *Module) Stages() Stages { return m.p.stages }

// IR is the module after its stages.
func (m *Module) IR() *simt.Module { return m.p.module }

// PTX is the module's kernels as PTX for an architecture; "" stands for the one that it was compiled for.
func (m *Module) PTX(arch string) ([]byte, error) {
	if arch == "" {
		arch = m.p.arch
	}
	if arch == "" {
		arch = m.p.target.archs[0]
	}
	if err := simt.Verify(m.p.module, arch); err != nil {
		return nil, &CompileError{Stage: "verify", Arch: arch, Module: m.p.module, Err: err}
	}
	return ptx.Write(m.p.module, arch)
}

// Cubin is machine code for an architecture, which ptxas makes.
func (m *Module) Cubin(ctx context.Context, arch string) ([]byte, error) {
	text, err := m.PTX(arch)
	if err != nil {
		return nil, err
	}
	if arch == "" {
		arch = m.p.arch
	}
	asm, err := assembler()
	if err != nil {
		return nil, err
	}
	code, _, err := asm.Cubin(ctx, engine.SIMTCode{Module: m.p.module, Arch: arch, Level: m.p.options.Opt.Level()}, text)
	return code, err
}
