package access_test

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// someMask is a mask; the first one is a comparison.
func (g *generator) someMask() *tileir.Value {
	if len(g.masks) == 0 {
		g.mask()
	}
	return g.recent(g.masks)
}

func (g *generator) mask() {
	x := g.recent(g.ints)
	m := g.CmpI(x, g.like(x), pick(g, []tileir.Int{tileir.CompareLessThan, tileir.CompareLessThanOrEqual, tileir.CompareGreaterThan,
		tileir.CompareGreaterThanOrEqual, tileir.CompareEqual}), g.sign())
	for _, other := range g.masks {
		if tileir.Identical(m.Type, other.Type) && g.IntN(2) == 0 {
			m = g.AndI(m, other)
			break
		}
	}
	g.masks = append(g.masks, m)
}

// as gives a scalar or another value in a shape, if that can be.
func (g *generator) as(x *tileir.Value, shape []int) *tileir.Value {
	t := x.Type.(*tileir.TileType)
	if slices.Equal(t.Shape, shape) {
		return x
	}
	if t.Size() != 1 {
		return nil
	}
	ones := slices.Repeat([]int{1}, len(shape))
	return g.Broadcast(g.Reshape(x, ones...), shape...)
}

func (g *generator) pointer() {
	x := g.recent(g.ints)
	shape := x.Type.(*tileir.TileType).Shape
	for range 8 {
		if p := g.as(g.recent(g.pointers), shape); p != nil {
			g.pointers = append(g.pointers, g.Offset(p, x))
			return
		}
	}
	g.pointers = append(g.pointers, g.moved(g.recent(g.pointers)))
}

func (g *generator) access() {
	if g.IntN(3) == 0 {
		g.view()
		return
	}
	p := g.recent(g.pointers)
	t := p.Type.(*tileir.TileType)
	var opts []tileir.Option
	for _, m := range g.masks {
		if slices.Equal(m.Type.(*tileir.TileType).Shape, t.Shape) && g.IntN(2) == 0 {
			opts = append(opts, tileir.WithMask(m))
			break
		}
	}
	g.LoadPtrTko(p, tileir.MemoryWeak, opts...)
}

// loop carries an integer and a pointer, which rather grow evenly.
func (g *generator) loop(n, depth int) {
	e := pick(g, []tileir.Elem{tileir.I32, tileir.I64})
	bound := func(least, most int) *tileir.Value {
		return g.Constant(tileir.IntConstant(tileir.Tile(e), int64(least+g.IntN(most-least+1))))
	}
	x, p := g.recent(g.ints), g.recent(g.pointers)
	out := g.For(bound(-1, 2), bound(0, 7), bound(1, 3), []*tileir.Value{x, p}, func(i *tileir.Value, carried []*tileir.Value) {
		ints, pointers := len(g.ints), len(g.pointers)
		g.ints, g.pointers = append(g.ints, i, carried[0]), append(g.pointers, carried[1])
		g.ops(n, depth)
		next := []*tileir.Value{g.arithmetic(carried[0], g.like(x)), carried[1]}
		by := g.Constant(tileir.IntConstant(tileir.Tile(tileir.I32), int64(g.IntN(9))))
		if g.IntN(3) == 0 {
			by = g.recent(g.ints)
		}
		if by = g.as(by, p.Type.(*tileir.TileType).Shape); by != nil {
			next[1] = g.Offset(pick(g, []*tileir.Value{carried[1], carried[1], p}), by)
		}
		g.Continue(next...)
		g.ints, g.pointers = g.ints[:ints], g.pointers[:pointers]
	})
	g.ints, g.pointers = append(g.ints, out[0]), append(g.pointers, out[1])
}

// scalars picks integers of one type; without one that fits it makes constants.
func (g *generator) scalars(e tileir.Elem, n int) []*tileir.Value {
	out := make([]*tileir.Value, n)
	for i := range out {
		out[i] = g.Constant(tileir.IntConstant(tileir.Tile(e), int64(g.IntN(20))))
		for range 6 {
			if v := g.recent(g.ints); tileir.Identical(v.Type, tileir.Tile(e)) {
				out[i] = v
				break
			}
		}
	}
	return out
}

// view loads a tile through a view of any kind.
func (g *generator) view() {
	rank := 1 + g.IntN(2)
	t := &tileir.TensorViewType{Elem: tileir.F32, Shape: make([]int64, rank), Strides: make([]int64, rank)}
	var open [2]int
	for d := range rank {
		t.Shape[d], t.Strides[d] = int64(1+g.IntN(100)), int64(1+g.IntN(9))
		for i, list := range [2][]int64{t.Shape, t.Strides} {
			if g.IntN(2) == 0 {
				list[d] = tileir.Dynamic
				open[i]++
			}
		}
	}
	tile := pick(g, [][]int{{8, 4}, {1, 16}, {4, 1}, {2, 8}})[:rank]
	base := pick(g, g.pointers)
	if typeOf(base).Rank() > 0 {
		base = g.pointers[0]
	}
	e := pick(g, []tileir.Elem{tileir.I32, tileir.I64})
	tensor := g.MakeTensorView(base, g.scalars(e, open[0]), g.scalars(e, open[1]), t)
	index := g.scalars(tileir.I32, rank)
	dims := g.Perm(rank)
	switch g.IntN(3) {
	case 0:
		g.LoadViewTko(g.MakePartitionView(tensor, &tileir.PartitionViewType{Tile: tile, Tensor: t, DimMap: dims, Padding: tileir.PadZero}), index, tileir.MemoryWeak)
	case 1:
		steps := []int{1 + g.IntN(9), 1 + g.IntN(9)}[:rank]
		v := g.MakeStridedView(tensor, &tileir.StridedViewType{Tile: tile, Traversal: steps, Tensor: t, DimMap: dims, Padding: tileir.PadZero})
		g.LoadViewTko(v, index, tileir.MemoryWeak)
	default:
		at := g.Iota(tileir.Tile(tileir.I32, tile[0]))
		for _, v := range g.ints {
			if tileir.Identical(v.Type, at.Type) {
				at = v
			}
		}
		index[0] = at
		v := g.MakeGatherScatterView(tensor, &tileir.GatherScatterViewType{Tile: tile, Tensor: t, Padding: tileir.PadZero})
		g.LoadViewTko(v, index, tileir.MemoryWeak)
	}
}
