package graph

import "math"

// resizer is what Resize does along one axis.
type resizer struct {
	ResizeOptions // with nothing left out but Crop
	axis, in, out int
	scale         float64
	from, to      float64 // the crop
	coefficient   float64
}

// tap is an element that an element of the result depends on, and its weight.
type tap struct {
	index  int
	weight float64
}

// same reports whether nothing changes.
func (r *resizer) same() bool {
	return r.in == r.out && (r.in == 0 || r.scale == 1 && (r.Coordinates != CropAndResize || r.from == 0 && r.to == 1))
}

// places tell where element p of the result lies in x, before a crop.
var places = map[ResizeCoordinates]func(r *resizer, p float64) float64{
	HalfPixel: func(r *resizer, p float64) float64 { return (p+0.5)/r.scale - 0.5 },
	HalfPixelSymmetric: func(r *resizer, p float64) float64 {
		in := float64(r.in)
		return in/2*(1-float64(r.out)/(r.scale*in)) + (p+0.5)/r.scale - 0.5
	},
	HalfPixelTorch: func(r *resizer, p float64) float64 {
		if r.scale*float64(r.in) <= 1 {
			return 0
		}
		return (p+0.5)/r.scale - 0.5
	},
	AlignCorners: func(r *resizer, p float64) float64 {
		if r.scale*float64(r.in) == 1 {
			return 0
		}
		return p * float64(r.in-1) / (r.scale*float64(r.in) - 1)
	},
	Asymmetric:       func(r *resizer, p float64) float64 { return p / r.scale },
	HalfPixelNearest: func(r *resizer, p float64) float64 { return (p + 0.5) / r.scale },
	CropAndResize: func(r *resizer, p float64) float64 {
		last := float64(r.in - 1)
		if r.out == 1 {
			return (r.from + r.to) * last / 2
		}
		return r.from*last + p*(r.to-r.from)*last/float64(r.out-1)
	},
}

func (r *resizer) place(i int) float64 { return places[r.Coordinates](r, float64(i)) }

// roundings give the whole number that is nearest.
var roundings = map[ResizeRounding]func(x float64) float64{
	RoundPreferFloor: func(x float64) float64 { return math.Ceil(x - 0.5) },
	RoundPreferCeil:  func(x float64) float64 { return math.Floor(x + 0.5) },
	RoundFloor:       math.Floor,
	RoundCeil:        math.Ceil,
}

// kernels give the weight of an element by its distance, which is less than reach.
var kernels = map[ResizeMode]struct {
	reach  float64
	weight func(r *resizer, distance float64) float64
}{
	ResizeLinear: {1, func(_ *resizer, d float64) float64 { return max(0, 1-d) }},
	ResizeCubic: {2, func(r *resizer, d float64) float64 {
		a := r.coefficient
		switch {
		case d <= 1:
			return ((a+2)*d-(a+3))*d*d + 1
		case d < 2:
			return ((a*d-5*a)*d+8*a)*d - 4*a
		}
		return 0
	}},
}

// inside gives the index of the nearest element that is there.
func (r *resizer) inside(x float64) int { return int(max(0, min(float64(r.in-1), x))) }

// taps gives what element i of the result is made of. Of too many there are maxTaps+1.
func (r *resizer) taps(i int) []tap {
	at := r.place(i)
	if r.Mode == ResizeNearest {
		return []tap{{r.inside(roundings[r.Rounding](at)), 1}}
	}
	kernel, stretch := kernels[r.Mode], 1.0
	if r.Antialias && r.scale < 1 {
		stretch = 1 / r.scale
	}
	first := math.Floor(at-kernel.reach*stretch) + 1
	last := max(first, math.Ceil(at+kernel.reach*stretch)-1)
	if last-first >= maxTaps {
		return make([]tap, maxTaps+1)
	}
	var out []tap
	sum := 0.0
	for k := first; k <= last; k++ {
		w := kernel.weight(r, math.Abs(k-at)/stretch)
		if w == 0 || r.ExcludeOutside && (k < 0 || k > float64(r.in-1)) {
			continue
		}
		sum += w
		out = append(out, tap{r.inside(k), w})
	}
	for i := range out {
		out[i].weight /= sum
	}
	return out
}
