package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// A scan takes the elements of a row in groups of sixteen, which it scans by halves: for d = 1, 2, 4 and 8, element i of a group for
// which i&d is not 0 is combined with element i&^(2d-1) + d-1. Then each element is combined with the last one of the group
// before. In a reversed scan the numbers count from the end.
//
// Along the last dimension a group is a vector of columns, in which lanes change places, and the scan is part of any segment; one
// with several groups in a row decides in which direction a pass goes. Along another dimension, the lanes are as many scans,
// and the scan is a segment by itself.

// scanGroup is how many elements are a group, unless there are less.
const scanGroup = vec.Lanes

// prefix is what a segment does that is a scan along another dimension than the last and nothing else: outer times, of n elements
// with inner between each and the next.
type prefix struct {
	outer, n, inner int
	reverse         bool
}

// direction is how a pass goes through the columns where that matters.
type direction int8

const (
	anyway direction = iota
	forward
	backward
)

// directionOf is the direction that a scan along the columns needs.
func directionOf(op *tileir.Op) direction {
	n, _ := folded(op, lane.TileOf(op.Operands[0]))
	switch {
	case n <= scanGroup:
		return anyway
	case op.Int("reverse") != 0:
		return backward
	}
	return forward
}

// turns reports whether the passes of the segment can go in a direction, and lets them.
func (f *finder) turns(to direction) bool {
	if to == anyway {
		return true
	}
	if f.direction != anyway && f.direction != to {
		return false
	}
	f.direction = to
	return true
}

// scans reports whether the segment can do a scan.
func (f *finder) scans(op *tileir.Op) bool {
	t := lane.TileOf(op.Operands[0])
	n, inner := folded(op, t)
	if n > 1 && inner > 1 {
		return f.scansRows(op, t)
	}
	if f.down != nil || !f.operands(op, f.columns) || !f.body(op) || n <= scanGroup && f.Cols%n != 0 || n > scanGroup && (n != f.Cols || n > longest) {
		return false
	}
	if !f.turns(directionOf(op)) {
		return false
	}
	f.scanned, f.rowed = true, f.rowed || n > scanGroup
	return true
}

// mostScanned is the most instructions of a scan along the rows, about.
const mostScanned = 4096

// scansRows makes the segment a scan along another dimension. Its rows are then the elements of the scans.
func (f *finder) scansRows(op *tileir.Op, t *tileir.TileType) bool {
	n, inner := folded(op, t)
	p := prefix{outer: t.Size() / (n * inner), n: n, inner: inner, reverse: op.Int("reverse") != 0}
	if len(f.Steps) > 0 || n*inner > longest || scanWork(op) > mostScanned || !f.operands(op, func(*tileir.TileType) bool { return true }) || !f.body(op) {
		return false
	}
	f.Rows, f.Cols, f.rowed = p.outer*n, inner, true
	f.scan = &p
	return true
}

// scanWork is about how many instructions a scan along the rows is: of the first group, by halves, and of another one.
func scanWork(op *tileir.Op) int {
	each := 0
	for _, o := range op.Regions[0].Ops {
		each += Weight(o)
	}
	return each * (2*scanGroup + 3*scanGroup)
}

// carry is what a scan has of the groups before, while a pass goes through them.
type carry map[*Step][]vec.Reg

// scanColumns does a vector of columns of a scan.
func (e *columns) scanColumns(st *Step) {
	elems := make([]vec.Reg, len(st.Op.Operands))
	for i, v := range st.Op.Operands {
		elems[i] = e.folded(v, e.operand(st, v))
	}
	e.from(st)
	n, _ := folded(st.Op, lane.TileOf(st.Op.Operands[0]))
	f, reverse := e.newFold(st), st.Op.Int("reverse") != 0
	for d := 1; d < min(n, scanGroup); d *= 2 {
		elems = e.scanHalf(f, elems, d, reverse)
	}
	if n > scanGroup {
		elems = e.goOn(f, elems, reverse)
	}
	for i, v := range st.Op.Results {
		e.known[e.s.values[v]] = e.unfolded(v, elems[i])
	}
}

// scanHalf combines the upper half of each 2d lanes with the last lane of the lower half; the halves are the other way round if the
// scan is reversed.
func (b *builder) scanHalf(f *fold, elems []vec.Reg, d int, reverse bool) []vec.Reg {
	last := d - 1
	if reverse {
		last = d
	}
	from := vec.Permutation(func(i int) int { return i&^(2*d-1) + last })
	upper := int64(0)
	for i := range vec.Lanes {
		if (i&d != 0) != reverse {
			upper |= 1 << i
		}
	}
	accs, out := make([]vec.Reg, len(elems)), make([]vec.Reg, len(elems))
	for i, x := range elems {
		accs[i] = b.DoImm(vec.Permute, b.typeOf(x), from, x)
	}
	mask := b.DoImm(vec.MBits, vec.NoType, upper)
	for i, x := range b.combine(f, accs, elems) {
		out[i] = b.Pick(b.typeOf(x), mask, x, elems[i])
	}
	return out
}

// goOn combines a group with the last element of the group before, and keeps its own last one for the next. That comes from the last
// one before alone, so that the next group does not wait for the lanes of this one.
func (e *columns) goOn(f *fold, elems []vec.Reg, reverse bool) []vec.Reg {
	end := vec.Lanes - 1
	if reverse {
		end = 0
	}
	last := make([]vec.Reg, len(elems))
	for i, x := range elems {
		last[i] = e.DoImm(vec.Permute, e.typeOf(x), vec.Permutation(func(int) int { return end }), x)
	}
	before := e.carry[f.st]
	if before == nil {
		for _, x := range last {
			r := e.New(e.Regs[x])
			e.Set(r, x)
			before = append(before, r)
		}
		e.carry[f.st] = before
		return elems
	}
	out, next := e.combine(f, before, elems), e.combine(f, before, last)
	for i, x := range out {
		if slices.Contains(before, x) { // it changes
			out[i] = e.New(e.Regs[x])
			e.Set(out[i], x)
		}
	}
	for i, x := range next {
		e.Set(before[i], x)
	}
	return out
}

// scanUnits does some scans along the rows, those of inner elements each.
func (b *builder) scanUnits(from, to vec.Reg) {
	p, st := b.s.scan, &b.s.Steps[0]
	unit := b.For(from, to, 1)
	s := &rowScan{builder: b, p: p, st: st, f: b.newFold(st), bases: slices.Clone(b.base)}
	s.first = b.Do(vec.SMul, vec.NoType, unit, b.Int(int64(p.n)))
	s.c = b.For(b.Int(0), b.Int(int64(p.inner)), vec.Lanes)
	s.group(b.Int(0))
	if p.n > scanGroup {
		s.group(b.For(b.Int(scanGroup), b.Int(int64(p.n)), scanGroup))
		b.End()
	}
	copy(b.base, s.bases)
	b.End()
	b.End()
}

// rowScan is sixteen scans along the rows, side by side.
type rowScan struct {
	*builder
	p        *prefix
	st       *Step
	f        *fold
	bases    []vec.Reg // of the operands, of their very first rows
	first, c vec.Reg   // the first row, and the column
	before   []vec.Reg // the last elements of the group before, nil in the first one
}

// group scans a group of elements from a number on. An element is combined with those before it one after the other, so that few are
// kept: for each d the last one of the lower half of the 2d elements that are at hand.
func (s *rowScan) group(k vec.Reg) {
	n := min(s.p.n, scanGroup)
	lower := map[int][]vec.Reg{}
	for i := range n {
		at := s.element(s.AddInt(k, int64(i)))
		x := s.read(at)
		for d := 1; d < n; d *= 2 {
			switch {
			case i&d != 0:
				x = s.combine(s.f, lower[d], x)
			case i&(d-1) == d-1:
				lower[d] = x
			}
		}
		out := x
		if s.before != nil {
			out = s.combine(s.f, s.before, x)
		}
		s.write(at, out)
		if i == n-1 {
			s.keep(out)
		}
	}
}

// keep keeps the last elements for the next group.
func (s *rowScan) keep(xs []vec.Reg) {
	first := s.before == nil
	for i, x := range xs {
		if first {
			s.before = append(s.before, s.New(s.Regs[x]))
		}
		s.Set(s.before[i], x)
	}
}

// element is the row of an element, by its number in the direction of the scan.
func (s *rowScan) element(k vec.Reg) vec.Reg {
	if s.p.reverse {
		k = s.Do(vec.SSub, vec.NoType, s.Int(int64(s.p.n-1)), k)
	}
	return s.Do(vec.SAdd, vec.NoType, s.first, k)
}

// columnsOf is the row of an operand.
func (s *rowScan) columnsOf(i int, row vec.Reg) *columns {
	s.base[i] = s.bases[i]
	s.base[i] = s.rowOf(i, row)
	return &columns{builder: s.builder, c: s.c}
}

func (s *rowScan) read(row vec.Reg) (elems []vec.Reg) {
	for _, v := range s.st.Op.Operands {
		var x vec.Reg
		switch o := s.s.reading(s.st, 0, v); {
		case lane.ConstantBits(v) != nil:
			x = lane.Constant(s.Builder, lane.TileOf(v), *lane.ConstantBits(v))
		case !o.Rows:
			x = s.builder.first[s.s.find(v, false, false)]
		default:
			i := s.s.find(v, true, true)
			x = s.columnsOf(i, row).read(i, lane.TileOf(v))
		}
		elems = append(elems, s.folded(v, x))
	}
	return elems
}

func (s *rowScan) write(row vec.Reg, xs []vec.Reg) {
	for i, v := range s.st.Op.Results {
		if at := s.s.values[v].operand; at >= 0 {
			s.columnsOf(at, row).write(at, lane.TileOf(v), s.unfolded(v, xs[i]))
		}
	}
}
