package cutile

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/debug"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Launch queues a kernel on a device, a stream, or the result of the Grid method of either, and returns without waiting for it.
// kernel is a Go function whose source was registered with [Module], with its type arguments if it has any. Function literals,
// and generic functions that generic code names, are identified by their lines: there can be only one of them on a line.
//
// Each argument is for one parameter, in order; a parameter of type tile.Size takes none:
//   - tile.In, tile.Out, tile.InOut: a *Tensor of the tile's element type and rank, or a [TensorOf] that stands for one;
//   - tile.Ptr: a contiguous *Tensor of the element type, of any rank: pass [Tensor.Contiguous] or [Tensor.Span] of any other
//     tensor;
//   - a number or bool: a value of its type, an int or float64 that fits, such as an untyped constant, or a pointer to one;
//   - a function: a function of that type, whose body becomes part of the kernel.
//
// A parameter that is a struct or array takes a struct or array: the fields of the argument have the same names in the same
// order, and hold a *Tensor where the parameter's are views. The fields of a struct may also be the arguments for several
// parameters, in order, and types known to [RegisterAdapter] are adapted. A tensor that is written must not share memory with
// another argument. If arguments do not fit, nothing runs and the error is [ErrMismatch], with an [Error] for each. A tile.Out
// without elements launches nothing, without an error, whatever the other arguments are.
//
// ctx applies to compiling the kernel at its first launch; queued work continues after ctx has ended.
func Launch(ctx context.Context, on Target, kernel any, args ...any) error {
	if ctx == nil {
		return device.CheckContext(ctx)
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

// plan is a launch that is being prepared.
type plan struct {
	stream *core.Stream
	dev    *core.Device
	owner  *Device    // keeps the device open
	on     *Stream    // keeps the stream open
	given  *bind.Grid // nil if it follows from the Outs
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
	stream, grid := device.Place(on)
	switch {
	case len(grid) > 3:
		return nil, fmt.Errorf("cutile: a grid has at most three axes, but Grid was given %d numbers: %w", len(grid), ErrMismatch)
	case stream == nil:
		return nil, fmt.Errorf("cutile: launch on a nil device or stream: %w", ErrMismatch)
	}
	p := plan{stream: stream.Internal(), owner: stream.Device(), on: stream}
	if grid != nil {
		p.given = &bind.Grid{1, 1, 1}
		copy(p.given[:], grid)
	}
	p.dev = p.stream.Device()
	var err error
	if p.kernel, p.call, err = newCall(kernel, p.dev); err != nil {
		return nil, err
	}
	p.call.Resident = func() int { return p.dev.Parallel() * p.kernel.Occupancy(p.dev.Engine().Target()) } // few kernels ask
	if p.dev.Checks() {
		p.call.Check()
	}
	if p.dev.Covers() {
		p.call.Cover()
	}
	return &p, nil
}

// bind checks the arguments and finds the code for them.
func (p *plan) bind(ctx context.Context, args []any) error {
	bits, err := p.toTileIR(ctx, args)
	if err != nil {
		return err
	}
	if err := p.choose(ctx, bits); err != nil {
		return err
	}
	p.bound = true
	return nil
}

// toTileIR checks the arguments, finds the Tile IR for them, and gives the bits of its parameters.
func (p *plan) toTileIR(ctx context.Context, args []any) ([]uint64, error) {
	p.bound = false
	if wrong := p.call.Bind(args); wrong != nil {
		return nil, mismatch(p.kernel.Name(), wrong)
	}
	grid, wrong := p.call.Grid(p.given)
	if wrong = append(wrong, p.call.Overlaps(nil)...); wrong != nil {
		return nil, mismatch(p.kernel.Name(), wrong)
	}
	for i, n := range grid {
		p.grid[i] = uint32(n)
	}
	if string(p.call.Key()) != p.facts || p.base == nil {
		key := codeKey{kernel: p.kernel, facts: string(p.call.Key()), limits: p.dev.LimitKey()}
		base, err := compiledFor(ctx, p.dev, key, p.call.Facts())
		if err != nil {
			return nil, p.named(err)
		}
		p.base, p.facts, p.loaded = base, key.facts, loaded{}
	}
	if wrong := p.call.Overlaps(p.base.Writes); wrong != nil {
		return nil, mismatch(p.kernel.Name(), wrong)
	}
	bits, _, _ := p.call.Pack(p.base.Writes)
	if wrong := p.call.Unequal(p.base.Equal, bits); wrong != nil {
		return nil, mismatch(p.kernel.Name(), wrong)
	}
	return bits, nil
}

// choose finds the code for the numbers of the launch: what they prove needs no mask.
func (p *plan) choose(ctx context.Context, bits []uint64) error {
	proof, err := p.prove(bits)
	if err != nil {
		return err
	}
	if proof == p.proof && p.loaded.kernel != nil {
		return nil
	}
	facts := p.call.Facts()
	l, err := load(ctx, p.dev, codeKey{kernel: p.kernel, facts: p.facts, limits: p.dev.LimitKey()}, facts, proof)
	if err != nil {
		return p.named(err)
	}
	p.loaded, p.proof = l, proof
	return nil
}

// prove gives the proof that code for the numbers of the launch relies on, "" for none.
func (p *plan) prove(bits []uint64) (proof compile.Proof, err error) {
	strict, use := p.kernel.NoChecks(), p.dev.Promises() || engine.Recording()
	if strict || use {
		proof = p.base.Prove(p.grid, bits)
	}
	if strict && !proof.All() {
		return "", p.unproved(bits)
	}
	if !use || !proof.Any() {
		proof = ""
	}
	return proof, nil
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
	defer runtime.KeepAlive(p.on)
	var watch *engine.Watch
	if p.dev.Watched() {
		watch = &engine.Watch{Outside: p.kernel.Outside(), Tensors: p.call.Tensors(p.base.Writes)}
	}
	if err := p.stream.LaunchChecked(p.loaded.kernel, p.grid, bits, uses, watch); err != nil {
		return core.Named[*Error]("stream of "+p.dev.Name(), err)
	}
	return nil
}

// codes holds what the compiler made, for all devices of the process.
var codes = cache.New[codeKey, *compile.Code](keepFailure)

// named adds the device and the kernel to an error of compiling or loading.
func (p *plan) named(err error) error {
	return core.Named[*Error]("device "+p.dev.Name(), failure.Explain("kernel", p.kernel.Name(), err))
}

// compiledFor is compiled with the limits of a device. It ends when the device is closed.
func compiledFor(ctx context.Context, d *core.Device, key codeKey, facts compile.Facts) (*compile.Code, error) {
	if code, ok := codes.Lookup(key.debugged()); ok {
		return code, nil
	}
	within, end := d.Until(ctx)
	code, err := compiled(within, key, facts, d.Limits(), d)
	return code, end(err)
}

// compiled gives the code of a kernel for some facts and makes it where it is not there, which it tells the device; nil
// for none.
func compiled(ctx context.Context, key codeKey, facts compile.Facts, limits limit.Limits, d *core.Device) (*compile.Code, error) {
	facts.Args = append([]compile.ArgFacts(nil), facts.Args...) // the caller's may change while another one waits
	return codes.Get(ctx, key.debugged(), cache.Profiled(key.kernel.Name(), func(ctx context.Context) (*compile.Code, error) {
		start := time.Now()
		code, err := key.kernel.CompileWithin(ctx, facts, limits)
		d.Compiled(ctx, key.kernel.Name(), time.Since(start), err)
		return code, err
	}))
}

// codeKey names compiled code: a kernel with the facts of its arguments.
type codeKey struct {
	kernel *compile.Kernel
	facts  string
	limits string // a text that names those of the compiler
	debug  bool   // with what debuggers want to know: see debugged
}

// proved is a key of code that relies on a proof.
func (k codeKey) proved(p compile.Proof) codeKey {
	k.facts += string(p)
	return k
}

// debugged is the key as the compiler is asked now.
func (k codeKey) debugged() codeKey {
	k.debug = debug.On(debug.Variables)
	return k
}

// loaded is code on a device.
type loaded struct {
	code   *compile.Code
	kernel engine.Kernel
}

// loadedKey is where a device keeps the code that was loaded on it.
type loadedKey struct{}

// loadedOn is the code that was loaded on a device.
func loadedOn(d *core.Device) *cache.Cache[codeKey, loaded] {
	return d.Hold(loadedKey{}, func() (any, func()) {
		c := cache.New[codeKey, loaded](keepFailure)
		return c, func() { c.Clear(func(l loaded) { l.kernel.Close() }) }
	}).(*cache.Cache[codeKey, loaded])
}

// load gives the code of a kernel on a device and makes it where it is not there. Where code that relies on a proof
// cannot be had, as assemblers before 13.4 do not know it and a folder of cubins may lack it, code without does.
func load(ctx context.Context, d *core.Device, key codeKey, facts compile.Facts, proof compile.Proof) (loaded, error) {
	if proof != "" {
		with := facts
		with.Proof = proof
		if l, err := loadCode(ctx, d, key.proved(proof), with); err == nil || engine.Damaged(err) {
			return l, err
		}
	}
	return loadCode(ctx, d, key, facts)
}

func loadCode(ctx context.Context, d *core.Device, key codeKey, facts compile.Facts) (loaded, error) {
	facts.Args = append([]compile.ArgFacts(nil), facts.Args...)
	return loadedOn(d).Get(ctx, key, cache.Profiled(key.kernel.Name(), func(ctx context.Context) (loaded, error) {
		own, err := compiledFor(ctx, d, key, facts)
		if err != nil {
			return loaded{}, err
		}
		code, err := overridden(ctx, d, own, &facts)
		if err != nil {
			return loaded{}, err
		}
		if err := making(key.kernel, &facts, code, func() error { return engine.Record(ctx, code.Module, code.Entry) }); err != nil {
			return loaded{}, fmt.Errorf("cutile: %w", err)
		}
		kernel, err := d.CompileBeside(ctx, code.Module, own.Module, code.Entry, key.kernel.Name())
		return loaded{code, kernel}, addFacts(err, key.kernel, &facts)
	}))
}

// keepFailure says which failures would happen again: mistakes in the kernel. After a cancelled compilation, a missing
// assembler or a full memory the next attempt may succeed.
func keepFailure(err error) bool {
	var list diag.List
	var one *diag.Error
	return errors.As(err, &list) || errors.As(err, &one)
}
