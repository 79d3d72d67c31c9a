package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Known is what [Find] asks the caller.
type Known struct {
	// Splat reports whether one element stands for all of a value from before the segment.
	Splat func(v *tileir.Value) bool
	// Before reports whether the caller can do a small operation before the segment.
	Before func(op *tileir.Op) bool
	// Uses counts how often each value is an operand in the entry.
	Uses map[*tileir.Value]int
	// Turned gives the permutation that a load or store does on its way, nil if there is none, and says whether an operation is
	// such a permutation, whose result is another name of its operand then. It may be nil.
	Turned func(op *tileir.Op) (permute *tileir.Op, renames bool)
	// Strewn reports whether a store is known to put neighbours of its tile at a distance. It may be nil.
	Strewn func(store *tileir.Op) bool
	// Indexed reports whether what uses the tile of pointers that an offset makes takes the offsets instead. It may be nil.
	Indexed func(op *tileir.Op) bool
	// From gives the single address from which the pointers count that an operation makes; nil if there is none. If From is nil itself,
	// loads through pointers are no steps.
	From func(op *tileir.Op) *tileir.Value
	// Copies says that a load alone, and a store of a value from before it, are segments, too: those are copies.
	Copies bool
}

// least is the size of tiles from which on there are segments: one element needs none.
const least = 2

// mostSteps bounds the operations of a segment, and with it the registers and the time that its function takes.
const mostSteps = 256

// longest is the most columns of a row that is reduced: a call does at least one row, and must end soon.
const longest = 1 << 16

// Find makes a segment of operations, from the first one on; nil if they begin none. It takes operations as long as they
// fit and ends with the last one that has work. Tiles fit that have the rows of the first one's tile; dimensions of one
// element may differ.
func Find(ops []*tileir.Op, known Known) *Segment {
	t := known.tile(ops[0])
	if t == nil || t.Size() < least {
		return nil
	}
	last := lastOf(t)
	if n := partOf(ops, known); n > t.Size() { // it may become a part of a full tile again
		if r := find(ops, known, n, n); r != nil {
			if s := find(ops, known, t.Size(), last); s == nil || len(r.Steps) > len(s.Steps) {
				return r
			}
		}
	}
	if last >= vec.Lanes {
		return find(ops, known, t.Size(), last)
	}
	s := find(ops, known, t.Size(), t.Size())
	if last > 1 { // rows of less than a vector waste lanes, and are for what needs them
		if r := find(ops, known, t.Size(), last); r != nil && (s == nil || len(r.Steps) > len(s.Steps)) {
			return r
		}
	}
	return s
}

// partOf gives the size of the tile that the first operation takes a part of, 0 if it does not.
func partOf(ops []*tileir.Op, known Known) int {
	for _, op := range ops {
		switch {
		case op.Info.Opcode == tileir.OpExtract:
			return lane.TileOf(op.Operands[0]).Size()
		case op.Info.Opcode != tileir.OpConstant && !known.renames(op):
			return 0
		}
	}
	return 0
}

// lastOf is the last extent of a tile that is not 1.
func lastOf(t *tileir.TileType) int {
	for _, n := range slices.Backward(t.Shape) {
		if n > 1 {
			return n
		}
	}
	return 1
}

// find makes a segment of tiles of a size with rows of a given length. Parts that are used behind it are none the next time.
func find(ops []*tileir.Op, known Known, size, cols int) *Segment {
	banned := map[*tileir.Op]bool{}
	for tries := 0; ; tries++ {
		f := take(ops, known, size, cols, func(op *tileir.Op) bool { return tries < mostTries && !banned[op] })
		if !f.worth() {
			return nil
		}
		leaks := f.leaks()
		if len(leaks) == 0 {
			f.settle(known)
			return f.Segment
		}
		for _, op := range leaks {
			banned[op] = true
		}
	}
}

// mostTries is how often a segment with parts is tried before it has none: each time bans those that are used behind it.
const mostTries = 8

// take takes operations into a segment as long as they fit.
func take(ops []*tileir.Op, known Known, size, cols int, parts func(op *tileir.Op) bool) *finder {
	s := &Segment{splat: known.Splat, from: known.From, values: map[*tileir.Value]*value{}, Rows: size / cols, Cols: cols}
	f := &finder{Segment: s, known: known, parts: parts, reach: map[reached]bool{}}
	last := 0
	for _, op := range ops[:min(len(ops), mostSteps)] {
		st, ok := f.step(op)
		if !ok {
			break
		}
		s.Steps = append(s.Steps, st)
		f.enter(&s.Steps[len(s.Steps)-1])
		if st.Kind > Alias && st.class != part {
			last = len(s.Steps)
		}
		if s.scan != nil {
			break
		}
	}
	s.Steps = s.Steps[:last]
	return f
}

// tileOfWork is the tile whose shape a segment has that begins with an operation.
func tileOfWork(op *tileir.Op) *tileir.TileType {
	switch op.Info.Opcode {
	case tileir.OpStoreViewTko, tileir.OpReduce:
		return lane.TileOf(op.Operands[0])
	}
	if len(op.Results) == 0 || op.Info.Opcode == tileir.OpConstant {
		return nil
	}
	return lane.TileOf(op.Results[0])
}

// tile is the tile whose shape a segment has that begins with an operation: that of a load which permutes is the result, and that of a
// store the operand.
func (k *Known) tile(op *tileir.Op) *tileir.TileType {
	if k.Turned != nil {
		p, _ := k.Turned(op)
		switch {
		case p == nil:
		case op.Info.Opcode == tileir.OpLoadViewTko:
			op = p
		case op.Info.Opcode == tileir.OpStoreViewTko:
			return lane.TileOf(p.Operands[0])
		}
	}
	return tileOfWork(op)
}

// renames reports whether the result of an operation is its operand.
func (k *Known) renames(op *tileir.Op) bool {
	if k.Turned != nil && op.Info.Opcode == tileir.OpPermute {
		_, ok := k.Turned(op)
		return ok
	}
	return aliases[op.Info.Opcode]
}

// finder makes a segment.
type finder struct {
	*Segment
	known   Known
	stores  bool                     // the segment has a store: no load follows
	gathers bool                     // it has a load through pointers
	across  bool                     // it has a reduction of rows
	parts   func(op *tileir.Op) bool // whether an operation may make a part
	reach   map[reached]bool
	scanned bool // it has a scan along the columns
	work    int  // about how many instructions a vector of columns takes
}

// enter notes the results of a step.
func (f *finder) enter(st *Step) {
	if st.Kind == Before || st.Kind == Nothing {
		return
	}
	f.work += Weight(st.Op)
	f.across = f.across || st.class == row
	for _, v := range st.Op.Results {
		if lane.TileOf(v) == nil {
			continue
		}
		x := &value{step: st, class: st.class, root: v}
		if st.Kind == Alias {
			of := f.values[st.Op.Operands[0]]
			x.root, x.step = of.root, of.step
		}
		f.values[v] = x
	}
}

// root follows aliases.
func (s *Segment) root(v *tileir.Value) *tileir.Value {
	if x := s.values[v]; x != nil {
		return x.root
	}
	return v
}

// inside reports whether a value is made in the segment.
func (s *Segment) inside(v *tileir.Value) bool { return s.values[v] != nil }

// worth reports whether the segment saves memory traffic or has enough work.
func (f *finder) worth() bool {
	for i := range f.Steps {
		switch f.Steps[i].Kind {
		case Lanes, Reduce, Spread, Join, Scan, Count, Index, Through, Store:
			return true
		case Load:
			if f.known.Copies {
				return true
			}
		}
	}
	return false
}

// step decides what an operation does in the segment; ok is false if it ends it.
func (f *finder) step(op *tileir.Op) (st Step, ok bool) {
	st = Step{Op: op}
	switch op.Info.Opcode {
	case tileir.OpMakeToken, tileir.OpJoinTokens:
		st.Kind = Nothing
		return st, true
	case tileir.OpStoreViewTko:
		st.Kind = Store
		return st, f.store(op)
	}
	t := f.known.tile(op)
	if kind, ok := f.part(op, t); ok {
		st.Kind, st.class = kind, part
		return st, true
	}
	if !slices.ContainsFunc(op.Operands, f.inside) && (t == nil || f.known.renames(op) || !f.columns(t)) {
		return st, f.known.Before(op) && !(f.stores && op.Info.Reads) && (!f.gathers || harmless(op))
	}
	if t == nil {
		return st, false
	}
	st.Kind, st.class, ok = f.decide(op, t)
	return st, ok
}

// aliases are the operations whose result is the operand in another shape or with a promise.
var aliases = map[int]bool{tileir.OpReshape: true, tileir.OpAssume: true}

// store reports whether a store belongs to the segment: of a tile that is made there, as a rule.
func (f *finder) store(op *tileir.Op) bool {
	v := op.Operands[0]
	x := f.values[v]
	f.stores = true
	if op.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak) || slices.ContainsFunc(op.Group(2), f.inside) {
		return false // where it stores must be known before the segment begins
	}
	if f.known.Strewn != nil && f.known.Strewn(op) {
		return false // copies do that
	}
	if f.gathers {
		return false // an element that lies in no memory is found while others are stored already
	}
	if x == nil {
		t := f.known.tile(op)
		_, ok := lane.Form(t)
		return ok && f.known.Copies && f.columns(t)
	}
	return x.class == full
}
