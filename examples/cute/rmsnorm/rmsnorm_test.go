package rmsnorm_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/examples/cute/rmsnorm"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

const eps = 0.25

// reference normalises rows in float64.
func reference(x, w []float64, n int) []float64 {
	y := make([]float64, len(x))
	for row := 0; row < len(x); row += n {
		squares := 0.0
		for _, v := range x[row:][:n] {
			squares += v * v
		}
		for i := range n {
			y[row+i] = x[row+i] / math.Sqrt(squares/float64(n)+eps) * w[i]
		}
	}
	return y
}

var shapes = [][2]int{{1, 1}, {3, 33}, {9, 1000}, {2, 1024}, {5, 1025}, {2, 3000}}

func TestFloat32(t *testing.T) {
	dev := simttest.Device(t)
	for _, s := range shapes {
		x, w := simttest.Numbers(s[0]*s[1], 37), simttest.Numbers(s[1], 11)
		a, b := simttest.Tensor(t, dev, simttest.Float32s(x), s[:]...), simttest.Tensor(t, dev, simttest.Float32s(w), s[1])
		y := simttest.Tensor(t, dev, make([]float32, len(x)), s[:]...)
		got := simttest.Call(t, y, rmsnorm.Float32, cute.Of[float32](a), cute.Of[float32](b), cute.Of[float32](y), float32(eps))
		simttest.Near(t, got, reference(x, w, s[1]), 1e-5)
	}
}

func TestFloat16(t *testing.T) {
	dev := simttest.Device(t)
	for _, s := range shapes {
		x, w := simttest.Numbers(s[0]*s[1], 37), simttest.Numbers(s[1], 11)
		a, b := simttest.Tensor(t, dev, simttest.Float16s(x), s[:]...), simttest.Tensor(t, dev, simttest.Float16s(w), s[1])
		y := simttest.Tensor(t, dev, make([]dtype.Float16, len(x)), s[:]...)
		got := simttest.Call(t, y, rmsnorm.Float16, cute.Of[cute.Float16](a), cute.Of[cute.Float16](b), cute.Of[cute.Float16](y), float32(eps))
		simttest.Near(t, got, reference(x, w, s[1]), 1e-3)
	}
}

func TestAssemble(t *testing.T) {
	dev := simttest.Device(t)
	x, w := simttest.Tensor(t, dev, make([]float32, 64), 8, 8), simttest.Tensor(t, dev, make([]float32, 8), 8)
	simttest.Assemble(t, simttest.Archs, rmsnorm.Float32, x, w, x, eps)
	h, v := simttest.Tensor(t, dev, make([]dtype.Float16, 64), 8, 8), simttest.Tensor(t, dev, make([]dtype.Float16, 8), 8)
	simttest.Assemble(t, simttest.Archs, rmsnorm.Float16, h, v, h, eps)
}
