package emit

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// argSort sorts the places along the last dimension of a tile by the elements there, with a bitonic network: in stage (k, j),
// elements i and i+j are exchanged if they are in the wrong order, for each i whose bit j is clear. Blocks of k elements are
// sorted in alternating directions, the last one in the right one. (K. E. Batcher, Sorting networks and their applications, 1968.)
func (e *emitter) argSort(x *loops.Expr) value {
	axis := x.Along[0]
	d := e.axes[axis].dim
	key := e.expand(e.eval(x.Args[0]), 1<<d)
	key = e.sortable(key)
	greatest := uint64(math.MaxUint64) // comes last
	switch {
	case key.elem.IsSigned() && x.First.Min:
		greatest >>= 65 - 8*key.elem.Size()
	case key.elem.IsSigned():
		greatest = 1 << (8*key.elem.Size() - 1)
	case x.First.Min:
		greatest >>= 64 - 8*key.elem.Size()
	default:
		greatest = 0
	}
	key = e.masked(key, x.Along, e.splat(key.elem, greatest))
	n, size := e.axes[axis].tile, typeOf(key.v).Size()
	places := e.expand(value{e.reshape(e.Iota(tileir.Tile(tileir.I32, n)), e.shape(1<<d)), dtype.I32, 1 << d}, key.dims)
	s := sorter{e, key.elem, x.First.Min, n, size}
	v, at := key.v, places.v
	for k := 2; k <= n; k *= 2 {
		for j := k / 2; j > 0; j /= 2 {
			v, at = s.stage(v, at, k, j)
		}
	}
	return value{e.reshape(at, e.shape(key.dims)), dtype.I32, key.dims}
}

// sortable makes integers of floats, in the same order: a zero has one sign, and NaN is the greatest.
func (e *emitter) sortable(x value) value {
	if !x.elem.IsFloat() {
		return x
	}
	s := &scope{e.Builder, x.elem}
	zero := s.test(tileir.CompareEqual, x.v, s.float(x.v, 0))
	nan := s.call("is_nan", x.v)
	t := map[int]dtype.Type{2: dtype.I16, 4: dtype.I32, 8: dtype.I64}[x.elem.Size()]
	bits := e.Bitcast(e.Select(zero, s.float(x.v, 0), x.v), irElem(t))
	s = &scope{e.Builder, t}
	most := s.int(bits, math.MaxInt64>>(64-s.bits()))
	negative := s.test(tileir.CompareLessThan, bits, s.int(bits, 0))
	bits = e.Select(negative, e.XOrI(bits, most), bits)
	return value{e.Select(nan, most, bits), t, x.dims}
}

// sorter sorts lines of n elements in a tile of size elements.
type sorter struct {
	*emitter
	t       dtype.Type
	least   bool // first
	n, size int
}

// stage exchanges elements that are j apart.
func (s *sorter) stage(v, at *tileir.Value, k, j int) (*tileir.Value, *tileir.Value) {
	pairs := s.size / (2 * j)
	a, b := s.halves(v, pairs, j)
	i, l := s.halves(at, pairs, j)
	order := tileir.CompareLessThan
	if !s.least {
		order = tileir.CompareGreaterThan
	}
	before := s.CmpI(b, a, order, signOf(s.t)) // b belongs before a
	same := s.CmpI(b, a, tileir.CompareEqual, signOf(s.t))
	swap := s.OrI(before, s.AndI(same, s.CmpI(l, i, tileir.CompareLessThan, tileir.Signed)))
	if k < s.n {
		swap = s.XOrI(swap, s.falling(pairs, k/(2*j), j))
	}
	join := func(a, b *tileir.Value) *tileir.Value {
		return s.Cat(s.Select(swap, b, a), s.Select(swap, a, b), 1)
	}
	return join(a, b), join(i, l)
}

// halves takes a tile as pairs of runs of j elements, and gives the first and the second runs.
func (s *sorter) halves(v *tileir.Value, pairs, j int) (a, b *tileir.Value) {
	v = s.reshape(v, []int{pairs, 2, j})
	half := func(i int) *tileir.Value {
		return s.Extract(v, []*tileir.Value{s.number(0), s.number(i), s.number(0)}, tileir.Tile(typeOf(v).Elem, pairs, 1, j))
	}
	return half(0), half(1)
}

// falling tells which pairs are in blocks that are sorted in the other direction: those with a bit of their number set.
func (s *sorter) falling(pairs, bit, j int) *tileir.Value {
	p := s.Iota(tileir.Tile(tileir.I32, pairs))
	b := &scope{s.Builder, dtype.I32}
	set := s.CmpI(s.AndI(p, b.int(p, int64(bit))), b.int(p, 0), tileir.CompareNotEqual, tileir.Signed)
	return s.Broadcast(s.Reshape(set, pairs, 1, 1), pairs, 1, j)
}
