package emit

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// ring is the stages of a loop whose tiles a producer copies as boxes, in a warp of its own. Each stage has two counters: of the bytes that come,
// and of those that have read them. Both warps go through the stages in a circle that goes on when the loop ends.
type ring struct {
	*stages
	full, empty *ir.Buffer
	commits     bool // the hardware tells the producer when products have read a stage, else each warp does

	place, counter, parity ir.Var // of this turn
}

// handover is how those who use a stage deal with the producer: they wait for full, and say when they have read it.
type handover struct {
	full  ir.Turning
	empty ir.Access
}

// roles writes the programs of the producer and of the others.
func (e *emitter) roles() {
	rings := map[*tileir.Op]*ring{}
	e.If(e.elected(), false, func() {
		for op := range e.p.Entry.All() {
			if e.p.Boxed(op) {
				rings[op] = e.newRing(op)
			}
		}
	}, nil)
	produce := e.fork()
	produce.producing = true
	part := e.Part(func() { produce.role(rings) }, func() { e.role(rings) })
	part.Body[0].All(func(in *ir.Instr) {
		if !in.ByOne() { // the plan should have known: without a producer the kernel is right
			e.refuse("the producer, one thread, would have to execute %v", in.Op)
		}
	})
}

// role writes the program of some warps.
func (e *emitter) role(rings map[*tileir.Op]*ring) {
	e.rings = map[*tileir.Op]*ring{}
	for op := range e.p.Entry.All() {
		if r := rings[op]; r != nil {
			e.rings[op] = r.enter(e)
		}
	}
	e.body()
}

// newRing makes the counters of a loop.
func (e *emitter) newRing(loop *tileir.Op) *ring {
	r := &ring{stages: e.newStages(loop), commits: true}
	readers := map[*plan.Product]bool{}
	for _, f := range r.feeds {
		readers[f.To] = true
		r.commits = r.commits && f.To.Lags && f.To.Unit.Kind == ir.TensorMem
	}
	arrivals := len(readers)
	if !r.commits {
		arrivals = 1 << e.p.Block.Warps
	}
	counters := func(name string, arrivals int) *ir.Buffer {
		b := e.NewBuffer(name, counterBytes*r.count, 0)
		b.Pinned = true
		e.InitCounters(r.count, arrivals, counterAt(b, 0))
		return b
	}
	r.full, r.empty = counters("full", 1), counters("empty", arrivals)
	return r
}

// counterAt is the access to a counter.
func counterAt(b *ir.Buffer, place ir.Value) ir.Access {
	return ir.Access{Space: ir.Shared, Buffer: b, At: place, Align: counterBytes}
}

// enter begins to go through the stages. The turns that a producer waits for are those before the ones that it fills: the first ones are over.
func (r *ring) enter(e *emitter) *ring {
	s := *r.stages
	s.emitter = e
	c := *r
	c.stages = &s
	c.place, c.counter, c.parity = e.NewVar(vec.V32), e.NewVar(vec.V32), e.NewVar(vec.V32)
	parity := 0
	if e.producing {
		parity = 1
	}
	e.Set([]ir.Var{c.place, c.counter, c.parity}, []ir.Value{e.Int(0), e.Int(0), e.Int(parity)})
	return &c
}

// advance goes to the next stage.
func (r *ring) advance() {
	place, _ := r.next(r.place, r.bytes)
	counter, wraps := r.next(r.counter, counterBytes)
	r.Set([]ir.Var{r.place, r.counter, r.parity}, []ir.Value{place, counter, r.turnParity(r.parity, wraps)})
}

// producer copies the tiles of a turn as soon as their stage is empty.
type producer struct{ *ring }

func (p producer) turn(n ir.Value) {
	counter := p.Get(p.counter)
	p.indices(n, 0)
	at := p.corners()
	p.AwaitBytes(counterAt(p.empty, counter), p.Get(p.parity))
	p.copyTiles(p.Get(p.place), counterAt(p.full, counter), at)
}

func (p producer) end() {}

// consumer uses the tiles of a turn when they have come.
type consumer struct {
	*ring
	before ir.Var // the counter of the stage that a product of the turn before reads, or -1
	lags   bool
}

// newConsumer is for the loop of a ring.
func (r *ring) newConsumer() *consumer {
	r.feed()
	c := &consumer{ring: r, lags: r.p.Lags(r.loop) && !r.commits}
	if c.lags {
		c.before = r.NewVar(vec.V32)
		r.Set([]ir.Var{c.before}, []ir.Value{r.Int(-1)})
	}
	return c
}

func (c *consumer) turn(n ir.Value) {
	counter := c.Get(c.counter)
	h := &handover{full: ir.Turning{Counter: counterAt(c.full, counter), Parity: c.Get(c.parity)}, empty: counterAt(c.empty, counter)}
	if !c.commits { // else the thread does that begins the products
		c.AwaitBytes(h.full.Counter, h.full.Parity, c.buf)
		h = nil
	}
	c.show(c.Get(c.place), h)
}

// advance says that the stage was read: where products go on into the next turn, that of the turn before.
func (c *consumer) advance() {
	counter := c.Get(c.counter)
	switch {
	case c.lags:
		c.leave()
		c.Set([]ir.Var{c.before}, []ir.Value{counter})
	case !c.commits:
		c.Arrive(counterAt(c.empty, counter))
	}
	c.ring.advance()
}

// leave says that the stage of the turn before was read, if there was one.
func (c *consumer) leave() {
	before := c.Get(c.before)
	m := counterAt(c.empty, before)
	m.Guard = c.Compare(vec.I32, vec.GE, before, c.Int(0))
	c.Arrive(m)
}

func (c *consumer) end() {
	if c.lags {
		c.leave()
	}
}
