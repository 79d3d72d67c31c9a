package graph_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/graph"
)

// TestConvTranspose compares with loops that spread each element over its window.
func TestConvTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, c := range []struct {
		name                   string
		batch, channels, out   int // out is the channels of the result for each group
		size, window           [2]int
		stride, low, high      [2]int
		dilation, more, extent [2]int
		groups                 int
	}{
		{"plain", 2, 3, 4, [2]int{5, 4}, [2]int{3, 2}, [2]int{1, 1}, [2]int{}, [2]int{}, [2]int{1, 1}, [2]int{}, [2]int{7, 5}, 1},
		{"stride", 1, 3, 2, [2]int{4, 5}, [2]int{3, 4}, [2]int{2, 3}, [2]int{1, 0}, [2]int{0, 2}, [2]int{1, 1}, [2]int{1, 2}, [2]int{9, 16}, 1},
		{"gaps", 1, 2, 3, [2]int{3, 3}, [2]int{1, 2}, [2]int{3, 4}, [2]int{}, [2]int{}, [2]int{1, 1}, [2]int{2, 0}, [2]int{9, 10}, 1},
		{"dilation", 1, 2, 2, [2]int{3, 1}, [2]int{2, 3}, [2]int{2, 2}, [2]int{1, 1}, [2]int{1, 2}, [2]int{3, 2}, [2]int{0, 1}, [2]int{6, 3}, 1},
		{"groups", 2, 6, 2, [2]int{3, 4}, [2]int{2, 2}, [2]int{2, 1}, [2]int{}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 0}, [2]int{6, 4}, 3},
		{"more zeros", 1, 1, 1, [2]int{2, 2}, [2]int{2, 2}, [2]int{1, 1}, [2]int{-1, -2}, [2]int{-3, 0}, [2]int{1, 1}, [2]int{}, [2]int{7, 5}, 1},
		{"single", 1, 1, 1, [2]int{1, 1}, [2]int{1, 1}, [2]int{4, 1}, [2]int{}, [2]int{}, [2]int{1, 1}, [2]int{3, 0}, [2]int{4, 1}, 1},
	} {
		whole := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.IntN(15) - 7)
			}
			return x
		}
		x := whole(c.batch * c.channels * c.size[0] * c.size[1])
		w := whole(c.channels * c.out * c.window[0] * c.window[1])
		shape := []int{c.batch, c.out * c.groups, c.extent[0], c.extent[1]}
		want := make([]float32, product(shape))
		for i, v := range x {
			at := unravel(i, []int{c.batch, c.channels, c.size[0], c.size[1]})
			for j, u := range w[at[1]*c.out*c.window[0]*c.window[1]:][:c.out*c.window[0]*c.window[1]] {
				q := unravel(j, []int{c.out, c.window[0], c.window[1]})
				row, col := at[2]*c.stride[0]+q[1]*c.dilation[0]-c.low[0], at[3]*c.stride[1]+q[2]*c.dilation[1]-c.low[1]
				if row >= 0 && row < shape[2] && col >= 0 && col < shape[3] {
					channel := at[1]/(c.channels/c.groups)*c.out + q[0]
					want[((at[0]*shape[1]+channel)*shape[2]+row)*shape[3]+col] += u * v
				}
			}
		}
		g := graph.New()
		y := graph.ConvTranspose(graph.Constant(g, x, c.batch, c.channels, c.size[0], c.size[1]), graph.Constant(g, w, c.channels, c.out, c.window[0], c.window[1]),
			graph.ConvTransposeOptions{Stride: c.stride[:], Low: c.low[:], High: c.high[:], Dilation: c.dilation[:], OutputHigh: c.more[:], Groups: c.groups})
		if !slices.Equal(y.Shape(), shape) {
			t.Errorf("%s: the shape is %v, expected %v: %v", c.name, y.Shape(), shape, y.Err())
			continue
		}
		if got := floats(t, run(t, g, y)[0]); !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", c.name, got, want)
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// unravel gives the index along each axis of element i.
func unravel(i int, shape []int) []int {
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = i % shape[k]
		i /= shape[k]
	}
	return at
}

// TestConvTransposeRefused: wrong options, and where they are.
func TestConvTransposeRefused(t *testing.T) {
	for _, c := range []struct {
		shape []int
		o     graph.ConvTransposeOptions
		want  string
	}{
		{[]int{4, 2, 3}, graph.ConvTransposeOptions{Groups: 3}, "float32[4 2 3] takes 4 in 3 groups"},
		{[]int{5, 2, 3}, graph.ConvTransposeOptions{}, "float32[1 4 5] has 4 channels and float32[5 2 3] takes 5 in 1 groups"},
		{[]int{4, 2}, graph.ConvTransposeOptions{}, "expected one element type and the same rank"},
		{[]int{4, 2, 0}, graph.ConvTransposeOptions{}, "windows of float32[4 2 0] over axis 2"},
		{[]int{4, 2, 3}, graph.ConvTransposeOptions{Stride: []int{0}}, "Stride [0] has a number below 1"},
		{[]int{4, 2, 3}, graph.ConvTransposeOptions{Dilation: []int{1, 1}}, "Dilation [1 1] has 2 numbers for 1 spatial axes"},
		{[]int{4, 2, 3}, graph.ConvTransposeOptions{OutputHigh: []int{-1}}, "OutputHigh [-1], expected 1 numbers of at least 0"},
		{[]int{4, 2, 3}, graph.ConvTransposeOptions{Low: []int{5}, High: []int{5}}, "the result would have -3 elements"},
	} {
		g := graph.New()
		err := graph.ConvTranspose(graph.Constant(g, make([]float32, 20), 1, 4, 5), graph.Constant(g, make([]float32, product(c.shape)), c.shape...), c.o).Err()
		if err == nil || !strings.Contains(err.Error(), "conv_transpose: ") || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "convtranspose_test.go:") {
			t.Errorf("the error is %v, expected one with %q and the line", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}
