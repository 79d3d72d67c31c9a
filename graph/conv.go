package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/conv"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// ConvOptions are the options of a [Conv] along its spatial axes. Nil stands for strides and dilations of 1, no padding, and one
// group.
type ConvOptions struct {
	Stride       []int
	Low, High    []int // zeros before and behind; may be negative
	Dilation     []int // the distance of elements that a window takes
	BaseDilation []int // the distance that elements of x are moved apart: for transposed convolutions
	Groups       int   // of channels that have nothing to do with each other
}

// complete fills in what is nil, for n spatial axes.
func (o ConvOptions) complete(n int) (ConvOptions, error) {
	for _, f := range []struct {
		name      string
		list      *[]int
		otherwise int
	}{{"Stride", &o.Stride, 1}, {"Low", &o.Low, 0}, {"High", &o.High, 0}, {"Dilation", &o.Dilation, 1}, {"BaseDilation", &o.BaseDilation, 1}} {
		if *f.list == nil {
			*f.list = slices.Repeat([]int{f.otherwise}, n)
		}
		if len(*f.list) != n {
			return o, fmt.Errorf("%s %v has %d numbers for %d spatial axes", f.name, *f.list, len(*f.list), n)
		}
		for _, x := range *f.list {
			if f.otherwise == 1 && x < 1 {
				return o, fmt.Errorf("%s %v has a number below 1", f.name, *f.list)
			}
			if max(x, -x) > ir.MaxElements || x == math.MinInt {
				return o, fmt.Errorf("%s %v has a number beyond %d", f.name, *f.list, ir.MaxElements)
			}
		}
	}
	if o.Groups < 0 {
		return o, fmt.Errorf("Groups is %d, expected at least 1, or 0 for one group", o.Groups)
	}
	o.Groups = max(o.Groups, 1)
	return o, nil
}

// Conv convolves x [batch, channels, spatial…] with w [out, channels/groups, window…]: element (b, o, p) of the result is the sum
// over channels c of the group of o and places q of the window of x[b, c, p·stride + q·dilation - low]·w[o, c, q]. The result has
// the axes [batch, out, spatial…]. Sums are as in [DotGeneral].
//
// A bias, one number for each of the out channels, needs a 1 for each spatial axis to be added along the second axis: for pictures,
// Add(Conv(x, w, options), Reshape(bias, -1, 1, 1)).
func Conv(x, w *Value, options ConvOptions) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		x, w := in[0], in[1]
		n := x.Rank() - 2
		if n < 0 || w.Rank() != x.Rank() || w.Elem != x.Elem {
			return nil, fmt.Errorf("the arrays are %s and %s, expected one element type and the same rank, at least 2", x.Type(), w.Type())
		}
		if err := elements(x, ir.Numbers); err != nil {
			return nil, err
		}
		o, err := options.complete(n)
		if err != nil {
			return nil, err
		}
		if w.Shape[1]*o.Groups != x.Shape[1] || w.Shape[0]%o.Groups != 0 {
			return nil, fmt.Errorf("%s has %d channels and %s takes %d in each of %d groups, and makes %d: expected as many channels, and a multiple of the groups",
				x.Type(), x.Shape[1], w.Type(), w.Shape[1], o.Groups, w.Shape[0])
		}
		for _, d := range w.Shape[2:] {
			if d == 0 {
				return nil, fmt.Errorf("the window of %s has no elements", w.Type())
			}
		}
		return conv.Conv(g, x, w, o.Groups, conv.Options{Stride: o.Stride, Low: o.Low, High: o.High, Dilation: o.Dilation, BaseDilation: o.BaseDilation})
	}, x, w)
}

// PoolOptions are the options of pooling along the axes of x: windows of Size elements that start Stride apart, in x with what
// changes nothing before and behind. Nil stands for strides and dilations of 1 and no padding.
type PoolOptions struct {
	Size, Stride, Dilation []int
	BaseDilation           []int
	Low, High              []int
}

// ReduceWindow folds the elements of windows along all axes of x. Outside of x lies what changes no sum, greatest or least element. Sums and
// products of float16 and bfloat16 are computed in float32. There are no windows where x with its padding is smaller than one.
func ReduceWindow(x *Value, fold Fold, options PoolOptions) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		x := in[0]
		f := ir.FoldNamed(string(fold))
		if f == nil {
			return nil, fmt.Errorf("unknown fold %q", fold)
		}
		if err := elements(x, f.Takes); err != nil {
			return nil, err
		}
		o, err := ConvOptions{Stride: options.Stride, Low: options.Low, High: options.High, Dilation: options.Dilation, BaseDilation: options.BaseDilation}.complete(x.Rank())
		if err == nil {
			err = options.sized(x.Rank())
		}
		if err != nil {
			return nil, err
		}
		bits := f.Neutral(x.Elem)
		data := make([]byte, x.Elem.Size())
		for i := range data {
			data[i] = byte(bits >> (8 * i))
		}
		fill, err := g.Constant(x.Elem, data, nil)
		if err != nil {
			return nil, err
		}
		return conv.Fold(g, f, x, fill, conv.Options{Size: options.Size, Stride: o.Stride, Low: o.Low, High: o.High, Dilation: o.Dilation, BaseDilation: o.BaseDilation})
	}, x)
}

// sized checks the sizes of windows along n axes.
func (o PoolOptions) sized(n int) error {
	if len(o.Size) != n {
		return fmt.Errorf("Size %v has %d numbers for %d axes", o.Size, len(o.Size), n)
	}
	for _, d := range o.Size {
		if d < 1 || d > ir.MaxElements {
			return fmt.Errorf("Size %v has a number that is not from 1 to %d", o.Size, ir.MaxElements)
		}
	}
	return nil
}

// count is the number of elements of a window.
func (o PoolOptions) count() float64 {
	n := 1.0
	for _, d := range o.Size {
		n *= float64(d)
	}
	return n
}

// pooled checks what pooling along spatial axes is given.
func (o PoolOptions) pooled(x *ir.Node, c ir.Class) error {
	if err := elements(x, c); err != nil {
		return err
	}
	spatial := x.Rank() - 2
	if spatial < 1 {
		return fmt.Errorf("the array is %s, expected axes of a batch, of channels, and spatial ones", x.Type())
	}
	if _, err := (ConvOptions{Stride: o.Stride, Low: o.Low, High: o.High, Dilation: o.Dilation, BaseDilation: o.BaseDilation}).complete(spatial); err != nil {
		return err
	}
	return o.sized(spatial)
}

// spatialOptions makes options for all axes from those for the axes after the first two.
func spatialOptions(o PoolOptions) PoolOptions {
	with := func(list []int, first int) []int {
		if list == nil {
			return nil
		}
		return append([]int{first, first}, list...)
	}
	return PoolOptions{with(o.Size, 1), with(o.Stride, 1), with(o.Dilation, 1), with(o.BaseDilation, 1), with(o.Low, 0), with(o.High, 0)}
}

// MaxPool returns the greatest elements of windows of x [batch, channels, spatial…]: -Inf, or the least integer, of a window that has none. The
// options are for the spatial axes.
func MaxPool(x *Value, options PoolOptions) *Value {
	bad := check(func(in []*ir.Node) error { return options.pooled(in[0], ir.All) }, operand{"", x})
	if bad != nil {
		return bad
	}
	return ReduceWindow(x, FoldMax, spatialOptions(options))
}

// AveragePool returns the means of windows of x [batch, channels, spatial…]. The options are for the spatial axes. Padding counts as
// zeros if countPadding is set, else a mean is one of elements of x alone, and NaN of a window that has none. Means of float16 and bfloat16
// are computed in float32, those of integers are rounded toward zero.
func AveragePool(x *Value, options PoolOptions, countPadding bool) *Value {
	bad := check(func(in []*ir.Node) error {
		if err := options.pooled(in[0], ir.Numbers); err != nil {
			return err
		}
		if _, err := ir.NumberBits(in[0].Elem, options.count()); err != nil {
			return fmt.Errorf("windows of %s elements of %s, expected a number that %v has: convert the array", ir.Decimal(options.count()), in[0].Type(), in[0].Elem)
		}
		return nil
	}, operand{"", x})
	if bad != nil {
		return bad
	}
	return wide(func(v []*Value) *Value {
		x := v[0]
		sum := ReduceWindow(x, FoldSum, spatialOptions(options))
		if countPadding {
			return Div(sum, like(x, options.count()))
		}
		ones := Broadcast(like(x, 1), append([]int{1, 1}, x.node.Shape[min(2, x.Rank()):]...)...)
		return Div(sum, ReduceWindow(ones, FoldSum, spatialOptions(options)))
	}, x)
}
