package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	"github.com/cutile-go/cutile/internal/tools/bundle"
)

// code is a function compiled for what is static in some arguments.
type code struct {
	program *program
	err     error
}

// Call compiles the function for its arguments where that was not done before, and runs it. It gives the function's
// results but a last error.
func (f *Function) Call(ctx context.Context, args []reflect.Value) ([]reflect.Value, error) {
	return f.call(ctx, args, f.options, "")
}

// CallUntyped is Call with arguments that stand for parameters, and with options that come before the function's.
func (f *Function) CallUntyped(ctx context.Context, args []any, extra Options) ([]reflect.Value, error) {
	values, err := f.convertAll(args)
	if err != nil {
		return nil, err
	}
	return f.call(ctx, values, extra.Or(f.options), extra.String())
}

// call is Call with options, of which text says how they differ from the function's.
func (f *Function) call(ctx context.Context, args []reflect.Value, o Options, text string) ([]reflect.Value, error) {
	o, err := o.withEnv()
	if err != nil {
		return nil, err
	}
	c, err := f.prepare(args)
	if err != nil {
		return nil, err
	}
	ctx, done := f.within(ctx, args)
	defer done()
	within, end := c.device.Until(ctx)
	p, err := f.program(within, c, args, &o, text)
	if err = end(err); err != nil {
		return nil, err
	}
	if o.DryRun || o.NoRun {
		return nil, nil
	}
	return c.run(ctx, p)
}

// prepare binds arguments and finds the device.
func (f *Function) prepare(args []reflect.Value) (*call, error) {
	if err := f.find(); err != nil {
		return nil, err
	}
	c := &call{binder: binder{fn: f}}
	if _, err := c.bind(args); err != nil {
		return nil, err
	}
	return c, c.findDevice()
}

// program gives the code for the arguments that were bound.
func (f *Function) program(ctx context.Context, c *call, args []reflect.Value, o *Options, text string) (*program, error) {
	key := c.device.Engine().Target() + "\x00" + environment() + "\x00" + text + "\x00" + string(c.key) + c.device.LimitKey()
	if c.checks() {
		key += "\x00checks"
	}
	if o.NoRun && !o.NoCache {
		o.NoCache = true
		if o.Strict {
			return nil, fmt.Errorf("%s: compile-only implies no-cache: give both, or leave warnings-as-errors out", f.Name())
		}
		fmt.Fprintf(o.Output, "cute: warning: %s: compile-only implies no-cache\n", f.Name())
	}
	if o.NoCache {
		return f.compile(ctx, c, args, o)
	}
	if e, ok := f.codes.Load(key); ok {
		return e.(*code).program, e.(*code).err
	}
	made, err := f.making.Get(ctx, key, cache.Profiled(f.Name(), func(ctx context.Context) (*code, error) {
		if e, ok := f.codes.Load(key); ok { // of an attempt that has just ended
			return e.(*code), nil
		}
		p, err := f.compile(ctx, c, args, o)
		if err != nil && !mistakes(err) {
			return nil, err // it may be better the next time
		}
		made := &code{p, err}
		f.codes.Store(key, made)
		return made, nil
	}))
	if err != nil {
		return nil, err
	}
	return made.program, made.err
}

// compile runs the front end and what follows.
func (f *Function) compile(ctx context.Context, c *call, args []reflect.Value, o *Options) (*program, error) {
	if _, ok := c.device.Engine().(engine.SIMT); !ok && o.Arch == "" {
		return nil, fmt.Errorf("%s: device %s does not run kernels of package cute, which are for the CPU and for GPUs by CUDA", f.Name(), c.device.Name())
	}
	o.log("%s: evaluating", f.Name())
	start := time.Now()
	out, err := f.guarded(&c.binder, args, o, c.checks(), limit.NewMeter(ctx, c.device.Limits()))
	if err != nil {
		return nil, f.kept(err, c, nil)
	}
	o.timed(start, f.Name(), "evaluate")
	fmt.Fprint(o.Output, out.Printed)
	p, err := newProgram(ctx, out, targetOf(c.device.Engine(), o), o)
	if err != nil {
		return nil, f.kept(err, c, out.Module)
	}
	if err := o.Output.(*printer).lost(); err != nil {
		return nil, fmt.Errorf("%s: the output of the compiler could not be written completely: %w", f.Name(), err)
	}
	return p, nil
}

// guarded is evaluate with panics as errors: a panic is a bug of ours and must not end the user's program.
func (f *Function) guarded(b *binder, args []reflect.Value, o *Options, checks bool, m *limit.Meter) (out *eval.Output, err error) {
	err = cache.Guard(func() error {
		out, err = f.evaluate(b, args, o, checks, m)
		return err
	})
	return out, err
}

// kept adds the folder for a report to an error that is a bug of ours, where that is asked for. m is the module as far as it came.
func (f *Function) kept(err error, c *call, m *simt.Module) error {
	return bundle.Keep(err, func() *bundle.Report {
		d := c.device.Engine()
		r := &bundle.Report{Name: f.Name(), Target: d.Target(), Versions: []string{"device " + d.Description()}, Files: bundle.Sources(f.ref.Root.Path)}
		if m != nil {
			r.SIMT = m
			r.RepeatSIMT(&bundle.Launch{}, nil)
		}
		return r
	})
}

// checks reports whether the device looks for what a GPU leaves undefined.
func (c *call) checks() bool {
	d, ok := c.device.Engine().(engine.SIMT)
	return ok && d.Checks()
}

// findDevice is the device of the tensors, which must be one, else that of the streams, else the one for calls that name
// none.
func (c *call) findDevice() error {
	first := ""
	see := func(d *device.Device, what string) error {
		switch {
		case c.device == nil:
			c.device, first = d, what
		case c.device != d:
			return c.fn.mistake("%s is on device %s, but %s is on another one%s", first, c.device.Name(), what, d.Apart(c.device))
		}
		return nil
	}
	for i := range c.uses {
		c.param, c.path = c.uses[i].param, nil
		if err := see(c.uses[i].Memory.Device(), c.argument()); err != nil {
			return err
		}
	}
	for _, s := range c.queues {
		if err := see(s.Device(), "a stream"); err != nil {
			return err
		}
	}
	if c.device != nil {
		if c.device.Closed() {
			return device.ErrClosed
		}
		return nil
	}
	d, err := c.fn.values.DefaultDevice()
	if err != nil {
		return err
	}
	if d == nil {
		return errors.New("BUG: there is no device for a call without tensors")
	}
	c.device, c.alone = d, true
	return nil
}
