package onnx

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var resizeOperators = map[string]operator{"Resize": {10, 0, 1, 4, resize, false}, "Upsample": {7, 9, 1, 2, resize, false}}

// resizing is what Resize does along one axis.
type resizing struct {
	mode, coordinates, nearest string
	cubic                      float64
	outside, antialias         bool // exclude_outside; antialias
	in, out                    int
	scale                      float64
	from, to                   float64 // the region of interest
	extrapolate                float64
}

// tap is an element that an element of the result depends on, and its weight.
type tap struct {
	index  int
	weight float64
}

// resize has the inputs x, roi, scales and sizes; before version 11 x and scales alone.
func resize(c *call) []*val {
	x, r := c.x(0), c.in[0].rank()
	old := c.opset < 11
	s := resizing{mode: c.text("mode", "nearest"), coordinates: "half_pixel", nearest: c.text("nearest_mode", "round_prefer_floor"),
		cubic: c.float("cubic_coeff_a", -0.75), outside: c.flag("exclude_outside"), antialias: c.flag("antialias"),
		extrapolate: c.float("extrapolation_value", 0)}
	if old {
		s.coordinates, s.nearest = "asymmetric", "floor"
	}
	s.coordinates = c.text("coordinate_transformation_mode", s.coordinates)
	policy := c.text("keep_aspect_ratio_policy", "stretch")
	all := from(0, r)
	if list, ok := c.ints("axes"); ok {
		all = axes(list, r)
	}
	scaleInput := 2
	if old {
		scaleInput = 1
	}
	scales, sizes := c.scales(scaleInput, all, policy)
	var roi []float64
	if !old && c.has(1) && s.coordinates == "tf_crop_and_resize" {
		k := c.known(1)
		for i := range k.len() {
			roi = append(roi, k.float(i))
		}
		if len(roi) != 2*len(all) {
			refuse("roi has %d numbers, expected %d", len(roi), 2*len(all))
		}
	}
	total := 1.0
	for i, a := range all {
		d := c.in[0].shape[a]
		if total *= float64(sizes[i]); total > float64(c.b.limit) {
			refuse("the result would have more than %d elements", c.b.limit)
		}
		s.in, s.out, s.scale, s.from, s.to = d, sizes[i], scales[i], 0, 1
		if roi != nil {
			s.from, s.to = roi[i], roi[len(all)+i]
		}
		if s.in == s.out && s.scale == 1 && (roi == nil || s.from == 0 && s.to == 1) {
			continue
		}
		x = s.along(c, x, a)
	}
	return c.one(graph.Convert(x, c.in[0].elem))
}

// scales gives the scale and the new extent of each axis.
func (c *call) scales(input int, all []int, policy string) (scales []float64, sizes []int) {
	x := c.in[0]
	if a := c.floats("scales"); a != nil { // Upsample of version 7
		scales = a
	}
	if c.has(input) && c.in[input].len() > 0 {
		k := c.known(input)
		for i := range k.len() {
			scales = append(scales, k.float(i))
		}
	}
	if scales != nil {
		if len(scales) != len(all) {
			refuse("%d scales, expected %d", len(scales), len(all))
		}
		for i, a := range all {
			d := math.Floor(float64(x.shape[a]) * scales[i])
			if !(scales[i] > 0) || d > float64(c.b.limit) {
				refuse("scale %v of axis %d", scales[i], a)
			}
			sizes = append(sizes, int(d))
		}
		return scales, sizes
	}
	if !c.has(3) {
		refuse("it has neither scales nor sizes")
	}
	if sizes = c.shape(3); len(sizes) != len(all) {
		refuse("%d sizes, expected %d", len(sizes), len(all))
	}
	for i, a := range all {
		scales = append(scales, float64(sizes[i])/float64(x.shape[a]))
	}
	if policy != "stretch" {
		s := slices.Min(scales)
		if policy == "not_smaller" {
			s = slices.Max(scales)
		} else if policy != "not_larger" {
			refuse("keep_aspect_ratio_policy is %q", policy)
		}
		for i, a := range all {
			scales[i], sizes[i] = s, int(math.Floor(s*float64(x.shape[a])+0.5))
		}
	}
	return scales, sizes
}

// along resizes along an axis: the result is the weighted sum of elements that are gathered.
func (s *resizing) along(c *call, x *value, a int) *value {
	if s.in < 1 || s.out > maxKnown*64 {
		refuse("axis %d is resized from %d to %d", a, s.in, s.out)
	}
	taps := make([][]tap, s.out)
	most := 0
	for i := range taps {
		taps[i] = s.taps(i)
		most = max(most, len(taps[i]))
	}
	if most > 1<<10 {
		refuse("each element would depend on %d others", most)
	}
	if most == 1 && s.mode == "nearest" && !s.crops() {
		return graph.Gather(x, c.b.of(constantInts(indices(taps, 0)...)), a)
	}
	if !x.DType().IsFloat() {
		x = graph.Convert(x, dtype.F32)
	}
	var sum *value
	for k := range most {
		part := graph.Mul(graph.Gather(x, c.b.of(constantInts(indices(taps, k)...)), a), s.vector(c, x, a, func(i int) float64 {
			if k < len(taps[i]) {
				return taps[i][k].weight
			}
			return 0
		}))
		if sum == nil {
			sum = part
		} else {
			sum = graph.Add(sum, part)
		}
	}
	if !s.crops() {
		return sum
	}
	outside := s.vector(c, x, a, func(i int) float64 {
		at := s.place(i)
		return float64(truth(at < 0 || at > float64(s.in-1)))
	})
	return graph.Where(graph.NotEqual(outside, c.like(x, 0)), c.like(x, s.extrapolate), sum)
}

func (s *resizing) crops() bool { return s.coordinates == "tf_crop_and_resize" }

func indices(taps [][]tap, k int) []int {
	out := make([]int, len(taps))
	for i, t := range taps {
		if k < len(t) {
			out[i] = t[k].index
		}
	}
	return out
}

// vector makes numbers for each index along an axis.
func (s *resizing) vector(c *call, x *value, a int, number func(i int) float64) *value {
	shape := slices.Repeat([]int{1}, x.Rank())
	shape[a] = s.out
	k := newKnown(x.DType(), shape)
	for i := range k.len() {
		k.setFloat(i, number(i))
	}
	return c.b.of(constant(k))
}

// place gives where element i of the result lies in x.
func (s *resizing) place(i int) float64 {
	p, in, out := float64(i), float64(s.in), float64(s.out)
	switch s.coordinates {
	case "half_pixel":
		return (p+0.5)/s.scale - 0.5
	case "half_pixel_symmetric":
		adjust := out / (s.scale * in)
		return in/2*(1-adjust) + (p+0.5)/s.scale - 0.5
	case "pytorch_half_pixel":
		if s.scale*in <= 1 {
			return 0
		}
		return (p+0.5)/s.scale - 0.5
	case "align_corners":
		if s.scale*in == 1 {
			return 0
		}
		return p * (in - 1) / (s.scale*in - 1)
	case "asymmetric":
		return p / s.scale
	case "tf_half_pixel_for_nn":
		return (p + 0.5) / s.scale
	case "tf_crop_and_resize":
		if out == 1 {
			return (s.from + s.to) * (in - 1) / 2
		}
		return s.from*(in-1) + p*(s.to-s.from)*(in-1)/(out-1)
	}
	refuse("coordinate_transformation_mode %q is not supported", s.coordinates)
	return 0
}

// taps gives what element i of the result is made of.
func (s *resizing) taps(i int) []tap {
	at := s.place(i)
	stretch := 1.0
	if s.antialias && s.scale < 1 {
		stretch = 1 / s.scale
	}
	switch s.mode {
	case "nearest":
		return []tap{{max(0, min(s.in-1, s.round(at))), 1}}
	case "linear", "bilinear":
		return s.weighted(at, 1, stretch, func(d float64) float64 { return max(0, 1-math.Abs(d)) })
	case "cubic":
		return s.weighted(at, 2, stretch, s.cubicWeight)
	}
	refuse("mode is %q, expected nearest, linear or cubic", s.mode)
	return nil
}

func (s *resizing) round(x float64) int {
	switch s.nearest {
	case "round_prefer_floor":
		return int(math.Ceil(x - 0.5))
	case "round_prefer_ceil":
		return int(math.Floor(x + 0.5))
	case "floor":
		return int(math.Floor(x))
	case "ceil":
		return int(math.Ceil(x))
	}
	refuse("nearest_mode is %q", s.nearest)
	return 0
}

// cubicWeight is Keys' kernel.
func (s *resizing) cubicWeight(d float64) float64 {
	d, a := math.Abs(d), s.cubic
	switch {
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return ((a*d-5*a)*d+8*a)*d - 4*a
	}
	return 0
}

// weighted gives the elements at most reach away, and their weights, which add up to 1; outside of x lies its nearest element.
func (s *resizing) weighted(at, reach, stretch float64, weight func(d float64) float64) []tap {
	first, last := int(math.Floor(at-reach*stretch))+1, int(math.Ceil(at+reach*stretch))-1
	if last < first {
		last = first
	}
	var out []tap
	sum := 0.0
	for k := first; k <= last; k++ {
		w := weight((float64(k) - at) / stretch)
		if w == 0 || s.outside && (k < 0 || k >= s.in) {
			continue
		}
		sum += w
		out = append(out, tap{max(0, min(s.in-1, k)), w})
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}
