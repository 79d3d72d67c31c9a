package onnx

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// shapeOperators move elements, and make arrays of none.
var shapeOperators = map[string]operator{
	"Shape": {1, 0, 1, 1, shapeOf, false}, "Size": {1, 0, 1, 1, func(c *call) []*val {
		return []*val{c.b.reshape(constantInts(c.in[0].len()), nil)}
	}, false},
	"Constant": {1, 0, 0, 0, constantOf, false}, "ConstantOfShape": {9, 0, 1, 1, constantOfShape, false},
	"Range": {11, 0, 3, 3, rangeOf, false}, "EyeLike": {9, 0, 1, 1, eyeLike, false}, "Trilu": {14, 0, 1, 2, trilu, false},
	"Reshape": {5, 0, 2, 2, reshape, false}, "Flatten": {1, 0, 1, 1, flatten, false}, "Squeeze": {1, 0, 1, 2, squeeze, false},
	"Unsqueeze": {1, 0, 1, 2, unsqueeze, false}, "Transpose": {1, 0, 1, 1, transpose, false}, "Expand": {8, 0, 2, 2, expand, false},
	"Tile": {6, 0, 2, 2, tile, false}, "Concat": {4, 0, 1, -1, concat, false}, "Split": {2, 0, 1, 2, split, false},
	"Slice": {1, 0, 1, 5, slice, false}, "Pad": {2, 0, 1, 4, pad, false}, "DepthToSpace": {1, 0, 1, 1, depthToSpace, false},
	"SpaceToDepth": {1, 0, 1, 1, spaceToDepth, false}, "CenterCropPad": {18, 0, 2, 2, centerCropPad, false},
	"ReverseSequence": {10, 0, 2, 2, reverseSequence, false},
}

func shapeOf(c *call) []*val {
	shape := c.in[0].shape
	place := func(name string, otherwise int) int {
		i := otherwise
		if a := c.attr(name, 2); a != nil {
			i = bound(a.I)
		}
		if i < 0 {
			i += len(shape)
		}
		return max(0, min(len(shape), i))
	}
	from, to := place("start", 0), place("end", len(shape))
	return []*val{constantInts(shape[from:max(from, to)]...)}
}

func constantOf(c *call) []*val {
	if a := c.attr("value", 4); a != nil && a.T != nil {
		return []*val{c.b.stored(c.b.m.weights[a.T])}
	}
	if a := c.attr("value_int", 2); a != nil {
		return []*val{constant(&known{elem: dtype.I64, ints: []int64{a.I}})}
	}
	if a := c.attr("value_ints", 7); a != nil {
		return []*val{constant(&known{elem: dtype.I64, shape: []int{len(a.Ints)}, ints: slices.Clone(a.Ints)})}
	}
	floats := c.floats("value_floats")
	shape := []int{len(floats)}
	if c.attrs["value_float"] != nil {
		floats, shape = []float64{c.float("value_float", 0)}, nil
	} else if c.attrs["value_floats"] == nil {
		refuse("it has no value that is supported: expected an attribute value, value_int, value_ints, value_float or value_floats")
	}
	return []*val{constant(&known{elem: dtype.F32, shape: shape, floats: floats})}
}

func constantOfShape(c *call) []*val {
	shape := c.shape(0)
	elem := &tensor{elem: dtype.F32, data: make([]byte, 4)}
	if a := c.attr("value", 4); a != nil && a.T != nil {
		elem = c.b.m.weights[a.T]
	}
	if size(elem.shape) != 1 {
		refuse("the value has shape %v, expected one element", elem.shape)
	}
	one := c.b.stored(&tensor{elem.elem, nil, elem.data})
	return []*val{c.b.broadcast(one, shape)}
}

// shape gives an input that is a shape.
func (c *call) shape(i int) []int {
	shape := c.list(i)
	for _, d := range shape {
		if d < 0 {
			refuse("the shape %v has a negative extent", shape)
		}
	}
	if float64Size(shape) > float64(c.b.limit) || len(shape) > maxRank {
		refuse("the shape %v has more than %d elements or %d axes", shape, c.b.limit, maxRank)
	}
	return shape
}

func rangeOf(c *call) []*val {
	c.same(0, 1, 2)
	start, limit, step := c.number(0), c.number(1), c.number(2)
	n := math.Max(0, math.Ceil((limit-start)/step))
	if !(n <= float64(c.b.limit)) {
		refuse("from %s to %s by %s are more than %d elements", c.known(0).text(0), c.known(1).text(0), c.known(2).text(0), c.b.limit)
	}
	elem := c.in[0].elem
	if !elem.IsFloat() {
		n = float64(countOf(c.exact(0), c.exact(1), c.exact(2)))
	}
	if n > maxKnown {
		i := graph.Iota(c.b.g, elem, 0, int(n))
		return c.one(graph.Add(graph.Mul(i, graph.Reshape(c.x(2))), graph.Reshape(c.x(0))))
	}
	out := newKnown(elem, []int{int(n)})
	for i := range out.len() {
		if elem.IsFloat() {
			out.setFloat(i, start+float64(i)*step)
		} else {
			out.setInt(i, c.exact(0)+int64(i)*c.exact(2))
		}
	}
	return []*val{constant(out)}
}

// countOf is the number of integers from start to limit, less than 2^53 of them, with a step that is not 0: float64 does not have all of
// them.
func countOf(start, limit, step int64) uint64 {
	if step < 0 {
		start, limit, step = limit, start, -step
	}
	if start >= limit {
		return 0
	}
	return (uint64(limit)-uint64(start)-1)/uint64(step) + 1
}

func eyeLike(c *call) []*val {
	if c.in[0].rank() != 2 {
		refuse("input 0 has shape %v, expected 2 axes", c.in[0].shape)
	}
	elem := c.in[0].elem
	if c.attrs["dtype"] != nil {
		var err error
		if elem, err = typeOf(int64(c.int("dtype", 0))); err != nil {
			refuse("attribute dtype: %w", err)
		}
	}
	return []*val{{elem: elem, shape: c.in[0].shape, fixed: true, node: graph.Convert(graph.Equal(diagonals(c, c.in[0].shape), c.num(dtype.I32, float64(c.int("k", 0)))), elem)}}
}

// diagonals gives, for each element of matrices, its column less its row.
func diagonals(c *call, shape []int) *value {
	r := len(shape)
	return graph.Sub(graph.Iota(c.b.g, dtype.I32, r-1, shape...), graph.Iota(c.b.g, dtype.I32, r-2, shape...))
}

func trilu(c *call) []*val {
	c.rank(0, 2)
	x := c.x(0)
	k := 0
	if c.has(1) {
		k = max(-math.MaxInt32, min(math.MaxInt32, bound(c.exact(1))))
	}
	d := diagonals(c, c.in[0].shape)
	keep := graph.GreaterEqual(d, c.num(dtype.I32, float64(k)))
	if c.int("upper", 1) == 0 {
		keep = graph.LessEqual(d, c.num(dtype.I32, float64(k)))
	}
	return c.one(graph.Where(keep, x, graph.Convert(c.num(dtype.I32, 0), x.DType())))
}

func reshape(c *call) []*val {
	x := c.in[0]
	shape := c.list(1)
	open, n := -1, 1
	for i, d := range shape {
		switch {
		case d == 0 && !c.flag("allowzero"):
			if i >= x.rank() {
				refuse("the shape %v copies axis %d of shape %v", shape, i, x.shape)
			}
			shape[i] = x.shape[i]
		case d == -1 && open < 0:
			open = i
			continue
		case d < 0:
			refuse("the shape is %v, expected numbers of 0 or more, and -1 once at most", shape)
		}
		if n *= shape[i]; n > maxElements {
			refuse("the shape %v has too many elements", shape)
		}
	}
	c.flag("allowzero")
	if open >= 0 {
		if n == 0 || x.len()%n != 0 {
			refuse("shape %v does not fit %v", x.shape, shape)
		}
		shape[open] = x.len() / n
		n *= shape[open]
	}
	if n != x.len() || len(shape) > maxRank {
		refuse("shape %v does not fit %v", x.shape, shape)
	}
	return []*val{c.b.reshape(x, shape)}
}

func flatten(c *call) []*val {
	x := c.in[0]
	a := c.int("axis", 1)
	if a < 0 {
		a += x.rank()
	}
	if a < 0 || a > x.rank() {
		refuse("axis %d of shape %v", a, x.shape)
	}
	return []*val{c.b.reshape(x, []int{size(x.shape[:a]), size(x.shape[a:])})}
}

func squeeze(c *call) []*val {
	x := c.in[0]
	drop, ok := c.listOr(1, "axes")
	drop = axes(drop, x.rank())
	var shape []int
	for i, d := range x.shape {
		switch {
		case !ok && d == 1:
		case ok && slices.Contains(drop, i):
			if d != 1 {
				refuse("axis %d of shape %v has extent %d, expected 1", i, x.shape, d)
			}
		default:
			shape = append(shape, d)
		}
	}
	return []*val{c.b.reshape(x, shape)}
}

func unsqueeze(c *call) []*val {
	x := c.in[0]
	list, ok := c.listOr(1, "axes")
	if !ok {
		refuse("the axes are missing")
	}
	if x.rank()+len(list) > maxRank {
		refuse("shape %v with %d axes more has more than %d", x.shape, len(list), maxRank)
	}
	list = axes(list, x.rank()+len(list))
	shape := slices.Clone(x.shape)
	slices.Sort(list)
	for _, a := range list {
		shape = slices.Insert(shape, a, 1)
	}
	return []*val{c.b.reshape(x, shape)}
}

func transpose(c *call) []*val {
	x := c.in[0]
	perm, ok := c.ints("perm")
	if !ok {
		for i := x.rank() - 1; i >= 0; i-- {
			perm = append(perm, i)
		}
	}
	if len(perm) != x.rank() {
		refuse("perm is %v for shape %v, expected each axis once", perm, x.shape)
	}
	return []*val{c.b.transpose(x, axes(perm, x.rank()))}
}

func expand(c *call) []*val {
	shape, ok := commonShape(c.in[0].shape, c.shape(1))
	if !ok || float64Size(shape) > float64(c.b.limit) {
		refuse("shape %v does not fit %v, or has too many elements", c.in[0].shape, c.list(1))
	}
	return []*val{c.b.broadcast(c.in[0], shape)}
}

func tile(c *call) []*val {
	x, repeats := c.in[0], c.shape(1)
	if len(repeats) != x.rank() {
		refuse("repeats %v for shape %v, expected one for each axis", repeats, x.shape)
	}
	shape, apart, wide := make([]int, x.rank()), []int{}, []int{}
	for i, d := range x.shape {
		shape[i] = d * repeats[i]
		apart, wide = append(apart, 1, d), append(wide, repeats[i], d)
	}
	if float64Size(shape) > float64(c.b.limit) {
		refuse("the shape %v has more than %d elements", shape, c.b.limit)
	}
	return []*val{c.b.reshape(c.b.broadcast(c.b.reshape(x, apart), wide), shape)}
}

func concat(c *call) []*val { return []*val{joined(c, c.in, c.int("axis", 1), false)} }

// joined joins values along an axis, or along a new one.
func joined(c *call, values []*val, a int, stack bool) *val {
	if len(values) == 0 || values[0] == nil {
		refuse("there is nothing to join")
	}
	if stack {
		a = axis(a, values[0].rank()+1)
		for i, v := range values {
			values[i] = c.b.reshape(v, slices.Insert(slices.Clone(v.shape), a, 1))
		}
	}
	a = axis(a, values[0].rank())
	for i, v := range values {
		fits := v != nil && v.elem == values[0].elem && v.rank() == values[0].rank()
		for k := range values[0].shape {
			fits = fits && (k == a || v.shape[k] == values[0].shape[k])
		}
		if !fits {
			refuse("input %d does not fit input 0, %v%v: expected the same element type, and the same shape but for axis %d", i, values[0].elem, values[0].shape, a)
		}
	}
	return c.b.concat(a, values)
}

// split has the sizes as an attribute, an input, or all the same.
func split(c *call) []*val {
	x := c.in[0]
	a := axis(c.int("axis", 0), x.rank())
	sizes, ok := c.listOr(1, "split")
	n := c.int("num_outputs", len(c.node.Outputs))
	if !ok {
		if n < 1 || n > maxNodes {
			refuse("num_outputs is %d", n)
		}
		sizes = chunks(x.shape[a], (x.shape[a]+n-1)/n, n)
	}
	return parts(c, x, a, sizes)
}

// chunks divides n elements into count parts of a size, the last ones smaller.
func chunks(n, size, count int) []int {
	out := make([]int, count)
	for i := range out {
		out[i] = min(size, n)
		n -= out[i]
	}
	return out
}

func parts(c *call, x *val, a int, sizes []int) []*val {
	outs := make([]*val, len(sizes))
	at := 0
	for i, n := range sizes {
		if n < 0 || n > x.shape[a]-at {
			refuse("the sizes %v for axis %d of shape %v", sizes, a, x.shape)
		}
		outs[i] = c.b.narrow(x, a, at, at+n)
		at += n
	}
	if at != x.shape[a] {
		refuse("the sizes %v for axis %d of shape %v", sizes, a, x.shape)
	}
	return outs
}

// slice has starts, ends and axes as attributes before version 10.
func slice(c *call) []*val {
	x := c.in[0]
	starts, ok1 := c.bounds(1, "starts")
	ends, ok2 := c.bounds(2, "ends")
	along, ok := c.listOr(3, "axes")
	if !ok {
		for i := range starts {
			along = append(along, i)
		}
	}
	steps := slices.Repeat([]int{1}, len(starts))
	if c.has(4) {
		steps, _ = c.bounds(4, "steps")
	}
	if !ok1 || !ok2 || len(starts) != len(ends) || len(along) != len(starts) || len(steps) != len(starts) {
		refuse("starts %v, ends %v, axes %v and steps %v, expected as many of each", starts, ends, along, steps)
	}
	from, by, count := make([]int, x.rank()), slices.Repeat([]int{1}, x.rank()), slices.Clone(x.shape)
	for i, a := range axes(along, x.rank()) {
		from[a], count[a] = sliceOf(starts[i], ends[i], steps[i], x.shape[a])
		by[a] = steps[i]
	}
	return []*val{c.b.slice(x, from, by, count)}
}

// sliceOf gives the first element of a slice and the number of them, of n elements, as NumPy does.
func sliceOf(start, end, step, n int) (first, count int) {
	if step == 0 {
		refuse("a step is 0")
	}
	lo, hi := 0, n
	if step < 0 {
		lo, hi = -1, n-1
	}
	place := func(i int) int {
		if i < 0 {
			i += n
		}
		return max(lo, min(hi, i))
	}
	start, end = place(start), place(end)
	if step > 0 {
		return start, max(0, (end-start+step-1)/step)
	}
	return start, max(0, (start-end-step-1)/-step)
}

// pad has the numbers as an attribute before version 11.
func pad(c *call) []*val {
	x := c.x(0)
	r := c.in[0].rank()
	numbers, ok := c.listOr(1, "pads")
	all := make([]int, r)
	for i := range all {
		all[i] = i
	}
	if c.has(3) {
		all = axes(c.list(3), r)
	}
	if !ok || len(numbers) != 2*len(all) {
		refuse("pads %v, expected %d numbers", numbers, 2*len(all))
	}
	low, high := make([]int, r), make([]int, r)
	for i, a := range all {
		low[a], high[a] = numbers[i], numbers[len(all)+i]
	}
	value := c.float("value", 0)
	return c.one(padded(c, x, c.text("mode", "constant"), low, high, func() *val {
		if c.has(2) {
			return c.in[2]
		}
		return computed(graph.Convert(c.num(dtype.F64, value), x.DType()))
	}))
}

var padModes = map[string]graph.PadMode{"edge": graph.PadEdge, "reflect": graph.PadReflect, "wrap": graph.PadWrap}

// padded surrounds an array; the numbers may be negative in all modes, and drop elements first.
func padded(c *call, x *value, mode string, low, high []int, fill func() *val) *value {
	shape := x.Shape()
	out := 1.0
	for i, d := range shape {
		if out *= float64(max(0, d+low[i]+high[i])); out > float64(c.b.limit) {
			refuse("padding shape %v by %v and %v makes more than %d elements", shape, low, high, c.b.limit)
		}
	}
	if mode == "constant" {
		f := fill()
		if f.len() != 1 {
			refuse("the fill value has shape %v, expected one element", f.shape)
		}
		return graph.Pad(x, graph.Reshape(c.b.of(f)), low, high, nil)
	}
	m, ok := padModes[mode]
	if !ok {
		refuse("mode is %q, expected constant, edge, reflect or wrap", mode)
	}
	from, to := make([]int, len(low)), slices.Clone(shape)
	for i := range low {
		from[i], to[i] = max(0, -low[i]), shape[i]-max(0, -high[i])
		if from[i] > to[i] {
			refuse("padding shape %v by %v and %v drops more elements than there are", shape, low, high)
		}
		low[i], high[i] = max(0, low[i]), max(0, high[i])
	}
	return graph.PadWith(graph.Slice(x, from, to, nil), m, low, high)
}

func depthToSpace(c *call) []*val {
	x, n := c.in[0], c.int("blocksize", 0)
	if x.rank() != 4 || n < 1 || n > maxElements || x.shape[1]%(n*n) != 0 {
		refuse("shape %v with blocksize %d, expected 4 axes, and a multiple of the square of blocksize as the second", x.shape, n)
	}
	s, d := x.shape, x.shape[1]/(n*n)
	var y *val
	switch mode := c.text("mode", "DCR"); mode {
	case "DCR":
		y = c.b.transpose(c.b.reshape(x, []int{s[0], n, n, d, s[2], s[3]}), []int{0, 3, 4, 1, 5, 2})
	case "CRD":
		y = c.b.transpose(c.b.reshape(x, []int{s[0], d, n, n, s[2], s[3]}), []int{0, 1, 4, 2, 5, 3})
	default:
		refuse("mode is %q, expected DCR or CRD", mode)
	}
	return []*val{c.b.reshape(y, []int{s[0], d, s[2] * n, s[3] * n})}
}

func spaceToDepth(c *call) []*val {
	x, n := c.in[0], c.int("blocksize", 0)
	if x.rank() != 4 || n < 1 || n > maxElements || x.shape[2]%n != 0 || x.shape[3]%n != 0 {
		refuse("shape %v with blocksize %d, expected 4 axes, and multiples of blocksize as the last two", x.shape, n)
	}
	s := x.shape
	y := c.b.transpose(c.b.reshape(x, []int{s[0], s[1], s[2] / n, n, s[3] / n, n}), []int{0, 3, 5, 1, 2, 4})
	return []*val{c.b.reshape(y, []int{s[0], s[1] * n * n, s[2] / n, s[3] / n})}
}

func centerCropPad(c *call) []*val {
	x := c.x(0)
	r := c.in[0].rank()
	target := c.shape(1)
	along, ok := c.ints("axes")
	if !ok {
		for i := range r {
			along = append(along, i)
		}
	}
	if len(along) != len(target) {
		refuse("the shape %v for the axes %v, expected as many numbers", target, along)
	}
	low, high := make([]int, r), make([]int, r)
	for i, a := range axes(along, r) {
		more := target[i] - c.in[0].shape[a]
		low[a] = more / 2
		if more < 0 && more%2 != 0 { // it drops one less before than behind
			low[a] = -(-more / 2)
		}
		high[a] = more - low[a]
	}
	return c.one(graph.Pad(x, graph.Convert(c.num(dtype.F64, 0), x.DType()), low, high, nil))
}

// reverseSequence takes element n-1-i in the place of i, for the first n elements along the time axis.
func reverseSequence(c *call) []*val {
	c.rank(0, 2)
	x := c.x(0)
	shape := c.in[0].shape
	batch, time := axis(c.int("batch_axis", 1), len(shape)), axis(c.int("time_axis", 0), len(shape))
	if batch == time || c.in[1].rank() != 1 {
		refuse("batch_axis and time_axis are both %d, or sequence_lens has shape %v", batch, c.in[1].shape)
	}
	n := graph.BroadcastInDim(graph.Convert(c.x(1), dtype.I32), shape, []int{batch})
	i := graph.Iota(c.b.g, dtype.I32, time, shape...)
	from := graph.Where(graph.Less(i, n), graph.Sub(graph.Sub(n, c.num(dtype.I32, 1)), i), i)
	return c.one(graph.TakeAlong(x, from, time))
}
