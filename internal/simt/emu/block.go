package emu

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"
)

const (
	rankShift = 24   // a shared address of a cluster: the block's rank above, the offset below
	pollCost  = 1000 // instructions that a look at what other blocks may change counts as: a cluster that waits for one is soon left
	turn      = 2000 // instructions of a warp before the next one has its turn
)

// cluster is blocks that run together. A grid without clusters has clusters of one block.
type cluster struct {
	run      *run
	size     [3]int
	blocks   []*block
	queue    []func() // asynchronous work in the order in which it was begun
	bar      clusterBarrier
	races    *races
	tensor   []*tensorOp // begun and not yet done
	issued   int         // how many of these there were
	tally    *tally      // of the worker: nil if nobody asked
	schedule *schedule   // nil: warps take turns
}

// block is the threads that share memory and barriers.
type block struct {
	cluster *cluster
	id      [3]int
	rank    int
	warps   []*warp
	live    int     // threads that have not ended
	flying  int64   // bytes of copies to its shared memory that are under way, beside those of cp.async
	shared  []byte  // dynamic shared memory
	known   []uint8 // by word of it: a mask of the bytes that were written, or held
	bars    [16]barrier
	mbars   map[uint32]*mbarrier // by offset

	multiplies map[[2]int]*product // of wgmma, by group of four warps and number
	tensor     *tensorMemory       // nil if nobody has asked for some
}

// newCluster makes a cluster that can be used for one cluster of the grid after another.
func newCluster(r *run) *cluster {
	c := &cluster{run: r, size: r.clusterSize()}
	for rank := range volume(c.size) {
		b := &block{cluster: c, rank: rank, shared: make([]byte, r.Shared), known: make([]uint8, (r.Shared+3)/4)}
		for i := range (r.threads + lanes - 1) / lanes {
			w := &warp{fn: r.fn, block: b, index: i, v: make([]vec, r.fn.vecs), p: make([]uint32, len(r.fn.def.Regs)+2)}
			w.all = full
			if rest := r.threads - i*lanes; rest < lanes {
				w.all = 1<<rest - 1
			}
			w.local = make([]byte, lanes*r.fn.def.Local)
			if r.Account != nil {
				w.visited = make([]bool, len(r.fn.code))
			}
			for _, k := range r.fn.consts {
				w.v[k.index] = splat(k.value)
			}
			b.warps = append(b.warps, w)
		}
		c.blocks = append(c.blocks, b)
	}
	return c
}

func splat(x uint64) (v vec) {
	for i := range v {
		v[i] = x
	}
	return v
}

// begin makes the cluster the n-th of the grid, at its start.
func (c *cluster) begin(n int) {
	grid := c.run.Grid
	at := unflat(n, [3]int{grid[0] / c.size[0], grid[1] / c.size[1], grid[2] / c.size[2]})
	c.queue, c.tensor, c.bar = nil, nil, clusterBarrier{}
	if c.run.Races && c.races == nil {
		c.races = newRaces(c)
	}
	if c.races != nil {
		c.races.begin(n)
	}
	if c.run.Schedule != 0 {
		c.schedule = new(schedule)
		c.schedule.begin(c, n)
	}
	for rank, b := range c.blocks {
		in := unflat(rank, c.size)
		for i := range b.id {
			b.id[i] = at[i]*c.size[i] + in[i]
		}
		b.live, b.flying, b.bars, b.mbars = c.run.threads, 0, [16]barrier{}, map[uint32]*mbarrier{}
		b.multiplies = map[[2]int]*product{}
		clear(b.known)
		if b.tensor != nil {
			b.tensor.reset()
		}
		for _, w := range b.warps {
			w.begin()
		}
	}
}

// begin puts a warp at the start of the function.
func (w *warp) begin() {
	clear(w.v[:len(w.fn.def.Regs)])
	clear(w.p)
	w.p[len(w.fn.def.Regs)] = full
	for _, i := range w.fn.specials {
		w.special(i)
	}
	w.groups = append(w.groups[:0], group{mask: w.all})
	w.gone, w.g, w.starve, w.count, w.carry, w.event, w.err, w.near = 0, 0, 0, 0, 0, nothing, nil, nil
	w.copies, w.bulk, w.wgmma, w.tensor, w.phase = nil, nil, wgmmaWork{}, tensorWork{}, [lanes]int{}
	w.flying, w.alone = 0, w.alone[:0]
	clear(w.visited)
	clear(w.local)
}

// step runs the cluster for about the given number of instructions and says whether it has ended.
func (c *cluster) step(budget int) (bool, error) {
	if c.schedule != nil {
		return c.stepInOrder(budget)
	}
	for budget > 0 {
		ran, looks, alive := false, false, false
		for _, b := range c.blocks {
			for _, w := range b.warps {
				if len(w.groups) == 0 {
					continue
				}
				alive = true
				if c.run.stopped.Load() {
					return true, nil
				}
				before := w.count
				ran = w.run(turn) && !w.idle || ran
				looks = looks || w.idle
				if w.err != nil {
					return true, w.err
				}
				budget -= int(w.count-before) + 1 + w.polls*pollCost
				w.polls = 0
			}
		}
		switch {
		case !alive:
			return true, c.finish()
		case c.run.stopped.Load():
			return true, nil
		case !ran:
			found, err := c.deliver()
			if err != nil || !found && !looks {
				return true, cmp.Or(err, c.deadlock())
			}
		}
	}
	return false, nil
}

// later appends asynchronous work to the queue.
func (c *cluster) later(do func()) { c.queue = append(c.queue, do) }

// deliver does the oldest asynchronous work, when no thread can go on without it. It reports whether there was any.
func (c *cluster) deliver() (bool, error) {
	if len(c.queue) == 0 {
		return false, nil
	}
	do := c.queue[0]
	c.queue = c.queue[1:]
	do()
	return true, c.mistake()
}

// mistake gives the first mistake of a warp.
func (c *cluster) mistake() error {
	for _, b := range c.blocks {
		for _, w := range b.warps {
			if w.err != nil {
				return w.err
			}
		}
	}
	return nil
}

// finish completes the work that no thread waited for.
func (c *cluster) finish() error {
	for {
		if c.run.stopped.Load() {
			return nil
		}
		if found, err := c.deliver(); !found || err != nil {
			return err
		}
	}
}

// left notes that threads have ended: barriers of the whole block no longer wait for them.
func (b *block) left(n int) {
	b.live -= n
	for i := range b.bars {
		b.bars[i].check(b)
	}
	b.cluster.bar.check(b.cluster)
}

// deadlock says what the threads that can no longer go on wait for.
func (c *cluster) deadlock() error {
	const most = 6
	var first *Error
	var waits []string
	for _, b := range c.blocks {
		for _, w := range b.warps {
			for _, g := range w.groups {
				in := w.fn.code[g.pc].src
				if first == nil {
					first = &Error{Kernel: w.fn.def.Title(), Block: b.id, Thread: w.thread(bits.TrailingZeros32(g.mask)), Pos: in.Pos}
				}
				where := fmt.Sprintf("warp %d", w.index)
				if len(c.blocks) > 1 {
					where = fmt.Sprintf("block %s, warp %d", triple(b.id), w.index)
				}
				waits = append(waits, fmt.Sprintf("\n\t%s, %s: at %v, %s waits for %s", where, lanesText(g.mask), in.Pos, in.Op, g.wait.reason()))
			}
		}
	}
	if n := len(waits) - most; n > 0 {
		waits = append(waits[:most], fmt.Sprintf("\n\tand %d more", n))
	}
	first.Text = "deadlock: no thread can go on" + strings.Join(waits, "")
	return first
}

// lanesText names the lanes of a mask.
func lanesText(m uint32) string {
	switch {
	case m == full:
		return "all lanes"
	case m&(m-1) == 0:
		return fmt.Sprintf("lane %d", bits.TrailingZeros32(m))
	}
	return fmt.Sprintf("lanes 0x%08x", m)
}

func volume(size [3]int) int { return size[0] * size[1] * size[2] }
