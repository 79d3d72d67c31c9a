package cutile

import (
	"context"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Launch queues a kernel on a device, a stream, or what the Grid method of either gives, and returns without waiting for
// it. kernel is a Go function whose source was registered with [Module], with its type arguments where it has any. Function
// literals, and generic functions that generic code names, are told apart by their lines: each needs one of its own.
//
// Each argument stands for one parameter, in order; a parameter of type tile.Size takes none:
//   - tile.In, tile.Out, tile.InOut: a *Tensor of the tile's element type and rank, or a [TensorOf] that stands for one;
//   - tile.Ptr: a *Tensor of the element type, of any rank, whose elements lie one behind another: of another one take
//     [Tensor.Contiguous], or [Tensor.Span];
//   - a number or bool: a value of its type, an int or float64 that fits, as constants are, or a pointer to one;
//   - a function: a function of that type, whose body becomes part of the kernel.
//
// A parameter that is a struct or array takes a struct or array: a struct's fields have the names of the parameter's, in the
// same order, and hold a *Tensor where those are views. Fields of a struct may also stand for parameters in their order,
// and types that [RegisterAdapter] knows are adapted. What is written must not share memory with another argument. Wrong
// arguments are [ErrMismatch], each with its own [Error], and nothing runs. A tile.Out without elements launches nothing,
// which is no error.
//
// ctx is for the time that it takes to compile the kernel at its first launch; the work itself goes on when it ends.
func Launch(ctx context.Context, on Target, kernel any, args ...any) error {
	if ctx == nil {
		return errNilContext
	}
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
	given  *bind.Grid
	kernel *compile.Kernel
	call   *bind.Call
	grid   [3]uint32
	base   *compile.Code // without a proof
	facts  string        // of base
	proof  compile.Proof
	loaded loaded
	bound  bool // the last arguments fitted
}

func newPlan(on Target, kernel any) (*plan, error) {
	var p plan
	if on != nil {
		p.stream, p.given = on.target()
	}
	if g, ok := on.(*gridTarget); ok && g.axes > len(g.grid) {
		return nil, fmt.Errorf("cutile: a grid has at most three axes, but Grid was given %d numbers: %w", g.axes, ErrMismatch)
	}
	if p.stream == nil || p.stream.host == nil {
		return nil, fmt.Errorf("cutile: launch on a nil device or stream: %w", ErrMismatch)
	}
	var err error
	if p.kernel, p.call, err = newCall(kernel, p.stream.dev.host); err != nil {
		return nil, err
	}
	if p.stream.dev.checks {
		p.call.Check()
	}
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
	for i, n := range grid {
		p.grid[i] = uint32(n)
	}
	if string(p.call.Key()) != p.facts || p.base == nil {
		key := codeKey{p.kernel, string(p.call.Key()), p.stream.dev.host.LimitKey()}
		base, err := p.stream.dev.compiled(ctx, key, p.call.Facts())
		if err != nil {
			return p.stream.dev.named(explain(p.kernel.Name(), err))
		}
		p.base, p.facts, p.loaded = base, key.facts, loaded{}
	}
	if wrong := p.call.Overlaps(p.base.Writes); wrong != nil {
		return mismatch(p.kernel.Name(), wrong)
	}
	bits, _, _ := p.call.Pack(p.base.Writes)
	if wrong := p.call.Unequal(p.base.Equal, bits); wrong != nil {
		return mismatch(p.kernel.Name(), wrong)
	}
	if err := p.choose(ctx, bits); err != nil {
		return err
	}
	p.bound = true
	return nil
}

// choose finds the code for the numbers of the launch: what they prove needs no mask.
func (p *plan) choose(ctx context.Context, bits []uint64) error {
	var proof compile.Proof
	strict, use := p.kernel.NoChecks(), p.stream.dev.promises || recording()
	if strict || use {
		proof = p.base.Prove(p.grid, bits)
	}
	if strict && !proof.All() {
		return p.unproved(bits)
	}
	if !use || !proof.Any() {
		proof = ""
	}
	if proof == p.proof && p.loaded.kernel != nil {
		return nil
	}
	facts := p.call.Facts()
	l, err := p.stream.dev.load(ctx, codeKey{p.kernel, p.facts, p.stream.dev.host.LimitKey()}, facts, proof)
	if err != nil {
		return p.stream.dev.named(explain(p.kernel.Name(), err))
	}
	p.loaded, p.proof = l, proof
	return nil
}

// unproved is the error of a kernel with //cutile:nochecks that needs some.
func (p *plan) unproved(bits []uint64) error {
	var wrong []bind.Mistake
	for _, c := range p.base.Explain(p.grid, bits) {
		if !c.Inside {
			wrong = append(wrong, bind.Mistake{Text: fmt.Sprintf("has //cutile:nochecks, but %v: %s at axis %d may leave the tensor: %s",
				failure.Position(c.Op.Loc), spoken.Op(c.Op), c.Dim, c.Text)})
		}
	}
	return mismatch(p.kernel.Name(), wrong)
}

// run queues what was bound.
func (p *plan) run() error {
	bits, uses, wrong := p.call.Pack(p.base.Writes)
	if wrong != nil {
		return mismatch(p.kernel.Name(), wrong)
	}
	if p.grid[0] == 0 || p.grid[1] == 0 || p.grid[2] == 0 {
		return nil
	}
	if p.call.Volatile() {
		if wrong := p.call.Unequal(p.base.Equal, bits); wrong != nil {
			return mismatch(p.kernel.Name(), wrong)
		}
		if err := p.choose(context.Background(), bits); err != nil {
			return err
		}
	}
	var watch *engine.Watch
	if p.stream.dev.checks {
		watch = &engine.Watch{Outside: p.kernel.Outside(), Tensors: p.call.Tensors(p.base.Writes)}
	}
	if err := p.stream.host.LaunchChecked(p.loaded.kernel, p.grid, bits, uses, watch); err != nil {
		return p.stream.named(err)
	}
	return nil
}

// codes holds what the compiler made, for all devices of the process.
var codes = cache.New[codeKey, *compile.Code](keepFailure)

// compiled gives the code of a kernel for some facts and makes it where it is not there, unless the device is closed first.
func (d *Device) compiled(ctx context.Context, key codeKey, facts compile.Facts) (*compile.Code, error) {
	if code, ok := codes.Lookup(key); ok {
		return code, nil
	}
	within, end := d.host.Until(ctx)
	code, err := compiled(within, key, facts, d.host.Limits())
	return code, end(err)
}

// compiled gives the code of a kernel for some facts and makes it where it is not there.
func compiled(ctx context.Context, key codeKey, facts compile.Facts, limits limit.Limits) (*compile.Code, error) {
	facts.Args = append([]compile.ArgFacts(nil), facts.Args...) // the caller's may change while another one waits
	return codes.Get(ctx, key, func(ctx context.Context) (*compile.Code, error) { return key.kernel.CompileWithin(ctx, facts, limits) })
}

// load gives the code of a kernel on the device and makes it where it is not there. Where code that relies on a proof
// cannot be had, as assemblers before 13.4 do not know it and a folder of cubins may lack it, code without does.
func (d *Device) load(ctx context.Context, key codeKey, facts compile.Facts, proof compile.Proof) (loaded, error) {
	if proof != "" {
		with := facts
		with.Proof = proof
		if l, err := d.loadCode(ctx, codeKey{key.kernel, key.facts + string(proof), key.limits}, with); err == nil {
			return l, nil
		}
	}
	return d.loadCode(ctx, key, facts)
}

func (d *Device) loadCode(ctx context.Context, key codeKey, facts compile.Facts) (loaded, error) {
	facts.Args = append([]compile.ArgFacts(nil), facts.Args...)
	return d.loaded.Get(ctx, key, func(ctx context.Context) (loaded, error) {
		code, err := d.compiled(ctx, key, facts)
		if err != nil {
			return loaded{}, err
		}
		if err := record(ctx, code); err != nil {
			return loaded{}, err
		}
		failure.Name(code.Entry, key.kernel.Name())
		kernel, err := d.host.Compile(ctx, code.Module, code.Entry)
		return loaded{code, kernel}, addFacts(err, key.kernel, &facts)
	})
}

// keepFailure says which failures would come again: mistakes in the kernel. A cancelled compilation, a missing assembler
// or a full memory may be better the next time.
func keepFailure(err error) bool {
	var list diag.List
	var one *diag.Error
	return errors.As(err, &list) || errors.As(err, &one)
}
