package cutile

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/compile"
	"github.com/cutile-go/cutile/internal/diag"
	"github.com/cutile-go/cutile/internal/launch"
)

// Launch queues a kernel on a device, a stream, or what the Grid method of either gives, and returns without waiting for
// it. kernel is a Go function whose source was registered with [Module], with its type arguments where it has any.
//
// Each argument stands for one parameter, in order; a parameter of type tile.Size takes none:
//   - tile.In, tile.Out, tile.InOut: a *Tensor of the tile's element type and rank, or a [TensorOf] that stands for one;
//   - tile.Ptr: a *Tensor of the element type, of any rank;
//   - a number or bool: a value of its type, an int or float64 that fits, as constants are, or a pointer to one;
//   - a function: a function of that type, whose body becomes part of the kernel.
//
// Exported fields of a struct stand for parameters in their order, and types that [RegisterAdapter] knows are adapted.
// What is written must not share memory with another argument. Wrong arguments are [ErrMismatch], each with its own
// [Error], and nothing runs. A tile.Out without elements launches nothing, which is no error.
//
// ctx is for the time that it takes to compile the kernel at its first launch; the work itself goes on when it ends.
func Launch(ctx context.Context, on Target, kernel any, args ...any) error {
	p, err := newPlan(on, kernel)
	if err != nil {
		return err
	}
	if err := p.bind(ctx, args); err != nil {
		return err
	}
	return p.run()
}

// plan is a launch on its way.
type plan struct {
	stream *Stream
	given  *launch.Grid
	kernel *compile.Kernel
	call   *launch.Call
	grid   launch.Grid
	loaded loaded
	key    codeKey // of loaded
	bound  bool    // the last arguments fitted
}

func newPlan(on Target, kernel any) (*plan, error) {
	var p plan
	if on != nil {
		p.stream, p.given = on.target()
	}
	if p.stream == nil {
		return nil, fmt.Errorf("cutile: launch on a nil device or stream: %w", ErrMismatch)
	}
	if v := reflect.ValueOf(kernel); v.Kind() != reflect.Func || v.IsNil() {
		return nil, fmt.Errorf("cutile: a kernel is a Go function, not %s: %w", launch.Describe(kernel), ErrMismatch)
	}
	var err error
	if p.kernel, err = compile.Resolve(kernel); err != nil {
		return nil, explain("", err)
	}
	p.call = launch.New(p.kernel.Params(), reflect.TypeOf(kernel), p.stream.dev.host, unwrap)
	return &p, nil
}

// bind checks the arguments and finds the code for them.
func (p *plan) bind(ctx context.Context, args []any) error {
	p.bound = false
	if wrong := p.call.Bind(args); wrong != nil {
		return mismatch(p.kernel.Name(), wrong)
	}
	grid, wrong := p.call.Grid(p.given)
	if wrong = append(wrong, p.call.Overlaps(nil)...); wrong != nil {
		return mismatch(p.kernel.Name(), wrong)
	}
	p.grid = grid
	if string(p.call.Key()) != p.key.facts || p.loaded.kernel == nil {
		key := codeKey{p.kernel, string(p.call.Key())}
		l, err := p.stream.dev.load(ctx, key, p.call.Facts())
		if err != nil {
			return p.stream.dev.named(explain(p.kernel.Name(), err))
		}
		p.loaded, p.key = l, key
	}
	if wrong := p.call.Overlaps(p.loaded.code.Writes); wrong != nil {
		return mismatch(p.kernel.Name(), wrong)
	}
	p.bound = true
	return nil
}

// run queues what was bound.
func (p *plan) run() error {
	bits, uses, wrong := p.call.Pack(p.loaded.code.Writes)
	if wrong != nil {
		return mismatch(p.kernel.Name(), wrong)
	}
	if p.grid.Empty() {
		return nil
	}
	var grid [3]uint32
	for i, n := range p.grid {
		grid[i] = uint32(n)
	}
	if err := p.stream.host.Launch(p.loaded.kernel, grid, bits, uses); err != nil {
		return p.stream.named(err)
	}
	return nil
}

// entries maps the names of entries, which engines know, to those of kernels.
var entries sync.Map

// codes holds what the compiler made, for all devices of the process.
var codes = cache.New[codeKey, *compile.Code](keepFailure)

// Stats counts compilations in this process.
type Stats struct {
	Compiled int64 // kernels, each set of facts by itself
	Failed   int64 // attempts that gave an error
	Shared   int64 // needs that were met by what was compiled for another device
}

// CompileStats gives the counts so far.
func CompileStats() Stats {
	s := codes.Stats()
	return Stats{Compiled: s.Made, Failed: s.Failed, Shared: s.Hits}
}

// load gives the code of a kernel on the device and makes it where it is not there.
func (d *Device) load(ctx context.Context, key codeKey, facts compile.Facts) (loaded, error) {
	facts.Args = append([]compile.ArgFacts(nil), facts.Args...) // the caller's may change while another one waits
	return d.loaded.Get(ctx, key, func(ctx context.Context) (loaded, error) {
		code, err := codes.Get(ctx, key, func(ctx context.Context) (*compile.Code, error) { return key.kernel.Compile(ctx, facts) })
		if err != nil {
			return loaded{}, err
		}
		if err := record(ctx, code); err != nil {
			return loaded{}, err
		}
		entries.Store(code.Entry, key.kernel.Name())
		kernel, err := d.host.Compile(ctx, code.Module, code.Entry)
		return loaded{code, kernel}, err
	})
}

// keepFailure says which failures would come again: mistakes in the kernel. A cancelled compilation, a missing assembler
// or a full memory may be better the next time.
func keepFailure(err error) bool {
	var list diag.List
	var one *diag.Error
	return errors.As(err, &list) || errors.As(err, &one)
}
