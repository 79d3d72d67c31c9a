package engine

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/trace"
	"github.com/cutile-go/cutile/tileir"
)

// Kind is a kind of machine that runs kernels, such as the GPUs of one maker. [Register] makes its devices known to programs.
type Kind struct {
	// Name is how users ask for its first device; the names of its devices begin with it, as "cuda:1" does with "cuda".
	Name string
	// List gives the names of the devices that are there, or the reason why there are none.
	List func() ([]string, error)
	// Open opens the device at an index of that list. It ignores options that mean nothing to it.
	Open func(index int, o Options) (Device, error)
	// Unasked reports whether a program that names no device may get the device at an index of that list, where it can be opened;
	// nil if the first one is for all programs, and an error where it cannot be opened.
	Unasked func(index int) bool
	// Check refuses options and settings of the environment that are mistakes, whatever device a program opens. It may be nil.
	Check func(o Options) error
	// Exporter makes code for devices that are elsewhere; nil if the engine cannot.
	Exporter Exporter
}

// Options are what a program may choose for a device.
type Options struct {
	Output  io.Writer // where kernels print; nil for os.Stdout
	Workers int       // goroutines that run a kernel; 0 for GOMAXPROCS
	Checks  bool      // launches look for what a GPU leaves undefined

	// FastBF16 allows products of bf16 whose bits depend on the machine: see cutile.WithFastBF16.
	FastBF16 bool

	// FlushToZero allows machine code to take subnormal numbers as zeros: see cutile.WithFlushToZero.
	FlushToZero bool

	Assembler string // what makes code of kernels: see cutile.WithAssembler; "" for what fits

	Log *slog.Logger // what happens is told to it; nil for nobody

	Trace *trace.Trace // what happens is written to it, with times; nil for nobody

	TraceLaunches bool // graphs are replayed launch by launch where there is a trace

	Shadow *Shadow // launches are repeated on the CPU and compared; nil if they are not

	Limits limit.Limits
	Code   fs.FS // what an [Exporter] wrote; nil for what the environment names, if anything
}

// Exporter makes code ahead of the launch, for machines that have no compiler.
type Exporter interface {
	// CheckTargets refuses names of targets that mean nothing.
	CheckTargets(targets []string) error
	// Export adds a module's code for each target to a folder, which [Options].Code may hold later.
	Export(ctx context.Context, m *tileir.Module, entry, dir string, targets []string) error
	// Record is Export for devices of this module alone, whose launches may have to do more for a kernel than other programs can.
	Record(ctx context.Context, m *tileir.Module, entry, dir string, targets []string) error
	// Describe adds to a folder how programs in other languages launch the code of a module that Export has written there.
	Describe(ctx context.Context, m *tileir.Module, i *Interface, dir string) error
	// Stats counts what its compiler made in this process, and what was found on disk instead. err is why the disk could not
	// be used the last time.
	Stats() (made, found int64, err error)
}

// kinds holds what was registered, the preferred kind first.
var kinds struct {
	sync.Mutex
	list []Kind
}

// Register adds a kind behind those that are registered. A kind that has the name of one takes its place, as tests need it;
// restore brings that one back.
func Register(k Kind) (restore func()) {
	kinds.Lock()
	defer kinds.Unlock()
	old := kinds.list
	kinds.list = slices.Clone(old)
	if i := slices.IndexFunc(old, func(o Kind) bool { return o.Name == k.Name }); i >= 0 {
		kinds.list[i] = k
	} else {
		kinds.list = append(kinds.list, k)
	}
	return func() {
		kinds.Lock()
		defer kinds.Unlock()
		kinds.list = old
	}
}

// Kinds gives the kinds that are registered, the preferred one first.
func Kinds() []Kind {
	kinds.Lock()
	defer kinds.Unlock()
	return kinds.list
}

// Ahead is the exporter of the first kind that has one.
func Ahead() (Exporter, error) {
	for _, k := range Kinds() {
		if k.Exporter != nil {
			return k.Exporter, nil
		}
	}
	return nil, fmt.Errorf("no engine of this program makes code for other machines")
}
