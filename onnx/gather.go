package onnx

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var gatherOperators = map[string]operator{
	"Gather": {1, 0, 2, 2, gather, false}, "GatherElements": {11, 0, 2, 2, gatherElements, false}, "GatherND": {11, 0, 2, 2, gatherND, false},
	"ScatterElements": {11, 0, 3, 3, scatterElements, false}, "Scatter": {9, 10, 3, 3, scatterElements, false},
	"ScatterND": {11, 0, 3, 3, scatterND, false}, "OneHot": {9, 0, 3, 3, oneHot, false},
	"TensorScatter": {24, 0, 2, 3, tensorScatter, false},
}

// positive counts negative indices from the end of an axis of n elements. Known ones must lie inside.
func positive(c *call, i, n int) *value {
	v := c.in[i]
	if !v.elem.IsInt() {
		refuse("input %d has elements of %v, expected integers", i, v.elem)
	}
	if k := v.k; k != nil {
		out := newKnown(k.elem, k.shape)
		for j, x := range k.ints {
			if x < -int64(n) || x >= int64(n) {
				refuse("index %d of input %d is outside of %d elements", x, i, n)
			}
			if x < 0 {
				x += int64(n)
			}
			out.ints[j] = x
		}
		return c.b.of(constant(out))
	}
	x := c.b.of(v)
	return graph.Where(graph.Less(x, c.like(x, 0)), graph.Add(x, c.num(x.DType(), float64(n))), x)
}

func gather(c *call) []*val {
	x, indices := c.in[0], c.in[1]
	a := axis(c.int("axis", 0), x.rank())
	n := x.shape[a]
	shape := slices.Concat(x.shape[:a], indices.shape, x.shape[a+1:])
	if x.k == nil || indices.k == nil || size(shape) > maxKnown {
		return c.one(graph.Gather(c.x(0), positive(c, 1, n), a))
	}
	positive(c, 1, n)
	st, inner := strides(x.shape), strides(indices.shape)
	return []*val{c.b.moved(x, shape, func(at []int) int {
		k := int(indices.k.ints[dot(at[a:a+indices.rank()], inner)])
		if k < 0 {
			k += n
		}
		return dot(at[:a], st[:a]) + k*st[a] + dot(at[a+indices.rank():], st[a+1:])
	}, nil)}
}

func gatherElements(c *call) []*val {
	x := c.in[0]
	a := axis(c.int("axis", 0), x.rank())
	return c.one(graph.TakeAlong(c.x(0), positive(c, 1, x.shape[a]), a))
}

// vectors gives index vectors along the last axis, none negative, behind the indices of the first batch axes.
func vectors(c *call, i int, shape []int, batch int) *value {
	x := c.x(i)
	if !x.DType().IsInt() || x.DType() == dtype.Bool {
		refuse("input %d has elements of %v, expected integers", i, x.DType())
	}
	limits := newKnown(x.DType(), []int{len(shape)})
	for k, d := range shape {
		limits.setInt(k, int64(d))
	}
	x = graph.Where(graph.Less(x, c.like(x, 0)), graph.Add(x, c.b.of(constant(limits))), x)
	if batch == 0 {
		return x
	}
	at := x.Shape()
	at[len(at)-1] = 1
	all := []*value{}
	for k := range batch {
		all = append(all, graph.Iota(c.b.g, x.DType(), k, at...))
	}
	return graph.Concat(-1, append(all, x)...)
}

func gatherND(c *call) []*val {
	c.rank(1, 1)
	shape, at, batch := c.in[0].shape, c.in[1].shape, c.int("batch_dims", 0)
	n := at[len(at)-1]
	if batch < 0 || batch >= len(at) || batch+n > len(shape) || n < 1 || !slices.Equal(shape[:batch], at[:batch]) {
		refuse("shape %v, indices of shape %v and batch_dims %d do not fit", shape, at, batch)
	}
	axes := graph.GatherAxes{IndexAxis: len(at) - 1}
	sizes := slices.Clone(shape)
	for i := range batch + n {
		axes.Collapsed, axes.StartMap, sizes[i] = append(axes.Collapsed, i), append(axes.StartMap, i), 1
	}
	for i := batch + n; i < len(shape); i++ {
		axes.OffsetAxes = append(axes.OffsetAxes, len(at)-1+i-batch-n)
	}
	return c.one(graph.GatherSlices(c.x(0), vectors(c, 1, shape[batch:batch+n], batch), axes, sizes))
}

var scatterFolds = map[string]graph.Fold{"none": graph.FoldReplace, "add": graph.FoldSum, "mul": graph.FoldProd, "max": graph.FoldMax, "min": graph.FoldMin}

func (c *call) reduction() graph.Fold {
	name := c.text("reduction", "none")
	f, ok := scatterFolds[name]
	if !ok {
		refuse("reduction is %q, expected none, add, mul, max or min", name)
	}
	return f
}

// scatterElements scatters single elements: their index vectors are their own places but for one axis.
func scatterElements(c *call) []*val {
	c.same(0, 2)
	x, at := c.in[0], c.in[1].shape
	r := x.rank()
	a := axis(c.int("axis", 0), r)
	fold := c.reduction()
	if len(at) != r || !slices.Equal(at, c.in[2].shape) {
		refuse("indices of shape %v and updates of shape %v for shape %v do not fit", at, c.in[2].shape, x.shape)
	}
	index := positive(c, 1, x.shape[a])
	var axes graph.GatherAxes
	var parts []*value
	for i := range r {
		axes.Collapsed, axes.StartMap = append(axes.Collapsed, i), append(axes.StartMap, i)
		if i == a {
			parts = append(parts, graph.ExpandDims(index, -1))
		} else {
			parts = append(parts, graph.ExpandDims(graph.Iota(c.b.g, index.DType(), i, at...), -1))
		}
	}
	axes.IndexAxis = r
	return c.one(graph.ScatterSlices(c.x(0), graph.Concat(-1, parts...), c.x(2), axes, fold))
}

func scatterND(c *call) []*val {
	c.same(0, 2)
	c.rank(1, 1)
	x, at := c.in[0], c.in[1].shape
	n := at[len(at)-1]
	fold := c.reduction()
	if n > x.rank() || !slices.Equal(c.in[2].shape, slices.Concat(at[:len(at)-1], x.shape[min(n, x.rank()):])) {
		refuse("indices of shape %v and updates of shape %v for shape %v do not fit", at, c.in[2].shape, x.shape)
	}
	axes := graph.GatherAxes{IndexAxis: len(at) - 1}
	for i := range n {
		axes.Collapsed, axes.StartMap = append(axes.Collapsed, i), append(axes.StartMap, i)
	}
	for i := n; i < x.rank(); i++ {
		axes.OffsetAxes = append(axes.OffsetAxes, len(at)-1+i-n)
	}
	return c.one(graph.ScatterSlices(c.x(0), vectors(c, 1, x.shape[:n], 0), c.x(2), axes, fold))
}

func oneHot(c *call) []*val {
	depth := c.integer(1)
	r := c.in[0].rank() + 1
	a := axis(c.int("axis", -1), r)
	if depth < 1 || float64(depth)*float64(c.in[0].len()) > float64(c.b.limit) || c.in[2].len() != 2 {
		refuse("depth is %d and values have shape %v", depth, c.in[2].shape)
	}
	x := c.x(0)
	if x.DType().IsFloat() || x.DType() == dtype.U64 {
		x = graph.Convert(x, dtype.I64)
	}
	n := c.like(x, float64(depth))
	inside := graph.And(graph.Less(x, n), graph.GreaterEqual(x, graph.Neg(n)))
	x = graph.Where(graph.Less(x, c.like(x, 0)), graph.Add(x, n), x)
	shape := slices.Insert(slices.Clone(c.in[0].shape), a, depth)
	on := graph.And(graph.ExpandDims(inside, a), graph.Equal(graph.ExpandDims(x, a), graph.Iota(c.b.g, x.DType(), a, shape...)))
	off, value := graph.Reshape(graph.Narrow(c.x(2), 0, 0, 1)), graph.Reshape(graph.Narrow(c.x(2), 0, 1, 2))
	return c.one(graph.Where(on, value, off))
}

// tensorScatter writes new keys or values into a cache, from one position on for each element of the batch.
func tensorScatter(c *call) []*val {
	c.same(0, 1)
	past, update := c.in[0], c.in[1]
	r := past.rank()
	a := axis(c.int("axis", -2), r)
	if update.rank() != r || a == 0 || update.shape[a] > past.shape[a] {
		refuse("the update has shape %v and the cache %v", update.shape, past.shape)
	}
	mode := c.text("mode", "linear")
	if mode != "linear" && mode != "circular" {
		refuse("mode is %q, expected linear or circular", mode)
	}
	start := graph.Broadcast(c.num(dtype.I64, 0), past.shape[0])
	if c.has(2) {
		start = graph.Convert(c.x(2), dtype.I64)
	}
	at := graph.Sub(graph.Iota(c.b.g, dtype.I64, a, past.shape...), graph.BroadcastInDim(start, past.shape, []int{0}))
	if mode == "circular" {
		at = graph.Mod(at, c.num(dtype.I64, float64(max(1, past.shape[a]))))
	}
	n := c.num(dtype.I64, float64(update.shape[a]))
	inside := graph.And(graph.GreaterEqual(at, c.num(dtype.I64, 0)), graph.Less(at, n))
	return c.one(graph.Where(inside, graph.TakeAlong(c.x(1), at, a), c.x(0)))
}
