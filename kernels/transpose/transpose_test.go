package transpose_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/transpose"
)

func TestRun(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range [][2]int{{1, 1}, {70, 130}, {3, 200}, {0, 4}, {4, 0}} {
		x, xs := kerneltest.Random[dtype.Float16](t, dev, r, s[0], s[1])
		y := kerneltest.New[dtype.Float16](t, dev, s[1], s[0])
		kerneltest.Must(t, transpose.Run(t.Context(), dev, x, y))
		want := make([]float64, len(xs))
		for i, v := range xs {
			want[i%s[1]*s[0]+i/s[1]] = v
		}
		kerneltest.Near(t, fmt.Sprint("transposed ", s), y, want, 0)
	}
}

func TestRunPermute(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, c := range []struct{ shape, axes []int }{
		{nil, nil}, {[]int{5}, []int{0}}, {[]int{70, 30}, []int{1, 0}}, {[]int{70, 30}, []int{0, 1}},
		{[]int{3, 70, 5}, []int{2, 0, 1}}, {[]int{3, 70, 5}, []int{1, 0, 2}}, {[]int{2, 3, 66, 67}, []int{3, 1, 0, 2}},
		{[]int{2, 3, 66, 67}, []int{0, 2, 1, 3}}, {[]int{2, 0, 3}, []int{2, 1, 0}},
	} {
		x, xs := kerneltest.Random[float32](t, dev, r, c.shape...)
		shape := make([]int, len(c.shape))
		for i, a := range c.axes {
			shape[i] = c.shape[a]
		}
		y := kerneltest.New[float32](t, dev, shape...)
		kerneltest.Must(t, transpose.RunPermute(t.Context(), dev, x, y, c.axes...))
		want := make([]float64, len(xs))
		for i, v := range xs {
			at := make([]int, len(c.shape)) // of element i in x
			for a, rest := len(at)-1, i; a >= 0; a-- {
				at[a], rest = rest%c.shape[a], rest/c.shape[a]
			}
			j := 0
			for k, a := range c.axes {
				j = j*shape[k] + at[a]
			}
			want[j] = v
		}
		kerneltest.Near(t, fmt.Sprint(c), y, want, 0)
	}
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, transpose.Run(t.Context(), dev, x(2, 3), x(2, 3)),
		"transpose.Run: y has shape [2 3], expected [n m]: axis 0 is 2, but n is 3 along axis 1 of x")
	kerneltest.Mismatch(t, transpose.RunPermute(t.Context(), dev, x(2, 3, 4), x(2, 3, 4), 2, 0, 1),
		"transpose.RunPermute: y has shape [2 3 4], expected [4 2 3]: x has shape [2 3 4], and its axes are taken in the order [2 0 1]")
	kerneltest.Mismatch(t, transpose.RunPermute(t.Context(), dev, x(1, 1, 1, 1, 1), x(1), 0),
		"transpose.RunPermute: expected x and y of rank 0 to 4")
	if err := transpose.RunPermute(t.Context(), dev, x(2, 3), x(2, 3), 0); err == nil {
		t.Error("one axis of two is taken")
	}
}
