package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
	"github.com/cutile-go/cutile/tileir"
)

// early is the loads of a loop that are made a turn ahead.
type early struct {
	*emitter
	loop  *tileir.Op
	loads []*earlyLoad
	t     vec.Type // of the counter
	hi    ir.Value
	step  ir.Value
}

// earlyLoad keeps what a load has brought in variables: words of neighbouring registers.
type earlyLoad struct {
	op    *tileir.Op
	t     *tileir.TileType
	lay   *linear.Layout
	words []ir.Var
	word  vec.Type
}

// newEarly begins the loads for the first turn, which there is.
func (e *emitter) newEarly(loop *tileir.Op, t vec.Type, lo, hi, step ir.Value) *early {
	x := &early{emitter: e, loop: loop, t: t, hi: hi, step: step}
	if e.producing {
		return x
	}
	for _, op := range e.p.Early[loop] {
		r := op.Results[0]
		l := &earlyLoad{op: op, t: typeOf(r), lay: e.wanted(r)}
		stored := lane.Stored(l.t)
		word, count := words(stored, min(l.lay.Regs(), 4/stored.Bytes()))
		l.word = word
		for range l.lay.Regs() / (count * word.Bytes() / stored.Bytes()) {
			l.words = append(l.words, e.NewVar(word.Class()))
		}
		e.fed[op] = true
		x.loads = append(x.loads, l)
	}
	x.begin(lo)
	return x
}

// begin loads for turn n.
func (x *early) begin(n ir.Value) {
	counter := x.loop.Regions[0].Args[0]
	x.set(counter, x.p.Block.Uniform(), []ir.Value{n})
	done := map[*tileir.Op]bool{}
	for _, l := range x.loads {
		for _, v := range plan.Where(l.op) {
			x.ofTurn(v, x.loop, done)
		}
		outer := x.op
		x.op = l.op
		x.loadView(l.op)
		x.op = outer
		x.Set(l.words, l.packed(x.emitter, x.get(l.op.Results[0], l.lay)))
	}
}

// packed joins registers to words.
func (l *earlyLoad) packed(e *emitter, regs []ir.Value) []ir.Value {
	regs = slices.Clone(regs)
	for i, v := range regs {
		regs[i] = e.toMemory(l.t, v)
	}
	return e.packRun(lane.Stored(l.t), l.word, regs)
}

// turn shows the tiles of turn n, and begins the loads of the next one, if there is one.
func (x *early) turn(n ir.Value) {
	if len(x.loads) == 0 {
		return
	}
	tiles := make([][]ir.Value, len(x.loads))
	for i, l := range x.loads {
		for _, v := range l.words {
			for _, part := range x.Unpack(lane.Stored(l.t), l.word, x.Get(v)) {
				tiles[i] = append(tiles[i], x.fromMemory(l.t, part))
			}
		}
	}
	more := x.Compare(x.t, vec.UGT, x.Do(vec.Sub, x.t, x.hi, n), x.step)
	x.If(more, true, func() { x.begin(x.Do(vec.Add, x.t, n, x.step)) }, nil)
	x.set(x.loop.Regions[0].Args[0], x.p.Block.Uniform(), []ir.Value{n})
	for i, l := range x.loads {
		x.set(l.op.Results[0], l.lay, tiles[i])
	}
}
