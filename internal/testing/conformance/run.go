package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Output collects what kernels print.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes text from the engine.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

// take gives the text and forgets it.
func (o *Output) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.text.Reset()
	return o.text.String()
}

// Runner runs cases on one device, one at a time.
type Runner struct {
	Device *device.Device
	Output *Output // where the device prints; nil where it cannot be known
}

// Run runs a case in each way. The memory must be as the case wants it, and the same bits in every way.
func (r *Runner) Run(ctx context.Context, c *Case, ways []Way) error {
	b, err := r.bind(ctx, c)
	if err != nil {
		return err
	}
	defer b.close()
	if lost := b.setup.Fault != nil && r.Output == nil; b.proved != nil && !lost { // a GPU's context ends with the first fault
		ways = append(slices.Clip(ways), Proved)
	}
	var first [][]byte
	for _, w := range ways {
		if w.Version != 0 && w.Version < c.Since {
			continue
		}
		memory, err := r.one(ctx, c, b, w)
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		if first == nil {
			first = memory
		}
		for i := range memory {
			if !bytes.Equal(memory[i], first[i]) {
				return fmt.Errorf("%s and %s give different bits in %s", ways[0].Name, w.Name, b.arrays[i].Name)
			}
		}
	}
	return nil
}

// Module compiles a case for a device without running it. The arguments lie in the memory of the runner's device.
func (r *Runner) Module(ctx context.Context, c *Case) (*compile.Code, error) {
	b, err := r.bind(ctx, c)
	if err != nil {
		return nil, err
	}
	defer b.close()
	return b.code, nil
}

// bound is a case with its arguments on the device.
type bound struct {
	setup  Setup
	code   *compile.Code
	proved *compile.Code // relies on what the launch proves; nil where that is nothing
	call   *bind.Call
	grid   bind.Grid
	arrays []*Array // distinct memories
	memory []*device.Memory
}

func (b *bound) close() {
	for _, m := range b.memory {
		m.Close()
	}
}

func (r *Runner) bind(ctx context.Context, c *Case) (*bound, error) {
	k, typ, err := c.resolve()
	if err != nil {
		return nil, err
	}
	b := &bound{setup: c.Setup(c.Seed())}
	args := slices.Clone(b.setup.Args)
	params := slices.DeleteFunc(slices.Clone(k.Params()), func(p compile.Param) bool { return p.Kind == compile.None })
	for i, arg := range args {
		a, ok := arg.(*Array)
		if !ok {
			continue
		}
		if a.Name == "" && i < len(params) {
			a.Name = params[i].Name
		}
		m, err := r.Device.Alloc(int64(len(a.Data)))
		if err != nil {
			return nil, err
		}
		b.arrays, b.memory = append(b.arrays, a), append(b.memory, m)
		args[i] = &device.Tensor{Memory: m, View: a.View, Elem: a.Elem}
	}
	b.call = bind.New(k.Params(), typ, r.Device, func(x any) (*device.Tensor, any, error) {
		t, _ := x.(*device.Tensor)
		return t, x, nil
	})
	if err := b.arguments(c, args); err != nil {
		b.close()
		return nil, err
	}
	facts := b.call.Facts()
	facts.Wide = facts.Wide || c.Wide
	if b.code, err = k.Compile(ctx, facts); err == nil {
		err = b.prove(ctx, k, facts)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// prove compiles the code that relies on what the launch proves.
func (b *bound) prove(ctx context.Context, k *compile.Kernel, facts compile.Facts) (err error) {
	bits, _, wrong := b.call.Pack(b.code.Writes)
	if wrong != nil {
		return errors.New(wrong[0].Text)
	}
	if facts.Proof = b.code.Prove(b.blocks(), bits); facts.Proof.Any() && !b.grid.Empty() {
		b.proved, err = k.Compile(ctx, facts)
	}
	return err
}

func (b *bound) blocks() [3]uint32 {
	return [3]uint32{uint32(b.grid[0]), uint32(b.grid[1]), uint32(b.grid[2])}
}

func (b *bound) arguments(c *Case, args []any) error {
	wrong := b.call.Bind(args)
	if wrong == nil {
		var given *bind.Grid
		if c.Grid != nil {
			given = &bind.Grid{1, 1, 1}
			copy(given[:], c.Grid)
		}
		b.grid, wrong = b.call.Grid(given)
		wrong = append(wrong, b.call.Overlaps(nil)...)
	}
	var errs []error
	for _, m := range wrong {
		errs = append(errs, errors.New(m.Text))
	}
	return errors.Join(errs...)
}

// one runs a bound case in one way and gives the memory afterwards, by array.
func (r *Runner) one(ctx context.Context, c *Case, b *bound, w Way) ([][]byte, error) {
	eng := r.Device.Engine()
	code := b.code
	if w.Proved {
		code = b.proved
	}
	kernel, err := w.Compile(ctx, eng, code)
	if err != nil {
		return nil, err
	}
	defer kernel.Close()
	for i, a := range b.arrays {
		if len(a.Data) == 0 {
			continue
		}
		if err := b.memory[i].Write(a.Data, 0); err != nil {
			return nil, err
		}
	}
	err = r.launch(ctx, kernel, b, w.Graph)
	if b.setup.Fault != nil {
		return nil, b.setup.Fault.check(err, r.Output != nil)
	}
	if err != nil {
		return nil, err
	}
	if r.Output != nil {
		if err := checkPrints(r.Output.take(), b.setup.Prints); err != nil {
			return nil, err
		}
	}
	return b.read(ctx)
}

// launch runs the kernel on a stream of its own, whose error ends with it.
func (r *Runner) launch(ctx context.Context, k engine.Kernel, b *bound, graph bool) error {
	bits, uses, wrong := b.call.Pack(b.code.Writes)
	if wrong != nil {
		return errors.New(wrong[0].Text)
	}
	if b.grid.Empty() {
		return nil
	}
	s, err := r.Device.NewStream()
	if err != nil {
		return err
	}
	watch := &engine.Watch{Outside: b.code.Kernel.Outside(), Tensors: b.call.Tensors(b.code.Writes)}
	launch := func() error { return s.LaunchChecked(k, b.blocks(), bits, uses, watch) }
	if graph {
		err = replay(s, launch)
	} else {
		err = launch()
	}
	if err == nil {
		err = s.Sync(ctx)
	}
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// replay captures a launch and queues its graph. The graph is closed before it has run.
func replay(s *device.Stream, launch func() error) error {
	g, err := s.Capture(launch)
	if err != nil {
		return err
	}
	err = s.Replay(g)
	return errors.Join(err, g.Close())
}

// read fetches the memory and compares it with what is wanted.
func (b *bound) read(ctx context.Context) ([][]byte, error) {
	var errs []error
	all := make([][]byte, len(b.arrays))
	for i, a := range b.arrays {
		all[i] = make([]byte, len(a.Data))
		if len(a.Data) > 0 {
			if err := b.memory[i].Read(ctx, all[i], 0); err != nil {
				return nil, err
			}
		}
		at := slices.IndexFunc(b.setup.Want, func(w Want) bool { return w.Array == a })
		if at < 0 {
			errs = append(errs, checkUntouched(a, all[i], false))
		} else {
			errs = append(errs, b.setup.Want[at].check(all[i]))
		}
	}
	return all, errors.Join(errs...)
}

// checkPrints compares printed lines. The order of blocks is free, so lines are compared as a set with repetitions.
func checkPrints(got string, want []string) error {
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if got == "" {
		lines = nil
	}
	want = slices.Clone(want)
	slices.Sort(lines)
	slices.Sort(want)
	if !slices.Equal(lines, want) {
		return fmt.Errorf("it printed, in some order,\n\t%s\nbut should print\n\t%s", strings.Join(lines, "\n\t"), strings.Join(want, "\n\t"))
	}
	return nil
}

// check compares an error with the fault. A GPU tells little more than that some kernel failed.
func (f *Fault) check(err error, exact bool) error {
	var is *engine.Fault
	if !errors.As(err, &is) {
		return fmt.Errorf("it should fail with %q, but ended with %v", f.Text, err)
	}
	if !exact {
		return nil
	}
	if !strings.Contains(is.Text, f.Text) {
		return fmt.Errorf("it should fail with %q, but said %q", f.Text, is.Text)
	}
	if !is.Known || is.Block != f.Block {
		return fmt.Errorf("block %v should fail, but %v did", f.Block, is.Block)
	}
	line, err := sourceLine(is.Loc.File, int(is.Loc.Line))
	if err != nil {
		return err
	}
	if !strings.Contains(line, f.Line) {
		return fmt.Errorf("the fault should be placed at a line with %q, but is at %s:%d: %s", f.Line, is.Loc.File, is.Loc.Line, line)
	}
	return nil
}

// sourceLine is a line of this package's kernels.
func sourceLine(file string, line int) (string, error) {
	data, err := source.ReadFile(file[strings.LastIndexByte(file, '/')+1:])
	if err != nil {
		return "", fmt.Errorf("the fault is placed in %q: %w", file, err)
	}
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return "", fmt.Errorf("the fault is placed at line %d of %s", line, file)
	}
	return lines[line-1], nil
}
