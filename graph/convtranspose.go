package graph

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// ConvTransposeOptions are the options of a [ConvTranspose] along its spatial axes. Nil stands for strides and dilations of 1, for
// nothing dropped, no further elements, and 0 groups for one.
type ConvTransposeOptions struct {
	Stride     []int // the distance of the places of x's elements in the result
	Low, High  []int // elements of the result that are dropped before and behind; negative numbers add zeros
	Dilation   []int // the distance of elements that a window is spread over
	OutputHigh []int // elements that the result has more behind (ONNX's output_padding), which windows may reach where High dropped them
	Groups     int   // of channels that have nothing to do with each other
}

// ConvTranspose spreads x [batch, channels, spatial…] over windows w [channels, out/groups, window…]: it adds x[b, c, p]·w[c, o, q] to
// element (b, o, p·stride + q·dilation - low) of the result, for all channels c of the group of o. It is what the gradient of a [Conv]
// with the same options is with respect to its operand. The result has the axes [batch, out, spatial…] with extents
// (n-1)·stride + (window-1)·dilation + 1 + outputHigh - low - high. Sums are as in [DotGeneral]. It is computed as a [Conv]
// of x with zeros between and around its elements, which are multiplied, too: of weights with infinities or NaNs, elements that no such weight
// belongs to may be NaN.
func ConvTranspose(x, w *Value, options ConvTransposeOptions) *Value {
	g, in, ok := nodes(x, w)
	if !ok {
		return &Value{g: g}
	}
	o, err := options.conv(in[0], in[1])
	if err != nil {
		return g.fail(err)
	}
	// The result is a convolution of x, its elements moved apart by the strides, with the windows turned around.
	shape := in[1].Shape
	per := shape[0] / o.Groups
	order, spatial := []int{0, 2, 1}, []int{}
	for i := range shape[2:] {
		order, spatial = append(order, 3+i), append(spatial, 2+i)
	}
	w = Transpose(Reshape(w, slices.Concat([]int{o.Groups, per, shape[1]}, shape[2:])...), order...)
	w = Reshape(w, slices.Concat([]int{o.Groups * shape[1], per}, shape[2:])...)
	return Conv(x, Reverse(w, spatial...), o)
}

// conv gives the options of the convolution with windows turned around.
func (o ConvTransposeOptions) conv(x, w *ir.Node) (ConvOptions, error) {
	n := x.Rank() - 2
	if n < 0 || w.Rank() != x.Rank() || w.Elem != x.Elem {
		return ConvOptions{}, fmt.Errorf("the arrays are %s and %s, expected one element type and the same rank, at least 2", x.Type(), w.Type())
	}
	if err := elements(x, ir.Numbers); err != nil {
		return ConvOptions{}, err
	}
	c, err := ConvOptions{Stride: o.Stride, Low: o.Low, High: o.High, Dilation: o.Dilation, Groups: o.Groups}.complete(n)
	if err != nil {
		return c, err
	}
	more := o.OutputHigh
	if more == nil {
		more = make([]int, n)
	}
	if len(more) != n || n > 0 && slices.Min(more) < 0 {
		return c, fmt.Errorf("OutputHigh %v, expected %d numbers of at least 0", more, n)
	}
	if w.Shape[0] != x.Shape[1] || w.Shape[0]%c.Groups != 0 {
		return c, fmt.Errorf("%s has %d channels and %s takes %d in %d groups: expected as many channels, and a multiple of the groups", x.Type(), x.Shape[1], w.Type(), w.Shape[0], c.Groups)
	}
	low, high := make([]int, n), make([]int, n)
	for i, size := range w.Shape[2:] {
		reach := (size - 1) * c.Dilation[i]
		low[i], high[i] = reach-c.Low[i], reach-c.High[i]+more[i]
		if extent := (x.Shape[2+i]-1)*c.Stride[i] + reach + 1 + more[i] - c.Low[i] - c.High[i]; size == 0 || x.Shape[2+i] > 0 && extent < 0 {
			return c, fmt.Errorf("windows of %s over axis %d of %s: the result would have %d elements", w.Type(), 2+i, x.Type(), extent)
		}
	}
	return ConvOptions{Low: low, High: high, Dilation: c.Dilation, BaseDilation: c.Stride, Groups: c.Groups}, nil
}
