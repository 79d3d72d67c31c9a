package emit

import (
	"math"

	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// attention goes along the keys, and keeps for each query the greatest score so far, the sum of the exponentials of scores less that
// one, and the sum of values with these as weights. Both sums are multiplied where a greater score comes. (M. Milakov and
// N. Gimelshein, Online normalizer calculation for softmax, 2018.)
func (e *emitter) attention(x *loops.Expr) value {
	t, key := x.Elem, x.Along[0]
	query, values := e.tiled(loops.DotLeft), e.tiled(loops.DotRight)
	columns := e.dimsOf(x.Along)
	var rows uint64 // none for a single query
	if query >= 0 {
		rows = e.dimsOf([]int{query})
	}
	m, n := e.extent(query), e.extent(values)
	scores, v := x.Args[0], x.Args[1]
	most, sum := ir.FoldNamed("max"), ir.FoldNamed("sum")
	lowest := e.splat(t, t.FloatBits(math.Inf(-1)))
	fold := func(f *ir.Fold, x value) value {
		return e.folded(&loops.Expr{Elem: t, Fold: f}, x, columns)
	}
	column := func(x value) *tileir.Value { // of the sums
		return e.Broadcast(e.reshape(x.v, []int{m, 1}), m, n)
	}
	along := e.looped(x.Along)
	e.hoist(scores, axesOf(along))
	start := []*tileir.Value{e.expand(lowest, rows).v, e.expand(e.splat(t, 0), rows).v, e.Constant(tileir.SplatConstant(tileir.Tile(irElem(t), m, n), 0))}
	load := e.factor(v, [2]int{key, values}, []int{e.extent(key), n}, along)
	out := e.loop(along, start, func(carried []*tileir.Value) []*tileir.Value {
		before, weights := value{carried[0], t, rows}, value{carried[1], t, rows}
		s := e.masked(e.expand(e.eval(scores), rows|columns), x.Along, lowest)
		now := e.call(most.Func, before, fold(most, s))
		// Where all scores so far are -∞, their differences would be NaN.
		some := e.choose(e.call("gt", now, lowest), now, e.splat(t, 0))
		some = e.choose(e.call("is_nan", now), now, some)
		w := e.call("exp", e.call("sub", s, some))
		scale := e.call("exp", e.call("sub", before, some))
		weights = e.call("add", e.call("mul", weights, scale), fold(sum, w))
		a := e.reshape(e.convert(w, v.Elem).v, []int{m, e.extent(key)})
		acc := e.apply("mul", t, carried[2], column(scale))
		return []*tileir.Value{now.v, weights.v, e.MmaF(a, load(), acc)}
	})
	return e.matrix(e.apply("div", t, out[2], column(value{out[1], t, rows})), t, query, values)
}
