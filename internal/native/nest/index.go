package nest

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// index says which element of a value an element of a broadcast or of an extracted tile is. Extents are powers of two, so that it takes some bits of the
// number of the element of the result and puts them elsewhere.
type index []field

// field is adjacent bits of the number of an element, and where they are in the number of another.
type field struct{ from, to, count int }

// spread is the index of a broadcast, which leaves out the bits of the dimensions that are repeated, or of extract, without the elements
// before the first one.
func spread(op *tileir.Op) (x index) {
	from, to := lane.TileOf(op.Operands[0]).Shape, lane.TileOf(op.Results[0]).Shape
	source, result := 0, 0
	for i := len(to) - 1; i >= 0; i-- {
		n, of := log2(to[i]), log2(from[i])
		x = x.add(field{result, source, min(n, of)})
		source += of
		result += n
	}
	return x
}

// skipped gives how many elements are before the first one that extract takes; 0 for a broadcast. ok is false if it is not known or
// none is there.
func skipped(op *tileir.Op) (n int, ok bool) {
	if op.Info.Opcode != tileir.OpExtract {
		return 0, true
	}
	from, to := lane.TileOf(op.Operands[0]).Shape, lane.TileOf(op.Results[0]).Shape
	stride := 1
	for i := len(to) - 1; i >= 0; i-- {
		k := lane.ConstantBits(op.Operands[1+i])
		if k == nil || *k >= uint64(from[i]/to[i]) {
			return 0, false
		}
		n += int(*k) * to[i] * stride
		stride *= from[i]
	}
	return n, true
}

// joined is the index by which cat reads both tiles, and the bit of the number of an element that says of which one it is.
func joined(op *tileir.Op) (bit int, x index) {
	dim, shape := int(op.Int("dim")), lane.TileOf(op.Operands[0]).Shape
	size := 0
	for i, n := range shape {
		if i >= dim {
			bit += log2(n)
		}
		size += log2(n)
	}
	return bit, index{}.add(field{0, 0, bit}).add(field{bit + 1, bit, size - bit})
}

// log2 is how many bits the numbers below a power of two have.
func log2(n int) int { return bits.Len(uint(n)) - 1 }

// add appends a field, or makes the last one longer.
func (x index) add(f field) index {
	if f.count == 0 {
		return x
	}
	if k := len(x) - 1; k >= 0 && x[k].from+x[k].count == f.from && x[k].to+x[k].count == f.to {
		x[k].count += f.count
		return x
	}
	return append(x, f)
}

// within is what the index says of the bits from lo up to hi.
func (x index) within(lo, hi int) (out index) {
	for _, f := range x {
		skip := max(0, lo-f.from)
		f = field{f.from + skip, f.to + skip, f.count - skip}
		if f.count = min(f.count, hi-f.from); f.count > 0 {
			out = append(out, f)
		}
	}
	return out
}

// of gives the number that the index says for one.
func (x index) of(n int) (out int) {
	for _, f := range x {
		out |= n >> f.from & (1<<f.count - 1) << f.to
	}
	return out
}

// is reports whether the index is one field, or none for a field without bits.
func (x index) is(f field) bool {
	if f.count == 0 {
		return len(x) == 0
	}
	return slices.Equal(x, index{f})
}

// bits are the numbers of bits that tell the lane, the column and the element.
func (s *Segment) bits() (lanes, cols, all int) {
	cols = log2(s.Cols)
	return min(log2(vec.Lanes), cols), cols, cols + log2(s.Rows)
}

// spreading says how a broadcast reads a value: an element for each row or column, for each of both, or by an index.
func (s *Segment) spreading(op *tileir.Op) (x index, rows, cols bool) {
	x = spread(op)
	_, c, all := s.bits()
	rows, cols = len(x.within(c, all)) > 0, len(x.within(0, c)) > 0
	for _, f := range []field{{}, {0, 0, all}, {0, 0, c}, {c, 0, all - c}} {
		if x.is(f) {
			return nil, rows, cols
		}
	}
	return x, rows, cols
}

// indexed is the address of what an operand with an index has for a row.
func (b *builder) indexed(i int, row vec.Reg) vec.Reg {
	o := &b.s.Operands[i]
	_, c, all := b.s.bits()
	return b.Do(vec.SAdd, vec.NoType, b.places[i].Base, b.distance(o.index.within(c, all), c, o.Bytes, row))
}

// distance is how many bytes of elements an index says for a scalar, whose last bit is the one with the number first.
func (b *builder) distance(x index, first, bytes int, n vec.Reg) vec.Reg {
	sum := b.Int(0)
	for _, f := range x {
		f.from -= first
		y := b.Do(vec.SAnd, vec.NoType, n, b.Int((1<<f.count-1)<<f.from))
		if by := f.to + log2(bytes) - f.from; by >= 0 {
			y = b.DoImm(vec.SShlImm, vec.NoType, int64(by), y)
		} else {
			y = b.DoImm(vec.SShrImm, vec.NoType, int64(-by), y)
		}
		sum = b.Do(vec.SAdd, vec.NoType, sum, y)
	}
	return sum
}

// inGroups reports whether an index moves elements inside of groups of sixteen only, and groups to places of groups, and gives the
// permutation of a group's lanes. Of the elements before the first one, those that are no group are part of it.
func (s *Segment) inGroups(o *Operand) (imm int64, ok bool) {
	lanes, _, all := s.bits()
	in, others := o.index.within(0, lanes), o.index.within(lanes, all)
	if len(in) == 0 || 1<<lanes != vec.Lanes || lane.TileOf(o.Value).Size() < vec.Lanes ||
		slices.ContainsFunc(in, func(f field) bool { return f.to+f.count > lanes }) ||
		slices.ContainsFunc(others, func(f field) bool { return f.to < lanes }) {
		return 0, false
	}
	return vec.Permutation(func(i int) int { return in.of(i) | o.skip%vec.Lanes }), true
}

// lanesApart gives the distances in bytes of what the lanes read of an operand with an index; 0 if they read the same, or elements
// of one group.
func (b *builder) lanesApart(o *Operand) vec.Reg {
	lanes, _, _ := b.s.bits()
	x := o.index.within(0, lanes)
	if _, ok := b.s.inGroups(o); ok || len(x) == 0 || x.is(field{0, 0, lanes}) {
		return 0
	}
	numbers, sum := b.Do(vec.Iota, vec.I32), b.Bits(vec.I32, 0)
	for _, f := range x {
		y := b.Do(vec.And, vec.I32, numbers, b.Bits(vec.I32, uint64(1<<f.count-1)<<f.from))
		if by := f.to + log2(o.Bytes) - f.from; by >= 0 {
			y = b.DoImm(vec.ShlImm, vec.I32, int64(by), y)
		} else {
			y = b.DoImm(vec.ShrUImm, vec.I32, int64(-by), y)
		}
		sum = b.Do(vec.Or, vec.I32, sum, y)
	}
	return sum
}

// pick reads a vector of columns of an operand with an index.
func (e *columns) pick(i int) vec.Reg {
	o, at := &e.s.Operands[i], e.place(i)
	t := lane.TileOf(o.Value)
	lanes, cols, _ := e.s.bits()
	if !o.index.within(0, cols).is(field{0, 0, cols}) {
		chunk := e.AddInt(e.c, int64(e.plus)) // a multiple of a vector's lanes
		at = vec.Mem{Base: e.Do(vec.SAdd, vec.NoType, e.base[i], e.distance(o.index.within(lanes, cols), 0, o.Bytes, chunk))}
	}
	switch {
	case e.lanesAt[i] != 0:
		return lane.Gather(e.Builder, t, at, e.lanesAt[i], e.tail)
	case len(o.index.within(0, lanes)) == 0:
		return lane.LoadFirst(e.Builder, t, at)
	}
	x := lane.Load(e.Builder, t, at, e.tail)
	if imm, ok := e.s.inGroups(o); ok && imm != inPlace {
		return e.permuted(o.Value, x, imm)
	}
	return x
}

// inPlace is the permutation that changes nothing.
var inPlace = vec.Permutation(func(i int) int { return i })

// permuted moves the lanes of a value.
func (b *builder) permuted(v *tileir.Value, x vec.Reg, imm int64) vec.Reg {
	x = b.folded(v, x)
	return b.unfolded(v, b.DoImm(vec.Permute, b.typeOf(x), imm, x))
}
