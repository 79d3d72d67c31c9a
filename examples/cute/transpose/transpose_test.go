package transpose_test

import (
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/transpose"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

func TestTranspose(t *testing.T) {
	dev := simttest.Device(t)
	for _, shape := range [][2]int{{1, 1}, {32, 32}, {33, 65}, {7, 100}, {128, 64}} {
		m, n := shape[0], shape[1]
		data := make([]float32, m*n)
		for i := range data {
			data[i] = float32(i + 1)
		}
		x, y := simttest.Tensor(t, dev, data, m, n), simttest.Tensor(t, dev, make([]float32, m*n), n, m)
		got := simttest.Call(t, y, transpose.Transpose, cute.Of[float32](x), cute.Of[float32](y))
		for i := range m {
			for j := range n {
				if got[j*m+i] != data[i*n+j] {
					t.Fatalf("%dx%d: element (%d,%d) is %v, want %v", m, n, j, i, got[j*m+i], data[i*n+j])
				}
			}
		}
	}
}

func TestAssemble(t *testing.T) {
	x := simttest.Tensor(t, simttest.Device(t), make([]float32, 64), 8, 8)
	simttest.Assemble(t, simttest.Archs, transpose.Transpose, x, x)
}
