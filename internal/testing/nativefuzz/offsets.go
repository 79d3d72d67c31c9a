package nativefuzz

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// offsets is a tile of offsets that a module computes, and the range in which they are.
type offsets struct {
	tile   *tileir.Value
	lo, hi int
}

// reach makes a tile of pointers by offsets that are computed, and a mask that holds back those that lie in no memory, as a rule; nil if all
// lie in memory and no mask is asked for.
func (g *gen) reach(m *memory, shape []int) (p *tileir.Value, mask values) {
	o := g.offsets(shape)
	n := max(1, o.hi+1)
	if g.chance(50) {
		n = 1 + g.r.IntN(n)
	}
	m.size = max(m.size, n)
	mask = g.mask(shape)
	if (o.lo < 0 || o.hi >= n) && !g.chance(3) {
		mask = append(mask, g.compare(o.tile, tileir.CompareGreaterThanOrEqual, 0), g.compare(o.tile, tileir.CompareLessThan, n))
		for len(mask) > 1 {
			mask = append(mask[2:], g.emit(tileir.OpAndI, []values{{mask[0]}, {mask[1]}}, nil, nil)[0])
		}
	}
	if g.chance(40) {
		t := tileir.Tile(tileir.I64, shape...)
		o.tile = g.emit(tileir.OpExtI, []values{{o.tile}}, []tileir.Attr{tileir.Signed}, t)[0]
		if g.chance(4) { // an address has fewer bits than the bytes of such an offset
			c := tileir.SplatConstant(t, oneOf(g, []uint64{1 << 36, 1 << 40, 1 << 61, 1 << 62, 1 << 63, 1<<64 - 1<<62}))
			o.tile = g.whole(tileir.OpAddI, o.tile, g.emit(tileir.OpConstant, nil, []tileir.Attr{c}, t)[0])
		}
	}
	return g.pointersAt(m, shape, o.tile), mask
}

// compare compares integers with a number.
func (g *gen) compare(x *tileir.Value, how tileir.Attr, n int) *tileir.Value {
	return g.emit(tileir.OpCmpI, []values{{x}, {g.all(tileOf(x).Shape, n)}}, []tileir.Attr{how, tileir.Signed}, nil)[0]
}

// all is a tile of one number.
func (g *gen) all(shape []int, n int) *tileir.Value {
	t := tileir.Tile(tileir.I32, shape...)
	return g.emit(tileir.OpConstant, nil, []tileir.Attr{tileir.SplatConstant(t, uint64(uint32(int32(n))))}, t)[0]
}

// offsets makes offsets: in order, in rows, of data, or of a list; and then others from them.
func (g *gen) offsets(shape []int) (o offsets) {
	switch n := size(shape); g.r.IntN(4) {
	case 0:
		bits := 1<<g.r.IntN(8) - 1
		o.tile, o.hi = g.emit(tileir.OpAndI, []values{{g.need(tileir.I32, shape)}, {g.all(shape, bits)}}, nil, nil)[0], bits
	case 1:
		o = g.rows(shape)
	case 2:
		if n > 1 && n <= 1024 {
			o.tile, o.hi = g.listed(shape, g.r.Perm(n)), n-1
			break
		}
		fallthrough
	default:
		o.tile, o.hi = g.iota(tileir.I32, shape), n-1
	}
	if g.chance(30) {
		k := oneOf(g, []int{-2, -1, 2, 3})
		o = offsets{g.whole(tileir.OpMulI, o.tile, g.all(shape, k)), min(k*o.lo, k*o.hi), max(k*o.lo, k*o.hi)}
	}
	k := g.r.IntN(60) - 20
	switch c := g.all(shape, k); g.r.IntN(4) {
	case 0:
		o = offsets{g.whole(tileir.OpAddI, o.tile, c), o.lo + k, o.hi + k}
	case 1:
		o = offsets{g.whole(tileir.OpAddI, c, o.tile), o.lo + k, o.hi + k}
	case 2:
		o = offsets{g.whole(tileir.OpSubI, c, o.tile), k - o.hi, k - o.lo}
	}
	return o
}

// rows are offsets of elements of rows, at a distance that is not always their length.
func (g *gen) rows(shape []int) offsets {
	if len(shape) == 0 {
		return offsets{tile: g.all(shape, 0)}
	}
	last := len(shape) - 1
	columns, lines := slices.Repeat([]int{1}, len(shape)), slices.Clone(shape)
	columns[last], lines[last] = shape[last], 1
	far := max(1, shape[last]+g.r.IntN(9)-4)
	spread := func(x *tileir.Value) *tileir.Value {
		return g.emit(tileir.OpBroadcast, []values{{x}}, nil, tileir.Tile(tileir.I32, shape...))[0]
	}
	row := g.whole(tileir.OpMulI, g.iota(tileir.I32, lines), g.all(lines, far))
	x := g.whole(tileir.OpAddI, spread(row), spread(g.iota(tileir.I32, columns)))
	return offsets{x, 0, (size(lines)-1)*far + shape[last] - 1}
}

// whole is an operation on integers that may wrap around.
func (g *gen) whole(code int, x, y *tileir.Value) *tileir.Value {
	return g.emit(code, []values{{x}, {y}}, []tileir.Attr{tileir.OverflowNone}, nil)[0]
}
