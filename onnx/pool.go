package onnx

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var poolOperators = map[string]operator{
	"MaxPool": {1, 0, 1, 1, maxPool, false}, "AveragePool": {1, 0, 1, 1, averagePool, false}, "LpPool": {1, 0, 1, 1, lpPool, false},
	"GlobalMaxPool":     global(func(c *call, x *value, axes []int) *value { return graph.ReduceMax(x, axes...) }),
	"GlobalAveragePool": global(meanOf),
	"GlobalLpPool": global(func(c *call, x *value, axes []int) *value {
		p := float64(c.int("p", 2))
		return root(c, graph.ReduceSum(power(c, x, p), axes...), p)
	}),
	"MaxUnpool": {9, 0, 2, 3, maxUnpool, false}, "LRN": {1, 0, 1, 1, lrn, false},
}

// power is |x| to the power of p.
func power(c *call, x *value, p float64) *value {
	switch p {
	case 1:
		return graph.Abs(x)
	case 2:
		return graph.Square(x)
	}
	return graph.Pow(graph.Abs(x), c.like(x, p))
}

func root(c *call, x *value, p float64) *value {
	switch p {
	case 1:
		return x
	case 2:
		return graph.Sqrt(x)
	}
	return graph.Pow(x, c.like(x, 1/p))
}

func global(f func(c *call, x *value, axes []int) *value) operator {
	return operator{1, 0, 1, 1, func(c *call) []*val {
		c.rank(0, 3)
		x := c.x(0)
		var axes []int
		for i := 2; i < c.in[0].rank(); i++ {
			axes = append(axes, i)
		}
		return c.one(kept(c, f(c, x, axes), x, axes))
	}, false}
}

// pools reads the windows of a pool. Padding as wide as a window is refused, as ONNX Runtime does: a window could lie in the padding
// alone. As there, dilations do not count, and pads count also where auto_pad takes their place.
func (c *call) pools() window {
	w := c.windows(c.in[0].shape, nil)
	for i, size := range w.size {
		if max(w.low[i], w.high[i]) >= size {
			refuse("pads is %v for windows of size %v, expected less padding on each side of an axis than the size of the window there", slices.Concat(w.low, w.high), w.size)
		}
	}
	return w
}

// options are the windows as package graph takes them.
func (w *window) options() graph.PoolOptions {
	high := slices.Clone(w.high)
	for i, e := range w.extra {
		high[i] += e
	}
	return graph.PoolOptions{Size: w.size, Stride: w.stride, Dilation: w.dilation, Low: w.low, High: high}
}

func maxPool(c *call) []*val {
	x := c.x(0)
	w := c.pools()
	w.place(c)
	columns := c.flag("storage_order")
	outs := c.out(graph.MaxPool(x, w.options()))
	if len(c.node.Outputs) > 1 && c.node.Outputs[1] != "" {
		outs = append(outs, computed(maxIndices(c, x, w, columns), c.in...))
	}
	return outs
}

// maxIndices gives the index of the greatest element of each window in all of x, counted row by row, or column by column.
func maxIndices(c *call, x *value, w window, columns bool) *value {
	n := len(w.size)
	shape := c.in[0].shape
	windows := func(x, padding *value) *value {
		ones, o := []int{1, 1}, axesOptions(w.options())
		v := graph.Windows(graph.Pad(x, padding, o.Low, o.High, nil), append(ones, w.size...), o.Stride, o.Dilation)
		return graph.Reshape(v, append(slices.Clone(v.Shape()[:2+n]), size(w.size))...)
	}
	lowest := math.Inf(-1)
	if !x.DType().IsFloat() {
		lowest, _ = limits(x.DType())
	}
	v := windows(x, c.like(x, lowest))
	out := v.Shape()[:2+n]
	// Padding is none of the greatest elements, also if all are the lowest number.
	inside := windows(graph.Broadcast(c.num(dtype.Bool, 1), append([]int{1, 1}, shape[2:]...)...), c.num(dtype.Bool, 0))
	top := graph.Reshape(graph.ReduceMax(v, 2+n), append(slices.Clone(out), 1)...)
	first := graph.And(inside, graph.Or(graph.Equal(v, top), graph.NotEqual(v, v))) // where one is NaN, the maximum is
	best := graph.ArgMax(graph.Convert(first, dtype.U8), 2+n, dtype.I64)
	number := func(i int) *value { return c.num(dtype.I64, float64(i)) }
	scale := strides(shape[2:])
	if columns {
		for i, s := 0, 1; i < n; i++ {
			scale[i] = s
			s *= shape[2+i]
		}
	}
	index := graph.Mul(graph.Add(graph.Mul(graph.Iota(c.b.g, dtype.I64, 0, out...), number(shape[1])), graph.Iota(c.b.g, dtype.I64, 1, out...)), number(size(shape[2:])))
	for i, s := range strides(w.size) {
		q := graph.Rem(graph.Div(best, number(s)), number(w.size[i]))
		at := graph.Add(graph.Mul(q, number(w.dilation[i])), graph.Sub(graph.Mul(graph.Iota(c.b.g, dtype.I64, 2+i, out...), number(w.stride[i])), number(w.low[i])))
		index = graph.Add(index, graph.Mul(at, number(scale[i])))
	}
	return index
}

// averagePool divides sums of windows by the number of elements: those of x alone, or with the padding.
func averagePool(c *call) []*val {
	x := c.x(0)
	w := c.pools()
	w.place(c)
	sum := graph.ReduceWindow(x, graph.FoldSum, axesOptions(w.options()))
	counted := window{size: w.size, stride: w.stride, dilation: w.dilation, low: w.low, high: w.high, extra: w.extra}
	extents := slices.Clone(w.in)
	if c.flag("count_include_pad") {
		for i := range extents {
			extents[i] += w.low[i] + w.high[i]
		}
		counted.low, counted.high = make([]int, len(extents)), make([]int, len(extents))
	}
	ones := graph.Broadcast(c.like(x, 1), append([]int{1, 1}, extents...)...)
	return c.one(graph.Div(sum, graph.ReduceWindow(ones, graph.FoldSum, axesOptions(counted.options()))))
}

// axesOptions are options for all axes.
func axesOptions(o graph.PoolOptions) graph.PoolOptions {
	with := func(list []int, first int) []int { return append([]int{first, first}, list...) }
	return graph.PoolOptions{Size: with(o.Size, 1), Stride: with(o.Stride, 1), Dilation: with(o.Dilation, 1), Low: with(o.Low, 0), High: with(o.High, 0)}
}

func lpPool(c *call) []*val {
	x, p := c.x(0), float64(c.int("p", 2))
	w := c.pools()
	w.place(c)
	return c.one(root(c, graph.ReduceWindow(power(c, x, p), graph.FoldSum, axesOptions(w.options())), p))
}

// maxUnpool puts elements where MaxPool found them.
func maxUnpool(c *call) []*val {
	w := c.pools()
	shape := slices.Clone(c.in[0].shape)
	for i := range w.size {
		shape[2+i] = (shape[2+i]-1)*w.stride[i] + w.size[i] - w.low[i] - w.high[i]
	}
	within := shape
	if c.has(2) {
		shape = c.shape(2)
		if len(shape) != len(within) {
			refuse("output_shape is %v, expected %d numbers", shape, len(within))
		}
	}
	for _, d := range within {
		if d < 0 {
			refuse("the result would have shape %v", within)
		}
	}
	n := c.in[0].len()
	flat := graph.ScatterSlices(graph.Broadcast(c.num(c.in[0].elem, 0), size(within)), graph.Reshape(c.x(1), n), graph.Reshape(c.x(0), n),
		graph.GatherAxes{Collapsed: []int{0}, StartMap: []int{0}, IndexAxis: 1}, graph.FoldReplace)
	y := graph.Reshape(flat, within...)
	if c.has(2) {
		low, high := make([]int, len(shape)), make([]int, len(shape))
		for i := range shape {
			high[i] = shape[i] - within[i]
		}
		y = graph.Pad(y, c.num(c.in[0].elem, 0), low, high, nil)
	}
	return c.one(y)
}

// lrn divides by a power of the sum of squares of neighbouring channels.
func lrn(c *call) []*val {
	c.rank(0, 3)
	x, n := c.x(0), c.int("size", 0)
	if n < 1 || n > maxElements {
		refuse("size is %d, expected at least 1", n)
	}
	ones, low, high, of := slices.Repeat([]int{1}, x.Rank()), make([]int, x.Rank()), make([]int, x.Rank()), slices.Repeat([]int{1}, x.Rank())
	low[1], high[1], of[1] = (n-1)/2, n-1-(n-1)/2, n
	sum := graph.ReduceWindow(graph.Square(x), graph.FoldSum, graph.PoolOptions{Size: of, Stride: ones, Dilation: ones, Low: low, High: high})
	alpha, beta, bias := c.float("alpha", 0.0001), c.float("beta", 0.75), c.float("bias", 1)
	base := graph.Add(c.like(x, bias), graph.Mul(c.like(x, alpha/float64(n)), sum))
	return c.one(graph.Div(x, graph.Pow(base, c.like(x, beta))))
}
