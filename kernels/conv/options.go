package conv

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/window"
)

// Options are those of a convolution along its spatial axes. Nil stands for strides and dilations of 1 and for no padding; each other
// slice has a number for each spatial axis.
type Options struct {
	Stride    []int // the distance between windows
	Dilation  []int // the distance between neighbours in a window
	Low, High []int // the zeros before and behind x
	Groups    int   // the channels and the outputs are split into so many parts, each with weights of its own; 0 means 1
}

// axes gives the axes of inputs and windows.
func (o Options) axes(function string, size, weights []int) ([]window.Axis, error) {
	return window.Options{Stride: o.Stride, Dilation: o.Dilation, Low: o.Low, High: o.High}.Axes(function, size, weights)
}

// Extents gives the extents of the result along the spatial axes, for inputs and windows of the given ones.
func (o Options) Extents(size, weights []int) ([]int, error) {
	all, err := o.axes("conv.Options.Extents", size, weights)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, a := range all {
		out = append(out, a.Places)
	}
	return out, nil
}

// Same returns the options with so much padding that the result has ⌈size/Stride⌉ places along each axis: half of it before the input,
// and half behind it, where the odd one is, too.
func (o Options) Same(size, weights []int) (Options, error) {
	o.Low, o.High = nil, nil
	padded := o
	for range size {
		padded.Low, padded.High = append(padded.Low, window.Limit/4), append(padded.High, 0) // any window fits
	}
	all, err := padded.axes("conv.Options.Same", size, weights)
	if err != nil {
		return Options{}, err
	}
	for _, a := range all {
		total := max(0, (shape.Tiles(a.Size, a.Stride)-1)*a.Stride+a.Covered()-a.Size)
		o.Low, o.High = append(o.Low, total/2), append(o.High, total-total/2)
	}
	return o, nil
}

// problem is a convolution that was checked: its extents, and two spatial axes, of which the first one may be made up.
type problem struct {
	batch, groups   int
	inner, features int // the channels of x and of y in a group
	y, x            window.Axis
}

// pointwise tells whether each output depends on one place of the input, which has the same number.
func (p problem) pointwise() bool {
	single := func(a window.Axis) bool { return a.Window == 1 && a.Stride == 1 && a.Low == 0 && a.High == 0 }
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
	p := problem{batch: n["batch"], groups: max(o.Groups, 1), inner: n["inner"]}
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
	if err := window.Check(function, r.resultName, r.result.Shape(), axes); err != nil {
		return problem{}, err
	}
	p.y, p.x = window.Two(axes)
	return p, nil
}
