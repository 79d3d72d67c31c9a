package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// ResizeMode says what the elements of a [Resize] are computed from. The texts are those of ONNX's operator.
type ResizeMode string

// The modes; the empty text stands for the first.
const (
	ResizeNearest ResizeMode = "nearest" // one element
	ResizeLinear  ResizeMode = "linear"  // the two elements beside a place, along each axis
	ResizeCubic   ResizeMode = "cubic"   // four elements along each axis, by Keys' kernel
)

// ResizeCoordinates says where elements of the result lie in x: p is the index of one, scale the ratio of the extents, n the extent of
// x and m = n·scale that of the result.
type ResizeCoordinates string

// The coordinates; the empty text stands for the first.
const (
	HalfPixel          ResizeCoordinates = "half_pixel"           // (p + 1/2)/scale - 1/2
	HalfPixelSymmetric ResizeCoordinates = "half_pixel_symmetric" // as HalfPixel, from the middle, if the extent is m rounded down
	HalfPixelTorch     ResizeCoordinates = "pytorch_half_pixel"   // as HalfPixel, but 0 if m ≤ 1
	AlignCorners       ResizeCoordinates = "align_corners"        // p·(n-1)/(m-1), 0 if m = 1
	Asymmetric         ResizeCoordinates = "asymmetric"           // p/scale
	HalfPixelNearest   ResizeCoordinates = "tf_half_pixel_for_nn" // (p + 1/2)/scale
	CropAndResize      ResizeCoordinates = "tf_crop_and_resize"   // from the start of ResizeOptions.Crop to its end
)

// ResizeRounding says which element is nearest to a place.
type ResizeRounding string

// The roundings; the empty text stands for the first.
const (
	RoundPreferFloor ResizeRounding = "round_prefer_floor" // of two equally near the one before
	RoundPreferCeil  ResizeRounding = "round_prefer_ceil"  // of two equally near the one behind
	RoundFloor       ResizeRounding = "floor"              // the one before
	RoundCeil        ResizeRounding = "ceil"               // the one behind
)

// ResizeOptions are the options of a [Resize].
type ResizeOptions struct {
	Axes   []int     // the axes to resize; nil stands for all
	Sizes  []int     // extents of the result along Axes; nil: those of x times Scales, rounded down
	Scales []float64 // nil: the ratios of extents

	Mode        ResizeMode
	Coordinates ResizeCoordinates
	Rounding    ResizeRounding // of ResizeNearest

	Coefficient    *float64 // Keys' a, of ResizeCubic; nil stands for -0.75
	ExcludeOutside bool     // elements outside of x weigh nothing, and the weights of the others add up to 1; else the nearest ones stand there
	Antialias      bool     // of ResizeLinear and ResizeCubic: a result that is smaller depends on 1/scale times as many elements

	Crop          [][2]float64 // of CropAndResize: start and end along Axes, as parts of the extent less 1; nil stands for 0 and 1
	Extrapolation float64      // of CropAndResize: what lies outside of x
}

// The limits of a Resize along an axis.
const (
	maxTaps    = 1 << 10 // elements that an element depends on
	maxAllTaps = 1 << 24 // elements that all elements depend on
	maxResized = 1 << 20 // the extent
)

// Resize returns x with other extents along axes, as the operator Resize of ONNX defines. Along each axis an element is a sum of
// elements of x times weights that add up to 1; the axes are resized one after the other. An axis of the scale 1 stays as it is, unless
// it is cropped. The result has the element type of x: integers are computed in float32 and rounded to zero, unless the mode is
// nearest. An extent of the result is at most 2^20, and along each axis an element depends on at most 1024 elements. (R. G. Keys, Cubic
// convolution interpolation for digital image processing, 1981.)
func Resize(x *Value, options ResizeOptions) *Value {
	g, in, ok := nodes(x)
	if !ok {
		return &Value{g: g}
	}
	list, err := options.resizers(in[0])
	if err != nil {
		return g.fail(err)
	}
	elem := in[0].Elem
	for _, r := range list {
		if r.same() {
			continue
		}
		taps, total := make([][]tap, r.out), 0
		for i := range taps {
			taps[i] = r.taps(i)
			total += len(taps[i])
			switch {
			case len(taps[i]) > maxTaps || total > maxAllTaps:
				return g.fail(fmt.Errorf("axis %d of %s from %d to %d elements: one would depend on more than %d, or all on more than %d", r.axis, in[0].Type(), r.in, r.out, maxTaps, maxAllTaps))
			case len(taps[i]) == 0 && r.Coordinates != CropAndResize:
				return g.fail(fmt.Errorf("axis %d of %s from %d to %d elements by the scale %v: element %d lies too far outside", r.axis, in[0].Type(), r.in, r.out, r.scale, i))
			}
		}
		x = r.along(x, taps)
	}
	return Convert(x, elem)
}

// resizers completes and checks the options for each of the axes.
func (o ResizeOptions) resizers(x *ir.Node) ([]resizer, error) {
	r := resizer{ResizeOptions: o, coefficient: -0.75, to: 1}
	r.Mode, r.Coordinates, r.Rounding = or(o.Mode, ResizeNearest), or(o.Coordinates, HalfPixel), or(o.Rounding, RoundPreferFloor)
	if o.Coefficient != nil {
		r.coefficient = *o.Coefficient
	}
	axes := o.Axes
	if axes == nil {
		axes = allAxes(x, nil)
	}
	n := len(axes)
	switch {
	case kernels[r.Mode].reach == 0 && r.Mode != ResizeNearest:
		return nil, fmt.Errorf("the mode of %s is %q, expected nearest, linear or cubic", x.Type(), r.Mode)
	case places[r.Coordinates] == nil:
		return nil, fmt.Errorf("unknown coordinates %q", r.Coordinates)
	case roundings[r.Rounding] == nil:
		return nil, fmt.Errorf("unknown rounding %q", r.Rounding)
	case o.Sizes == nil && o.Scales == nil:
		return nil, fmt.Errorf("%s has neither sizes nor scales to be resized to", x.Type())
	case o.Sizes != nil && len(o.Sizes) != n || o.Scales != nil && len(o.Scales) != n || o.Crop != nil && len(o.Crop) != n:
		return nil, fmt.Errorf("%d sizes, %d scales and %d crops for the axes %v of %s, expected as many, or none", len(o.Sizes), len(o.Scales), len(o.Crop), axes, x.Type())
	case x.Elem == dtype.Bool && r.Mode != ResizeNearest:
		return nil, fmt.Errorf("%s in the mode %s, expected numbers", x.Type(), r.Mode)
	}
	var list []resizer
	seen := map[int]bool{}
	for i, a := range axes {
		axis, err := ir.AxisOf(a, x)
		if err != nil {
			return nil, err
		}
		if seen[axis] {
			return nil, fmt.Errorf("axis %d of %s is named twice in %v", a, x.Type(), axes)
		}
		seen[axis] = true
		if err := r.extents(x, axis, i); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// or gives text, or what stands for no text.
func or[T ~string](text, otherwise T) T {
	if text == "" {
		return otherwise
	}
	return text
}

// extents sets the extents and the scale of axis i of Axes.
func (r *resizer) extents(x *ir.Node, axis, i int) error {
	in := x.Shape[axis]
	r.axis, r.in = axis, in
	out := ""
	if r.Scales != nil {
		r.scale = r.Scales[i]
		exact := math.Floor(float64(in) * r.scale)
		r.out, out = int(max(-1, min(exact, maxResized+1))), ir.Decimal(exact)
	}
	if r.Sizes != nil {
		r.out, out = r.Sizes[i], fmt.Sprint(r.Sizes[i])
		if r.Scales == nil {
			r.scale = float64(r.out) / float64(in)
		}
	}
	if r.Crop != nil {
		r.from, r.to = r.Crop[i][0], r.Crop[i][1]
	}
	finite := func(x float64) bool { return math.Abs(x) <= math.MaxFloat32 }
	if in < 1 && r.out != in || r.out < 0 || r.out > maxResized || in > 0 && r.out > 0 && !(r.scale > 0 && finite(r.scale)) || !finite(r.from) || !finite(r.to) {
		return fmt.Errorf("axis %d of %s from %d to %s elements (at most %d) by the scale %v, the crop from %v to %v", axis, x.Type(), in, out, maxResized, r.scale, r.from, r.to)
	}
	return nil
}

// along resizes along an axis: the result is the weighted sum of elements that are gathered.
func (r *resizer) along(x *Value, taps [][]tap) *Value {
	most := 0
	for _, t := range taps {
		most = max(most, len(t))
	}
	cut := r.Coordinates == CropAndResize
	if r.Mode == ResizeNearest && !cut {
		return r.take(x, taps, 0)
	}
	if !x.DType().IsFloat() && r.Mode != ResizeNearest {
		x = Convert(x, dtype.F32)
	}
	sum := r.weighted(x, taps, 0)
	for k := 1; k < most; k++ {
		sum = Add(sum, r.weighted(x, taps, k))
	}
	if !cut {
		return sum
	}
	outside := make([]bool, r.out)
	for i := range outside {
		at := r.place(i)
		outside[i] = at < 0 || at > float64(r.in-1)
	}
	other := r.Extrapolation
	if !x.DType().IsFloat() {
		other = math.Trunc(other)
	}
	return Where(Constant(x.g, outside, r.column(x)...), like(x, other), sum)
}

// column is the shape of one number for each index along the axis.
func (r *resizer) column(x *Value) []int {
	shape := slices.Repeat([]int{1}, x.Rank())
	shape[r.axis] = r.out
	return shape
}

// take gathers tap k of each element.
func (r *resizer) take(x *Value, taps [][]tap, k int) *Value {
	index := make([]int32, len(taps))
	for i, t := range taps {
		if k < len(t) {
			index[i] = int32(t[k].index)
		}
	}
	return Gather(x, Constant(x.g, index), r.axis)
}

// weighted multiplies tap k of each element by its weight.
func (r *resizer) weighted(x *Value, taps [][]tap, k int) *Value {
	part := r.take(x, taps, k)
	if r.Mode == ResizeNearest {
		return part
	}
	weights := make([]float64, len(taps))
	for i, t := range taps {
		if k < len(t) {
			weights[i] = t[k].weight
		}
	}
	return Mul(part, numbers(x.g, x.DType(), weights, r.column(x)...))
}
