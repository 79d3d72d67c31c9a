package emu

import (
	"slices"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/simt"
)

// Account counts what a launch does. [Launch.Account] asks for it.
type Account struct {
	Kernel   *simt.Func
	Grid     [3]int
	Launches int
	Shared   int     // bytes of shared memory of a block, with dynamic ones: the most of all launches
	Blocks   int     // of all launches
	Warps    int     // of a block
	Counts   []Count // by instruction of the kernel's body; those of labels are zero

	// Read and Written are the bytes of global memory in sectors that the launch reads and writes, each sector once: what
	// memory must deliver and take even if caches are perfect.
	Read, Written int64
}

// Count is what all executions of one instruction did.
type Count struct {
	Executed int64 `json:"executed"` // by a warp, or by lanes of one that have come apart
	Idle     int64 `json:"idle"`     // of these, without an active lane, as the guard was false
	Lanes    int64 `json:"lanes"`    // active lanes of all executions
	Warps    int64 `json:"warps"`    // warps that executed it, of all blocks
	Diverged int64 `json:"diverged"` // branches that some active lanes took and some did not

	Global  Global `json:"global"`
	Shared  Shared `json:"shared"`
	Local   int64  `json:"local"`   // bytes of local memory that lanes asked for
	Remote  int64  `json:"remote"`  // bytes of the shared memory of other blocks of the cluster that lanes asked for
	Begun   int64  `json:"begun"`   // bytes of asynchronous copies to shared memory that it began
	Operand int64  `json:"operand"` // bytes of shared memory that tensor cores read by themselves

	MultiplyAdds int64 `json:"multiply_adds"` // of a matrix instruction
	Overlapped   int64 `json:"overlapped"`    // executions of a matrix instruction while copies to shared memory were under way
	InFlight     int64 `json:"in_flight"`     // bytes of these copies, summed up over the executions
}

// Global is traffic between multiprocessors and global memory.
type Global struct {
	Requests int64 `json:"requests"` // of a warp; a bulk copy is one
	Asked    int64 `json:"asked"`    // bytes that lanes asked for, where lanes that ask for the same bytes count each
	Sectors  int64 `json:"sectors"`  // pieces of 32 bytes that requests touched
	Lines    int64 `json:"lines"`    // pieces of 128 bytes
	Ideal    int64 `json:"ideal"`    // the sectors that as many bytes take if they lie together
}

// Shared is traffic between a multiprocessor and its shared memory.
type Shared struct {
	Requests   int64 `json:"requests"`   // of a warp; a bulk copy is one
	Asked      int64 `json:"asked"`      // bytes
	Wavefronts int64 `json:"wavefronts"` // passes over the 32 banks of 4 bytes
	Ideal      int64 `json:"ideal"`      // passes if there were no conflicts
}

// Add adds what another count has.
func (c *Count) Add(d *Count) {
	to, from := c.numbers(), d.numbers()
	for i, p := range to {
		*p += *from[i]
	}
}

// numbers are all numbers of a count.
func (c *Count) numbers() [21]*int64 {
	return [...]*int64{
		&c.Executed, &c.Idle, &c.Lanes, &c.Warps, &c.Diverged,
		&c.Global.Requests, &c.Global.Asked, &c.Global.Sectors, &c.Global.Lines, &c.Global.Ideal,
		&c.Shared.Requests, &c.Shared.Asked, &c.Shared.Wavefronts, &c.Shared.Ideal,
		&c.Local, &c.Remote, &c.Begun, &c.Operand, &c.MultiplyAdds, &c.Overlapped, &c.InFlight,
	}
}

// watcher is told of each launch of the process: nil for none.
var watcher atomic.Pointer[func(*Account)]

// Watch has all launches of the process counted that ask for no account themselves, until stop is called. It gives each account to
// a function when the launch has ended well, perhaps from several goroutines at once. It reports false if somebody else watches.
func Watch(ended func(*Account)) (stop func(), ok bool) {
	if !watcher.CompareAndSwap(nil, &ended) {
		return nil, false
	}
	return func() { watcher.Store(nil) }, true
}

// Same reports whether two accounts are of launches of one kernel with one grid, so that they may be added.
func (a *Account) Same(b *Account) bool { return a.Kernel == b.Kernel && a.Grid == b.Grid }

// Add adds what another launch of the same kernel did.
func (a *Account) Add(b *Account) {
	a.Launches += b.Launches
	a.Blocks += b.Blocks
	a.Shared = max(a.Shared, b.Shared)
	a.Read += b.Read
	a.Written += b.Written
	for i := range a.Counts {
		a.Counts[i].Add(&b.Counts[i])
	}
}

// tally is the counts of one worker, which takes one cluster after another.
type tally struct {
	counts    []Count // by instruction of the decoded function
	footprint map[*mapping]*footprint
	near      *mapping // the buffer of the last request
}

func (r *run) newTally() *tally {
	if r.Account == nil {
		return nil
	}
	return &tally{counts: make([]Count, len(r.fn.code)), footprint: map[*mapping]*footprint{}}
}

// beginAccount prepares to count: the launch runs a copy of the function whose instructions count themselves.
func (r *run) beginAccount(vars *variables) {
	if r.Account == nil {
		return
	}
	*r.Account = Account{Kernel: r.fn.def, Grid: r.Grid, Launches: 1, Shared: r.Shared, Blocks: volume(r.Grid), Warps: (r.threads + lanes - 1) / lanes}
	r.fn = r.fn.counting(vars)
	r.total = r.newTally()
}

// account adds a worker's counts.
func (r *run) account(t *tally) {
	if t == nil {
		return
	}
	r.failure.Lock()
	defer r.failure.Unlock()
	for i := range t.counts {
		r.total.counts[i].Add(&t.counts[i])
	}
	for p, f := range t.footprint {
		if old := r.total.footprint[p]; old != nil {
			f.add(old)
		}
		r.total.footprint[p] = f
	}
}

// endAccount gives the counts to the one who asked.
func (r *run) endAccount() {
	if r.Account == nil {
		return
	}
	body := r.fn.def.Body
	r.Account.Counts = make([]Count, len(body))
	pc := 0
	for i := range body {
		if counts(&body[i]) {
			r.Account.Counts[i] = r.total.counts[pc]
			pc++
		}
	}
	for _, f := range r.total.footprint {
		r.Account.Read += sectorSize * f.read.count()
		r.Account.Written += sectorSize * f.written.count()
	}
}

// counting gives a copy of the function whose instructions count what they do.
func (f *function) counting(vars *variables) *function {
	g := *f
	g.consts, g.specials = slices.Clone(f.consts), slices.Clone(f.specials)
	d := &decoder{function: &g, known: map[uint64]int{}, vars: vars}
	for _, c := range g.consts {
		d.known[c.value] = c.index
	}
	g.code = make([]instr, len(f.code))
	for pc, in := range f.code {
		k := &counter{instr: in, pc: pc}
		d.watch(k)
		g.code[pc] = instr{run: k.count, guard: len(f.def.Regs), src: in.src}
	}
	return &g
}
