package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/pprof"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// Kernel is a compiled entry. It implements engine.Kernel.
type Kernel struct {
	name    string
	device  *Device
	params  []param
	globals map[string]*Buffer // which all variants share; nil before there is one
	weight  int64              // about how many elements a block touches, for the choice of chunks
	labels  context.Context    // names the kernel in profiles of the program
	traits  traits
	ready   atomic.Pointer[variant] // what launches run; nil while machine code is being made
	early   *early                  // what they may run before; nil if the first variant is the last

	module  *tileir.Module // for twins, and for reports of faults of ours
	twins   []*Kernel      // by twin
	watched atomic.Uint64  // launches that were
}

// param is a parameter.
type param struct {
	size int
	i1   bool

	pointer bool
	elem    tileir.Elem // that it points to
}

// compileEntry turns an entry into a kernel.
func compileEntry(ctx context.Context, d *Device, m *tileir.Module, e *tileir.Entry) (k *Kernel, err error) {
	defer caught(&err)
	k = &Kernel{name: e.Name, device: d, module: m, labels: pprof.WithLabels(context.Background(), pprof.Labels("kernel", e.Name))}
	if d.early && k.compileEarly(ctx, m, e) {
		return k, nil
	}
	v, err := k.compile(ctx, m, e, false)
	if err != nil {
		return nil, err
	}
	k.ready.Store(v)
	return k, nil
}

// caught makes a panic of the compiler an error.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = &cache.Panic{Value: fmt.Sprintf("cpu: compiling panicked: %v", r), Stack: debug.Stack()}
	}
}

// compile compiles a variant of the kernel: interpreted, or with machine code where the device has it. The first one sets what all
// share.
func (k *Kernel) compile(ctx context.Context, m *tileir.Module, e *tileir.Entry, interpreted bool) (v *variant, err error) {
	defer caught(&err)
	var code *machineCode
	if !interpreted {
		code = newMachineCode(k.device)
	}
	c := newCompiler(ctx, k.device, m, e)
	c.interpreted, c.globals = interpreted, k.globals
	p, arena, all, err := c.compile(code)
	if _, refused := errors.AsType[*host.RefusedError](err); refused { // it was not when the device was opened
		c = newCompiler(ctx, k.device, m, e)
		c.globals = k.globals
		p, arena, all, err = c.compile(nil)
	}
	if err != nil {
		return nil, err
	}
	if k.globals == nil {
		k.globals, k.params, k.weight, k.traits = c.globals, paramsOf(e), weigh(e.Body), findTraits(e)
	}
	return &variant{Kernel: k, program: p, args: c.offs(e.Params), image: c.image, arena: arena, most: c.mostFrames(arena), scratch: c.scratch, bases: c.bases, sinks: c.sinks,
		sums: c.sums, places: c.places, code: c.plan.code, flow: all, products: c.products, locals: c.locals, touching: c.touching}, nil
}

// paramsOf gives the parameters of an entry.
func paramsOf(e *tileir.Entry) (out []param) {
	for _, v := range e.Params {
		t := tileType(v)
		out = append(out, param{elemBytes(t), t.Elem == tileir.I1 && !t.Pointer, t.Pointer, t.Elem})
	}
	return out
}

// offs gives the places of values.
func (c *compiler) offs(vs []*tileir.Value) (out []slot) {
	for _, v := range vs {
		out = append(out, c.off(v))
	}
	return out
}

func newCompiler(ctx context.Context, d *Device, m *tileir.Module, e *tileir.Entry) *compiler {
	return &compiler{ctx: ctx, device: d, module: m, entry: e, steps: map[*tileir.Op]step{}}
}

// compile compiles the entry, with machine code unless code is nil, and gives the bytes of its arena, too.
func (c *compiler) compile(code *machineCode) (p program, arena int, all *flowCode, err error) {
	shared := c.globals != nil
	if p, arena, err = c.program(code); err == nil {
		all, err = c.newFlow()
	}
	if err == nil {
		err = code.finish()
	}
	if err != nil && !shared {
		c.freeGlobals()
	}
	return p, arena, all, err
}

// program compiles the entry, up to the machine code that is not finished yet, and gives the bytes of its arena.
func (c *compiler) program(code *machineCode) (p program, arena int, err error) {
	e := c.entry
	if err := c.supported(e.Body); err != nil {
		return nil, 0, err
	}
	if c.device.assumes {
		c.strides = stridePromises(e.Body)
	}
	if c.device.target.Level != host.LevelNone && !c.interpreted {
		c.products = findLoopProducts(e)
	}
	c.plan = planEntry(e, c.device, code, c.notes, c.products.loops)
	fixed, arena, err := c.plan.assign(c.ctx)
	if err == nil && fixed > maxFixed {
		c.plan.share()
		fixed, arena, err = c.plan.assign(c.ctx)
	}
	if err == nil {
		err = c.roomFor(arena)
	}
	if err != nil {
		return nil, 0, err
	}
	if len(c.products.loops) > 0 {
		c.products.findStores(e.Body, c.plan.ops)
	}
	c.image = make([]byte, fixed)
	if c.globals == nil {
		c.globals = map[string]*Buffer{}
		if err := c.makeGlobals(); err != nil {
			return nil, 0, err
		}
	}
	if p, err = c.block(e.Body); err == nil {
		err = c.roomFor(arena) // with what the operations use while they run
	}
	return p, arena, err
}

// weigh estimates the work of a block: elements of all results, those in loops eight times.
func weigh(b *tileir.Block) int64 {
	var total int64
	b.Walk(func(op *tileir.Op, around []*tileir.Op) bool {
		w := int64(4)
		for _, r := range op.Results {
			if t, ok := r.Type.(*tileir.TileType); ok && shapeOf(op).generate != nil {
				w += int64(t.Size())
			}
		}
		if op.Info.Opcode == tileir.OpMmaF || op.Info.Opcode == tileir.OpMmaI {
			w += int64(tileType(op.Results[0]).Size()) * int64(tileType(op.Operands[0]).Shape[tileType(op.Operands[0]).Rank()-1])
		}
		for _, o := range around {
			if isLoop(o) {
				w *= 8
			}
		}
		total += w
		return true
	})
	return total
}

// isLoop reports whether an operation may run its region several times.
func isLoop(op *tileir.Op) bool {
	in := shapeOf(op).body
	return in == counted || in == endless
}

// Close implements engine.Kernel.
func (k *Kernel) Close() error {
	var errs []error
	if k.early != nil {
		errs = append(errs, k.early.close())
	}
	if v := k.ready.Load(); v != nil {
		errs = append(errs, v.free())
	}
	for _, b := range k.globals {
		k.device.table.remove(b)
	}
	k.globals = nil
	for _, t := range k.twins {
		if t != nil {
			errs = append(errs, t.Close())
		}
	}
	k.twins = nil
	return errors.Join(errs...)
}
