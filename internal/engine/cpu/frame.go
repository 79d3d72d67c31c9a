package cpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/emulate/races"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/tileir"
)

// frame is what one worker needs while it runs blocks of one kernel. All tiles of a block lie in one arena, at offsets
// that the compiler chose; the frame is used again for the next block and the next launch.
type frame struct {
	mem     unsafe.Pointer // the arena's first byte, 64-byte aligned
	scratch unsafe.Pointer // room that one operation may use while it runs
	keep    []byte         // the memory behind both, if it is Go's
	free    []func() error // free it, if it is not
	strips  [4]strip       // operands of elementwise operations on their way
	lanes   int            // how many elements the body of a reduction works on
	block   [3]uint32
	grid    [3]uint32
	kernel  *variant
	cache   bufferCache
	fault   *engine.Fault
	locals  []*Buffer   // one for each alloca
	text    []byte      // of a print, while it is put together
	bases   []ptr       // where the values of a run begin, while it runs
	sinks   []sink      // what its stores need to know
	panels  *gemm.Cache // of the launch: packed factors of products, nil if they may change
	worker  gemm.Worker
	stored  bool          // a product has done the store that comes next
	places  []memoryPlace // where the operands of a segment lie, while it runs
	words   []uint64      // what its function gets
	flow    []uint64      // what the function of the entry gets, nil if there is none
	sums    []*sumTable   // of atomic additions; each is nil until it is needed
	stop    *atomic.Bool  // of the launch: somebody wants it to end
	looks   int           // how often operations have looked at it
	left    int           // how often the function of the entry left something to the engine
	watch   *watch        // of the launch; nil if nobody asked for one
	thread  races.Thread  // the block, where it is watched
}

// stripLen is how many elements an elementwise operation handles at a time when operands need conversion.
const stripLen = 256

// strip holds elements of up to eight bytes.
type strip [stripLen]uint64

// slot is the place of a value in the arena, in bytes.
type slot int

// at gives the address of the element at a slot.
func at[T any](f *frame, s slot) *T { return (*T)(unsafe.Add(f.mem, s)) }

// tile gives n elements from a slot on.
func tile[T any](f *frame, s slot, n int) []T { return unsafe.Slice((*T)(unsafe.Add(f.mem, s)), n) }

// signal says how a step ended.
type signal uint8

const (
	sigNext     signal = iota // go on with the next step
	sigContinue               // next iteration of the innermost loop
	sigBreak                  // leave the innermost loop
	sigReturn                 // leave the kernel
	sigFault                  // frame.fault is set
)

// step is one compiled operation.
type step func(f *frame) signal

// program is a block of operations.
type program []step

// run does the steps until one of them ends otherwise than with sigNext.
func (p program) run(f *frame) signal {
	for _, s := range p {
		if sig := s(f); sig != sigNext {
			return sig
		}
	}
	return sigNext
}

// fail sets the frame's fault.
func (f *frame) fail(op *tileir.Op, format string, args ...any) signal {
	f.fault = &engine.Fault{
		Kernel: f.kernel.name, Block: f.block, Known: true, Loc: op.Loc,
		Text: fmt.Sprintf(format, args...),
	}
	return sigFault
}

// stopped is the text of the fault of a launch that was stopped.
const stopped = "stopped"

// ceilDiv rounds the quotient of positive numbers up.
func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// alignUp rounds n up to a multiple of a power of two.
func alignUp(n, to int) int { return (n + to - 1) &^ (to - 1) }
