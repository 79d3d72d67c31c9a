package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// resized computes element i of n numbers x resized to m by the formulas of ONNX's specification.
func resized(x []float64, m, i int, scale float64, o graph.ResizeOptions, from, to float64) float64 {
	n, p := float64(len(x)), float64(i)
	at := (p+0.5)/scale - 0.5
	switch o.Coordinates {
	case graph.HalfPixelSymmetric:
		at += n / 2 * (1 - float64(m)/(n*scale))
	case graph.HalfPixelTorch:
		if n*scale <= 1 {
			at = 0
		}
	case graph.AlignCorners:
		if at = 0; n*scale != 1 {
			at = p * (n - 1) / (n*scale - 1)
		}
	case graph.Asymmetric:
		at = p / scale
	case graph.HalfPixelNearest:
		at = (p + 0.5) / scale
	case graph.CropAndResize:
		if at = (from + to) / 2 * (n - 1); m > 1 {
			at = from*(n-1) + p*(to-from)*(n-1)/float64(m-1)
		}
		if at < 0 || at > n-1 {
			return o.Extrapolation
		}
	}
	inside := func(j int) float64 { return x[max(0, min(len(x)-1, j))] }
	if o.Mode == "" || o.Mode == graph.ResizeNearest {
		low := int(math.Floor(at))
		rest := at - float64(low)
		if o.Rounding == graph.RoundCeil && rest > 0 || o.Rounding == graph.RoundPreferCeil && rest >= 0.5 || (o.Rounding == "" || o.Rounding == graph.RoundPreferFloor) && rest > 0.5 {
			low++
		}
		return inside(low)
	}
	stretch := 1.0
	if o.Antialias {
		stretch = max(1, 1/scale)
	}
	a := -0.75
	if o.Coefficient != nil {
		a = *o.Coefficient
	}
	var sum, weights float64
	for j := -3 * len(x); j < 4*len(x); j++ {
		d := math.Abs(float64(j)-at) / stretch
		w := max(0, 1-d)
		if o.Mode == graph.ResizeCubic {
			switch {
			case d <= 1:
				w = (a+2)*d*d*d - (a+3)*d*d + 1
			case d < 2:
				w = a*d*d*d - 5*a*d*d + 8*a*d - 4*a
			default:
				w = 0
			}
		}
		if !o.ExcludeOutside || j >= 0 && j < len(x) {
			sum, weights = sum+w*inside(j), weights+w
		}
	}
	return sum / weights
}

// TestResize compares rows and columns with the formulas: extents odd, even and 1, smaller and larger.
func TestResize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, mode := range []graph.ResizeMode{"", graph.ResizeNearest, graph.ResizeLinear, graph.ResizeCubic} {
		for _, at := range []graph.ResizeCoordinates{"", graph.HalfPixelSymmetric, graph.HalfPixelTorch, graph.AlignCorners, graph.Asymmetric, graph.HalfPixelNearest, graph.CropAndResize} {
			for _, rounding := range []graph.ResizeRounding{"", graph.RoundPreferCeil, graph.RoundFloor, graph.RoundCeil} {
				if rounding != "" && mode != "" {
					continue
				}
				o := graph.ResizeOptions{Mode: mode, Coordinates: at, Rounding: rounding, Extrapolation: 7}
				o.Antialias, o.ExcludeOutside = r.IntN(2) == 0, r.IntN(2) == 0
				if r.IntN(2) == 0 {
					o.Coefficient = new(-0.5)
				}
				testResize(t, r, o)
			}
		}
	}
}

func testResize(t *testing.T, r *rand.Rand, o graph.ResizeOptions) {
	t.Helper()
	g := graph.New()
	type part struct {
		x            []float64
		n, m, cols   int
		scale        float64
		crop         [2]float64
		rows, column bool
	}
	var parts []part
	var values []*graph.Value
	for _, c := range []struct {
		n, m  int
		scale float64
	}{{5, 8, 0}, {4, 8, 2}, {7, 3, 0}, {6, 3, 0.5}, {1, 4, 0}, {5, 1, 0}, {1, 1, 1}, {8, 5, 0.7}, {3, 7, 2.6}} {
		x := normals(r, 3*c.n)
		p := part{x: x, n: c.n, m: c.m, scale: c.scale, crop: [2]float64{0, 1}, rows: r.IntN(2) == 0}
		q := o
		q.Axes = []int{0}
		shape := []int{c.n, 3}
		if p.rows {
			q.Axes, shape = []int{-1}, []int{3, c.n}
		}
		if c.scale == 0 {
			q.Sizes, p.scale = []int{c.m}, float64(c.m)/float64(c.n)
		} else {
			q.Scales = []float64{c.scale}
		}
		if o.Coordinates == graph.CropAndResize && r.IntN(3) > 0 {
			p.crop = [2]float64{-0.3, 0.9}
			q.Crop = [][2]float64{p.crop}
		}
		parts, values = append(parts, p), append(values, graph.Resize(graph.Constant(g, x, shape...), q))
	}
	for i, out := range run(t, g, values...) {
		p := parts[i]
		got := doubles(t, out)
		for row := range 3 {
			line := make([]float64, p.n)
			for k := range line {
				if line[k] = p.x[k*3+row]; p.rows {
					line[k] = p.x[row*p.n+k]
				}
			}
			for k := range p.m {
				index := k*3 + row
				if p.rows {
					index = row*p.m + k
				}
				want := resized(line, p.m, k, p.scale, o, p.crop[0], p.crop[1])
				if p.n == p.m && p.scale == 1 && p.crop == [2]float64{0, 1} {
					want = line[k]
				}
				if len(got) != 3*p.m || math.Abs(got[index]-want) > 1e-12 {
					t.Fatalf("%+v from %d to %d by %v, crop %v: element %d of line %d of %v is not %v", o, p.n, p.m, p.scale, p.crop, k, row, got, want)
				}
			}
		}
	}
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// TestResizeTypes: integers, bools, float16, several axes, and arrays without elements.
func TestResizeTypes(t *testing.T) {
	g := graph.New()
	x := graph.Constant(g, []int32{0, 10, 1<<30 + 1, -7}, 2, 2)
	twice := func(x *graph.Value, mode graph.ResizeMode) *graph.Value {
		return graph.Resize(x, graph.ResizeOptions{Scales: []float64{2, 1}, Mode: mode})
	}
	small := graph.Constant(g, []uint8{0, 11}, 2)
	half := graph.Convert(graph.Constant(g, []float32{1, 2}), dtype.F16)
	crop := graph.ResizeOptions{Sizes: []int{3}, Coordinates: graph.CropAndResize, Crop: [][2]float64{{0, 2}}, Extrapolation: 5.5}
	out := run(t, g, twice(x, graph.ResizeNearest), graph.Resize(small, graph.ResizeOptions{Sizes: []int{4}, Mode: graph.ResizeLinear}),
		graph.Convert(graph.Resize(half, graph.ResizeOptions{Sizes: []int{4}, Mode: graph.ResizeLinear}), dtype.F32),
		twice(graph.Constant(g, []bool{true, false}, 2, 1), ""), graph.Resize(small, crop),
		graph.Resize(graph.Full(g, float32(1), 0, 3), graph.ResizeOptions{Sizes: []int{0, 6}, Mode: graph.ResizeLinear}),
		graph.Resize(half, graph.ResizeOptions{Sizes: []int{0}, Mode: graph.ResizeCubic}))
	if got := sliceOf[int32](t, out[0]); !slices.Equal(got, []int32{0, 10, 0, 10, 1<<30 + 1, -7, 1<<30 + 1, -7}) {
		t.Errorf("integers: %v", got)
	}
	if got := sliceOf[uint8](t, out[1]); !slices.Equal(got, []uint8{0, 2, 8, 11}) { // 0, 2.75, 8.25, 11
		t.Errorf("bytes: %v", got)
	}
	if got := floats(t, out[2]); !slices.Equal(got, []float32{1, 1.25, 1.75, 2}) {
		t.Errorf("float16: %v", got)
	}
	if got := sliceOf[bool](t, out[3]); !slices.Equal(got, []bool{true, true, false, false}) {
		t.Errorf("bools: %v", got)
	}
	if got := sliceOf[uint8](t, out[4]); !slices.Equal(got, []uint8{0, 11, 5}) {
		t.Errorf("cropped: %v", got)
	}
	if got := fmt.Sprint(out[5].Shape(), out[6].Shape()); got != "[0 6] [0]" {
		t.Errorf("shapes without elements: %v", got)
	}
}

// TestResizeRefused: wrong options, and where they are.
func TestResizeRefused(t *testing.T) {
	for _, c := range []struct {
		o    graph.ResizeOptions
		want string
	}{
		{graph.ResizeOptions{}, "neither sizes nor scales"},
		{graph.ResizeOptions{Sizes: []int{4}}, "1 sizes, 0 scales and 0 crops for the axes [0 1] of float32[2 3]"},
		{graph.ResizeOptions{Sizes: []int{4, 4}, Mode: "area"}, `the mode of float32[2 3] is "area", expected nearest, linear or cubic`},
		{graph.ResizeOptions{Sizes: []int{4, 4}, Coordinates: "middle"}, `unknown coordinates "middle"`},
		{graph.ResizeOptions{Sizes: []int{4, 4}, Rounding: "up"}, `unknown rounding "up"`},
		{graph.ResizeOptions{Sizes: []int{4, 4}, Axes: []int{1, -1}}, "axis -1 of float32[2 3] is named twice in [1 -1]"},
		{graph.ResizeOptions{Sizes: []int{4}, Axes: []int{2}}, "axis 2 of float32[2 3], expected -2 to 1"},
		{graph.ResizeOptions{Sizes: []int{-4}, Axes: []int{1}}, "axis 1 of float32[2 3] from 3 to -4 elements"},
		{graph.ResizeOptions{Sizes: []int{1 << 30}, Axes: []int{1}}, "axis 1 of float32[2 3] from 3 to 1073741824 elements (at most 1048576)"},
		{graph.ResizeOptions{Scales: []float64{math.Inf(1)}, Axes: []int{1}}, "(at most 1048576) by the scale +Inf"},
		{graph.ResizeOptions{Scales: []float64{math.NaN()}, Axes: []int{1}}, "by the scale NaN"},
		{graph.ResizeOptions{Scales: []float64{-1}, Axes: []int{1}}, "by the scale -1"},
		{graph.ResizeOptions{Sizes: []int{4}, Scales: []float64{1e-30}, Axes: []int{1}, Mode: graph.ResizeLinear, Antialias: true}, "one would depend on more than 1024"},
		{graph.ResizeOptions{Sizes: []int{4}, Scales: []float64{0.01}, Axes: []int{1}, Mode: graph.ResizeLinear, ExcludeOutside: true}, "element 0 lies too far outside"},
		{graph.ResizeOptions{Sizes: []int{4}, Axes: []int{1}, Coordinates: graph.CropAndResize, Crop: [][2]float64{{0, math.NaN()}}}, "the crop from 0 to NaN"},
	} {
		g := graph.New()
		err := graph.Resize(graph.Constant(g, make([]float32, 6), 2, 3), c.o).Err()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "resize_test.go:") {
			t.Errorf("the error is %v, expected one with %q and the line", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}
