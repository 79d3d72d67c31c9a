package onnx

import (
	"math"
	"slices"

	"github.com/cutile-go/cutile/graph"
)

var resizeOperators = map[string]operator{"Resize": {10, 0, 1, 4, resize, false}, "Upsample": {7, 9, 1, 2, resize, false}}

// resize has the inputs x, roi, scales and sizes; before version 11 x and scales alone.
func resize(c *call) []*val {
	r := c.in[0].rank()
	old := c.opset < 11
	coordinates, rounding, scaleInput := graph.HalfPixel, graph.RoundPreferFloor, 2
	if old {
		coordinates, rounding, scaleInput = graph.Asymmetric, graph.RoundFloor, 1
	}
	mode := c.text("mode", "nearest")
	if mode == "bilinear" { // a name that old models have
		mode = "linear"
	}
	all := from(0, r)
	if list, ok := c.ints("axes"); ok {
		all = axes(list, r)
	}
	o := graph.ResizeOptions{
		Axes: all, Mode: graph.ResizeMode(mode),
		Coordinates:    graph.ResizeCoordinates(c.text("coordinate_transformation_mode", string(coordinates))),
		Rounding:       graph.ResizeRounding(c.text("nearest_mode", string(rounding))),
		Coefficient:    new(c.float("cubic_coeff_a", -0.75)),
		ExcludeOutside: c.flag("exclude_outside"), Antialias: c.flag("antialias"), Extrapolation: c.float("extrapolation_value", 0),
	}
	o.Scales, o.Sizes = c.scales(scaleInput, all, c.text("keep_aspect_ratio_policy", "stretch"))
	if !old && c.has(1) && o.Coordinates == graph.CropAndResize {
		k, n := c.known(1), len(all)
		if k.len() != 2*n {
			refuse("roi has %d numbers, expected %d", k.len(), 2*n)
		}
		for i := range n {
			o.Crop = append(o.Crop, [2]float64{k.float(i), k.float(n + i)})
		}
	}
	total := 1.0
	for _, d := range o.Sizes {
		if total *= float64(d); total > float64(c.b.limit) {
			refuse("the result would have more than %d elements", c.b.limit)
		}
	}
	return c.one(graph.Resize(c.x(0), o))
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
