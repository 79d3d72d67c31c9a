package dropout_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/dropout"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// philox gives the first 32 of the bits that Philox4x32-10 makes of a place and a seed.
func philox(at uint32, seed uint64) uint32 {
	c := [4]uint32{at}
	k0, k1 := uint32(seed), uint32(seed>>32)
	for range 10 {
		h0, l0 := bits.Mul32(0xD2511F53, c[0])
		h1, l1 := bits.Mul32(0xCD9E8D57, c[2])
		c = [4]uint32{h1 ^ c[1] ^ k0, l1, h0 ^ c[3] ^ k1, l0}
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return c[0]
}

func TestRun(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, p := range []float32{0, 0.1, 0.75} {
		for _, seed := range []int{0, -5, 1 << 40} {
			x, xs := kerneltest.Random[dtype.BFloat16](t, dev, r, 3, 1001)
			y := kerneltest.New[dtype.BFloat16](t, dev, 3, 1001)
			kerneltest.Must(t, dropout.Run(t.Context(), dev, x, y, p, seed))
			left := 0
			for i := range xs {
				if float64(philox(uint32(i), uint64(seed))>>8)/(1<<24) >= float64(p) {
					xs[i] /= 1 - float64(p)
				} else {
					xs[i] = 0
					left++
				}
			}
			kerneltest.Near(t, "dropout", y, xs, 5e-3)
			if share := float64(left) / float64(len(xs)); math.Abs(share-float64(p)) > 0.03 {
				t.Errorf("p %v: %v are left out", p, share)
			}
		}
	}
}

func TestRunMasked(t *testing.T) {
	dev := kerneltest.CPU(t)
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{1, 2, 3, 4, 5}, 5)
	u, _ := kerneltest.Tensor[float32](t, dev, []float64{0, 0.5, 0.49, 1, 0.51}, 5)
	y := kerneltest.New[float32](t, dev, 5)
	kerneltest.Must(t, dropout.RunMasked(t.Context(), dev, x, u, y, 0.5))
	kerneltest.Near(t, "dropout", y, []float64{0, 4, 0, 8, 10}, 0)
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, dropout.Run(t.Context(), dev, x(2), x(2), 1, 0), "dropout.Run: p is 1, expected at least 0 and less than 1")
	kerneltest.Mismatch(t, dropout.Run(t.Context(), dev, x(2), x(3), 0, 0), "dropout.Run: y has shape [3], expected [2], that of x")
	kerneltest.Must(t, dropout.Run(t.Context(), dev, x(0), x(0), 0, 0))
}
