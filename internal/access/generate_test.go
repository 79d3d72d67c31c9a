package access_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// generator makes random entries that compute indices, masks and pointers and access memory through them.
type generator struct {
	*tileir.Builder
	*rand.Rand
	ints     []*tileir.Value // in scope
	masks    []*tileir.Value
	pointers []*tileir.Value
}

var shapes = [][]int{{}, {1}, {8}, {16}, {1, 8}, {8, 1}, {4, 4}, {2, 8}, {16, 1}, {2, 2, 4}, {4, 1, 4}, {1, 1}, {2, 1, 4}, {2, 4, 2}, {4, 2, 2}}

// params: three pointers, five integers of 32 bits, two of 64.
const (
	pointerParams = 3
	aligned       = 2 // of the pointers, to 32 bytes
	smallParams   = 5
	wideParams    = 2
)

// generate makes an entry with about n operations.
func generate(t *testing.T, seed uint64, n int) *tileir.Entry {
	t.Helper()
	g := &generator{Builder: tileir.NewBuilder(), Rand: rand.New(rand.NewPCG(seed, 13))}
	var types []tileir.Type
	for range pointerParams {
		types = append(types, tileir.PointerTile(tileir.F32))
	}
	for i := range smallParams + wideParams {
		types = append(types, tileir.Tile([]tileir.Elem{tileir.I32, tileir.I64}[min(1, i/smallParams)]))
	}
	e := g.Entry("random", types, func(params []*tileir.Value) {
		g.pointers, g.ints = slices.Clone(params[:pointerParams]), slices.Clone(params[pointerParams:])
		for i := range params[:aligned] {
			g.pointers[i] = g.Assume(params[i], tileir.DivBy{Divisor: 32})
		}
		x, y, _ := g.GetTileBlockId()
		nx, _, _ := g.GetNumTileBlocks()
		g.ints = append(g.ints, x, y, nx)
		g.ints = append(g.ints, g.affine(2, 4, 2), g.affine(pick(g, shapes[6:])...))
		g.ops(n, 2)
	})
	if _, err := g.Build(tileir.Newest); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return e
}

// affine is a tile whose elements are sums of the indices, times numbers that often count the elements in order.
func (g *generator) affine(shape ...int) *tileir.Value {
	sum := g.Constant(tileir.IntConstant(tileir.Tile(tileir.I32, shape...), 0))
	weight := int64(1)
	for d := len(shape) - 1; d >= 0; d-- {
		along := slices.Repeat([]int{1}, len(shape))
		along[d] = shape[d]
		i := g.Reshape(g.Iota(tileir.Tile(tileir.I32, shape[d])), along...)
		n := weight
		if g.IntN(4) == 0 {
			n = pick(g, []int64{1, 3, 4, 10})
		}
		weight *= int64(shape[d])
		i = g.MulI(i, g.Constant(tileir.IntConstant(tileir.Tile(tileir.I32, along...), n)))
		sum = g.AddI(sum, g.Broadcast(i, shape...))
	}
	return g.moved(g.moved(sum))
}

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// ops appends operations; depth limits loops.
func (g *generator) ops(n, depth int) {
	ints, masks, pointers := len(g.ints), len(g.masks), len(g.pointers)
	for range n {
		switch k := g.IntN(40); {
		case k < 3 && depth > 0:
			g.loop(n/2+1, depth-1)
		case k < 8:
			g.access()
		case k < 12:
			g.pointer()
		case k < 15:
			g.mask()
		case k < 18:
			g.masks = append(g.masks, g.moved(g.someMask()))
		default:
			g.ints = append(g.ints, g.integer())
		}
	}
	g.access()
	g.ints, g.masks, g.pointers = g.ints[:ints], g.masks[:masks], g.pointers[:pointers]
}

// recent picks a value, rather one that was made last.
func (g *generator) recent(list []*tileir.Value) *tileir.Value {
	if g.IntN(3) > 0 {
		list = list[max(0, len(list)-6):]
	}
	return pick(g, list)
}

func (g *generator) integer() *tileir.Value {
	x := g.recent(g.ints)
	t := x.Type.(*tileir.TileType)
	switch k := g.IntN(20); {
	case k < 2:
		return g.Iota(tileir.Tile(t.Elem, pick(g, []int{8, 16, 4})))
	case k < 3:
		return g.Constant(tileir.IntConstant(t, pick(g, []int64{int64(g.IntN(100) - 20), -1 << 63, 1<<62 + 12345, 1<<31 - 1})))
	case k < 4:
		for _, m := range g.masks {
			if slices.Equal(m.Type.(*tileir.TileType).Shape, t.Shape) {
				return g.Select(m, x, g.like(x))
			}
		}
		return g.MulI(x, x)
	case k < 8:
		return g.moved(x)
	case k < 11:
		return g.binary(x)
	case k < 15:
		return g.arithmetic(x, g.like(x))
	case k < 16:
		return g.NegI(x)
	}
	return g.resized(x)
}

// like is an integer of the same type, where there is one, else a constant.
func (g *generator) like(x *tileir.Value) *tileir.Value {
	for range 12 {
		if y := g.recent(g.ints); tileir.Identical(x.Type, y.Type) {
			return y
		}
	}
	return g.Constant(tileir.IntConstant(x.Type.(*tileir.TileType), int64(g.IntN(70))))
}

func (g *generator) arithmetic(x, y *tileir.Value) *tileir.Value {
	var opts []tileir.Option
	if g.IntN(3) == 0 {
		opts = append(opts, tileir.WithOverflow(pick(g, []tileir.Int{tileir.OverflowNoSignedWrap, tileir.OverflowNoUnsignedWrap})))
	}
	switch g.IntN(5) {
	case 0:
		return g.SubI(x, y, opts...)
	case 1:
		return g.MulI(x, y, opts...)
	case 2:
		return pick(g, []func(a, b *tileir.Value, s tileir.Int) *tileir.Value{g.MinI, g.MaxI})(x, y, g.sign())
	}
	return g.AddI(x, y, opts...)
}

func (g *generator) sign() tileir.Int {
	return pick(g, []tileir.Int{tileir.Signed, tileir.Unsigned})
}

// binary is an operation with a constant.
func (g *generator) binary(x *tileir.Value) *tileir.Value {
	t := x.Type.(*tileir.TileType)
	n := pick(g, []int64{1, 2, 3, 4, 8, 16, 64})
	c := g.Constant(tileir.IntConstant(t, n))
	switch g.IntN(4) {
	case 0:
		if g.IntN(3) == 0 {
			return g.DivI(x, c, tileir.Signed, tileir.WithRounding(tileir.RoundingNegativeInf))
		}
		return g.DivI(x, c, g.sign(), tileir.WithRounding(pick(g, []tileir.Int{tileir.RoundingZero, tileir.RoundingPositiveInf})))
	case 1:
		return g.RemI(x, c, g.sign())
	case 2:
		return g.ShLI(x, g.Constant(tileir.IntConstant(t, int64(g.IntN(6)))))
	}
	return g.MulI(x, c)
}

// resized extends, truncates, or promises something.
func (g *generator) resized(x *tileir.Value) *tileir.Value {
	t := x.Type.(*tileir.TileType)
	if g.IntN(4) == 0 {
		low, high := int64(0), int64(500)
		return g.Assume(x, pick(g, []tileir.Attr{tileir.DivBy{Divisor: 4}, tileir.Bounded{Lower: &low, Upper: &high}, tileir.Bounded{Lower: &low}}))
	}
	if t.Elem == tileir.I64 {
		return g.TruncI(x, tileir.I32)
	}
	return g.ExtI(x, g.sign(), tileir.I64)
}

// moved reshapes, repeats or permutes a value.
func (g *generator) moved(x *tileir.Value) *tileir.Value {
	t := x.Type.(*tileir.TileType)
	if r := t.Rank(); r > 1 && g.IntN(3) == 0 {
		return g.Permute(x, g.Perm(r))
	}
	var fits [][]int
	for _, s := range shapes {
		if tileir.Tile(t.Elem, s...).Size() == t.Size() {
			fits = append(fits, s)
		}
	}
	if len(fits) > 0 && g.IntN(2) == 0 {
		return g.Reshape(x, pick(g, fits)...)
	}
	shape := slices.Clone(t.Shape)
	for d := range shape {
		if shape[d] == 1 && t.Size() < 16 {
			shape[d] = pick(g, []int{1, 2, 4})
		}
	}
	return g.Broadcast(x, shape...)
}
