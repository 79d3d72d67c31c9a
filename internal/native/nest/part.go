package nest

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// A network that sorts takes halves of a tile, combines them and joins the results. Tiles of fewer elements than the segment's are
// made in it as well, one of the class part: each of their elements is computed where a full value needs it. A place says which
// element that is for each element of the segment. What is taken of a full value must be in the same group of sixteen, since that
// is at hand.

// place says which element of a value belongs to each element of the segment.
type place struct {
	index
	skip int // the elements before the first one
}

// everywhere is the place in which each element belongs to itself.
func (s *Segment) everywhere() place {
	_, _, all := s.bits()
	return place{index: index{{0, 0, all}}}
}

// through is the place of an operand of a broadcast or extract whose result is in a place.
func (p place) through(op *tileir.Op) place {
	x := spread(op)
	n, _ := skipped(op)
	return place{x.after(p.index), x.of(p.skip) + n}
}

// after is the index that first does what another one does.
func (x index) after(y index) index {
	var all index
	for _, f := range x {
		for _, g := range y {
			lo, hi := max(f.from, g.to), min(f.from+f.count, g.to+g.count)
			if lo < hi {
				all = append(all, field{g.from + lo - g.to, f.to + lo - f.from, hi - lo})
			}
		}
	}
	slices.SortFunc(all, func(f, g field) int { return f.from - g.from })
	out := index{}
	for _, f := range all {
		out = out.add(f)
	}
	return out
}

// placeIn is the place of a part that is an operand of a full step.
func (s *Segment) placeIn(op *tileir.Op) place {
	if op.Info.Opcode == tileir.OpCat {
		_, x := joined(op)
		return place{index: x.after(s.everywhere().index)}
	}
	return s.everywhere().through(op)
}

// inGroup reports whether a place of a full value moves lanes only, and gives the permutation.
func (s *Segment) inGroup(p place) (imm int64, ok bool) {
	lanes, _, all := s.bits()
	in := p.within(0, lanes)
	if p.skip >= vec.Lanes || !p.within(lanes, all).is(field{lanes, lanes, all - lanes}) || slices.ContainsFunc(in, func(f field) bool { return f.to+f.count > lanes }) {
		return 0, false
	}
	return vec.Permutation(func(i int) int { return in.of(i) | p.skip }), true
}

// mostInParts is the most elements of a segment with parts.
const mostInParts = 1 << 16

// part reports whether an operation makes a tile of the class part, and of which kind it is. An operation is cheap, since it may be
// done several times for an element.
func (f *finder) part(op *tileir.Op, t *tileir.TileType) (kind Kind, ok bool) {
	if t == nil || f.Rows > 1 || f.Cols < vec.Lanes || f.Cols > mostInParts || t.Size() == 1 || t.Size() >= f.Cols || !f.parts(op) || Weight(op) > 1 {
		return 0, false
	}
	switch op.Info.Opcode {
	case tileir.OpExtract:
		_, ok = skipped(op)
		kind = Spread
	case tileir.OpBroadcast:
		kind, ok = Spread, true
	default:
		kind, ok = Lanes, lane.Elementwise(op.Info.Opcode) && lane.Supports(op)
	}
	small := 2*t.Size() < f.Cols
	for _, v := range op.Operands {
		t := lane.TileOf(v)
		if t == nil {
			return 0, false
		}
		_, has := lane.Form(t)
		x := f.values[v]
		switch {
		case !has || x != nil && x.class != part && (x.class != full || op.Info.Opcode != tileir.OpExtract):
			return 0, false
		case small && lane.ConstantBits(v) == nil && (x == nil || x.class != part) && !counts(v):
			return 0, false // it would be done more than twice for each element
		}
	}
	return kind, ok
}

// counts reports whether a value is the numbers of its elements.
func counts(v *tileir.Value) bool {
	if v.Def == nil || v.Def.Info.Opcode != tileir.OpIota {
		return false
	}
	form, ok := lane.Form(lane.TileOf(v))
	return ok && (form == vec.I32 || form == vec.I64)
}

// reaches reports whether the elements of a value can be had in a place.
func (f *finder) reaches(v *tileir.Value, p place) bool {
	x := f.values[v]
	switch {
	case x == nil:
		return true
	case x.class == full:
		_, ok := f.inGroup(p)
		return ok
	case x.class != part:
		return false
	}
	k := reached{v, fmt.Sprint(p)}
	if ok, known := f.reach[k]; known {
		return ok
	}
	op, ok := x.step.Op, true
	if x.step.Kind == Spread {
		ok = f.reaches(op.Operands[0], p.through(op))
	} else {
		for _, o := range op.Operands {
			ok = ok && f.reaches(o, p)
		}
	}
	f.reach[k] = ok
	return ok
}

// reached is a value in a place.
type reached struct {
	v     *tileir.Value
	place string
}

// leaks lists the operations that make a part which something behind the segment uses.
func (f *finder) leaks() (list []*tileir.Op) {
	left := map[*tileir.Value]int{}
	for v, x := range f.values {
		left[x.root] += f.known.Uses[v]
	}
	for i := range f.Steps {
		for o := range f.Steps[i].Op.All() {
			for _, v := range o.Operands {
				left[f.root(v)]--
			}
		}
	}
	for i := range f.Steps {
		if st := &f.Steps[i]; st.class == part && st.Kind > Alias && left[st.Op.Results[0]] > 0 {
			list = append(list, st.Op)
		}
	}
	return list
}

// partOperands lists the memory that a value in a place takes.
func (s *Segment) partOperands(i int, v *tileir.Value, p place, seen map[reached]bool) {
	k := reached{v, fmt.Sprint(p)}
	if seen[k] {
		return
	}
	seen[k] = true
	x := s.values[v]
	switch {
	case x == nil && lane.ConstantBits(v) == nil && !counts(v):
		s.addOutside(s.readingAt(i, v, p))
	case x == nil || x.class != part:
	case x.step.Kind == Spread:
		s.partOperands(i, x.step.Op.Operands[0], p.through(x.step.Op), seen)
	default:
		for _, o := range x.step.Op.Operands {
			s.partOperands(i, o, p, seen)
		}
	}
}

// readingAt is how a value from outside is read in a place.
func (s *Segment) readingAt(i int, v *tileir.Value, p place) Operand {
	o := Operand{Role: Outside, Step: i, Value: v, Bytes: bytesOf(lane.TileOf(v))}
	if lane.TileOf(v).Size() > 1 && !s.splat(v) {
		_, c, all := s.bits()
		o.Rows, o.Cols, o.skip = len(p.within(c, all)) > 0, len(p.within(0, c)) > 0, p.skip
		if o.Rows || o.Cols {
			o.index = p.index
		}
	}
	return o
}

// taken gives the elements of a value in a place.
func (e *columns) taken(v *tileir.Value, p place) vec.Reg {
	if k := lane.ConstantBits(v); k != nil {
		return lane.Constant(e.Builder, lane.TileOf(v), *k)
	}
	k := reached{v, fmt.Sprint(p)}
	r, ok := e.placed[k]
	if !ok {
		r = e.computeAt(v, p)
		e.placed[k] = r
	}
	return r
}

func (e *columns) computeAt(v *tileir.Value, p place) vec.Reg {
	x := e.s.values[v]
	switch {
	case x == nil && counts(v):
		form, _ := lane.Form(lane.TileOf(v))
		return e.countAt(form, p)
	case x == nil:
		o := e.s.readingAt(0, v, p)
		i := e.s.findOutside(&o)
		if !o.Cols {
			return e.first[i]
		}
		return e.pick(i)
	case x.class == full:
		imm, _ := e.s.inGroup(p)
		return e.permuted(v, e.value(v), imm)
	case x.step.Kind == Spread:
		return e.taken(x.step.Op.Operands[0], p.through(x.step.Op))
	}
	if some, set, ok := e.s.asksForBit(x.step.Op); ok {
		r := e.haveBit(p, some)
		if !set {
			r = e.Do(vec.MXor, vec.NoType, r, e.DoImm(vec.MConst, vec.NoType, 1))
		}
		return r
	}
	args := make([]vec.Reg, len(x.step.Op.Operands))
	for i, o := range x.step.Op.Operands {
		args[i] = e.taken(o, p)
	}
	e.from(x.step)
	r, ok := lane.Emit(e.Builder, x.step.Op, args)
	if !ok {
		e.fail(x.step.Op)
	}
	return r
}

// countAt gives the numbers of elements in a place.
func (e *columns) countAt(form vec.Type, p place) vec.Reg {
	n := e.numbers(vec.I32)
	if !slices.Equal(p.index, e.s.everywhere().index) {
		sum := e.Bits(vec.I32, uint64(p.skip))
		for _, f := range p.index {
			x := e.Do(vec.And, vec.I32, n, e.Bits(vec.I32, uint64(1<<f.count-1)<<f.from))
			if by := f.to - f.from; by >= 0 {
				x = e.DoImm(vec.ShlImm, vec.I32, int64(by), x)
			} else {
				x = e.DoImm(vec.ShrUImm, vec.I32, int64(-by), x)
			}
			sum = e.Do(vec.Or, vec.I32, sum, x)
		}
		n = sum
	}
	if form == vec.I64 {
		return e.Convert(vec.ZeroExtend, vec.I64, vec.I32, n)
	}
	return n
}

// asksForBit reports whether an operation compares some bits of the numbers of elements with 0, and whether it is set where one is
// there.
func (s *Segment) asksForBit(op *tileir.Op) (some int, set, ok bool) {
	if op.Info.Opcode != tileir.OpCmpI {
		return 0, false, false
	}
	how := tileir.Int(op.Int("comparison_predicate"))
	zero := lane.ConstantBits(op.Operands[1])
	x := s.values[op.Operands[0]]
	if how != tileir.CompareEqual && how != tileir.CompareNotEqual || zero == nil || *zero != 0 || x == nil || x.step.Op.Info.Opcode != tileir.OpAndI {
		return 0, false, false
	}
	and := x.step.Op
	k := lane.ConstantBits(and.Operands[1])
	if k == nil || *k >= mostInParts || !counts(and.Operands[0]) {
		return 0, false, false
	}
	return int(*k), how == tileir.CompareNotEqual, true
}
