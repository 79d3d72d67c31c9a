package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"go/token"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/simt"
)

// Launch says what to run.
type Launch struct {
	Kernel   string
	Grid     [3]int
	Block    [3]int         // threads of a block: zero for the kernel's own
	Cluster  [3]int         // blocks of a cluster: zero for the kernel's own
	Shared   int            // bytes of shared memory
	Static   int            // of them, those before the dynamic ones: the kernel's own variables
	Args     []uint64       // by parameter: the bits, zero-extended
	Bytes    map[int][]byte // by parameter that is an array of bytes
	Memory   *Memory        // global memory: nil for none
	Stdout   io.Writer      // where printf writes: nil for nowhere
	Workers  int            // clusters that run in parallel: 0 for one on each CPU
	Races    bool           // report data races in shared and global memory
	Schedule uint64         // if not 0, the seed of orders in which a warp runs only while none before it can go on; else warps take turns
	Account  *Account       // where to count what the launch does: nil for nowhere

	Cooperative bool // all blocks run at once: at most MaxCooperative clusters; grid.sync() of CUDA's cooperative groups needs it

	// Stored is told of each access that writes global memory, by several goroutines unless Workers is 1; nil for nobody.
	Stored func(*Stored)
}

// Stored is an access that writes global memory: of one thread, or of a copy that it begins.
type Stored struct {
	Addr   uint64
	Bytes  int
	Block  [3]int
	Thread [3]int
	Pos    token.Position
	Op     string // the instruction
}

// run is a launch under way.
type run struct {
	*Launch
	fn        *function
	size      [3]int // of a block
	threads   int    // of a block
	params    []byte
	grid      *gridRaces // nil if nobody asked
	total     *tally     // of all workers: nil if nobody asked
	print     sync.Mutex
	next      atomic.Int64
	sync      gridSync
	workspace uint64 // of grid.sync(): 0 for none
	stopped   atomic.Bool
	failure   sync.Mutex
	failed    int // the cluster with the mistake
	err       error

	// Of host functions.
	onLaunch  func(*HostLaunch) (uint64, error)
	launchErr error
	results   []uint64
}

const (
	stepSize = 4 << 20 // instructions of a cluster before others are begun beside it: it may wait for them
	turnSize = 1 << 14 // the same in a cooperative launch, in which clusters surely do
	resident = 32      // clusters that a worker has begun at most, if the launch is not cooperative
)

// MaxCooperative is how many clusters a cooperative launch may have. Each has shared memory, and registers for all its threads.
const MaxCooperative = 1024

// Run runs a kernel to its end. A mistake of the kernel is an [*Error].
func (p *Program) Run(ctx context.Context, l Launch) error {
	if w := watcher.Load(); w != nil && l.Account == nil {
		l.Account = new(Account)
		if err := p.launch(ctx, &l); err != nil {
			return err
		}
		(*w)(l.Account)
		return nil
	}
	return p.launch(ctx, &l)
}

// launch runs a kernel that the watcher knows of.
func (p *Program) launch(ctx context.Context, l *Launch) error {
	r, err := p.newRun(l)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { r.stopped.Store(true) })
	defer stop()
	clusters := volume(l.Grid) / volume(r.clusterSize())
	workers := l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var all sync.WaitGroup
	for range min(workers, clusters) {
		all.Go(func() { r.work(clusters) })
	}
	all.Wait()
	r.endAccount()
	if r.err != nil {
		return r.err
	}
	return ctx.Err()
}

func (p *Program) newRun(l *Launch) (*run, error) {
	f := p.kernels[l.Kernel]
	if f == nil {
		return nil, fmt.Errorf("no kernel %s in this module", l.Kernel)
	}
	if l.Memory == nil {
		l.Memory = &Memory{}
	}
	r := &run{Launch: l, fn: f, size: f.def.Block}
	if l.Block != [3]int{} {
		r.size = l.Block
	}
	r.threads = volume(r.size)
	if err := r.fits(); err != nil {
		return nil, err
	}
	if l.Races {
		r.grid = newGridRaces(volume(l.Grid)/volume(r.clusterSize()), f.orders)
	}
	var err error
	if l.Memory, err = p.vars.beside(l.Memory); err != nil {
		return nil, r.refuse("%w", err)
	}
	r.addWorkspace()
	r.params, err = f.pack(l.Args, l.Bytes)
	r.sync.init(r)
	r.beginAccount(p.vars)
	return r, err
}

// fits checks the extents of a launch.
func (r *run) fits() error {
	const shared = 1 << 20
	size := r.clusterSize()
	switch {
	case r.threads < 1 || r.threads > simt.MaxThreads:
		return r.refuse("a block has 1 to %d threads, not %v", simt.MaxThreads, r.size)
	case min(r.Grid[0], r.Grid[1], r.Grid[2]) < 1:
		return r.refuse("each extent of the grid is at least 1, not %v", r.Grid)
	case r.Shared < 0 || r.Shared > shared:
		return r.refuse("%d bytes of shared memory", r.Shared)
	case volume(size) < 1 || volume(size) > simt.MaxCluster:
		return r.refuse("a cluster has 1 to %d blocks, not %v", simt.MaxCluster, size)
	case r.Grid[0]%size[0] != 0 || r.Grid[1]%size[1] != 0 || r.Grid[2]%size[2] != 0:
		return r.refuse("the grid %v is not a multiple of the cluster %v", r.Grid, size)
	}
	n, blocks := volume(r.Grid)/volume(size), "blocks"
	if volume(size) > 1 {
		blocks = "clusters"
	}
	if r.Cooperative && n > MaxCooperative {
		return r.refuse("a cooperative launch runs all blocks at once, which are %d %s, but the most are %d", n, blocks, MaxCooperative)
	}
	return nil
}

// refuse is the error of a launch that cannot begin.
func (r *run) refuse(format string, args ...any) error {
	return &LaunchError{r.fn.def.Title(), fmt.Errorf(format, args...)}
}

// clusterSize is the extents of a cluster in blocks.
func (r *run) clusterSize() [3]int {
	switch {
	case r.Cluster != [3]int{}:
		return r.Cluster
	case r.fn.def.Cluster != [3]int{}:
		return r.fn.def.Cluster
	}
	return [3]int{1, 1, 1}
}

// pack writes arguments into the memory of the parameters.
func (f *function) pack(args []uint64, bytes map[int][]byte) ([]byte, error) {
	if len(args) != len(f.def.Params) {
		return nil, fmt.Errorf("%s has %d parameters, not %d", f.def.Title(), len(f.def.Params), len(args))
	}
	out := make([]byte, f.paramSize)
	for _, p := range f.params {
		if b := bytes[p.index]; f.def.Params[p.index].Bytes > 0 {
			if len(b) != p.size && !f.def.Host {
				return nil, fmt.Errorf("%s: parameter %s has %d bytes, not %d", f.def.Title(), f.def.Params[p.index].Name, p.size, len(b))
			}
			copy(out[p.offset:], b)
			continue
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], args[p.index])
		copy(out[p.offset:p.offset+p.size], word[:])
	}
	return out, nil
}

// work runs clusters until there are none. A cluster that takes long does not keep others from being begun, since it may
// wait for them.
func (r *run) work(clusters int) {
	type started struct {
		*cluster
		n int
	}
	var begun []started
	var free []*cluster
	counts := r.newTally()
	defer r.account(counts)
	defer func() {
		if p := recover(); p != nil { // a bug of ours, which must not end the program
			r.fail(0, &cache.Panic{Value: fmt.Sprintf("the emulator panicked: %v", p), Stack: debug.Stack()})
		}
	}()
	begin := func() bool {
		n := int(r.next.Add(1)) - 1
		if n >= clusters {
			return false
		}
		var c *cluster
		if k := len(free); k > 0 {
			c, free = free[k-1], free[:k-1]
		} else {
			c = newCluster(r)
			c.tally = counts
		}
		c.begin(n)
		r.sync.begin(n, c)
		begun = append(begun, started{c, n})
		return true
	}
	size := stepSize
	if r.Cooperative {
		size = turnSize
	}
	for (len(begun) > 0 || begin()) && !r.stopped.Load() {
		c := begun[0]
		begun = begun[1:]
		done, err := r.step(c.cluster, c.n, size)
		switch {
		case err != nil:
			r.fail(c.n, err)
		case done:
			free = append(free, c.cluster)
		default:
			if len(begun) < resident-1 || r.Cooperative {
				begin()
			}
			begun = append(begun, c)
		}
	}
}

// fail stops the launch. If there are several mistakes, the one of the first cluster is kept.
func (r *run) fail(n int, err error) {
	r.failure.Lock()
	defer r.failure.Unlock()
	if r.err == nil || n < r.failed {
		r.err, r.failed = err, n
	}
	r.stopped.Store(true)
}
