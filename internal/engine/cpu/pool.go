package cpu

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/gemm"
)

// pool is the goroutines that help streams to run the blocks of a launch. They start with the first launch that is
// worth sharing and stay until the device is closed.
type pool struct {
	mu      sync.Mutex
	wake    sync.Cond // there is a job, or stop
	left    sync.Cond // a helper has left a job
	helpers int
	started bool
	stopped bool
	jobs    []*job
	running sync.WaitGroup
	posted  atomic.Uint64 // jobs so far, for helpers that do not sleep yet
}

// job is one launch while it runs.
type job struct {
	kernel *variant
	grid   [3]uint32
	args   []uint64
	watch  *watch
	panels *gemm.Cache // packed factors of products; nil if there are none
	total  int64
	shares shares
	next   atomic.Int64 // first block that nobody has taken
	active atomic.Int64 // helpers at work; it changes under the pool's lock
	most   int          // of them, as memory has no room for more
	stop   atomic.Bool  // blocks end at their next loop iteration
	of     *job         // of a twin: the job whose stop ends it

	mu      sync.Mutex
	fault   *engine.Fault // of the lowest block among those that ran
	faultAt int64
	err     error
}

// inlineWeight is the number of elements below which a launch is not worth waking helpers for.
const inlineWeight = 1 << 14

func (p *pool) init(helpers int) {
	p.helpers = helpers
	p.wake.L, p.left.L = &p.mu, &p.mu
}

// run runs a job to its end, with help where that pays.
func (p *pool) run(j *job) {
	shared := p.helpers > 0 && j.most > 0 && j.total > max(1, inlineWeight/max(1, j.kernel.weight))
	if shared {
		p.mu.Lock()
		p.start()
		p.jobs = append(p.jobs, j)
		p.posted.Add(1)
		p.wake.Broadcast()
		p.mu.Unlock()
	}
	j.work()
	if shared {
		p.mu.Lock()
		p.drop(j)
		p.mu.Unlock()
		p.join(j)
	}
}

// join waits until no helper works on a job that has been dropped. Their last blocks take as long as its own did, mostly: it looks for some
// time before it sleeps.
func (p *pool) join(j *job) {
	if soon(func() bool { return j.active.Load() == 0 }) {
		return
	}
	p.mu.Lock()
	for j.active.Load() > 0 {
		p.left.Wait()
	}
	p.mu.Unlock()
}

// start starts the helpers, once.
func (p *pool) start() {
	if p.started {
		return
	}
	p.started = true
	for range p.helpers {
		p.running.Add(1)
		go p.help()
	}
}

// open gives the first job that takes another helper: nil for none.
func (p *pool) open() *job {
	for _, j := range p.jobs {
		if j.active.Load() < int64(j.most) {
			return j
		}
	}
	return nil
}

func (p *pool) drop(j *job) {
	for i, x := range p.jobs {
		if x == j {
			p.jobs = append(p.jobs[:i], p.jobs[i+1:]...)
			return
		}
	}
}

// help works on whatever job there is until the pool stops.
func (p *pool) help() {
	defer p.running.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		j := p.open()
		if j == nil && !p.stopped {
			p.look()
			j = p.open()
		}
		for j == nil && !p.stopped {
			p.wake.Wait()
			j = p.open()
		}
		if p.stopped {
			return
		}
		j.active.Add(1)
		p.mu.Unlock()
		j.work()
		p.mu.Lock()
		j.active.Add(-1)
		p.drop(j) // its blocks have all been taken
		p.left.Broadcast()
	}
}

// awake is how long a helper looks for another job before it sleeps: to wake it takes longer than a small launch does, and where launches
// follow each other, the next one comes soon. It yields to other goroutines now and then only, as that takes the scheduler's lock.
const (
	awake = 50 * time.Microsecond
	looks = 256
)

// look waits for a job for some time without sleeping. The pool's lock is held before and after.
func (p *pool) look() {
	seen := p.posted.Load()
	p.mu.Unlock()
	defer p.mu.Lock()
	soon(func() bool { return p.posted.Load() != seen })
}

// soon looks for some time whether something has happened, and reports whether it has.
func soon(happened func() bool) bool {
	for start := time.Now(); time.Since(start) < awake; runtime.Gosched() {
		for range looks {
			if happened() {
				return true
			}
		}
	}
	return false
}

func (p *pool) stop() {
	p.mu.Lock()
	p.stopped = true
	p.posted.Add(1)
	p.wake.Broadcast()
	p.mu.Unlock()
	p.running.Wait()
}

// set prepares a job for a launch.
func (j *job) set(k *variant, grid [3]uint32, args []uint64, workers int) {
	j.kernel, j.grid, j.args, j.most = k, grid, args, k.most-1
	j.total = int64(grid[0]) * int64(grid[1]) * int64(grid[2])
	j.shares = shares{int64(workers), max(1, 1<<20/max(1, k.weight)), k.device.equalShares}
	j.next.Store(0)
	j.fault, j.faultAt, j.err = nil, 0, nil
}

// shares says how many blocks a worker takes at a time.
type shares struct {
	workers int64
	most    int64
	equal   bool
}

// of gives the next share of so many blocks of which some are left. It is a part of what is left, since the cost of blocks differs:
// with equal shares of a sixteenth, a worker ran the last one, of the most expensive blocks perhaps, while the others waited.
func (s shares) of(left, total int64) int64 {
	n := left / (4 * s.workers)
	if s.equal {
		n = total / (8 * s.workers)
	}
	return max(1, min(n, s.most))
}

// take gives a worker blocks, none if lo is not below hi.
func (j *job) take() (lo, hi int64) {
	for {
		lo = j.next.Load()
		if lo >= j.total {
			return lo, lo
		}
		if hi = min(lo+j.shares.of(j.total-lo, j.total), j.total); j.next.CompareAndSwap(lo, hi) {
			return lo, hi
		}
	}
}

// work runs blocks until all have been taken. Meanwhile profiles count the time of the goroutine, which is the stream's or a helper, for
// the kernel.
func (j *job) work() {
	if j.next.Load() >= j.total {
		return
	}
	pprof.SetGoroutineLabels(j.kernel.labels)
	defer pprof.SetGoroutineLabels(context.Background())
	f, err := j.kernel.frame()
	if err != nil {
		j.mu.Lock()
		j.err = err
		j.mu.Unlock()
		j.next.Store(j.total)
		return
	}
	f.setArgs(j.args)
	if f.stop = &j.stop; j.of != nil {
		f.stop = &j.of.stop
	}
	f.watch, f.panels = j.watch, j.panels
	for {
		lo, hi := j.take()
		if lo >= hi {
			break
		}
		if at, fault := f.runBlocks(j.grid, lo, hi); fault != nil {
			j.report(at, fault)
			break
		}
	}
	j.kernel.release(f)
}

// report keeps the fault of the lowest block and stops the distribution of blocks.
func (j *job) report(at int64, fault *engine.Fault) {
	j.mu.Lock()
	if j.fault == nil || at < j.faultAt {
		j.fault, j.faultAt = fault, at
	}
	j.mu.Unlock()
	j.next.Store(j.total)
}
