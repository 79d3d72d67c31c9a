package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// Kernel is a compiled entry. It implements engine.Kernel.
type Kernel struct {
	name     string
	device   *Device
	program  program
	params   []param
	image    []byte // what the arena's beginning holds
	arena    int    // bytes
	most     int    // frames that run at a time
	scratch  int
	bases    int
	sinks    int
	sums     int
	places   int
	code     *machineCode
	flow     *flowCode // nil if operations run one by one
	products loopProducts
	locals   []int64 // bytes of each alloca
	globals  map[string]*Buffer
	weight   int64           // about how many elements a block touches, for the choice of chunks
	labels   context.Context // names the kernel in profiles of the program

	module *tileir.Module // of a device with twins
	twins  []*Kernel      // by twin

	traits   traits
	touching []*tileir.Op  // by number of the watcher
	watched  atomic.Uint64 // launches that were

	mu   sync.Mutex
	idle []*frame
}

// param is the place of a parameter.
type param struct {
	off  slot
	size int
	i1   bool

	pointer bool
	elem    tileir.Elem // that it points to
}

// compileEntry turns an entry into a kernel.
func compileEntry(ctx context.Context, d *Device, m *tileir.Module, e *tileir.Entry) (k *Kernel, err error) {
	defer func() {
		if r := recover(); r != nil {
			k, err = nil, fmt.Errorf("BUG: cpu: compiling panicked: %v\n%s", r, debug.Stack())
		}
	}()
	c := newCompiler(ctx, d, m, e)
	p, arena, all, err := c.compile(newMachineCode(d))
	if _, refused := errors.AsType[*host.RefusedError](err); refused { // it was not when the device was opened
		c = newCompiler(ctx, d, m, e)
		p, arena, all, err = c.compile(nil)
	}
	if err != nil {
		return nil, err
	}
	k = &Kernel{name: e.Name, device: d, program: p, image: c.image, arena: arena, most: c.mostFrames(arena), scratch: c.scratch,
		bases: c.bases, sinks: c.sinks, sums: c.sums, places: c.places, code: c.plan.code, flow: all, products: c.products, locals: c.locals, globals: c.globals, weight: weigh(e.Body),
		labels: pprof.WithLabels(context.Background(), pprof.Labels("kernel", e.Name)), traits: findTraits(e), touching: c.touching}
	for _, v := range e.Params {
		t := tileType(v)
		k.params = append(k.params, param{c.off(v), elemBytes(t), t.Elem == tileir.I1 && !t.Pointer, t.Pointer, t.Elem})
	}
	if d.twins != nil {
		k.module = m
	}
	return k, nil
}

func newCompiler(ctx context.Context, d *Device, m *tileir.Module, e *tileir.Entry) *compiler {
	return &compiler{ctx: ctx, device: d, module: m, entry: e, globals: map[string]*Buffer{}, steps: map[*tileir.Op]step{}}
}

// compile compiles the entry, with machine code unless code is nil, and gives the bytes of its arena, too.
func (c *compiler) compile(code *machineCode) (p program, arena int, all *flowCode, err error) {
	if p, arena, err = c.program(code); err == nil {
		all, err = c.newFlow()
	}
	if err == nil {
		err = code.finish()
	}
	if err != nil {
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
	c.plan = planEntry(e, c.device, code, c.notes)
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
	if c.device.target.Level != host.LevelNone {
		c.products = findLoopProducts(e, c.plan.ops)
	}
	c.image = make([]byte, fixed)
	if err := c.makeGlobals(); err != nil {
		return nil, 0, err
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
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, f := range k.idle {
		for _, b := range f.locals {
			k.device.table.remove(b)
		}
		for _, free := range f.free {
			errs = append(errs, free())
		}
	}
	k.idle = nil
	for _, b := range k.globals {
		k.device.table.remove(b)
	}
	k.globals = nil
	k.code.free()
	for _, t := range k.twins {
		if t != nil {
			errs = append(errs, t.Close())
		}
	}
	k.twins = nil
	return errors.Join(errs...)
}

// frame takes an idle frame or makes one.
func (k *Kernel) frame() (*frame, error) {
	k.mu.Lock()
	if n := len(k.idle); n > 0 {
		f := k.idle[n-1]
		k.idle = k.idle[:n-1]
		k.mu.Unlock()
		return f, nil
	}
	k.mu.Unlock()
	f := &frame{kernel: k, bases: make([]ptr, k.bases), sinks: make([]sink, k.sinks), sums: make([]*sumTable, k.sums), places: make([]memoryPlace, k.places)}
	if err := f.allocate(k); err != nil {
		return nil, err
	}
	copy(unsafe.Slice((*byte)(f.mem), k.arena), k.image)
	for _, bytes := range k.locals {
		b, err := k.device.table.add(k.device, bytes, 0)
		if err != nil {
			return nil, err
		}
		b.local = true
		f.locals = append(f.locals, b)
	}
	return f, nil
}

// readBehind is how many bytes behind the arena can be read: [nest.Transpose] reads elements of less than 32 bits as 32 bits.
const readBehind = 8

// allocate makes the memory of a frame: arena and scratch, which begin at multiples of 64, and the words of machine code.
func (f *frame) allocate(k *Kernel) error {
	if k.device.memory != nil {
		return f.allocateApart(k)
	}
	raw, err := makeBytes(int64(k.arena + k.scratch + readBehind + 64))
	if err != nil {
		return err
	}
	f.keep, f.mem = raw, ptr(&raw[-uintptr(unsafe.Pointer(&raw[0]))&63])
	f.scratch = unsafe.Add(f.mem, k.arena)
	words, flow := k.words()
	f.setWords(make([]uint64, words), make([]uint64, flow))
	return nil
}

// allocateApart is allocate with memory of [Options.Memory] for each.
func (f *frame) allocateApart(k *Kernel) error {
	words, flow := k.words()
	var at [4]ptr
	for i, n := range [...]int{k.arena + readBehind, k.scratch, 8 * words, 8 * flow} {
		memory, free, err := k.device.memory(max(8, n))
		if err != nil {
			return err
		}
		at[i], f.free = ptr(&memory[0]), append(f.free, free)
	}
	f.mem, f.scratch = at[0], at[1]
	f.setWords(unsafe.Slice((*uint64)(at[2]), words), unsafe.Slice((*uint64)(at[3]), flow))
	return nil
}

// words says how many words the functions of segments need, and how many the function of all operations.
func (k *Kernel) words() (segments, flow int) {
	if k.code != nil {
		segments = k.code.words
	}
	if k.flow != nil {
		flow = k.code.list[k.flow.fn].Words
	}
	return segments, flow
}

// setWords sets the words that functions get. A frame without the function of all operations has none for it.
func (f *frame) setWords(segments, flow []uint64) {
	f.words = segments
	if f.kernel.flow != nil {
		f.flow = flow
	}
}

// release makes a frame idle again.
func (k *Kernel) release(f *frame) {
	f.addLate()
	f.cache, f.fault, f.stop, f.watch = bufferCache{}, nil, nil, nil
	f.panels, f.stored = nil, false
	f.forgetWindows()
	clear(f.bases)
	clear(f.sinks)
	clear(f.places)
	k.mu.Lock()
	k.idle = append(k.idle, f)
	k.mu.Unlock()
}

// setArgs puts the arguments of a launch into a frame.
func (f *frame) setArgs(args []uint64) {
	for i, p := range f.kernel.params {
		switch v := args[i]; {
		case p.i1:
			*at[uint8](f, p.off) = truth(v != 0)
		case p.size == 1:
			*at[uint8](f, p.off) = uint8(v)
		case p.size == 2:
			*at[uint16](f, p.off) = uint16(v)
		case p.size == 4:
			*at[uint32](f, p.off) = uint32(v)
		default:
			*at[uint64](f, p.off) = v
		}
	}
}

// runBlocks runs the blocks lo to hi-1 of a grid, in order, and stops at the first fault. A panic of the engine becomes
// a fault.
func (f *frame) runBlocks(grid [3]uint32, lo, hi int64) (at int64, fault *engine.Fault) {
	f.grid = grid
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case halted:
			fault = f.stoppedFault()
		default:
			fault = &engine.Fault{Kernel: f.kernel.name, Block: f.block, Known: true,
				Text: fmt.Sprintf("BUG: the CPU engine panicked: %v", r), Stack: string(debug.Stack())}
		}
	}()
	if f.kernel.flow != nil && f.watch == nil {
		return f.runFlow(lo, hi)
	}
	x, y := int64(grid[0]), int64(grid[1])
	for at = lo; at < hi; at++ {
		if f.stop.Load() {
			return at, &engine.Fault{Kernel: f.kernel.name, Text: stopped}
		}
		n := at
		if f.watch != nil {
			n = f.beginWatched(at)
		}
		f.block = [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
		if f.kernel.program.run(f) == sigFault {
			fault, f.fault = f.fault, nil
			return at, fault
		}
	}
	return hi, nil
}
