package onnx

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var convOperators = map[string]operator{
	"Conv":          {1, 0, 2, 3, func(c *call) []*val { c.same(0, 1, 2); return c.one(biased(c, convolved(c, c.x(0), c.x(1)), 2)) }, false},
	"ConvTranspose": {1, 0, 2, 3, convTranspose, false},
}

// window is what convolutions and pools have in common: windows along the spatial axes.
type window struct {
	size, stride, dilation, low, high []int
	in, out                           []int // extents, of x and of the result
	extra                             []int // elements behind high that the last window takes, with ceil_mode
}

// windows reads the attributes of windows. kernel is the size of the weights, or nil.
func (c *call) windows(shape, kernel []int) window {
	n := len(shape) - 2
	if n < 1 {
		refuse("input 0 has shape %v, expected at least 3 axes", shape)
	}
	w := window{in: shape[2:]}
	numbers := func(name string, count, otherwise, least int) []int {
		list, ok := c.ints(name)
		if !ok {
			return slices.Repeat([]int{otherwise}, count)
		}
		if len(list) != count || slices.Min(list) < least || slices.Max(list) > maxElements {
			refuse("%s is %v, expected %d numbers of %d to %d", name, list, count, least, maxElements)
		}
		return list
	}
	w.size = numbers("kernel_shape", n, 0, 1)
	if kernel != nil {
		if w.size[0] != 0 && !slices.Equal(w.size, kernel) {
			refuse("kernel_shape is %v, but the weights have windows of %v", w.size, kernel)
		}
		w.size = slices.Clone(kernel)
	}
	if slices.Min(w.size) < 1 {
		refuse("windows have the size %v, expected at least 1", w.size)
	}
	w.stride, w.dilation = numbers("strides", n, 1, 1), numbers("dilations", n, 1, 1)
	pads := numbers("pads", 2*n, 0, 0)
	w.low, w.high = slices.Clone(pads[:n]), slices.Clone(pads[n:])
	w.extra = make([]int, n)
	return w
}

// reach is the distance of the first and behind the last element of a window.
func (w *window) reach(i int) int { return (w.size[i]-1)*w.dilation[i] + 1 }

// place sets the padding by auto_pad, and the extents of the result.
func (w *window) place(c *call) {
	auto, ceil := c.text("auto_pad", "NOTSET"), c.int("ceil_mode", 0) != 0
	w.out = make([]int, len(w.in))
	for i, d := range w.in {
		switch auto {
		case "NOTSET", "":
		case "VALID":
			w.low[i], w.high[i] = 0, 0
		case "SAME_UPPER", "SAME_LOWER":
			out := (d + w.stride[i] - 1) / w.stride[i]
			total := max(0, (out-1)*w.stride[i]+w.reach(i)-d)
			w.low[i], w.high[i] = total/2, total-total/2
			if auto == "SAME_LOWER" {
				w.low[i], w.high[i] = total-total/2, total/2
			}
		default:
			refuse("auto_pad is %q, expected NOTSET, VALID, SAME_UPPER or SAME_LOWER", auto)
		}
		room := d + w.low[i] + w.high[i] - w.reach(i)
		if room < 0 {
			refuse("windows of size %v with dilations %v do not fit extents %v with padding %v and %v", w.size, w.dilation, w.in, w.low, w.high)
		}
		w.out[i] = room/w.stride[i] + 1
		if ceil && room%w.stride[i] != 0 && w.out[i]*w.stride[i] < d+w.low[i] { // a window more, if it begins before the padding behind
			w.out[i]++
			w.extra[i] = w.stride[i] - room%w.stride[i]
		}
	}
}

// convolved convolves x with weights, both after what the operator does to them.
func convolved(c *call, x, weights *value) *value {
	shape, kernel := x.Shape(), weights.Shape()
	if len(kernel) != len(shape) || len(shape) < 3 {
		refuse("the input has shape %v and the weights have %v, expected as many axes, at least 3", shape, kernel)
	}
	w := c.windows(shape, kernel[2:])
	w.place(c)
	groups := c.int("group", 1)
	if groups < 1 {
		refuse("group is %d, expected at least 1", groups)
	}
	return graph.Conv(x, weights, graph.ConvOptions{Stride: w.stride, Low: w.low, High: w.high, Dilation: w.dilation, Groups: groups})
}

// biased adds input i, one number for each channel, if it is there.
func biased(c *call, y *value, i int) *value {
	b := c.opt(i)
	if b == nil {
		return y
	}
	if c.in[i].rank() != 1 || y.Rank() < 2 {
		refuse("input %d has shape %v, expected one axis", i, c.in[i].shape)
	}
	return graph.Add(y, channel(b, y.Rank()))
}

// channel gives a vector the axis of channels, the second of rank ones.
func channel(v *value, rank int) *value {
	if rank < 2 {
		refuse("an array with %d axes has no channels", rank)
	}
	shape := slices.Repeat([]int{1}, rank)
	shape[1] = -1
	return graph.Reshape(v, shape...)
}

// convTranspose finds what is dropped of the result by auto_pad and output_shape.
func convTranspose(c *call) []*val {
	c.same(0, 1, 2)
	x, weights := c.x(0), c.x(1)
	shape, kernel := c.in[0].shape, c.in[1].shape
	if len(kernel) != len(shape) || len(shape) < 3 {
		refuse("the input has shape %v and the weights have %v, expected as many axes, at least 3", shape, kernel)
	}
	w := c.windows(shape, kernel[2:])
	n := len(w.size)
	groups := c.int("group", 1)
	if groups < 1 || kernel[0]%groups != 0 || kernel[0] != shape[1] {
		refuse("group is %d for weights of shape %v and an input of shape %v", groups, kernel, shape)
	}
	more, _ := c.ints("output_padding")
	if more == nil {
		more = make([]int, n)
	}
	want, _ := c.ints("output_shape")
	auto := c.text("auto_pad", "NOTSET")
	if len(more) != n || want != nil && len(want) < n {
		refuse("output_padding is %v and output_shape %v for %d spatial axes", more, want, n)
	}
	if want != nil {
		want = want[len(want)-n:]
	}
	for i, d := range w.in {
		full := (d-1)*w.stride[i] + more[i] + w.reach(i)
		total := -1
		switch {
		case want != nil:
			total = full - want[i]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			total = full - d*w.stride[i]
		case auto == "VALID":
			w.low[i], w.high[i] = 0, 0
		case auto != "NOTSET" && auto != "":
			refuse("auto_pad is %q", auto)
		}
		if want != nil || auto == "SAME_UPPER" || auto == "SAME_LOWER" {
			w.low[i], w.high[i] = total/2, total-total/2
			if auto != "SAME_UPPER" {
				w.low[i], w.high[i] = total-total/2, total/2
			}
			if total < 0 { // what lacks is zeros behind
				w.low[i], w.high[i] = 0, total
			}
		}
		if float64(full) > float64(c.b.limit) {
			refuse("the result's axis %d would have %d elements", i, full)
		}
	}
	y := graph.ConvTranspose(x, weights, graph.ConvTransposeOptions{Stride: w.stride, Low: w.low, High: w.high, Dilation: w.dilation, OutputHigh: more, Groups: groups})
	return c.one(biased(c, y, 2))
}

// integers32 converts to int32 and subtracts the zero point, which is input i: one, or one for each index along an axis.
func integers32(c *call, x *value, i, along int) *value {
	x = graph.Convert(x, dtype.I32)
	zero := c.opt(i)
	if zero == nil {
		return x
	}
	return graph.Sub(x, spread(graph.Convert(zero, dtype.I32), x.Rank(), along))
}

// spread gives a scalar or a vector the axis that its numbers are for.
func spread(v *value, rank, along int) *value {
	if size(v.Shape()) == 1 {
		return graph.Reshape(v)
	}
	if v.Rank() != 1 {
		return v
	}
	if along >= rank {
		refuse("numbers of shape %v for axis %d of an array with %d axes", v.Shape(), along, rank)
	}
	shape := slices.Repeat([]int{1}, rank)
	shape[along] = -1
	return graph.Reshape(v, shape...)
}
