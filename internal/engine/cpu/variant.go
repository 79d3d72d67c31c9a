package cpu

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// variant is what launches of a kernel run: with machine code, or interpreted.
type variant struct {
	*Kernel
	program  program
	args     []slot // where the parameters lie
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
	locals   []int64      // bytes of each alloca
	touching []*tileir.Op // by number of the watcher
	before   *early       // it runs only before there is machine code; nil for one that stays

	mu   sync.Mutex
	idle []*frame
}

// free gives the memory back. No launch may run.
func (v *variant) free() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	for _, f := range v.idle {
		for _, b := range f.locals {
			v.device.table.remove(b)
		}
		for _, free := range f.free {
			errs = append(errs, free())
		}
	}
	v.idle = nil
	v.code.free()
	return errors.Join(errs...)
}

// frame takes an idle frame or makes one.
func (v *variant) frame() (*frame, error) {
	v.mu.Lock()
	if n := len(v.idle); n > 0 {
		f := v.idle[n-1]
		v.idle = v.idle[:n-1]
		v.mu.Unlock()
		return f, nil
	}
	v.mu.Unlock()
	f := &frame{kernel: v, bases: make([]ptr, v.bases), sinks: make([]sink, v.sinks), sums: make([]*sumTable, v.sums), places: make([]memoryPlace, v.places)}
	if err := f.allocate(v); err != nil {
		return nil, err
	}
	copy(unsafe.Slice((*byte)(f.mem), v.arena), v.image)
	for _, bytes := range v.locals {
		b, err := v.device.table.add(v.device, bytes, 0)
		if err != nil {
			return nil, err
		}
		b.local = true
		f.locals = append(f.locals, b)
	}
	return f, nil
}

// readBehind is how many bytes behind the arena can be read: [nest.Wide] reads elements of less than 32 bits as 32 bits.
const readBehind = 8

// allocate makes the memory of a frame: arena and scratch, which begin at multiples of 64, and the words of machine code.
func (f *frame) allocate(v *variant) error {
	if v.device.memory != nil {
		return f.allocateApart(v)
	}
	raw, err := makeBytes(int64(v.arena + v.scratch + readBehind + 64))
	if err != nil {
		return err
	}
	f.keep, f.mem = raw, ptr(&raw[-uintptr(unsafe.Pointer(&raw[0]))&63])
	f.scratch = unsafe.Add(f.mem, v.arena)
	words, flow := v.words()
	f.setWords(make([]uint64, words), make([]uint64, flow))
	return nil
}

// allocateApart is allocate with memory of [Options.Memory] for each.
func (f *frame) allocateApart(v *variant) error {
	words, flow := v.words()
	var at [4]ptr
	for i, n := range [...]int{v.arena + readBehind, v.scratch, 8 * words, 8 * flow} {
		memory, free, err := v.device.memory(max(8, n))
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
func (v *variant) words() (segments, flow int) {
	if v.code != nil {
		segments = v.code.words
	}
	if v.flow != nil {
		flow = v.code.list[v.flow.fn].Words
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
func (v *variant) release(f *frame) {
	f.addLate()
	f.cache, f.fault, f.stop, f.watch = bufferCache{}, nil, nil, nil
	f.panels, f.stored = nil, false
	f.forgetWindows()
	clear(f.bases)
	clear(f.sinks)
	clear(f.places)
	v.mu.Lock()
	v.idle = append(v.idle, f)
	v.mu.Unlock()
}

// setArgs puts the arguments of a launch into a frame.
func (f *frame) setArgs(args []uint64) {
	for i, p := range f.kernel.params {
		switch v, off := args[i], f.kernel.args[i]; {
		case p.i1:
			*at[uint8](f, off) = truth(v != 0)
		case p.size == 1:
			*at[uint8](f, off) = uint8(v)
		case p.size == 2:
			*at[uint16](f, off) = uint16(v)
		case p.size == 4:
			*at[uint32](f, off) = uint32(v)
		default:
			*at[uint64](f, off) = v
		}
	}
}

// goTo makes a block, by its number in the grid, the one that runs.
func (f *frame) goTo(n int64) {
	x, y := int64(f.grid[0]), int64(f.grid[1])
	f.block = [3]uint32{uint32(n % x), uint32(n / x % y), uint32(n / x / y)}
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
	for at = lo; at < hi; at++ {
		if f.stop.Load() {
			return at, &engine.Fault{Kernel: f.kernel.name, Text: stopped}
		}
		n := at
		if f.watch != nil {
			n = f.beginWatched(at)
		}
		f.goTo(n)
		if f.kernel.program.run(f) == sigFault {
			fault, f.fault = f.fault, nil
			return at, fault
		}
	}
	return hi, nil
}
