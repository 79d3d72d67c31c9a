package onnx

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var fourierOperators = map[string]operator{
	"DFT": {17, 0, 1, 3, dft, false}, "STFT": {17, 0, 2, 4, stft, false}, "MelWeightMatrix": {17, 0, 5, 5, melWeightMatrix, false},
}

// signal gives input i, numbers whose parts lie along the last axis: float16 and bfloat16 are transformed in float32.
func (c *call) signal(i int) (z graph.Complex, isReal bool) {
	x, shape := c.x(i), c.in[i].shape
	last := len(shape) - 1
	if last < 1 || shape[last] != 1 && shape[last] != 2 {
		refuse("input %d has shape %v, expected at least 2 axes, of which the last has 1 or 2 elements", i, shape)
	}
	if d := x.DType(); d == dtype.F16 || d == dtype.BF16 {
		x = graph.Convert(x, dtype.F32)
	}
	part := func(k int) *value { return graph.Squeeze(graph.Narrow(x, last, k, k+1), last) }
	if shape[last] == 1 {
		return graph.FromReal(part(0)), true
	}
	return graph.Complex{Re: part(0), Im: part(1)}, false
}

// spectrum gives the result of a transform, with the parts along the last axis.
func (c *call) spectrum(y graph.Complex) []*val {
	return c.one(graph.Convert(graph.Stack(-1, y.Re, y.Im), c.in[0].elem))
}

// transform transforms along an axis.
func transform(z graph.Complex, isReal, inverse, oneSided bool, axis int) graph.Complex {
	switch {
	case oneSided && (inverse || !isReal):
		refuse("onesided is 1 for complex numbers, or for an inverse transform: expected real numbers and a forward one")
	case oneSided:
		return graph.RealFFT(z.Re, axis)
	case inverse:
		return graph.InverseFFT(z, axis)
	}
	return graph.FFT(z, axis)
}

// dft has the inputs x, its length, and from version 20 on the axis.
func dft(c *call) []*val {
	z, isReal := c.signal(0)
	shape := c.in[0].shape
	at := -2
	switch {
	case c.opset < 20:
		if at = c.int("axis", 1); c.has(2) {
			refuse("3 inputs, expected at most 2 before version 20")
		}
	case c.has(2):
		at = c.integer(2)
	}
	a := axis(at, len(shape))
	if a == len(shape)-1 {
		refuse("axis %d is that of the real and imaginary parts", at)
	}
	have, n := shape[a], shape[a]
	if c.has(1) {
		n = c.integer(1)
	}
	if n < 1 || have > 0 && float64(size(shape)/have)*float64(n) > float64(c.b.limit) || n > c.b.limit {
		refuse("dft_length is %d, expected at least 1, and not more than %d elements", n, c.b.limit)
	}
	low, high := make([]int, len(shape)-1), make([]int, len(shape)-1)
	high[a] = n - have // less than 0 drops elements
	z = z.Each(func(v *value) *value { return graph.Pad(v, c.like(v, 0), low, high, nil) })
	return c.spectrum(transform(z, isReal, c.flag("inverse"), c.flag("onesided"), a))
}

// stft transforms frames of a signal [batch, length, 1 or 2], which begin frame_step apart.
func stft(c *call) []*val {
	z, isReal := c.signal(0)
	if len(c.in[0].shape) != 3 {
		refuse("input 0 has shape %v, expected 3 axes", c.in[0].shape)
	}
	batch, length, step := c.in[0].shape[0], c.in[0].shape[1], c.integer(1)
	window, n := c.opt(2), 0
	if window != nil {
		if c.in[2].rank() != 1 || c.in[2].elem != c.in[0].elem {
			refuse("the window is %v%v, expected %v with one axis", c.in[2].elem, c.in[2].shape, c.in[0].elem)
		}
		n = c.in[2].shape[0]
	}
	if c.has(3) {
		given := c.integer(3)
		if window != nil && given != n {
			refuse("frame_length is %d for a window of %d elements", given, n)
		}
		n = given
	}
	if step < 1 || n < 1 || n > length {
		refuse("frames of %d elements that begin %d apart in a signal of %d: expected at least 1, and a frame that fits", n, step, length)
	}
	frames := (length-n)/step + 1
	if float64(batch)*float64(frames)*float64(n) > float64(c.b.limit) {
		refuse("%d frames of %d elements in each of %d signals are more than %d elements", frames, n, batch, c.b.limit)
	}
	z = z.Each(func(v *value) *value {
		y := graph.Reshape(graph.Windows(v, []int{1, n}, []int{1, step}, []int{1, 1}), batch, frames, n)
		if window != nil {
			y = graph.Mul(y, graph.Convert(window, y.DType()))
		}
		return y
	})
	return c.spectrum(transform(z, isReal, false, c.int("onesided", 1) != 0, 2))
}

// melWeightMatrix makes the triangles of filters [frequencies, bands], whose edges lie at equal distances on the mel scale.
func melWeightMatrix(c *call) []*val {
	bands, length, rate := c.integer(0), c.integer(1), c.integer(2)
	elem, err := typeOf(int64(c.int("output_datatype", 1)))
	if err != nil || !elem.IsFloat() || !knowable(elem) {
		refuse("output_datatype is %d, expected a type of floats", c.int("output_datatype", 1))
	}
	mel := func(hertz float64) float64 { return 2595 * math.Log10(1+hertz/700) }
	low, high := mel(c.number(3)), mel(c.number(4))
	rows := length/2 + 1
	if bands < 1 || length < 1 || rate < 1 || float64(rows)*float64(bands) > float64(c.b.limit) || float64(bands) > float64(c.b.limit) {
		refuse("%d bands of a transform of length %d at %d Hz, expected at least 1, and at most %d weights", bands, length, rate, c.b.limit)
	}
	edges := make([]int, bands+2)
	for i := range edges {
		hertz := 700 * (math.Pow(10, (float64(i)*(high-low)/float64(bands+2)+low)/2595) - 1)
		at := math.Floor(float64(length+1) * hertz / float64(rate))
		if !(at >= 0 && at < float64(rows)) {
			refuse("band edge %d, at %v Hz, is none of the %d frequencies of the transform", i, hertz, rows)
		}
		edges[i] = int(at)
	}
	weights := make([]float64, rows*bands)
	for b := range bands {
		from, peak, to := edges[b], edges[b+1], edges[b+2]
		for j := from; j < peak; j++ {
			weights[j*bands+b] = float64(j-from) / float64(peak-from)
		}
		for j := peak; j < to; j++ {
			weights[j*bands+b] = float64(to-j) / float64(to-peak)
		}
		weights[peak*bands+b] = 1
	}
	return []*val{computed(graph.Convert(graph.Constant(c.b.g, weights, rows, bands), elem))}
}
