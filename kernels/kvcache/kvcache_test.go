package kvcache_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/kvcache"
)

// store is the reference.
func store(cache, fresh []float64, lengths []int, heads, tokens, room, dim int) {
	for b, length := range lengths {
		for h := range heads {
			for t := range tokens {
				if at := length + t; at >= 0 && at < room {
					copy(cache[((b*heads+h)*room+at)*dim:][:dim], fresh[((b*heads+h)*tokens+t)*dim:])
				}
			}
		}
	}
}

func TestRun(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const heads, tokens, room, dim = 5, 3, 10, 24
	lengths := []int{0, 4, 8, -2} // the last two do not fit whole
	at, _ := kerneltest.Tensor[int32](t, dev, []float64{0, 4, 8, -2}, 4)
	k, ks := kerneltest.Random[dtype.BFloat16](t, dev, r, 4, heads, tokens, dim)
	v, vs := kerneltest.Random[dtype.BFloat16](t, dev, r, 4, heads, tokens, dim)
	toK, wantK := kerneltest.Random[dtype.BFloat16](t, dev, r, 4, heads, room, dim)
	toV, wantV := kerneltest.Random[dtype.BFloat16](t, dev, r, 4, heads, room, dim)
	kerneltest.Must(t, kvcache.Run(t.Context(), dev, k, v, toK, toV, at))
	store(wantK, ks, lengths, heads, tokens, room, dim)
	store(wantV, vs, lengths, heads, tokens, room, dim)
	kerneltest.Near(t, "keys", toK, wantK, 0)
	kerneltest.Near(t, "values", toV, wantV, 0)
}

// TestViews stores tokens [batch, tokens, heads, dim] in a cache [batch, room, heads, dim].
func TestViews(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const tokens, heads, room, dim = 2, 3, 6, 8
	at, _ := kerneltest.Tensor[int32](t, dev, []float64{3}, 1)
	k, ks := kerneltest.Random[float32](t, dev, r, 1, tokens, heads, dim)
	cache := func() *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, 1, room, heads, dim) }
	toK, toV := cache(), cache()
	turn := func(x *cutile.Tensor[float32]) *cutile.Tensor[float32] { return x.Permute(0, 2, 1, 3) }
	kerneltest.Must(t, kvcache.Run(t.Context(), dev, turn(k), turn(k), turn(toK), turn(toV), at))
	want := make([]float64, room*heads*dim)
	for i := range want {
		want[i] = -7
	}
	copy(want[3*heads*dim:], ks)
	kerneltest.Near(t, "keys", toK, want, 0)
	kerneltest.Near(t, "values", toV, want, 0)
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	at := kerneltest.New[int32](t, dev, 1)
	kerneltest.Mismatch(t, kvcache.Run(t.Context(), dev, x(1, 2, 3, 4), x(1, 2, 3, 4), x(1, 2, 9, 4), x(1, 3, 9, 4), at),
		"kvcache.Run: toV has shape [1 3 9 4], expected [batch heads room dim]: axis 1 is 3, but heads is 2 along axis 1 of k")
	long := func(n int) error {
		return kvcache.Run(t.Context(), dev, x(1, 1, 1, n), x(1, 1, 1, n), x(1, 1, 1, n), x(1, 1, 1, n), at)
	}
	kerneltest.Mismatch(t, long(8193), "kvcache.Run: heads have 8193 elements, expected at most 8192")
	kerneltest.Must(t, long(8192))
	kerneltest.Must(t, kvcache.Run(t.Context(), dev, x(1, 2, 0, 4), x(1, 2, 0, 4), x(1, 2, 9, 4), x(1, 2, 9, 4), at))
}
