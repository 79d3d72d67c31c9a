package cpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/cover"
	"github.com/cutile-go/cutile/internal/emulate/races"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// Options are the choices for a device; the zero value is ready to use.
type Options struct {
	Workers      int       // goroutines that run blocks of one launch; 0 for GOMAXPROCS
	Output       io.Writer // where print_tko writes; nil for os.Stdout
	CheckAssumes bool      // fault where a promise of the kernel does not hold

	// Reorder, when it is not zero, is the seed for a shuffle of the operations of every block that keeps only the order
	// which values and tokens ask for. A kernel whose results change with it lacks a token.
	Reorder uint64

	// Schedule, when it is not zero, is the seed of the schedules by which kernels of the SIMT level run: see [emu.Launch].
	Schedule uint64

	// StopOnCancel makes Wait and Read, when their context ends first, stop the launch that runs. Without it the launch
	// goes on, and only Close stops it.
	StopOnCancel bool

	Limits limit.Limits // of the memory, printing and time of a launch; 0 for the defaults

	// FastBF16 allows products of bf16 that are summed in pairs, where that is known to be faster: see [gemm.BF16Pairs].
	FastBF16 bool

	// FlushToZero makes machine code take subnormal numbers of float32 and float64 as zeros, by [host.CallFlushing].
	FlushToZero bool

	Interpret bool       // everything is interpreted, even where there could be machine code
	Level     host.Level // of machine code; LevelNone for the one that [host.Choose] gives

	// Early lets small launches be interpreted as long as the machine code of their kernel is not there. Otherwise [Device.Compile] returns
	// when it is.
	Early bool

	// Stream is the size in bytes of tensors from which on kernels that do little else write past the caches; 0 for 32 MiB, which is
	// more than a core has of them.
	Stream int64

	// Memory, if it is not nil, gives memory for the tiles of blocks in place of Go's, and a function that frees it. Tests take
	// memory between pages that cannot be touched.
	Memory func(bytes int) (memory []byte, free func() error, err error)

	// Twins says that each launch also runs at each level that the machine has, and interpreted, on copies of its memory, which
	// Memory gives, too. The launch fails if results differ. It is for tests.
	Twins bool

	strip       int // elements of a strip: 0 for the usual number, negative for none
	mapCode     mapper
	equalShares bool // workers always take the same number of blocks
}

// mapper makes machine code executable, as [host.Map] does. Tests have others.
type mapper func(code []byte, functions ...host.Function) (*host.Code, error)

// Device runs kernels on the CPU. It implements engine.Device.
type Device struct {
	workers     int
	assumes     bool
	strip       int
	pairs       bool        // products of bf16 are summed in pairs
	flush       bool        // machine code takes subnormal numbers as zeros
	target      host.Target // of machine code
	products    host.Target // of machine code of matrix products, which devices with checks have, too
	stream      int64
	mapCode     mapper
	equalShares bool
	memory      func(bytes int) ([]byte, func() error, error)
	early       bool                         // launches may run before there is machine code
	twins       *twins                       // nil for none
	missing     func(address uint64) *Buffer // of a twin: copies the buffer of an address that is not there
	reorder     uint64
	schedule    uint64
	cancels     bool
	table       bufferTable
	packed      atomic.Int64 // bytes for the packed factors in buffers that do not change
	pool        pool
	limits      limit.Limits
	halves      sync.Mutex // of elements that share a byte
	pages       races.Pages

	outMu sync.Mutex
	out   io.Writer

	mu      sync.Mutex
	streams map[*Stream]bool
	closed  bool

	making sync.WaitGroup  // machine code
	open   context.Context // which ends when the device is closed
	shut   func()
}

var _ engine.Device = (*Device)(nil)

// Promises implements [engine.Promising]: promises are tested where that was asked for, and gain nothing else.
func (d *Device) Promises() bool { return d.assumes }

// Covers implements [engine.Covering]. It does where CUTILE_COVER asks for it.
func (d *Device) Covers() bool { return cover.On() }

// Parallel implements [engine.Parallel]: each worker runs a block.
func (d *Device) Parallel() int { return d.workers }

// errClosed is the error of a call on a device or stream that was closed.
var errClosed = errors.New("cpu: closed")

// mostWorkers is far more than the cores of any machine, and few enough that the goroutines do no harm.
const mostWorkers = 1 << 16

// CheckWorkers refuses invalid numbers of workers. New takes those that it passes.
func CheckWorkers(n int) error {
	switch {
	case n < 0:
		return fmt.Errorf("the number of workers is negative (%d): give 0 for one per core, or a positive number", n)
	case n > mostWorkers:
		return fmt.Errorf("%d workers are too many: at most %d are allowed", n, mostWorkers)
	}
	return nil
}

// New makes a device. Goroutines start with the first launch that needs them.
func New(o Options) *Device {
	d := &Device{stream: cmp.Or(o.Stream, 32<<20), workers: o.Workers, out: o.Output, assumes: o.CheckAssumes, reorder: o.Reorder, schedule: o.Schedule, cancels: o.StopOnCancel, memory: o.Memory, limits: o.Limits.Or(limit.Default),
		streams: map[*Stream]bool{}}
	if d.workers <= 0 {
		d.workers = runtime.GOMAXPROCS(0)
	}
	d.mapCode, d.equalShares = o.mapCode, o.equalShares
	if d.mapCode == nil {
		d.mapCode = host.Map
	}
	if d.strip = o.strip; o.strip == 0 {
		d.strip = stripElems
	}
	if d.out == nil {
		d.out = os.Stdout
	}
	d.target = chooseTarget(o)
	d.products = d.target
	if o.CheckAssumes { // a product touches no memory that is checked
		o.CheckAssumes = false
		d.products = chooseTarget(o)
	}
	d.pairs, d.flush = o.FastBF16 && d.pairsPay(), o.FlushToZero
	d.pool.init(d.workers - 1)
	d.open, d.shut = context.WithCancel(context.Background())
	if o.Twins && !o.FastBF16 && !o.FlushToZero { // whose results depend on the machine
		d.twins = newTwins(o)
	}
	d.early = o.Early && d.target.Level != host.LevelNone && d.twins == nil && !d.pairs && !d.flush // whose results show who made them
	return d
}

// chooseTarget gives what a device makes machine code for, or why it interprets.
func chooseTarget(o Options) host.Target {
	t, err := host.Choose()
	if o.Level != host.LevelNone {
		t, err = host.At(o.Level)
	}
	switch {
	case o.Interpret:
		return host.Target{Why: "the program asks for it"}
	case o.CheckAssumes:
		return host.Target{Why: "it checks what kernels promise"}
	case err != nil:
		return host.Target{Why: err.Error()}
	case t.Level != host.LevelNone && assemblers[t.Level] == nil:
		return host.Target{Why: fmt.Sprintf("there is no machine code for level %s", t.Level)}
	}
	return t
}

// pairsPay reports whether products of bf16 that are summed in pairs are known to be faster than others.
func (d *Device) pairsPay() bool {
	c := host.Machine()
	c.Features &= d.products.Features
	return d.products.Level == host.LevelAVX512 && gemm.PairsPay(c)
}

// Name implements engine.Device.
func (d *Device) Name() string { return "cpu" }

// Description implements engine.Device.
func (d *Device) Description() string {
	how := d.target.Level.String()
	if d.target.Why != "" {
		how += " (" + d.target.Why + ")"
	}
	return fmt.Sprintf("%s/%s %s, %d workers", runtime.GOOS, runtime.GOARCH, how, d.workers)
}

// Model implements [engine.Modelled].
func (d *Device) Model() string {
	m := d.Description()
	if d.pairs {
		m += ", products of bf16 in pairs"
	}
	if d.flush {
		m += ", no subnormal numbers"
	}
	return m
}

// Target implements engine.Device.
func (d *Device) Target() string { return "cpu" }

// Alloc implements engine.Device.
func (d *Device) Alloc(bytes int64) (engine.Buffer, error) { return d.AllocAt(bytes, 0) }

// AllocHost implements [engine.Pinning]: all memory is the host's.
func (d *Device) AllocHost(bytes int64) (engine.Buffer, error) { return d.Alloc(bytes) }

// UnusedHost implements [engine.Pinning].
func (d *Device) UnusedHost() int64 { return 0 }

// AllocAt is Alloc for memory that stands for other memory: its address modulo 256 is skew, so that whatever a kernel
// was promised about alignment holds for both.
func (d *Device) AllocAt(bytes int64, skew uint8) (engine.Buffer, error) {
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	b, err := d.table.add(d, bytes, skew)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// NewStream implements engine.Device.
func (d *Device) NewStream() (engine.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	s := newStream(d)
	d.streams[s] = true
	return s, nil
}

// Close implements engine.Device.
func (d *Device) Close() error {
	d.mu.Lock()
	streams := make([]*Stream, 0, len(d.streams))
	for s := range d.streams {
		streams = append(streams, s)
	}
	d.closed = true
	d.mu.Unlock()
	var errs []error
	for _, s := range streams { // first all, since they may wait for each other
		s.stopAbandoned()
	}
	for _, s := range streams {
		if err := s.Close(); err != nil && !errors.Is(err, errClosed) {
			errs = append(errs, err)
		}
	}
	d.shut()
	d.making.Wait()
	d.pool.stop()
	if d.twins != nil {
		d.twins.close()
	}
	wrapped.removeOf(d)
	return errors.Join(errs...)
}

// Compile implements engine.Device. The error for an operation or element type that this engine lacks is a [*CompileError].
func (d *Device) Compile(ctx context.Context, m *tileir.Module, entry string) (engine.Kernel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, e := range m.Entries {
		if e.Name == entry {
			k, err := compileEntry(ctx, d, m, e)
			if err != nil {
				return nil, fmt.Errorf("kernel %s: %w", entry, err)
			}
			return k, nil
		}
	}
	return nil, fmt.Errorf("cpu: the module has no entry %q", entry)
}
