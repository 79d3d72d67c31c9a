package linear

import "math/bits"

// Log2 is the exponent of a power of two.
func Log2(n int) int { return bits.TrailingZeros(uint(n)) }

// Shape is the extents of a tile, powers of two.
type Shape []int

// Size is the number of elements.
func (s Shape) Size() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Shift is the position of the first bit of a dimension's coordinate in the row-major number, and in a shape with more
// dimensions of the extent 1 the same.
func (s Shape) Shift(dim int) (shift int) {
	for _, d := range s[dim+1:] {
		shift += Log2(d)
	}
	return shift
}

// Mask has the bits of a dimension's coordinate in the row-major number.
func (s Shape) Mask(dim int) int { return (s[dim] - 1) << s.Shift(dim) }

// Coord is the coordinate of an element along a dimension.
func (s Shape) Coord(dim, element int) int { return element >> s.Shift(dim) & (s[dim] - 1) }

// Number is the row-major number of an element.
func (s Shape) Number(coords ...int) (n int) {
	for i, d := range s {
		n = n*d + coords[i]
	}
	return n
}

// Order lists the bits of a row-major number, those of the dimension order[0] first, each from the lowest on.
func (s Shape) Order(order []int) (unit []int) {
	for _, d := range order {
		for b := range Log2(s[d]) {
			unit = append(unit, 1<<(s.Shift(d)+b))
		}
	}
	return unit
}

// Permuted is the shape whose dimension i is dimension p[i] of s.
func (s Shape) Permuted(p []int) Shape {
	to := make(Shape, len(s))
	for i := range p {
		to[i] = s[p[i]]
	}
	return to
}

// InverseOrder is the permutation of dimensions that takes another one back.
func InverseOrder(p []int) []int {
	inverse := make([]int, len(p))
	for i, d := range p {
		inverse[d] = i
	}
	return inverse
}

// RowMajor is the order of dimensions from the last one to the first.
func RowMajor(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return order
}

// Blocked gives vec neighbours along order[0] to registers, then what follows to lanes, then to warps, and the rest to more
// registers.
func (b Block) Blocked(s Shape, order []int, vec int) *Layout {
	t := taker{s.Order(order)}
	l := &Layout{Reg: t.take(Log2(vec), false)}
	l.Lane, l.Warp = t.take(b.Lanes, true), t.take(b.Warps, true)
	l.Reg = append(l.Reg, t.rest...)
	return l
}

// Lines is a layout for memory in which the elements along order[0] lie side by side: vec of them in registers, wide more in
// lanes, which are a line of memory, then the other dimensions in lanes and warps, and the rest in registers. So a reduction
// along the line has few lanes to ask, and a thread has few rows.
func (b Block) Lines(s Shape, order []int, vec, wide int) *Layout {
	line, other := taker{s.Order(order[:1])}, taker{s.Order(order[1:])}
	l := &Layout{Reg: line.take(Log2(vec), false)}
	n := min(Log2(wide), len(line.rest), b.Lanes)
	if short := b.Lanes + b.Warps - n - len(other.rest); short > 0 {
		n = min(len(line.rest), n+short)
	}
	threads := line.take(n, false)
	threads = append(threads, other.take(b.Lanes+b.Warps-n, true)...)
	l.Lane, l.Warp = threads[:b.Lanes:b.Lanes], threads[b.Lanes:]
	l.Reg = append(append(l.Reg, line.rest...), other.rest...)
	return l
}

// taker hands out bases.
type taker struct{ rest Map }

// take gives the next n, with zeros in place of what is not there if fill is set.
func (t *taker) take(n int, fill bool) (out Map) {
	k := min(n, len(t.rest))
	out, t.rest = append(out, t.rest[:k]...), t.rest[k:]
	for fill && len(out) < n {
		out = append(out, 0)
	}
	return out
}

// Slice is the layout of what is left of a tile with a shape when a dimension is reduced to a single number: the coordinates of
// the others belong to the same threads as before.
func (l *Layout) Slice(s Shape, dim int) *Layout {
	mask := s.Mask(dim)
	return l.Mapped(func(b int) int { return Squeeze(b, mask) }).Compact()
}

// Unbroadcast is the layout of a tile with the shape from, where extents may be 1 that are more in to, so that its broadcast
// has layout l without moving anything between threads.
func (l *Layout) Unbroadcast(from, to Shape) *Layout {
	return l.Mapped(func(e int) int { return Source(from, to, e) }).Compact()
}

// Source is the element of a tile with the shape from that its broadcast to another shape has as element e.
func Source(from, to Shape, e int) (x int) {
	for d := range to {
		if from[d] == to[d] {
			x |= to.Coord(d, e) << from.Shift(d)
		}
	}
	return x
}

// Permuted is the layout of a tile whose dimension i is dimension p[i] of one with a shape and layout l.
func (l *Layout) Permuted(s Shape, p []int) *Layout {
	to := s.Permuted(p)
	return l.Mapped(func(e int) (x int) {
		for i := range p {
			x |= s.Coord(p[i], e) << to.Shift(i)
		}
		return x
	})
}
