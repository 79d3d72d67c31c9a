package graph_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// dft is the definition of the transform along the axis of extent n in an array [before, n, after].
func dft(x []complex128, n, after int, inverse bool) []complex128 {
	out := make([]complex128, len(x))
	sign, scale := -1.0, 1.0
	if inverse {
		sign, scale = 1, 1/float64(n)
	}
	for at := range x {
		k, first := at/after%n, at/(after*n)*after*n+at%after
		for j := range n {
			out[at] += x[first+j*after] * cmplx.Rect(scale, sign*2*math.Pi*float64(j*k%n)/float64(n))
		}
	}
	return out
}

// gaussian makes random complex numbers.
func gaussian(r *rand.Rand, n int) []complex128 {
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return x
}

// apart is the greatest distance of complex numbers.
func apart(got, want []complex128) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	most := 0.0
	for i := range want {
		most = max(most, cmplx.Abs(got[i]-want[i]))
	}
	return most
}

// TestFFT: lengths that are products with one matrix, that have factors, primes, and primes beyond one matrix, also as factors.
func TestFFT(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 8, 31, 64, 65, 67, 128, 134, 210, 397, 512, 4489} {
		rows := 2
		if n > 1000 {
			rows = 1
		}
		x := gaussian(r, rows*n)
		reals := make([]complex128, rows*n)
		for i := range x {
			reals[i] = complex(real(x[i]), 0)
		}
		g := graph.New()
		z := complexes(g, x, rows, n)
		forward, inverse := graph.FFT(z, 1), graph.InverseFFT(z, -1)
		half := graph.RealFFT(z.Re, 1)
		back := graph.InverseRealFFT(half, n, 1)
		single := graph.FFT(z.Each(func(v *graph.Value) *graph.Value { return graph.Convert(v, dtype.F32) }), 1).
			Each(func(v *graph.Value) *graph.Value { return graph.Convert(v, dtype.F64) })
		out := run(t, g, forward.Re, forward.Im, inverse.Re, inverse.Im, half.Re, half.Im, back, single.Re, single.Im)
		want, full := dft(x, n, 1, false), dft(reals, n, 1, false)
		var halves []complex128
		for row := range rows {
			halves = append(halves, full[row*n:row*n+n/2+1]...)
		}
		root := math.Sqrt(float64(n))
		for _, c := range []struct {
			name      string
			got, want []complex128
			tolerance float64
		}{
			{"forward", joinParts(t, out[0], out[1]), want, 1e-14 * root * 8},
			{"inverse", joinParts(t, out[2], out[3]), dft(x, n, 1, true), 1e-14},
			{"real", joinParts(t, out[4], out[5]), halves, 1e-14 * root * 8},
			{"back to real", widened(doubles(t, out[6])), reals, 1e-13},
			{"float32", joinParts(t, out[7], out[8]), want, 1e-6 * root * 4},
		} {
			if d := apart(c.got, c.want); d > c.tolerance {
				t.Errorf("length %d, %s: off by %.3g, expected at most %.3g", n, c.name, d, c.tolerance)
			}
		}
	}
}

func widened(x []float64) []complex128 {
	out := make([]complex128, len(x))
	for i := range x {
		out[i] = complex(x[i], 0)
	}
	return out
}

// TestFFTAxes: transforms along several axes, in any order, of extents odd, even and 1.
func TestFFTAxes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	shape := []int{2, 3, 1, 4}
	x := gaussian(r, 24)
	after := []int{12, 4, 4, 1}
	for _, axes := range [][]int{{0}, {1}, {2}, {3, 1}, {-1, 0, 2}, {0, 1, 2, 3}} {
		g := graph.New()
		z := complexes(g, x, shape...)
		y := graph.FFT(z, axes...)
		back := graph.InverseFFT(y, axes...)
		last := (axes[len(axes)-1] + 4) % 4
		half := graph.RealFFT(z.Re, axes...)
		reals := graph.InverseRealFFT(half, shape[last], axes...)
		out := run(t, g, y.Re, y.Im, back.Re, back.Im, reals)
		want := x
		for _, a := range axes {
			a = (a + 4) % 4
			want = dft(want, shape[a], after[a], false)
		}
		name := fmt.Sprint("axes ", axes)
		if d := apart(joinParts(t, out[0], out[1]), want); d > 1e-13 {
			t.Errorf("%s: off by %v", name, d)
		}
		if d := apart(joinParts(t, out[2], out[3]), x); d > 1e-13 {
			t.Errorf("%s: the inverse is off by %v", name, d)
		}
		for i, got := range doubles(t, out[4]) {
			if math.Abs(got-real(x[i])) > 1e-13 {
				t.Errorf("%s: number %d back is %v, expected %v", name, i, got, real(x[i]))
			}
		}
		halved := slices.Clone(shape)
		halved[last] = halved[last]/2 + 1
		if !slices.Equal(half.Re.Shape(), halved) {
			t.Errorf("%s: the half of the transform has shape %v, expected %v", name, half.Re.Shape(), halved)
		}
	}
}

// TestFFTRealEdges: imaginary parts that real numbers cannot have are not used, and arrays may have no elements.
func TestFFTRealEdges(t *testing.T) {
	g := graph.New()
	z := complexes(g, []complex128{3 + 1e9i, 1 + 2i, -1 + 1e9i})
	clean := complexes(g, []complex128{3, 1 + 2i, -1})
	none := graph.FFT(complexes(g, nil, 0, 5), 1)
	out := run(t, g, graph.InverseRealFFT(z, 4, 0), graph.InverseRealFFT(clean, 4, 0), none.Re)
	if got, want := doubles(t, out[0]), doubles(t, out[1]); !slices.Equal(got, want) {
		t.Errorf("the inverse is %v, expected %v", got, want)
	}
	if s := out[2].Shape(); !slices.Equal(s, []int{0, 5}) {
		t.Errorf("a transform of no rows has shape %v", s)
	}
}

// TestFFTRefused: wrong arguments, and where they are.
func TestFFTRefused(t *testing.T) {
	for _, c := range []struct {
		want string
		make func(g *graph.Graph, x graph.Complex) *graph.Value
	}{
		{"fft: there are no axes", func(g *graph.Graph, x graph.Complex) *graph.Value { return graph.FFT(x).Re }},
		{"fft: axis 2 of float64[4 3], expected -2 to 1", func(g *graph.Graph, x graph.Complex) *graph.Value { return graph.FFT(x, 2).Re }},
		{"inverse_fft: axis -1 of float64[4 3] is named twice in [1 -1]", func(g *graph.Graph, x graph.Complex) *graph.Value { return graph.InverseFFT(x, 1, -1).Im }},
		{"the parts are float64[4 3] and float64[3], expected", func(g *graph.Graph, x graph.Complex) *graph.Value {
			return graph.FFT(graph.Complex{Re: x.Re, Im: graph.Constant(g, make([]float64, 3))}, 0).Re
		}},
		{"real_fft: the parts are int32[2]", func(g *graph.Graph, x graph.Complex) *graph.Value {
			return graph.RealFFT(graph.Constant(g, []int32{1, 2}), 0).Re
		}},
		{"real_fft: axis 0 of float32[0 2] has extent 0, expected 1 to", func(g *graph.Graph, x graph.Complex) *graph.Value {
			return graph.RealFFT(graph.Full(g, float32(0), 0, 2), 0).Re
		}},
		{"axis 1 of float64[4 3] has extent 3, expected n/2+1 for n = 8", func(g *graph.Graph, x graph.Complex) *graph.Value { return graph.InverseRealFFT(x, 8, 0, 1) }},
		{"expected n/2+1 for n = -2", func(g *graph.Graph, x graph.Complex) *graph.Value { return graph.InverseRealFFT(x, -2, 1) }},
		{"x.Im is nil", func(g *graph.Graph, x graph.Complex) *graph.Value { return graph.FFT(graph.Complex{Re: x.Re}, 0).Re }},
	} {
		g := graph.New()
		v := c.make(g, complexes(g, make([]complex128, 12), 4, 3))
		if err := v.Err(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "fft_test.go:") {
			t.Errorf("the error is %v, expected one with %q and the line", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}
