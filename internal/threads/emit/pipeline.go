package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// pipeline copies the tiles of a loop's products to shared memory some turns ahead:
//
//	copy the tiles of the first turns, a group of copies for each turn
//	each turn: wait for its group; copy those of a later turn over those of the last one; multiply
//
// Copies beyond the last turn are copies of nothing, so that there is a group for each turn. [ir.Kernel.Synchronise] puts the barrier
// between the wait and what comes after it. Turns have counters for tiles that are copied as boxes of tensors, and groups for those that the
// threads copy.
type pipeline struct {
	*stages
	ahead        int      // how many turns before its own a copy begins
	t            vec.Type // of the counter
	less         vec.Cond
	lo, hi, step ir.Value
	boxes        *boxes // nil where there are none
	read, write  ir.Var // where the tiles of this turn are, and where those of a later one go
}

// newPipeline begins the copies of a loop.
func (e *emitter) newPipeline(op *tileir.Op, t vec.Type, less vec.Cond, lo, hi, step ir.Value) *pipeline {
	p := &pipeline{stages: e.newStages(op), ahead: e.p.Ahead(op), t: t, less: less, lo: lo, hi: hi, step: step}
	p.feed()
	p.read, p.write = e.NewVar(vec.V32), e.NewVar(vec.V32)
	e.Set([]ir.Var{p.read, p.write}, []ir.Value{e.Int(0), e.Int(p.ahead * p.bytes)})
	p.boxes = p.newBoxes()
	n := lo
	valid := e.Compare(t, less, lo, hi)
	for s := range p.ahead {
		p.copy(n, e.Int(s*p.bytes), e.Int(s*counterBytes), valid)
		// What is left decides about the next turn, without a sum that could wrap.
		more := e.Compare(t, vec.UGT, e.Do(vec.Sub, t, hi, n), step)
		n = e.Do(vec.Add, t, n, step)
		valid = e.Do(vec.MAnd, vec.NoType, valid, more)
	}
	return p
}

// copy begins the copies of turn n, if there is such a turn, to a stage, and where those are of boxes with the counter at a place.
func (p *pipeline) copy(n, to, counter, valid ir.Value) {
	p.indices(n, valid)
	if p.boxes != nil {
		p.copyBoxes(to, counter, valid)
	}
	if !p.byThreads() {
		return
	}
	for k, f := range p.feeds {
		if f.Tensor == nil {
			p.copyPieces(k, to, valid)
		}
	}
	p.Commit()
}

// copyPieces has each thread begin to copy its pieces of a tile.
func (p *pipeline) copyPieces(k int, to, valid ir.Value) {
	op := p.feeds[k].Load
	l := p.p.Memory(op, typeOf(op.Results[0]))
	s := p.staged(k, to)
	outer := p.emitter.op
	p.emitter.op = op
	for _, piece := range p.pieces(op, l) {
		at, disp := p.place(s, l, piece.first)
		from := p.access(op, piece, plan.Widest)
		from.Guard = p.both(piece.ok, valid)
		p.CopyAsync(ir.Access{Space: ir.Shared, Buffer: p.buf, At: at, Disp: disp, Align: plan.Widest}, from)
	}
	p.emitter.op = outer
}

// turn waits for the tiles of a turn, and begins to copy those of a later one.
func (p *pipeline) turn(n ir.Value) {
	p.wait()
	ahead := p.Do(vec.Mul, p.t, p.step, p.Const(p.t, uint64(p.ahead)))
	left := p.Do(vec.Sub, p.t, p.hi, n)
	// The product of the step may wrap, but then nothing is left that far ahead: the quotient would be 0. The step is no less than 1.
	fits := p.Compare(p.t, vec.ULE, p.step, p.Const(p.t, (uint64(1)<<(8*p.t.Bytes()-1)-1)/uint64(p.count)))
	valid := p.Do(vec.MAnd, vec.NoType, fits, p.Compare(p.t, vec.UGT, left, ahead))
	var counter ir.Value
	if p.boxes != nil {
		counter = p.Get(p.boxes.write)
	}
	p.copy(p.Do(vec.Add, p.t, n, ahead), p.Get(p.write), counter, valid)
	if p.boxes != nil {
		p.AwaitBytes(p.boxes.at(p.Get(p.boxes.read)), p.Get(p.boxes.parity), p.buf)
	}
	p.set(p.loop.Regions[0].Args[0], p.p.Block.Uniform(), []ir.Value{n})
	p.show(p.Get(p.read), nil)
}

// wait waits for the group of a turn, and shows a warp group what has come.
func (p *pipeline) wait() {
	if !p.byThreads() {
		return
	}
	p.waitGroups(p.ahead - 1)
	if slices.ContainsFunc(p.feeds, func(f *plan.Feed) bool { return f.Tensor == nil && f.To.Unit.Kind.InShared() }) {
		p.FenceAsync()
	}
}

// waitGroups waits until so many groups are left.
func (p *pipeline) waitGroups(left int) {
	var read []*ir.Turn
	for _, f := range p.feeds {
		if f.Tensor == nil {
			read = append(read, p.turns[f.Load])
		}
	}
	p.WaitGroup(left, read, p.buf)
}

// advance goes to the next turn's tiles.
func (p *pipeline) advance() {
	r, _ := p.next(p.read, p.bytes)
	w, _ := p.next(p.write, p.bytes)
	p.Set([]ir.Var{p.read, p.write}, []ir.Value{r, w})
	if p.boxes != nil {
		p.boxes.advance(p)
	}
}

// end waits for the copies of nothing, so that others may use the memory.
func (p *pipeline) end() {
	if p.boxes != nil { // each turn has waited for its own
		p.If(p.elected(), false, func() { p.DropCounters(p.count, p.boxes.at(0)) }, nil)
	}
	if p.byThreads() {
		p.waitGroups(0)
	}
}
