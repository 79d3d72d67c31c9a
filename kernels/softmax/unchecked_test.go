package softmax_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/softmax"
)

// TestLongRowsWithoutChecks: rows longer than a tile, on a device that runs machine code.
func TestLongRowsWithoutChecks(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	r := kerneltest.Rand()
	values := make([]float64, 2*9001)
	for i := range values {
		values[i] = 20 * r.NormFloat64()
	}
	values[1] = math.Inf(-1)
	x, xs := kerneltest.Tensor[float32](t, dev, values, 2, 9001)
	y := kerneltest.New[float32](t, dev, 2, 9001)
	kerneltest.Must(t, softmax.Run(t.Context(), dev, x, y))
	kerneltest.Near(t, "softmax", y, reference(xs, 9001), 1e-6)
}
