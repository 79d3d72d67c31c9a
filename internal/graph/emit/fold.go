package emit

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/tileir"
)

// looped gives those of the axes that a block goes along.
func (e *emitter) looped(axes []int) []int {
	var out []int
	for _, i := range axes {
		if e.axes[i].looped {
			out = append(out, i)
		}
	}
	return out
}

// dimsOf gives the dimensions of tiles that axes have.
func (e *emitter) dimsOf(axes []int) uint64 {
	var dims uint64
	for _, i := range axes {
		if d := e.axes[i].dim; d >= 0 {
			dims |= 1 << d
		}
	}
	return dims
}

// masked replaces what lies outside of axes by a number.
func (e *emitter) masked(x value, axes []int, outside value) value {
	var mask value
	for _, i := range axes {
		if e.axes[i].ragged() {
			mask = e.both(mask, e.within(i))
		}
	}
	if mask.v == nil {
		return x
	}
	return e.choose(mask, x, outside)
}

// reduce folds the elements of tiles, and these with each other along the axes that a block goes along.
func (e *emitter) reduce(x *loops.Expr) value {
	outside := e.splat(x.Elem, x.Fold.Neutral(x.Elem))
	along := e.looped(x.Along)
	body := x.Args[0]
	inner := e.dimsOf(x.Along)
	part := func() value {
		return e.folded(x, e.masked(e.expand(e.eval(body), inner), x.Along, outside), inner)
	}
	if len(along) == 0 {
		return part()
	}
	e.hoist(body, axesOf(along))
	dims := e.dimsUsed(body) &^ inner
	start := e.expand(outside, dims)
	out := e.loop(along, []*tileir.Value{start.v}, func(carried []*tileir.Value) []*tileir.Value {
		return []*tileir.Value{e.join(x.Fold, x.Elem, carried[0], e.expand(part(), dims).v)}
	})
	return value{out[0], x.Elem, dims}
}

// folded folds the elements of a tile along dimensions.
func (e *emitter) folded(x *loops.Expr, v value, dims uint64) value {
	for d := range e.dims {
		if dims>>d&1 == 0 {
			continue
		}
		id := tileir.Number{Elem: irElem(x.Elem), Bits: x.Fold.Neutral(x.Elem)}
		sum := e.Reduce([]*tileir.Value{v.v}, int64(d), tileir.Numbers{id}, func(args []*tileir.Value) {
			e.Yield(e.join(x.Fold, x.Elem, args[0], args[1]))
		})[0]
		v = value{nil, x.Elem, v.dims &^ (1 << d)}
		v.v = e.reshape(sum, e.shape(v.dims))
	}
	return v
}

// dimsUsed gives the dimensions that the value of an expression may have.
func (e *emitter) dimsUsed(x *loops.Expr) uint64 {
	var dims uint64
	for i := range e.axes {
		if d := e.axes[i].dim; d >= 0 && x.Uses.Has(i) {
			dims |= 1 << d
		}
	}
	return dims
}

// join applies the function of a fold.
func (e *emitter) join(f *ir.Fold, t dtype.Type, a, b *tileir.Value) *tileir.Value {
	return e.apply(f.Func, t, a, b)
}

// argReduce finds the place of the greatest or least element: of equal ones the first or the last.
func (e *emitter) argReduce(x *loops.Expr) value {
	axis := x.Along[0]
	body := x.Args[0]
	t := body.Elem
	worst := ir.FoldNamed("max")
	if x.First.Min {
		worst = ir.FoldNamed("min")
	}
	along := e.looped(x.Along)
	inner := e.dimsOf(x.Along)
	e.hoist(body, axesOf(along))
	dims := inner | e.dimsUsed(body)
	none := int64(math.MaxInt32) // behind all places
	if x.First.Last {
		none = -1
	}
	key, place := e.expand(e.splat(t, worst.Neutral(t)), dims), e.expand(e.splat(dtype.I32, uint64(uint32(none))), dims)
	better := func(a []*tileir.Value) (v, at *tileir.Value) { // a: key, place, key, place
		v0, v1 := value{v: a[0], elem: t}, value{v: a[2], elem: t}
		first := e.before(x.First, v0, v1, a[1], a[3])
		return e.Select(first, a[0], a[2]), e.Select(first, a[1], a[3])
	}
	out := e.loop(along, []*tileir.Value{key.v, place.v}, func(carried []*tileir.Value) []*tileir.Value {
		part := e.expand(e.masked(e.expand(e.eval(body), inner), x.Along, e.splat(t, worst.Neutral(t))), dims)
		at := e.expand(e.masked(e.position(axis), x.Along, e.splat(dtype.I32, uint64(uint32(none)))), dims)
		v, p := better([]*tileir.Value{carried[0], carried[1], part.v, at.v})
		return []*tileir.Value{v, p}
	})
	d := e.axes[axis].dim
	if d < 0 {
		return value{out[1], dtype.I32, dims}
	}
	ids := tileir.Numbers{{Elem: irElem(t), Bits: worst.Neutral(t)}, {Elem: tileir.I32, Bits: uint64(uint32(none))}}
	folded := e.Reduce(out, int64(d), ids, func(args []*tileir.Value) {
		v, p := better([]*tileir.Value{args[0], args[2], args[1], args[3]})
		e.Yield(v, p)
	})
	dims &^= 1 << d
	return value{e.reshape(folded[1], e.shape(dims)), dtype.I32, dims}
}

// before tells whether the first of two elements is the better one: greater or less, or a NaN, or, where they are equal or both
// NaN, at the earlier or the later place. An element without a place is never better.
func (e *emitter) before(order loops.ArgOrder, a, b value, at, bt *tileir.Value) *tileir.Value {
	test := "gt"
	if order.Min {
		test = "lt"
	}
	better := e.apply(test, a.elem, a.v, b.v)
	same := e.apply("eq", a.elem, a.v, b.v)
	if a.elem.IsFloat() {
		na, nb := e.apply("is_nan", a.elem, a.v), e.apply("is_nan", b.elem, b.v)
		better = e.OrI(better, e.AndI(na, e.not(nb)))
		same = e.OrI(same, e.AndI(na, nb))
	}
	predicate := tileir.CompareLessThan
	if order.Last {
		predicate = tileir.CompareGreaterThan
	}
	return e.OrI(better, e.AndI(same, e.CmpI(at, bt, predicate, tileir.Signed)))
}

// scan folds each element with those before it, for a row that is one tile.
func (e *emitter) scan(x *loops.Expr) value {
	v := e.eval(x.Args[0])
	d := e.axes[x.Along[0]].dim
	if d < 0 {
		return v
	}
	v = e.expand(v, 1<<d)
	if x.First.Last { // from behind: what lies outside comes first
		v = e.masked(v, x.Along, e.splat(x.Elem, x.Fold.Neutral(x.Elem)))
	}
	return value{e.scanned(x, v.v, d), x.Elem, v.dims}
}

func (e *emitter) scanned(x *loops.Expr, v *tileir.Value, d int) *tileir.Value {
	id := tileir.Number{Elem: irElem(x.Elem), Bits: x.Fold.Neutral(x.Elem)}
	return e.Scan([]*tileir.Value{v}, int64(d), x.First.Last, tileir.Numbers{id}, func(args []*tileir.Value) {
		e.Yield(e.join(x.Fold, x.Elem, args[0], args[1]))
	})[0]
}

// longScan stores a scan of rows of several tiles: what lies before a tile is carried along.
func (e *emitter) longScan(x *loops.Expr, axis int) {
	tiles, d := e.axes[axis].tiles(), e.axes[axis].dim
	own := e.dimsOf([]int{axis}) // none where tiles have one element along the axis
	e.hoist(x.Args[0], axesOf([]int{axis}))
	dims := e.dimsUsed(x.Args[0]) | own
	before := e.expand(e.splat(x.Elem, x.Fold.Neutral(x.Elem)), dims&^own)
	e.loop([]int{axis}, []*tileir.Value{before.v}, func(carried []*tileir.Value) []*tileir.Value {
		last := e.axes[axis].tile - 1
		if x.First.Last {
			e.at[axis], last = e.SubI(e.number(tiles-1), e.at[axis]), 0
		}
		part := e.expand(e.masked(e.eval(x.Args[0]), []int{axis}, e.splat(x.Elem, x.Fold.Neutral(x.Elem))), dims).v
		if own != 0 {
			part = e.scanned(x, part, d)
		}
		all := e.apply(x.Fold.Func, x.Elem, part, e.expand(value{carried[0], x.Elem, dims &^ own}, dims).v)
		e.know(x, value{all, x.Elem, dims})
		e.write(e.eval(e.kernel.Value))
		if own == 0 {
			return []*tileir.Value{all}
		}
		place := slices.Repeat([]*tileir.Value{e.number(0)}, len(e.dims))
		place[d] = e.number(last)
		return []*tileir.Value{e.Extract(all, place, tileir.Tile(irElem(x.Elem), e.shape(dims&^own)...))}
	})
}
