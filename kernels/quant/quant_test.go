package quant_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/quant"
)

// random has rows of numbers of very different magnitudes.
func random(r *rand.Rand, rows, k int) []float32 {
	x := make([]float32, rows*k)
	for i := range x {
		x[i] = float32(math.Ldexp(r.NormFloat64(), i/16%7-3))
	}
	return x
}

// read gives what a tensor holds.
func read[E dtype.Elem](t *testing.T, x *cutile.Tensor[E]) []E {
	t.Helper()
	all, err := x.Slice()
	kerneltest.Must(t, err)
	return all
}

// numbers are those of a format, of either sign, from its definition: exponents, fractions, a bias, and how many of the greatest
// magnitudes it lacks.
func numbers(exponents, fractions, bias, missing int) []float64 {
	var out []float64
	for e := range exponents {
		for f := range fractions {
			x := math.Ldexp(float64(f)/float64(fractions)+min(float64(e), 1), max(e, 1)-bias)
			out = append(out, x, -x)
		}
	}
	return out[:len(out)-2*missing]
}

// nearest reports whether none of the numbers is nearer to x than got, which is one of them.
func nearest(all []float64, x, got float64) bool {
	least := math.Inf(1)
	for _, n := range all {
		least = min(least, math.Abs(n-x))
	}
	return slices.Contains(all, got) && math.Abs(got-x) == least
}

// TestMXFP8Table has blocks whose bytes are known.
func TestMXFP8Table(t *testing.T) {
	dev := kerneltest.CPU(t)
	for _, c := range []struct {
		name   string
		x      []float32
		scale  uint8
		values []uint8
	}{
		{"zero", []float32{0, 0}, 0, []uint8{0, 0}},
		{"greatest", []float32{448, -448, 1, 0.5}, 127, []uint8{0x7e, 0xfe, 0x38, 0x30}},
		{"above", []float32{449, 448, 2}, 128, []uint8{0x76, 0x76, 0x38}},
		{"one", []float32{1, -0.875, 0x1p-10}, 127 - 8, []uint8{0x78, 0xf6, 0x28}},
		{"ties", []float32{448, 17, 19, 0x1p-10, 0x1.8p-9, -0x1p-9}, 127, []uint8{0x7e, 0x58, 0x5a, 0, 0x02, 0x81}},
		{"large", []float32{math.MaxFloat32}, 127 + 120, []uint8{0x78}},
		{"small", []float32{math.SmallestNonzeroFloat32}, 0, []uint8{0}},
	} {
		m, err := quant.MXFP8FromSlice(dev, append(slices.Clone(c.x), make([]float32, 32-len(c.x))...), 1, 32)
		kerneltest.Must(t, err)
		scale, values := uint8(read(t, m.Scales)[0]), read(t, m.Values)
		if scale != c.scale {
			t.Errorf("%s: the scale is %d, want %d", c.name, scale, c.scale)
		}
		for i, want := range c.values {
			if uint8(values[i]) != want {
				t.Errorf("%s: element %d is %#x, want %#x", c.name, i, uint8(values[i]), want)
			}
		}
		kerneltest.Must(t, m.Close())
	}
}

// TestNVFP4Table has blocks whose bytes are known, the last one so small that its scale is 0, of a matrix with the factor 1.
func TestNVFP4Table(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := make([]float32, 48)
	copy(x, []float32{6, 0.25, -0.75, 1.25, 1.75, 2.5, 3.5, 5, -5.01, 0.2501, -0.5})
	copy(x[16:], []float32{2688, -224})
	copy(x[32:], []float32{0.001})
	m, err := quant.NVFP4FromSlice(dev, x, 1, 48)
	kerneltest.Must(t, err)
	if m.Factor != 1 {
		t.Errorf("the factor is %v, want 1", m.Factor)
	}
	if got, want := read(t, m.Scales), []dtype.Float8E4M3FN{0x38, 0x7e, 0}; !slices.Equal(got, want) {
		t.Errorf("the scales are %v, want %v", got, want)
	}
	want := make([]uint8, 24) // the first element of a byte is the lower half
	copy(want, []uint8{0x07, 0x2a, 0x44, 0x66, 0x1f, 0x09})
	want[8] = 0x97
	if got := read(t, m.Values); !slices.Equal(got, want) {
		t.Errorf("the bytes are %x, want %x", got, want)
	}
	kerneltest.Must(t, m.Close())
}

// TestNearest holds the rounding of each element against a search among all numbers of the format.
func TestNearest(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, k = 9, 96
	x := random(r, rows, k)
	m, err := quant.MXFP8FromSlice(dev, x, rows, k)
	kerneltest.Must(t, err)
	defer m.Close()
	all, scales := numbers(16, 8, 7, 1), read(t, m.Scales)
	for i, v := range read(t, m.Values) {
		s := scales[i/32].Float64()
		if !nearest(all, float64(x[i])/s, v.Float64()) {
			t.Errorf("MXFP8: element %d of %v at scale %v is %v", i, x[i], s, v)
		}
	}
	for b, s := range scales {
		if most, f := peak(x[b*32:][:32]), s.Float64(); most > 448*f || most <= 224*f {
			t.Errorf("MXFP8: block %d of up to %v has scale %v", b, most, f)
		}
	}
	f, err := quant.NVFP4FromSlice(dev, x, rows, k)
	kerneltest.Must(t, err)
	defer f.Close()
	all, units := numbers(4, 2, 1, 0), read(t, f.Scales)
	for i, v := range fours(read(t, f.Values)) {
		s := units[i/16].Float64() * float64(f.Factor)
		if !nearest(all, float64(x[i])/s, v) {
			t.Errorf("NVFP4: element %d of %v at scale %v is %v", i, x[i], s, v)
		}
	}
}

// fours unpacks bytes, by a table of the format.
func fours(bytes []uint8) []float64 {
	table := []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6}
	var out []float64
	for _, b := range bytes {
		out = append(out, table[b&15], table[b>>4])
	}
	return out
}

// TestSlice reads back what was rounded: no element is further away than the numbers of the format are from each other.
func TestSlice(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, k = 5, 64
	x := random(r, rows, k)
	m, err := quant.MXFP8FromSlice(dev, x, rows, k)
	kerneltest.Must(t, err)
	defer m.Close()
	f, err := quant.NVFP4FromSlice(dev, x, rows, k)
	kerneltest.Must(t, err)
	defer f.Close()
	eight, err := m.Slice()
	kerneltest.Must(t, err)
	four, err := f.Slice()
	kerneltest.Must(t, err)
	for i := range x {
		v := math.Abs(float64(x[i]))
		if d := math.Abs(float64(eight[i] - x[i])); d > v/16+peak(x[i/32*32:][:32])*0x1p-17 {
			t.Errorf("MXFP8: element %d is %v, want about %v", i, eight[i], x[i])
		}
		if d := math.Abs(float64(four[i] - x[i])); d > v/4+peak(x[i/16*16:][:16])/20 {
			t.Errorf("NVFP4: element %d is %v, want about %v", i, four[i], x[i])
		}
	}
}

// peak is the greatest magnitude.
func peak(x []float32) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(float64(v)))
	}
	return most
}

// product is x·wᵀ in float64, of the rounded matrices.
func product(t *testing.T, x, w interface{ Slice() ([]float32, error) }, m, n, k int) []float64 {
	t.Helper()
	a, err := x.Slice()
	kerneltest.Must(t, err)
	b, err := w.Slice()
	kerneltest.Must(t, err)
	y := make([]float64, m*n)
	for i := range y {
		for l := range k {
			y[i] += float64(a[i/n*k+l]) * float64(b[i%n*k+l])
		}
	}
	return y
}

// extents have rows that divide by no tile, and rows of few blocks.
var extents = []struct{ m, n, k int }{{130, 70, 96}, {1, 1, 32}, {17, 150, 320}, {33, 5, 0}, {0, 5, 64}, {5, 129, 544}}

func TestRunLinearMXFP8(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, e := range extents {
		x, err := quant.MXFP8FromSlice(dev, random(r, e.m, e.k), e.m, e.k)
		kerneltest.Must(t, err)
		w, err := quant.MXFP8FromSlice(dev, random(r, e.n, e.k), e.n, e.k)
		kerneltest.Must(t, err)
		y, z := kerneltest.New[float32](t, dev, e.m, e.n), kerneltest.New[dtype.BFloat16](t, dev, e.m, e.n)
		kerneltest.Must(t, quant.RunLinearMXFP8(t.Context(), dev, x, w, y))
		kerneltest.Must(t, quant.RunLinearMXFP8(t.Context(), dev, x, w, z))
		want := product(t, x, w, e.m, e.n, e.k)
		kerneltest.Near(t, fmt.Sprint("product ", e), y, want, 1e-4)
		kerneltest.Near(t, fmt.Sprint("product of bfloat16 ", e), z, want, 1e-2)
		kerneltest.Must(t, x.Close())
		kerneltest.Must(t, w.Close())
	}
}

func TestRunLinearNVFP4(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, e := range append(extents, struct{ m, n, k int }{7, 9, 16}, struct{ m, n, k int }{20, 30, 272}) {
		x, err := quant.NVFP4FromSlice(dev, random(r, e.m, e.k), e.m, e.k)
		kerneltest.Must(t, err)
		w, err := quant.NVFP4FromSlice(dev, random(r, e.n, e.k), e.n, e.k)
		kerneltest.Must(t, err)
		y, z := kerneltest.New[float32](t, dev, e.m, e.n), kerneltest.New[dtype.Float16](t, dev, e.m, e.n)
		kerneltest.Must(t, quant.RunLinearNVFP4(t.Context(), dev, x, w, y))
		kerneltest.Must(t, quant.RunLinearNVFP4(t.Context(), dev, x, w, z))
		want := product(t, x, w, e.m, e.n, e.k)
		kerneltest.Near(t, fmt.Sprint("product ", e), y, want, 1e-4)
		kerneltest.Near(t, fmt.Sprint("product of float16 ", e), z, want, 1e-2)
		kerneltest.Must(t, x.Close())
		kerneltest.Must(t, w.Close())
	}
}

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	_, err := quant.MXFP8FromSlice(dev, make([]float32, 80), 2, 40)
	kerneltest.Mismatch(t, err, "quant.MXFP8FromSlice: the shape is [2 40], expected rows of a multiple of 32 elements")
	_, err = quant.NVFP4FromSlice(dev, make([]float32, 80), 2, 48)
	kerneltest.Mismatch(t, err, "quant.NVFP4FromSlice: there are 80 elements for shape [2 48], expected 96")
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		x := make([]float32, 64)
		x[37] = float32(bad)
		_, err = quant.MXFP8FromSlice(dev, x, 2, 32)
		kerneltest.Mismatch(t, err, fmt.Sprintf("quant.MXFP8FromSlice: element [1 5] is %v, expected finite numbers", bad))
		_, err = quant.NVFP4FromSlice(dev, x, 2, 32)
		kerneltest.Mismatch(t, err, fmt.Sprintf("quant.NVFP4FromSlice: element [1 5] is %v, expected finite numbers", bad))
	}
	x, err := quant.MXFP8FromSlice(dev, make([]float32, 192), 2, 96)
	kerneltest.Must(t, err)
	w, err := quant.MXFP8FromSlice(dev, make([]float32, 192), 3, 64)
	kerneltest.Must(t, err)
	y := kerneltest.New[float32](t, dev, 2, 3)
	kerneltest.Mismatch(t, quant.RunLinearMXFP8(ctx, dev, x, w, y),
		"quant.RunLinearMXFP8: w.Values has shape [3 64], expected [n k]: axis 1 is 64, but k is 96 along axis 1 of x.Values",
		"quant.RunLinearMXFP8: w.Scales has shape [3 2], expected [n k/32]: axis 1 is 2, but k/32 is 3 along axis 1 of x.Scales")
	x.Scales, x.Values = x.Scales.Narrow(1, 0, 2), w.Values
	kerneltest.Mismatch(t, quant.RunLinearMXFP8(ctx, dev, x, &quant.MXFP8{}, kerneltest.New[float32](t, dev, 3, 3)),
		"quant.RunLinearMXFP8: x.Scales has shape [2 2], expected [m k/32]: axis 0 is 2, but m is 3 along axis 0 of x.Values",
		"quant.RunLinearMXFP8: w.Values is nil, expected a tensor", "quant.RunLinearMXFP8: w.Scales is nil, expected a tensor")
	kerneltest.Mismatch(t, quant.RunLinearMXFP8(ctx, dev, nil, w, y), "quant.RunLinearMXFP8: x or w is nil, expected matrices")
	f, err := quant.NVFP4FromSlice(dev, make([]float32, 192), 2, 96)
	kerneltest.Must(t, err)
	f.Scales = f.Scales.Narrow(1, 0, 5)
	kerneltest.Mismatch(t, quant.RunLinearNVFP4(ctx, dev, f, f, y.Narrow(1, 0, 2)),
		"quant.RunLinearNVFP4: rows have 96 elements and 5 scales, expected a scale for each 16")
	kerneltest.Mismatch(t, quant.RunLinearNVFP4(ctx, dev, f, nil, y), "quant.RunLinearNVFP4: x or w is nil, expected matrices")
}
