package nest

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// from notes which operation the next instructions are made of.
func (b *builder) from(st *Step) { b.Note = b.note + st.number }

// Source names the operation with a note, by its position and mnemonic.
func (s *Segment) Source(note int32) string {
	if note == 0 {
		return "the loops"
	}
	return Name(s.Steps[note-1].Op)
}

// Name names an operation by its position and mnemonic.
func Name(op *tileir.Op) string {
	if op.Loc.IsZero() {
		return op.Info.Mnemonic
	}
	return fmt.Sprintf("%s:%d: %s", filepath.Base(op.Loc.File), op.Loc.Line, op.Info.Mnemonic)
}

// Pass is the pass over the columns in which a step has its place. A step on values of the row comes before that pass. ok is
// false for steps that are done before the segment or that are no work.
func (s *Segment) Pass(step int) (pass int, ofRow, ok bool) {
	st := &s.Steps[step]
	if st.Kind <= Alias {
		return 0, false, false
	}
	return st.work(), st.class == row && st.Kind != Reduce, true
}

// Again lists the values that later passes compute or read once more, in the order of the steps, without broadcasts.
func (s *Segment) Again() []*tileir.Value {
	seen := map[*value]bool{}
	for i := range s.Steps {
		if st := &s.Steps[i]; st.Kind > Alias {
			for _, v := range st.Op.Operands {
				s.again(v, st.work(), seen)
			}
		}
	}
	var out []*tileir.Value
	for i := range s.Steps {
		for _, v := range s.Steps[i].Op.Results {
			if x := s.values[v]; x != nil && x.root == v && x.step.Kind != Spread && seen[x] {
				out = append(out, v)
			}
		}
	}
	return out
}

// again finds what a pass computes once more for a value.
func (s *Segment) again(v *tileir.Value, pass int, seen map[*value]bool) {
	x := s.values[v]
	if x == nil || x.class != full || x.step.pass >= pass || x.operand >= 0 || seen[x] {
		return
	}
	seen[x] = true
	for _, o := range x.step.Op.Operands {
		s.again(o, pass, seen)
	}
}

const noRule = "there is no rule for the operation"

// Why says why an operation begins no segment by itself; "" if it can be part of one.
func Why(op *tileir.Op) string {
	t := tileOfWork(op)
	if t == nil {
		return noRule
	}
	if t.Size() < least {
		return fmt.Sprintf("its tile has less than %d elements", least)
	}
	for _, v := range slices.Concat(op.Operands, op.Results) {
		if t := lane.TileOf(v); t != nil {
			if _, ok := lane.Form(t); !ok {
				return fmt.Sprintf("elements of type %s have no form in vector registers", t.Elem)
			}
		}
	}
	if why, ok := whyKinds[op.Info.Opcode]; ok {
		return why(op, t)
	}
	switch {
	case !lane.Elementwise(op.Info.Opcode):
		return noRule
	case !lane.Supports(op):
		return "there is no rule for these element types and attributes"
	}
	return ""
}

// whyKinds are the reasons for operations that are not elementwise.
var whyKinds = map[int]func(op *tileir.Op, t *tileir.TileType) string{
	tileir.OpLoadViewTko: whyOrdered, tileir.OpStoreViewTko: whyOrdered, tileir.OpLoadPtrTko: whyThrough, tileir.OpReduce: whyFold, tileir.OpScan: whyScan,
	tileir.OpBroadcast: func(*tileir.Op, *tileir.TileType) string { return "" }, tileir.OpIota: func(_ *tileir.Op, t *tileir.TileType) string {
		if t.Elem == tileir.I1 {
			return "it counts truth values"
		}
		return ""
	},
	tileir.OpExtract: func(op *tileir.Op, _ *tileir.TileType) string {
		if _, ok := skipped(op); !ok {
			return "its indices are not constants inside the tile"
		}
		return ""
	},
	tileir.OpCat: func(op *tileir.Op, t *tileir.TileType) string {
		if !slices.Equal(lane.TileOf(op.Operands[0]).Shape, lane.TileOf(op.Operands[1]).Shape) {
			return "it joins tiles of different shapes"
		}
		if t.Elem == tileir.I1 {
			return "it joins truth values"
		}
		return ""
	},
}

// whyOrdered is why a load or store through a view cannot be in a segment.
func whyOrdered(op *tileir.Op, _ *tileir.TileType) string {
	if op.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak) {
		return "it has a memory order"
	}
	return ""
}

// whyThrough is why a load through pointers cannot be in a segment.
func whyThrough(op *tileir.Op, t *tileir.TileType) string {
	switch {
	case t.Pointer:
		return "it loads pointers"
	case t.Elem == tileir.I1:
		return "it loads truth values"
	}
	return whyOrdered(op, t)
}

// whyFold is why a reduction cannot be in a segment.
func whyFold(op *tileir.Op, t *tileir.TileType) string {
	n, inner := folded(op, t)
	switch {
	case n > longest:
		return fmt.Sprintf("it folds more than %d elements", longest)
	case inner > 1 && n*inner > mostGroup:
		return fmt.Sprintf("it folds rows with more than %d elements in all", mostGroup)
	case inner > 1 && min(n, partials)*len(op.Regions[0].Ops) > mostInstrs:
		return "its partial results would take too many instructions"
	}
	return whyBody(op)
}

// whyScan is why a scan cannot be in a segment.
func whyScan(op *tileir.Op, t *tileir.TileType) string {
	n, inner := folded(op, t)
	switch {
	case n > longest:
		return fmt.Sprintf("it scans more than %d elements", longest)
	case n > 1 && inner > 1 && n*inner > longest:
		return fmt.Sprintf("it scans rows with more than %d elements in all", longest)
	case n > 1 && inner > 1 && scanWork(op) > mostScanned:
		return "its groups would take too many instructions"
	}
	return whyBody(op)
}

// whyBody is why the body of a reduction or scan cannot be in a segment.
func whyBody(op *tileir.Op) string {
	f := &finder{Segment: &Segment{}}
	for _, o := range op.Regions[0].Ops {
		if !f.folds(o) {
			return fmt.Sprintf("its body has %s, for which there is no rule", o.Info.Mnemonic)
		}
	}
	return ""
}
