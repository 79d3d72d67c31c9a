package conv

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Options are those of a convolution along its spatial axes. Nil stands for strides and dilations of 1 and for no padding; each other
// slice has a number for each spatial axis.
type Options struct {
	Stride    []int // the distance between windows
	Dilation  []int // the distance between neighbours in a window
	Low, High []int // the zeros before and behind x
	Groups    int   // the channels and the outputs are split into so many parts, each with weights of its own; 0 means 1
}

// limit is the greatest sum of extents and padding: kernels compute rows and columns in 32 bits.
const limit = 1 << 29

// axis is one spatial axis of a convolution.
type axis struct{ size, window, places, stride, dilation, low, high int }

// covered is how many elements a window reaches over.
func (a axis) covered() int { return (a.window-1)*a.dilation + 1 }

// axes gives the axes of inputs and windows; their places are the result's.
func (o Options) axes(function string, size, window []int) ([]axis, error) {
	if len(size) < 1 || len(size) > 2 || len(window) != len(size) {
		return nil, shape.Wrong(function, "the input has %d spatial axes and the window %d, expected one or two of both", len(size), len(window))
	}
	out := make([]axis, len(size))
	for i := range out {
		out[i] = axis{size: size[i], window: window[i], stride: 1, dilation: 1}
	}
	for _, l := range []struct {
		name  string
		list  []int
		least int
		to    func(*axis) *int
	}{
		{"Stride", o.Stride, 1, func(a *axis) *int { return &a.stride }}, {"Dilation", o.Dilation, 1, func(a *axis) *int { return &a.dilation }},
		{"Low", o.Low, 0, func(a *axis) *int { return &a.low }}, {"High", o.High, 0, func(a *axis) *int { return &a.high }},
	} {
		if l.list == nil {
			continue
		}
		if len(l.list) != len(out) {
			return nil, shape.Wrong(function, "%s has %d numbers, expected one for each of %d spatial axes", l.name, len(l.list), len(out))
		}
		for i, n := range l.list {
			if n < l.least || n > limit {
				return nil, shape.Wrong(function, "%s is %d along spatial axis %d, expected %d to %d", l.name, n, i, l.least, limit)
			}
			*l.to(&out[i]) = n
		}
	}
	for i := range out {
		if err := out[i].place(function, i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// place computes the number of places of the windows along an axis.
func (a *axis) place(function string, i int) error {
	room := a.size + a.low + a.high
	switch {
	case a.window < 1:
		return shape.Wrong(function, "the window has %d elements along spatial axis %d, expected at least 1", a.window, i)
	case a.size > limit || room > limit || a.window > limit || a.window-1 > (limit-1)/a.dilation:
		return shape.Wrong(function, "spatial axis %d has %d elements, %d and %d of padding, and windows of %d elements %d apart: expected no reach above %d",
			i, a.size, a.low, a.high, a.window, a.dilation, limit)
	case a.covered() > room:
		return shape.Wrong(function, "windows reach over %d elements along spatial axis %d, expected at most %d, of which %d are padding",
			a.covered(), i, room, a.low+a.high)
	}
	a.places = (room-a.covered())/a.stride + 1
	return nil
}

// Extents gives the extents of the result along the spatial axes, for inputs and windows of the given ones.
func (o Options) Extents(size, window []int) ([]int, error) {
	all, err := o.axes("conv.Options.Extents", size, window)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, a := range all {
		out = append(out, a.places)
	}
	return out, nil
}

// Same returns the options with so much padding that the result has ⌈size/Stride⌉ places along each axis: half of it before the input,
// and half behind it, where the odd one is, too.
func (o Options) Same(size, window []int) (Options, error) {
	o.Low, o.High = nil, nil
	padded := o
	for range size {
		padded.Low, padded.High = append(padded.Low, limit/4), append(padded.High, 0) // any window fits
	}
	all, err := padded.axes("conv.Options.Same", size, window)
	if err != nil {
		return Options{}, err
	}
	for _, a := range all {
		total := max(0, (shape.Tiles(a.size, a.stride)-1)*a.stride+a.covered()-a.size)
		o.Low, o.High = append(o.Low, total/2), append(o.High, total-total/2)
	}
	return o, nil
}

// problem is a convolution that was checked: its extents, and two spatial axes, of which the first one may be made up.
type problem struct {
	batch, groups   int
	inner, features int // the channels of x and of y in a group
	y, x            axis
}

// pointwise tells whether each output depends on one place of the input, which has the same number.
func (p problem) pointwise() bool {
	single := func(a axis) bool { return a.window == 1 && a.stride == 1 && a.low == 0 && a.high == 0 }
	return single(p.y) && single(p.x)
}

// The axes of the tensors of a convolution: its input, its weights and its result.
var (
	inputAxes  = map[bool]string{false: "batch channels rows cols", true: "batch channels cols"}
	weightAxes = map[bool]string{false: "features inner height width", true: "features inner width"}
	resultAxes = map[bool]string{false: "batch features down across", true: "batch features across"}
)

// roles are the tensors of a convolution with their names.
type roles[E Float] struct {
	input, weights, result             *cutile.Tensor[E]
	inputName, weightsName, resultName string
	swapped                            bool // the result is an argument, and the input is written
}

// check checks the shapes of tensors against each other and against the options. biased is the extent of a bias, if there is one.
func check[E Float](function string, r roles[E], o Options, bias *cutile.Tensor[E], biased string) (problem, error) {
	flat := r.weights != nil && r.weights.Rank() == 3
	args := []shape.Arg{shape.Of(r.inputName, r.input, inputAxes[flat]), shape.Of(r.weightsName, r.weights, weightAxes[flat]),
		shape.Of(r.resultName, r.result, resultAxes[flat])}
	if r.swapped {
		args[0], args[2] = args[2], args[0]
	}
	if bias != nil {
		args = append(args, shape.Of("bias", bias, biased))
	}
	n, err := shape.Check(function, args...)
	if err != nil {
		return problem{}, err
	}
	p := problem{batch: n["batch"], groups: max(o.Groups, 1), inner: n["inner"], y: axis{size: 1, window: 1, places: 1, stride: 1, dilation: 1}}
	if o.Groups < 0 {
		return problem{}, shape.Wrong(function, "Groups is %d, expected at least 1, or 0 for 1", o.Groups)
	}
	if n["features"]%p.groups != 0 || n["channels"] != n["inner"]*p.groups {
		return problem{}, shape.Wrong(function, "%s has %d channels and %s [features inner …] has shape %v, expected channels = %d·inner for Groups %d, and features that %d divides",
			r.inputName, n["channels"], r.weightsName, r.weights.Shape(), p.groups, p.groups, p.groups)
	}
	p.features = n["features"] / p.groups
	axes, err := o.axes(function, r.input.Shape()[2:], r.weights.Shape()[2:])
	if err != nil {
		return problem{}, err
	}
	for i, a := range axes {
		if got := r.result.Shape()[2+i]; got != a.places {
			return problem{}, shape.Wrong(function, "%s has shape %v: axis %d is %d, expected %d, for windows over %d of %d elements and %d and %d of padding, %d apart",
				r.resultName, r.result.Shape(), 2+i, got, a.places, a.covered(), a.size, a.low, a.high, a.stride)
		}
	}
	if p.x = axes[len(axes)-1]; len(axes) == 2 {
		p.y = axes[0]
	}
	return p, nil
}

// planar gives a tensor two spatial axes.
func planar[E Float](t *cutile.Tensor[E]) *cutile.Tensor[E] {
	if s := t.Shape(); len(s) == 3 {
		return t.Reshape(s[0], s[1], 1, s[2])
	}
	return t
}
