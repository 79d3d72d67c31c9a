package onnx

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// reduceOperators fold elements along axes.
var reduceOperators = map[string]operator{
	"ReduceSum": fold(sumOf), "ReduceMean": fold(meanOf),
	"ReduceMax":  fold(func(c *call, x *value, axes []int) *value { return graph.ReduceMax(x, axes...) }),
	"ReduceMin":  fold(func(c *call, x *value, axes []int) *value { return graph.ReduceMin(x, axes...) }),
	"ReduceProd": fold(func(c *call, x *value, axes []int) *value { return graph.ReduceProd(x, axes...) }),
	"ReduceL1":   fold(func(c *call, x *value, axes []int) *value { return sumOf(c, graph.Abs(x), axes) }),
	"ReduceL2": fold(func(c *call, x *value, axes []int) *value {
		sum := sumOf(c, graph.Square(x), axes)
		if !x.DType().IsFloat() {
			return graph.Convert(graph.Sqrt(graph.Convert(sum, dtype.F64)), x.DType())
		}
		return graph.Sqrt(sum)
	}),
	"ReduceSumSquare": fold(func(c *call, x *value, axes []int) *value { return sumOf(c, graph.Square(x), axes) }),
	"ReduceLogSum":    fold(func(c *call, x *value, axes []int) *value { return logOf(sumOf(c, x, axes), x) }),
	"ReduceLogSumExp": fold(func(c *call, x *value, axes []int) *value {
		if !x.DType().IsFloat() {
			refuse("input 0 has elements of %v, expected floats", x.DType())
		}
		most := graph.ReduceMax(x, axes...)
		most = graph.Where(graph.IsFinite(most), most, c.like(x, 0)) // for infinities, and no elements
		return graph.Add(graph.Log(sumOf(c, graph.Exp(graph.Sub(x, kept(c, most, x, axes))), axes)), most)
	}),
	"ArgMax": {1, 0, 1, 1, argReduce, false}, "ArgMin": {1, 0, 1, 1, argReduce, false},
	"CumSum":  {11, 0, 2, 2, func(c *call) []*val { return scanned(c, graph.CumSum, 0) }, false},
	"CumProd": {26, 0, 2, 2, func(c *call) []*val { return scanned(c, graph.CumProd, 1) }, false},
	"TopK":    {1, 0, 1, 2, topK, false}, "Softmax": {1, 0, 1, 1, func(c *call) []*val { return softmax(c, graph.Softmax) }, false},
	"LogSoftmax": {1, 0, 1, 1, func(c *call) []*val { return softmax(c, graph.LogSoftmax) }, false},
	"Hardmax": {1, 0, 1, 1, func(c *call) []*val {
		return softmax(c, func(x *value, axis int) *value { return hardmax(c, x, axis) })
	}, false},
}

func logOf(sum, x *value) *value {
	if !x.DType().IsFloat() {
		return graph.Convert(graph.Log(graph.Convert(sum, dtype.F64)), x.DType())
	}
	return graph.Log(sum)
}

// fold is a reduction with the axes as an attribute, or an input in later versions.
func fold(f func(c *call, x *value, axes []int) *value) operator {
	return operator{1, 0, 1, 2, func(c *call) []*val {
		x := c.in[0]
		list, _ := c.listOr(1, "axes")
		noop, keep := c.flag("noop_with_empty_axes"), c.int("keepdims", 1) != 0
		if len(list) == 0 {
			if noop {
				list = nil
			} else {
				for i := range x.rank() {
					list = append(list, i)
				}
			}
		}
		list = axes(list, x.rank())
		if k := foldKnown(c, x, list, keep); k != nil {
			return []*val{k}
		}
		y := c.x(0)
		if x.elem == dtype.Bool && c.node.Op != "ReduceMax" && c.node.Op != "ReduceMin" {
			refuse("input 0 has elements of bool, expected numbers")
		}
		if len(list) == 0 { // a reduction over no axes changes each element as one over a single one
			y, list, keep = graph.ExpandDims(y, 0), []int{0}, false
		}
		r := f(c, y, list)
		if keep {
			r = kept(c, r, y, list)
		}
		return []*val{computed(r, x)}
	}, false}
}

// foldKnown folds arrays that are known.
func foldKnown(c *call, x *val, list []int, keep bool) *val {
	f, ok := map[string]func(a, b int64) int64{"ReduceSum": func(a, b int64) int64 { return a + b }, "ReduceProd": func(a, b int64) int64 { return a * b },
		"ReduceMax": func(a, b int64) int64 { return max(a, b) }, "ReduceMin": func(a, b int64) int64 { return min(a, b) }}[c.node.Op]
	if !ok || x.k == nil || !x.elem.IsInt() || x.len() == 0 || len(list) == 0 {
		return nil
	}
	shape := slices.Clone(x.shape)
	for _, a := range list {
		shape[a] = 1
	}
	out := newKnown(x.elem, shape)
	seen := make([]bool, out.len())
	for i, v := range x.k.ints {
		at := unravel(i, x.shape)
		for _, a := range list {
			at[a] = 0
		}
		to := dot(at, strides(shape))
		if seen[to] {
			v = f(out.ints[to], v)
		}
		out.setInt(to, v)
		seen[to] = true
	}
	if !keep {
		out.shape = nil
		for i, d := range x.shape {
			if !slices.Contains(list, i) {
				out.shape = append(out.shape, d)
			}
		}
	}
	return constant(out)
}

func sumOf(_ *call, x *value, axes []int) *value { return graph.ReduceSum(x, axes...) }

// meanOf gives means, of integers rounded to zero.
func meanOf(c *call, x *value, axes []int) *value {
	n := 1
	shape := x.Shape()
	for _, a := range axes {
		n *= shape[a]
	}
	if !x.DType().IsFloat() {
		return graph.Div(graph.ReduceSum(x, axes...), graph.Convert(c.num(dtype.I64, float64(max(1, n))), x.DType()))
	}
	return graph.Div(graph.ReduceSum(x, axes...), c.like(x, float64(n)))
}

// kept puts axes of extent 1 where a reduction of x dropped axes.
func kept(_ *call, reduced, x *value, axes []int) *value {
	shape := x.Shape()
	for _, a := range axes {
		shape[a] = 1
	}
	return graph.Reshape(reduced, shape...)
}

func argReduce(c *call) []*val {
	x := c.x(0)
	a := axis(c.int("axis", 0), c.in[0].rank())
	keep, last := c.int("keepdims", 1) != 0, c.flag("select_last_index")
	find := graph.ArgMax
	if c.node.Op == "ArgMin" {
		find = graph.ArgMin
	}
	from := x
	if last {
		from = graph.Reverse(x, a)
	}
	y := find(from, a, dtype.I64)
	if last {
		y = graph.Sub(c.num(dtype.I64, float64(c.in[0].shape[a]-1)), y)
	}
	if keep {
		y = kept(c, y, x, []int{a})
	}
	return c.one(y)
}

// scanned folds each element with those before it; exclusive without itself.
func scanned(c *call, f func(x *value, axis int, reverse bool) *value, neutral float64) []*val {
	x := c.x(0)
	a := axis(c.integer(1), c.in[0].rank())
	exclusive, reverse := c.flag("exclusive"), c.flag("reverse")
	if n := c.in[0].shape[a]; exclusive && n > 0 {
		low, high := make([]int, c.in[0].rank()), make([]int, c.in[0].rank())
		if low[a], high[a] = 1, -1; reverse {
			low[a], high[a] = -1, 1
		}
		x = graph.Pad(x, c.like(x, neutral), low, high, nil)
	}
	return c.one(f(x, a, reverse))
}

// topK has k as an attribute before version 10.
func topK(c *call) []*val {
	x := c.in[0]
	a := axis(c.int("axis", -1), x.rank())
	k, largest := c.int("k", -1), c.int("largest", 1) != 0
	c.int("sorted", 1) // without it any order is right, this one, too
	if c.has(1) {
		k = c.integer(1)
	}
	if k < 0 || k > x.shape[a] {
		refuse("k is %d, expected 0 to %d, the extent of axis %d", k, x.shape[a], a)
	}
	values, indices := graph.TopK(c.x(0), k, a, !largest)
	return c.out(values, graph.Convert(indices, dtype.I64))
}

// softmax is along one axis; before version 13 along all from one axis on.
func softmax(c *call, f func(x *value, axis int) *value) []*val {
	x, shape := c.x(0), c.in[0].shape
	if c.opset >= 13 {
		return c.one(f(x, axis(c.int("axis", -1), len(shape))))
	}
	a := c.int("axis", 1)
	if a < 0 {
		a += len(shape)
	}
	if a < 0 || a > len(shape) {
		refuse("axis %d of shape %v", a, shape)
	}
	return c.one(graph.Reshape(f(graph.Reshape(x, size(shape[:a]), size(shape[a:])), 1), shape...))
}

func hardmax(c *call, x *value, a int) *value {
	first := kept(c, graph.ArgMax(x, a, dtype.I32), x, []int{a})
	return graph.Convert(graph.Equal(graph.Iota(c.b.g, dtype.I32, a, x.Shape()...), first), x.DType())
}
