package flow

import (
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// segment does a segment. What comes before it is done in any case; then, where its tiles lie wholly in their tensors and in
// memory and no store meets a load, the segment, and else the caller does it.
func (b *builder) segment(s *nest.Segment) {
	ops := b.ahead(s)
	b.notes = append(b.notes, note{op: ops[0], segment: s, first: b.last() + 1})
	first := b.notes[len(b.notes)-1].first
	b.Note = first
	g := &segment{builder: b, Segment: s, places: make([]nest.Place, len(s.Operands)), tiles: map[int]*access{}, parts: map[int]part{}}
	if !g.locate() {
		g.keepReached()
		b.out(ops)
		return
	}
	g.variants(ops, first-1)
	g.missed(ops[0])
	for i := range s.Steps {
		if s.Steps[i].Kind == nest.Alias {
			b.alias(s.Steps[i].Op)
		}
	}
	b.Note = 0
}

// ahead does what comes before a segment, and gives all its operations. What is done there may have a fault, but so may a load of the
// segment that comes first: then the engine says which.
func (b *builder) ahead(s *nest.Segment) (ops []*tileir.Op) {
	loads := false
	for i := range s.Steps {
		ops = append(ops, s.Steps[i].Op)
		switch s.Steps[i].Kind {
		case nest.Load, nest.Through:
			loads = true
		case nest.Before:
			outer := b.early
			if loads {
				b.early = ops
			}
			b.op(s.Steps[i].Op)
			b.early = outer
		}
	}
	return ops
}

// segment is a segment on its way into the function.
type segment struct {
	*builder
	*nest.Segment
	places []nest.Place
	tiles  map[int]*access // by operand, of those in memory of tensors
	parts  map[int]part    // and what of them lies in the tensor
	noteAt vec.Reg         // the address of the note of missed elements
	note   int             // the word of the frame where the note of missed elements begins; 0 if the segment loads through no pointers
}

// results lists what the segment leaves in registers: single numbers, and tiles of one vector.
func (g *segment) results() (out []*tileir.Value) {
	for i := range g.Operands {
		if o := &g.Operands[i]; o.Role == nest.Result && (g.uniform(o.Value) || g.holds(o.Value)) {
			out = append(out, o.Value)
		}
	}
	return out
}

// locate finds where the operands are; false if the caller does the segment always.
func (g *segment) locate() bool {
	room := 0
	for i := range g.Operands {
		o, pl := &g.Operands[i], &g.places[i]
		step := int64(o.Bytes)
		if o.Cols {
			step *= int64(g.Cols)
		}
		switch o.Role {
		case nest.Loaded, nest.Stored:
			a := g.tile(o)
			if a == nil {
				return false
			}
			g.tiles[i], g.parts[i] = a, g.part(a, g.Rows, g.Cols)
			pl.Base, pl.Step = a.start, g.scalar(a.step)
			if g.Prefetches(i) {
				pl.Ahead = g.ahead(a.start)
			}
		case nest.Reached:
			*pl = g.reached(o)
		case nest.Buffer:
			pl.Base = g.AddInt(g.scratch, int64(room))
			room += alignUp(g.Cols * o.Bytes)
		case nest.Outside:
			*pl = g.outside(i)
			pl.Step = g.Int(step)
		case nest.Result:
			if !g.Single(o.Value) && !g.holds(o.Value) {
				pl.Base, pl.Step = g.address(o.Value), g.Int(step)
			}
		}
	}
	g.room = max(g.room, room)
	return true
}

// ahead guesses how far the tile that will be loaded next is from this one, which is as far from the one before. The address of that
// one is in a word of the frame, which is 0 when a launch begins.
func (g *segment) ahead(start vec.Reg) vec.Reg {
	_, word := g.newWindow(1)
	before := g.Arg(word)
	g.put(word, start)
	known := g.DoImm(vec.SShrImm, vec.NoType, 63, g.sub(g.Int(0), before))
	return g.Do(vec.SAnd, vec.NoType, known, g.sub(start, before))
}

// address is where a value lies in the arena.
func (g *segment) address(v *tileir.Value) vec.Reg { return g.AddInt(g.arena, int64(g.home(v).Disp)) }

// tile finds the tile of a load or store.
func (g *segment) tile(o *nest.Operand) *access {
	op := g.Steps[o.Step].Op
	view, index := op.Operands[0], op.Group(1)
	if o.Role == nest.Stored {
		view, index = op.Operands[1], op.Group(2)
	}
	a := g.access(op, view, index)
	if a == nil || !g.rows(a, g.Rows, g.Cols) {
		return nil
	}
	return a
}

// emit does the segment and gives its results that are in registers. Where it writes large tensors that it does not read, it does so
// past the caches: they would be read from memory only to be overwritten.
func (g *segment) emit(note int32) map[*tileir.Value]vec.Reg {
	large := g.large()
	if large == 0 {
		return g.inParts(note)
	}
	g.If(vec.GE, large, g.Int(0))
	g.stream(true)
	g.inParts(note)
	g.Else()
	g.stream(false)
	g.inParts(note)
	g.End()
	return nil
}

// stream says how tiles are written.
func (g *segment) stream(on bool) {
	for i := range g.tiles {
		g.places[i].Stream = on && g.Operands[i].Role == nest.Stored
	}
}

// large gives a scalar that is not negative if the segment writes large tensors, with rows that are aligned, and does not read the
// same tiles; 0 if it never does.
func (g *segment) large() (large vec.Reg) {
	if !g.Streams() || len(g.results()) > 0 {
		return 0
	}
	and := func(x vec.Reg) { large = g.and(large, x) }
	aligned := func(x vec.Reg) { and(g.sub(g.Int(0), g.Do(vec.SAnd, vec.NoType, x, g.Int(nest.StreamAlign-1)))) }
	for i := range g.Operands {
		a := g.tiles[i]
		if a == nil || g.Operands[i].Role != nest.Stored {
			continue
		}
		if k := a.view.bytes; k.reg == 0 && k.known < g.Stream {
			return 0
		}
		and(g.sub(g.scalar(a.view.bytes), g.Int(g.Stream)))
		if aligned(a.start); g.Rows > 1 {
			aligned(g.places[i].Step)
		}
		for k := range g.Operands {
			if c := g.tiles[k]; c != nil && g.Operands[k].Role == nest.Loaded {
				if c.key == a.key {
					return 0
				}
				and(g.Do(vec.SXor, vec.NoType, g.none(a.start, c.start), g.Int(-1)))
			}
		}
	}
	return large
}

// inParts does the segment, in parts if it is long, and gives its results that are in registers.
func (g *segment) inParts(note int32) map[*tileir.Value]vec.Reg {
	units, elems := g.Segment.Units()
	each := g.builder.Units(g.Segment)
	from, to := g.Int(0), g.Int(int64(units))
	if units > each {
		from = g.For(from, to, int64(each))
		g.poll(each * elems / vec.Lanes * max(g.Passes(), g.Work()/4)) // quarters: see [builder.quarters]
		to = g.Do(vec.SMin, vec.NoType, g.AddInt(from, int64(each)), to)
	}
	results, err := g.Emit(g.builder.Builder, g.places, from, to, note)
	if err != nil {
		g.refuse("%v", err)
	}
	if units > each {
		g.End()
	}
	return results
}

// source names the operation of a note.
func (b *builder) source(n int32) string {
	for i := range b.notes {
		k := &b.notes[i]
		switch {
		case k.segment != nil && n >= k.first && n < k.first+int32(len(k.segment.Steps)):
			return k.segment.Source(n - k.first + 1)
		case k.segment == nil && n == k.first:
			return nest.Name(k.op)
		}
	}
	return "the loops"
}
