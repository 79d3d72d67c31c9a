package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Overwrite says that result v of the segment is to lie in memory where values from before the segment lie, those for which
// there holds. It reports whether the function then still reads each element before it writes it: if not, nothing changes.
// It is called before Build.
//
// A value of the rows is written when its row is done, and those of rows are read before that. A full value is written in
// the last pass, so that no other one reads what was there; in that pass the function reads all elements of a few
// vectors before it writes them.
func (s *Segment) Overwrite(v *tileir.Value, there func(*tileir.Value) bool) bool {
	x := s.values[v]
	if x == nil || x.root != v || x.operand < 0 || s.Operands[x.operand].Role != Result {
		return false
	}
	var readers []int
	for i := range s.Operands {
		o := &s.Operands[i]
		if o.Role != Outside || !there(o.Value) {
			continue
		}
		if !s.readsFirst(o, x) {
			return false
		}
		readers = append(readers, i)
	}
	if len(readers) > 0 && x.class == full {
		s.early = append(s.early, readers...)
		s.over = append(s.over, x)
	}
	return true
}

// readsFirst reports whether the function reads the elements of an operand before it writes those of a value in their place.
func (s *Segment) readsFirst(o *Operand, x *value) bool {
	switch {
	case s.down != nil || s.scan != nil || o.index != nil || o.skip > 0:
		return false
	case x.class == row:
		return !o.Cols
	}
	return x.class == full && x.step.pass == s.passes-1 && o.Cols && (o.Rows || s.Rows == 1)
}

// overwrites reports whether one of some sinks writes where the function reads.
func (s *Segment) overwrites(sinks []sink) bool {
	return slices.ContainsFunc(sinks, func(k sink) bool {
		return k.v != nil && slices.Contains(s.over, s.values[k.v])
	})
}

// readEarly reads the columns of the operands that results overwrite.
func (e *columns) readEarly() {
	e.early = map[int]vec.Reg{}
	for _, i := range e.s.early {
		if _, ok := e.early[i]; !ok && e.places[i].Vector == 0 {
			e.early[i] = e.read(i, lane.TileOf(e.s.Operands[i].Value))
		}
	}
}
