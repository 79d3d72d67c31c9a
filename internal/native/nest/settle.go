package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// settle decides, when the operations are known, in which pass each is done, what is kept in memory, and what memory the
// function takes.
func (s *Segment) settle(known Known) {
	s.values = map[*tileir.Value]*value{}
	for i := range s.Steps {
		s.Steps[i].number = int32(i + 1)
		s.define(&s.Steps[i])
	}
	s.chooseRows()
	s.findEscapes(known.Uses)
	for i := range s.Steps {
		s.schedule(&s.Steps[i])
	}
	s.findKept()
	for i := range s.Steps {
		s.listOperands(i)
	}
}

// longRow is the length of rows that are chosen freely: what a row needs then stays in the first-level cache, and a call
// for a few rows is short.
const longRow = 4096

// chooseRows takes other rows where no operation tells rows from columns: all in one if only values of the kernel are
// concerned, and parts of a single long row.
func (s *Segment) chooseRows() {
	if s.rowed {
		return
	}
	memory := false
	for i := range s.Steps {
		memory = memory || s.Steps[i].Kind == Load || s.Steps[i].Kind == Store
	}
	if !memory {
		s.Rows, s.Cols = 1, s.Rows*s.Cols
	}
	if s.Rows == 1 && s.Cols > longRow {
		s.Rows, s.Cols = s.Cols/longRow, longRow
	}
}

// define makes the values of a step.
func (s *Segment) define(st *Step) {
	if st.Kind == Before || st.Kind == Nothing {
		return
	}
	for _, v := range st.Op.Results {
		if lane.TileOf(v) == nil {
			continue
		}
		x := &value{step: st, class: st.class, root: v, operand: -1}
		if st.Kind == Alias {
			x = s.values[st.Op.Operands[0]]
		}
		s.values[v] = x
	}
}

// findEscapes finds the values that are used behind the segment: all that the entry uses more often than the segment does.
func (s *Segment) findEscapes(uses map[*tileir.Value]int) {
	left := map[*value]int{}
	for v, x := range s.values {
		left[x] += uses[v]
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		for _, v := range st.Op.Operands {
			if x := s.values[v]; x != nil {
				left[x]--
			}
		}
		for _, r := range st.Op.Regions {
			for o := range r.All() {
				for _, v := range o.Operands {
					if x := s.values[v]; x != nil {
						left[x]--
					}
				}
			}
		}
	}
	for x, n := range left {
		x.escapes = n > 0
	}
}

// schedule finds the pass of a step: the first one in which all that it needs is there.
func (s *Segment) schedule(st *Step) {
	if st.Kind == Before || st.Kind == Nothing || st.Kind == Alias {
		return
	}
	for _, v := range st.Op.Operands {
		if x := s.values[v]; x != nil {
			st.pass = max(st.pass, x.step.pass)
		}
	}
	if st.Kind == Reduce && st.class == row {
		st.pass++ // its result is there before the next pass
	}
	s.passes = max(s.passes, st.pass+1)
}

// work is the pass in which a step's loop is: that of a reduction is the one before its result is there.
func (st *Step) work() int {
	if st.Kind == Reduce && st.class == row {
		return st.pass - 1
	}
	return st.pass
}

// cheap is the cost of a value that is computed again rather than kept.
const cheap = 3

// findKept finds values that later passes need and that are too dear to compute again.
func (s *Segment) findKept() {
	seen := map[needed]bool{}
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Kind == Before || st.Kind == Nothing || st.Kind == Alias {
			continue
		}
		for _, v := range st.Op.Operands {
			s.need(v, st.work(), seen)
		}
	}
}

// needed is a value that a pass needs.
type needed struct {
	x    *value
	pass int
}

// need says that a pass needs a value.
func (s *Segment) need(v *tileir.Value, pass int, seen map[needed]bool) {
	x := s.values[v]
	if x == nil || seen[needed{x, pass}] || x.class != part && (x.class != full || x.step.pass >= pass || x.kept) {
		return
	}
	seen[needed{x, pass}] = true
	if x.class == full && s.cost(x, map[*value]bool{}) > cheap {
		x.kept = true
		return
	}
	for _, o := range x.step.Op.Operands {
		s.need(o, pass, seen)
	}
}

// cost is about how many instructions a value takes that is computed again, loads of what is kept included.
func (s *Segment) cost(x *value, seen map[*value]bool) int {
	if seen[x] {
		return 0
	}
	seen[x] = true
	if x.kept || x.class == row {
		return 1
	}
	total := Weight(x.step.Op)
	for _, v := range x.step.Op.Operands {
		if o := s.values[v]; o != nil {
			total += s.cost(o, seen)
		}
	}
	return total
}

// listOperands lists the memory of a step: what it loads or stores, what it takes from outside, and its results that are
// kept.
func (s *Segment) listOperands(i int) {
	st := &s.Steps[i]
	if st.class == part {
		return
	}
	switch st.Kind {
	case Before, Nothing, Alias:
		return
	case Load:
		s.Operands = append(s.Operands, Operand{Role: Loaded, Step: i, Value: st.Op.Results[0], Rows: true, Cols: true, Bytes: bytesOf(lane.TileOf(st.Op.Results[0]))})
	case Store:
		s.outside(i, st.Op.Operands[0])
		s.Operands = append(s.Operands, Operand{Role: Stored, Step: i, Value: st.Op.Operands[0], Rows: true, Cols: true, Bytes: bytesOf(lane.TileOf(st.Op.Operands[0]))})
	case Index:
		s.outside(i, st.Op.Operands[1])
	case Through:
		if o := s.reached(st.Op); s.findReached(o) < 0 {
			o.Step = i
			s.Operands = append(s.Operands, o)
		}
		for _, v := range beside(st.Op) {
			s.outside(i, v)
		}
	default:
		for _, v := range st.Op.Operands {
			s.outside(i, v)
		}
		for _, r := range st.Op.Regions {
			for o := range r.All() {
				for _, v := range o.Operands {
					s.captured(i, r, v)
				}
			}
		}
	}
	for _, v := range st.Op.Results {
		x := s.values[v]
		if x == nil || !x.escapes && !x.kept {
			continue
		}
		x.operand = len(s.Operands)
		o := Operand{Role: Result, Step: i, Value: v, Rows: true, Cols: x.class != row, Bytes: bytesOf(x.tile(v))}
		if !x.escapes {
			o.Role, o.Rows = Buffer, false
		}
		s.Operands = append(s.Operands, o)
	}
}

// outside lists a value from before the segment, once for each way of reading it.
func (s *Segment) outside(i int, v *tileir.Value) {
	if x := s.values[v]; x != nil && x.class == part {
		s.partOperands(i, v, s.placeIn(s.Steps[i].Op), map[reached]bool{})
		return
	}
	if s.values[v] != nil || lane.TileOf(v) == nil || lane.ConstantBits(v) != nil {
		return
	}
	s.addOutside(s.reading(&s.Steps[i], i, v))
}

// reading is how a step reads a value from outside.
func (s *Segment) reading(st *Step, i int, v *tileir.Value) Operand {
	o := Operand{Role: Outside, Step: i, Value: v, Bytes: bytesOf(lane.TileOf(v))}
	switch {
	case lane.TileOf(v).Size() == 1 || s.splat(v):
	case st.Kind == Spread:
		o.index, o.Rows, o.Cols = s.spreading(st.Op)
		o.skip, _ = skipped(st.Op)
	case st.Kind == Join:
		_, o.index = joined(st.Op)
		_, c, all := s.bits()
		o.Rows, o.Cols = len(o.index.within(c, all)) > 0, len(o.index.within(0, c)) > 0
	case st.class == row && st.Kind != Reduce:
		o.Rows = true
	default:
		o.Rows, o.Cols = true, true
	}
	return o
}

// addOutside lists an operand unless it is there already.
func (s *Segment) addOutside(o Operand) {
	if s.findOutside(&o) < 0 {
		s.Operands = append(s.Operands, o)
	}
}

// find gives the number of an operand from outside without an index, -1 if there is none.
func (s *Segment) find(v *tileir.Value, rows, cols bool) int {
	return s.findOutside(&Operand{Value: v, Rows: rows, Cols: cols})
}

// findOutside gives the number of an operand from outside that is read in the same way, -1 if there is none.
func (s *Segment) findOutside(o *Operand) int {
	return slices.IndexFunc(s.Operands, func(p Operand) bool {
		return p.Role == Outside && p.Value == o.Value && p.Rows == o.Rows && p.Cols == o.Cols && p.skip == o.skip && slices.Equal(p.index, o.index)
	})
}

// captured lists a number that a reduction's body takes from outside.
func (s *Segment) captured(i int, body *tileir.Block, v *tileir.Value) {
	if lane.TileOf(v) == nil || lane.ConstantBits(v) != nil || definedIn(body, v) {
		return
	}
	s.addOutside(Operand{Role: Outside, Step: i, Value: v, Bytes: bytesOf(lane.TileOf(v))})
}

// definedIn reports whether a value is an argument or a result of a block.
func definedIn(b *tileir.Block, v *tileir.Value) bool {
	for _, a := range b.Args {
		if a == v {
			return true
		}
	}
	for _, o := range b.Ops {
		if v.Def == o {
			return true
		}
	}
	return false
}
