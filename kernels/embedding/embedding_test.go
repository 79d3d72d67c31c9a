package embedding_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/embedding"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// ids has some twice, and some outside a table of 30 rows.
var ids = []float64{3, 29, 0, 3, 30, -1, 17, 1 << 30, 29, 5}

func TestRun(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	at, _ := kerneltest.Tensor[int32](t, dev, ids, len(ids))
	for _, dim := range []int{1, 20, 64, 65, 5000} {
		table, rows := kerneltest.Random[dtype.Float16](t, dev, r, 30, dim)
		want := make([]float64, len(ids)*dim)
		for i, id := range ids {
			if id >= 0 && id < 30 {
				copy(want[i*dim:][:dim], rows[int(id)*dim:])
			}
		}
		y := kerneltest.New[dtype.Float16](t, dev, len(ids), dim)
		kerneltest.Must(t, embedding.Run(t.Context(), dev, at, table, y))
		kerneltest.Near(t, fmt.Sprint("rows of ", dim), y, want, 0)
	}
}

// TestView looks up in a transposed table of short rows.
func TestView(t *testing.T) {
	dev := kerneltest.CPU(t)
	at, _ := kerneltest.Tensor[int32](t, dev, []float64{2, 0}, 2)
	table, _ := kerneltest.Tensor[float32](t, dev, []float64{0, 1, 2, 10, 11, 12}, 2, 3)
	y := kerneltest.New[float32](t, dev, 2, 2)
	kerneltest.Must(t, embedding.Run(t.Context(), dev, at, table.T(), y))
	kerneltest.Near(t, "rows", y, []float64{2, 12, 0, 10}, 0)
}

func TestAddGradient(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	at, _ := kerneltest.Tensor[int32](t, dev, ids, len(ids))
	for _, dim := range []int{1, 20, 2500} {
		dy, ds := kerneltest.Random[dtype.BFloat16](t, dev, r, len(ids), dim)
		table, want := kerneltest.Random[float32](t, dev, r, 30, dim)
		for i, id := range ids {
			for j := range dim {
				if id >= 0 && id < 30 {
					want[int(id)*dim+j] += ds[i*dim+j]
				}
			}
		}
		kerneltest.Must(t, embedding.AddGradient(t.Context(), dev, at, dy, table))
		kerneltest.Near(t, fmt.Sprint("gradient of rows of ", dim), table, want, 1e-6)
	}
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	at := kerneltest.New[int32](t, dev, 2)
	kerneltest.Mismatch(t, embedding.Run(t.Context(), dev, at, x(5, 4), x(3, 4)),
		"embedding.Run: y has shape [3 4], expected [tokens dim]: axis 0 is 3, but tokens is 2 along axis 0 of ids")
	kerneltest.Mismatch(t, embedding.AddGradient(t.Context(), dev, at, x(2, 4), x(4, 5).T()),
		"embedding.AddGradient: table has strides [1 5], expected contiguous rows")
	kerneltest.Must(t, embedding.Run(t.Context(), dev, at, x(0, 4), x(2, 4))) // all ids are outside
	kerneltest.Must(t, embedding.Run(t.Context(), dev, kerneltest.New[int32](t, dev, 0), x(5, 4), x(0, 4)))
}
