package onnx

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// signalOperators are for signals and images.
var signalOperators = map[string]operator{
	"HannWindow": cosines(0.5, 0.5, 0), "HammingWindow": cosines(25.0/46, 21.0/46, 0), "BlackmanWindow": cosines(0.42, 0.5, 0.08),
	"GridSample": {16, 0, 2, 2, gridSample, false}, "Col2Im": {18, 0, 3, 3, col2Im, false},
}

// cosines is a window a - b·cos(2πi/n) + d·cos(4πi/n) of known length.
func cosines(a, b, d float64) operator {
	return operator{17, 0, 1, 1, func(c *call) []*val {
		n := c.integer(0)
		elem, err := typeOf(int64(c.int("output_datatype", 1)))
		if err != nil || !elem.IsFloat() || !knowable(elem) {
			refuse("output_datatype is %d, expected a type of floats", c.int("output_datatype", 1))
		}
		periodic := c.int("periodic", 1) != 0
		if n < 0 || n > maxKnown {
			refuse("the window has %d elements, expected 0 to %d", n, maxKnown)
		}
		k := newKnown(elem, []int{n})
		turn := 2 * math.Pi / float64(max(1, n))
		if !periodic {
			turn = 2 * math.Pi / float64(max(1, n-1))
		}
		for i := range n {
			k.setFloat(i, a-b*math.Cos(turn*float64(i))+d*math.Cos(2*turn*float64(i)))
		}
		return []*val{constant(k)}
	}, false}
}

// gridSample takes elements of images at places that a grid says, in two dimensions.
func gridSample(c *call) []*val {
	x, grid := c.x(0), c.x(1)
	s, g := c.in[0].shape, c.in[1].shape
	mode, padding, corners := c.text("mode", "linear"), c.text("padding_mode", "zeros"), c.flag("align_corners")
	if len(s) != 4 || len(g) != 4 || g[3] != 2 || g[0] != s[0] || s[2] < 1 || s[3] < 1 {
		refuse("shapes %v and %v, expected 4 axes each, and pairs along the last of the second", s, g)
	}
	if mode != "linear" && mode != "bilinear" && mode != "nearest" {
		refuse("mode %q is not supported, expected linear or nearest", mode)
	}
	at := func(k int) *value { // along axis 2+k of x
		n := float64(s[2+k])
		p := graph.Reshape(graph.Narrow(grid, 3, 1-k, 2-k), g[:3]...)
		if corners {
			p = graph.Mul(graph.Add(p, c.like(p, 1)), c.like(p, (n-1)/2))
		} else {
			p = graph.Sub(graph.Mul(graph.Add(p, c.like(p, 1)), c.like(p, n/2)), c.like(p, 0.5))
		}
		return inside(c, p, s[2+k], padding, corners)
	}
	py, px := at(0), at(1)
	if mode == "nearest" {
		return c.one(sampled(c, x, graph.RoundToEven(py), graph.RoundToEven(px)))
	}
	y0, x0 := graph.Floor(py), graph.Floor(px)
	fy, fx := graph.Sub(py, y0), graph.Sub(px, x0)
	one := c.like(py, 1)
	var sum *value
	for _, corner := range []struct{ y, x, w *value }{
		{y0, x0, graph.Mul(graph.Sub(one, fy), graph.Sub(one, fx))}, {y0, graph.Add(x0, one), graph.Mul(graph.Sub(one, fy), fx)},
		{graph.Add(y0, one), x0, graph.Mul(fy, graph.Sub(one, fx))}, {graph.Add(y0, one), graph.Add(x0, one), graph.Mul(fy, fx)},
	} {
		part := graph.Mul(sampled(c, x, corner.y, corner.x), graph.Convert(graph.ExpandDims(corner.w, 1), x.DType()))
		if sum == nil {
			sum = part
		} else {
			sum = graph.Add(sum, part)
		}
	}
	return c.one(sum)
}

// inside moves places outside of n elements inside, as the padding mode says.
func inside(c *call, p *value, n int, padding string, corners bool) *value {
	switch padding {
	case "zeros":
		return p
	case "border":
		return graph.Clamp(c.like(p, 0), p, c.like(p, float64(n-1)))
	case "reflection":
		low, span := -0.5, float64(n)
		if corners {
			low, span = 0, float64(n-1)
		}
		if span == 0 {
			return graph.Mul(p, c.like(p, 0))
		}
		t := graph.Mod(graph.Sub(p, c.like(p, low)), c.like(p, 2*span))
		t = graph.Where(graph.Greater(t, c.like(p, span)), graph.Sub(c.like(p, 2*span), t), t)
		return graph.Clamp(c.like(p, 0), graph.Add(t, c.like(p, low)), c.like(p, float64(n-1)))
	}
	refuse("padding_mode is %q, expected zeros, border or reflection", padding)
	return nil
}

// sampled gives elements of each channel at whole places, zeros outside: [batch, channels, …].
func sampled(c *call, x, py, px *value) *value {
	s, g := c.in[0].shape, py.Shape()
	within := func(p *value, n int) *value {
		return graph.And(graph.GreaterEqual(p, c.like(p, 0)), graph.LessEqual(p, c.like(p, float64(n-1))))
	}
	keep := graph.And(within(py, s[2]), within(px, s[3]))
	index := graph.Add(graph.Mul(graph.Convert(py, dtype.I32), c.num(dtype.I32, float64(s[3]))), graph.Convert(px, dtype.I32))
	index = graph.Where(keep, index, c.num(dtype.I32, 0))
	count := g[1] * g[2]
	wide := graph.Broadcast(graph.Reshape(index, s[0], 1, count), s[0], s[1], count)
	y := graph.Reshape(graph.TakeAlong(graph.Reshape(x, s[0], s[1], s[2]*s[3]), wide, 2), s[0], s[1], g[1], g[2])
	return graph.Where(graph.ExpandDims(keep, 1), y, c.like(x, 0))
}

// col2Im adds up blocks where they overlap: the places of their elements are known.
func col2Im(c *call) []*val {
	x, s := c.x(0), c.in[0].shape
	image, block := c.shape(1), c.shape(2)
	n := len(image)
	if len(s) != 3 || len(block) != n || n == 0 || size(block) == 0 || s[1]%size(block) != 0 {
		refuse("input 0 has shape %v for blocks of shape %v of images of shape %v", s, block, image)
	}
	w := c.windows(append([]int{0, 0}, image...), block)
	w.place(c)
	channels := s[1] / size(block)
	if size(w.out) != s[2] || float64(s[2])*float64(size(block)) > float64(c.b.limit) {
		refuse("%d blocks, expected %d", s[2], size(w.out))
	}
	index := make([]int, 0, size(block)*s[2])
	for q := range size(block) {
		inner := unravel(q, block)
		for p := range s[2] {
			at, flat := unravel(p, w.out), 0
			for k := range n {
				i := at[k]*w.stride[k] + inner[k]*w.dilation[k] - w.low[k]
				if i < 0 || i >= image[k] {
					flat = -1
					break
				}
				flat = flat*image[k] + i
			}
			index = append(index, flat)
		}
	}
	rows := graph.Transpose(graph.Reshape(x, s[0]*channels, size(block)*s[2]), 1, 0)
	for i, at := range index { // outside stands one element more, which is dropped
		if at < 0 {
			index[i] = size(image)
		}
	}
	zeros := graph.Broadcast(c.like(x, 0), size(image)+1, s[0]*channels)
	sum := graph.ScatterSlices(zeros, c.b.of(constantInts(index...)), rows, graph.GatherAxes{OffsetAxes: []int{1}, Collapsed: []int{0}, StartMap: []int{0}, IndexAxis: 1}, graph.FoldSum)
	y := graph.Transpose(graph.Narrow(sum, 0, 0, size(image)), 1, 0)
	return c.one(graph.Reshape(y, append([]int{s[0], channels}, image...)...))
}
