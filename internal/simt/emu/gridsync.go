package emu

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/simt"
)

// gridSync finds that all that is left of a cooperative launch waits for ever for blocks that have ended, or for what they will not do.
//
// A look at a barrier of the grid does not change it, and nothing but this launch does. So if each warp either waits for its own cluster, or comes
// back from such looks to the same instruction with the same registers, and nothing else happened meanwhile, then no order of the warps helps.
type gridSync struct {
	on       bool
	world    sync.RWMutex // who steps a cluster reads
	mu       sync.Mutex
	clusters int
	begun    int
	live     map[int]*cluster
	turns    int // of clusters, since the last proof was tried
	patience int // turns before the next
}

// The turns before the first try, and the most before another: a try costs some turns at most.
const leastPatience, mostPatience = 64, 1 << 16

// init prepares for a launch whose blocks may wait for each other.
func (g *gridSync) init(r *run) {
	g.on = r.Cooperative && (r.fn.waits || slices.ContainsFunc(r.fn.code, func(in instr) bool { return in.src.Polls }))
	g.clusters, g.live, g.patience = volume(r.Grid)/volume(r.clusterSize()), map[int]*cluster{}, leastPatience
}

// begin notes that the n-th cluster is there.
func (g *gridSync) begin(n int, c *cluster) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live[n] = c
	g.begun++
}

// step is a turn of the n-th cluster: done if it has ended.
func (r *run) step(c *cluster, n, size int) (done bool, err error) {
	g := &r.sync
	if !g.on {
		return c.step(size)
	}
	if done, err = g.step(c, n, size); done || err != nil {
		return done, err
	}
	g.mu.Lock()
	g.turns++
	try := g.turns >= g.patience && g.begun == g.clusters
	if try {
		g.turns, g.patience = 0, min(2*g.patience, mostPatience)
	}
	g.mu.Unlock()
	if !try {
		return false, nil
	}
	return false, g.prove(r)
}

func (g *gridSync) step(c *cluster, n, size int) (done bool, err error) {
	g.world.RLock()
	defer g.world.RUnlock()
	if done, err = c.step(size); done {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.live, n)
	}
	return done, err
}

// prove lets the warps of all clusters go on, one after the other, while no other goroutine runs any. If none gets anywhere, that is the mistake.
func (g *gridSync) prove(r *run) error {
	g.world.Lock()
	defer g.world.Unlock()
	var first *Error
	waits, how := 0, ""
	for _, n := range slices.Sorted(maps.Keys(g.live)) {
		c := g.live[n]
		if len(c.queue) > 0 || len(c.tensor) > 0 {
			return nil
		}
		for _, b := range c.blocks {
			if b.live > 0 {
				waits++
			}
			for _, w := range b.warps {
				at, stuck := w.stuck()
				if w.err != nil {
					return w.err
				}
				if !stuck || r.stopped.Load() {
					return nil
				}
				if first == nil && at != nil {
					how = barrierOf(at)
					first = &Error{Kernel: w.fn.def.Title(), Block: b.id, Thread: w.thread(bits.TrailingZeros32(w.groups[w.g].mask)), Pos: at.Pos}
				}
			}
		}
	}
	if first == nil { // what a cluster notices by itself
		return nil
	}
	all, others := volume(r.Grid), "none has ended"
	if waits < all {
		others = "the others have ended"
	}
	first.Text = fmt.Sprintf("deadlock: %d of %d blocks wait until all have called %s, here or elsewhere, and %s: every thread of every block "+
		"must call it, equally often%s", waits, all, how, others, map[string]string{"GridSync": ", and its barrier must be 0 before the first launch"}[how])
	return first
}

// lap is the most instructions after which a warp that looks must be back: a look has some ten.
const lap = 1 << 10

// stuck lets a warp go on, and reports whether it gets nowhere, and the look at a barrier of the grid that it came back to; nil if it only waits.
// It is false as soon as the warp might do something else.
func (w *warp) stuck() (look *simt.Instr, stuck bool) {
	if len(w.groups) == 0 {
		return nil, true
	}
	starve := w.starve
	defer func() { w.starve, w.polls = starve, 0 }()
	var before state
	for n := range lap {
		goes := w.runnable()
		if w.wake(); w.runnable() > goes {
			return nil, false
		}
		switch w.runnable() {
		case 0:
			return nil, n == 0 // later, it did something before that others may wait for
		case 1:
		default:
			return nil, false
		}
		w.g = w.order(0)
		code := &w.fn.code[w.groups[w.g].pc]
		in := code.src
		if look != nil && before.same(w) {
			return look, true
		}
		if n&(n-1) == 0 { // which finds circles of any length
			before, look = w.state(), nil
		}
		switch {
		case in.Polls || w.watches(code):
			look = in
		case in.Op != "bra" && !simt.IsPure(in.Op):
			return nil, false
		}
		if w.run(1); w.err != nil {
			return nil, false
		}
	}
	return nil, false
}

// state is all that the next instructions of a warp depend on, beside memory.
type state struct {
	group
	groups int
	carry  uint32
	v      []vec
	p      []uint32
}

func (w *warp) state() state {
	return state{w.groups[w.g], len(w.groups), w.carry, slices.Clone(w.v), slices.Clone(w.p)}
}

func (s *state) same(w *warp) bool {
	g := &w.groups[w.g]
	return g.pc == s.pc && g.mask == s.mask && len(w.groups) == s.groups && w.carry == s.carry && slices.Equal(w.p, s.p) && slices.Equal(w.v, s.v)
}
