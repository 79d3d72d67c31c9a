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
func Conv(x, w *Value, options ConvOptions) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		x, w := in[0], in[1]
		n := x.Rank() - 2
		if n < 0 || w.Rank() != x.Rank() || w.Elem != x.Elem {
			return nil, fmt.Errorf("conv: the arrays are %s and %s, expected one element type and the same rank, at least 2", x.Type(), w.Type())
		}
		o, err := options.complete(n)
		if err != nil {
			return nil, fmt.Errorf("conv: %w", err)
		}
		if w.Shape[1]*o.Groups != x.Shape[1] || w.Shape[0]%o.Groups != 0 {
			return nil, fmt.Errorf("conv: %s has %d channels and %s takes %d in each of %d groups, and makes %d: expected as many channels, and a multiple of the groups",
				x.Type(), x.Shape[1], w.Type(), w.Shape[1], o.Groups, w.Shape[0])
		}
		for _, d := range w.Shape[2:] {
			if d == 0 {
				return nil, fmt.Errorf("conv: the window of %s has no elements", w.Type())
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

// ReduceWindow folds the elements of windows along all axes of x. Outside of x lies what changes no sum, greatest or least element.
func ReduceWindow(x *Value, fold Fold, options PoolOptions) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		x := in[0]
		f := ir.FoldNamed(string(fold))
		if f == nil {
			return nil, fmt.Errorf("reduce_window: unknown fold %q", fold)
		}
		o, err := ConvOptions{Stride: options.Stride, Low: options.Low, High: options.High, Dilation: options.Dilation, BaseDilation: options.BaseDilation}.complete(x.Rank())
		if err == nil {
			err = options.sized(x.Rank())
		}
		if err != nil {
			return nil, fmt.Errorf("reduce_window: %w", err)
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

// pooled checks what pooling along spatial axes is given. The result is nil, or stands for a mistake.
func pooled(what string, x *Value, o PoolOptions) *Value {
	g, in, ok := nodes(x)
	if !ok {
		return &Value{g: g}
	}
	spatial := in[0].Rank() - 2
	if spatial < 1 {
		return g.fail(fmt.Errorf("%s: %s, expected axes of a batch, of channels, and spatial ones", what, in[0].Type()))
	}
	if _, err := (ConvOptions{Stride: o.Stride, Low: o.Low, High: o.High, Dilation: o.Dilation, BaseDilation: o.BaseDilation}).complete(spatial); err != nil {
		return g.fail(fmt.Errorf("%s: %w", what, err))
	}
	if err := o.sized(spatial); err != nil {
		return g.fail(fmt.Errorf("%s: %w", what, err))
	}
	return nil
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

// MaxPool returns the greatest elements of windows of x [batch, channels, spatial…]. The options are for the spatial axes.
func MaxPool(x *Value, options PoolOptions) *Value {
	if bad := pooled("max_pool", x, options); bad != nil {
		return bad
	}
	return ReduceWindow(x, FoldMax, spatialOptions(options))
}

// AveragePool returns the means of windows of x [batch, channels, spatial…]. The options are for the spatial axes. Padding counts as
// zeros if countPadding is set, else a mean is one of elements of x alone.
func AveragePool(x *Value, options PoolOptions, countPadding bool) *Value {
	if bad := pooled("average_pool", x, options); bad != nil {
		return bad
	}
	sum := ReduceWindow(x, FoldSum, spatialOptions(options))
	if countPadding {
		n := 1
		for _, d := range options.Size {
			n *= d
		}
		return Div(sum, like(x, float64(n)))
	}
	ones := Broadcast(like(x, 1), append([]int{1, 1}, x.node.Shape[min(2, x.Rank()):]...)...)
	return Div(sum, ReduceWindow(ones, FoldSum, spatialOptions(options)))
}

// BatchNorm scales x [batch, channels, …] by the mean and variance of each channel, multiplies it by scale and adds bias: all of
// shape [channels].
func BatchNorm(x, scale, bias, mean, variance *Value, epsilon float64) *Value {
	channel := func(v *Value) *Value {
		if v == nil || v.node == nil || x == nil || x.node == nil {
			return v
		}
		shape := slices.Repeat([]int{1}, x.Rank())
		if len(shape) > 1 {
			shape[1] = v.node.Len()
		}
		return Reshape(v, shape...)
	}
	factor := Mul(scale, Rsqrt(Add(variance, like(variance, epsilon))))
	return Add(Mul(Sub(x, channel(mean)), channel(factor)), channel(bias))
}

// Attention returns softmax(q·kᵀ·scale + bias)·v for q [batch, heads, queries, d], k [batch, heads, keys, d] and v [batch, heads,
// keys, dv]. bias, which may be nil, is broadcast to [batch, heads, queries, keys]; a scale of 0 stands for 1/√d.
//
// With 64 keys or more, and 16 queries, it is one kernel that keeps no scores in memory; so is what is written as a [MatMul] of a
// [Softmax] and values. Short floats are then rounded fewer times than these operations round them.
//
// Keys are hidden by -Inf in bias. A query without any other key has NaN, as the definition says. Of float16 and bfloat16, a large negative
// number instead of -Inf leaves few bits of the scores where all keys have it.
func Attention(q, k, v, bias *Value, scale float64) *Value {
	if k == nil || k.node == nil || k.Rank() != 4 {
		return build(func(*ir.Graph, []*ir.Node) (*ir.Node, error) {
			return nil, fmt.Errorf("attention: k is %v, expected rank 4", k)
		}, k)
	}
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(k.node.Shape[3]))
	}
	scores := Mul(MatMul(q, Transpose(k, 0, 1, 3, 2)), like(q, scale))
	if bias != nil {
		scores = Add(scores, bias)
	}
	return MatMul(Softmax(scores, -1), v)
}
