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

// ahead is what a loop does for the tiles that are copied to shared memory ahead of its products.
type ahead interface {
	turn(n ir.Value) // where turn n begins
	advance()        // where it ends
	end()            // behind the loop
}

// nothingAhead is for loops without such tiles.
type nothingAhead struct{}

func (nothingAhead) turn(ir.Value) {}
func (nothingAhead) advance()      {}
func (nothingAhead) end()          {}

// stages are the places in shared memory of a loop's tiles, for some turns.
type stages struct {
	*emitter
	loop    *tileir.Op
	feeds   []*plan.Feed
	numbers []int // of the feeds' tensors
	count   int
	bytes   int   // of a turn's tiles
	at      []int // by feed, in a turn's bytes
	buf     *ir.Buffer
}

func (e *emitter) newStages(loop *tileir.Op) *stages {
	s := &stages{emitter: e, loop: loop, feeds: e.p.Loops[loop], count: e.p.Stages(loop)}
	s.at, s.bytes = e.p.Places(loop)
	s.buf = e.NewBuffer("stages", s.bytes*s.count, plan.GroupAlign)
	for _, f := range s.feeds {
		s.numbers = append(s.numbers, len(e.Kernel.Tensors))
		if f.Tensor != nil {
			e.Kernel.Tensors = append(e.Kernel.Tensors, f.Tensor)
		}
	}
	return s
}

// feed says that the loads of the loop and what is on the way to its products need no instructions.
func (s *stages) feed() {
	for _, f := range s.feeds {
		s.fed[f.Load] = true
		for _, via := range f.Via {
			s.fed[via] = true
		}
	}
}

// byThreads reports whether there are tiles that threads copy, each a part.
func (s *stages) byThreads() bool {
	return slices.ContainsFunc(s.feeds, func(f *plan.Feed) bool { return f.Tensor == nil })
}

// indices computes where the loads of turn n read, if there is such a turn: valid is 0 if there is.
func (s *stages) indices(n, valid ir.Value) {
	s.set(s.loop.Regions[0].Args[0], s.p.Block.Uniform(), []ir.Value{n})
	done := map[*tileir.Op]bool{}
	outer, part := s.only, s.whole
	s.only, s.whole = valid, true
	for _, f := range s.feeds {
		for _, v := range plan.Where(f.Load) {
			s.ofTurn(v, s.loop, done)
		}
	}
	s.only, s.whole = outer, part
}

// ofTurn computes what an index is made of in a loop, for another turn than the one of the body, but for what was done already.
func (e *emitter) ofTurn(v *tileir.Value, loop *tileir.Op, done map[*tileir.Op]bool) {
	body := loop.Regions[0]
	if v == body.Args[0] || v.Def == nil || done[v.Def] || !slices.Contains(body.Ops, v.Def) {
		return
	}
	done[v.Def] = true
	for _, o := range plan.Reads(v.Def) {
		e.ofTurn(o, loop, done)
	}
	e.uncheckedly(func() { e.emit(v.Def) }) // there may be no such turn
}

// show gives the tiles of a turn their place, in the stage that begins at an offset which is the same for all threads. until says how those who
// use them deal with the producer, nil for not at all.
func (s *stages) show(stage ir.Value, until *handover) {
	for k, f := range s.feeds {
		t := typeOf(f.Load.Results[0])
		place := s.staged(k, stage)
		place.handover = until
		s.vals[f.Load.Results[0]] = &tile{t: t, lay: s.p.Memory(f.Load, t), stage: place}
		for _, via := range f.Via {
			s.turned(via)
		}
	}
}

// staged is the place of a tile in a stage.
func (s *stages) staged(k int, stage ir.Value) *staged {
	load := s.feeds[k].Load
	t := typeOf(load.Results[0])
	return &staged{buf: s.buf, form: lane.Stored(t), offset: s.p.Offset(load), plus: s.add(stage, s.Int(s.at[k])),
		unit: 1 << linear.Shape(t.Shape).Shift(s.p.Vector(load).Dim)}
}

// turned gives a tile in shared memory another shape, or another order of its dimensions.
func (e *emitter) turned(op *tileir.Op) {
	x := *e.known(op.Operands[0])
	x.t = typeOf(op.Results[0])
	s := *x.stage
	s.offset = plan.Turned(op, s.offset)
	x.stage = &s
	e.vals[op.Results[0]] = &x
}

// next is the next place of as many as there are stages, so many bytes apart, and whether that is the first one again.
func (s *stages) next(v ir.Var, bytes int) (place, wraps ir.Value) {
	n := s.add(s.Get(v), s.Int(bytes))
	wraps = s.Compare(vec.I32, vec.EQ, n, s.Int(bytes*s.count))
	return s.Do(vec.Select, vec.I32, wraps, s.Int(0), n), wraps
}

// turnParity is the parity of the next turn of a counter, if wraps says that the others have had theirs.
func (s *stages) turnParity(v ir.Var, wraps ir.Value) ir.Value {
	old := s.Get(v)
	return s.Do(vec.Select, vec.I32, wraps, s.Do(vec.Xor, vec.I32, old, s.Int(1)), old)
}
