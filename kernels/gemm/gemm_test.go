package gemm_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/tile"
)

// multiply is a·b in float64, for a [m, k] and b [k, n].
func multiply(a, b []float64, m, n, k int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				c[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	return c
}

// extents are those of the products below: none divides by a tile, some are less than one, some are empty.
var extents = []struct{ m, n, k int }{{130, 70, 100}, {1, 1, 1}, {17, 300, 33}, {33, 5, 0}, {0, 5, 7}, {200, 150, 257}}

// product checks a function that multiplies matrices.
func product[E, C kerneltest.Num](t *testing.T, tolerance float64,
	run func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) error) {
	t.Helper()
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, x := range extents {
		a, as := kerneltest.Random[E](t, dev, r, x.m, x.k)
		b, bs := kerneltest.Random[E](t, dev, r, x.k, x.n)
		c := kerneltest.New[C](t, dev, x.m, x.n)
		kerneltest.Must(t, run(t.Context(), dev, a, b, c))
		kerneltest.Near(t, fmt.Sprint("product ", x), c, multiply(as, bs, x.m, x.n, x.k), tolerance)
	}
}

func TestRun(t *testing.T) {
	t.Run("float16", func(t *testing.T) { product(t, 1e-2, gemm.Run[dtype.Float16, dtype.Float16]) })
	t.Run("float16 to float32", func(t *testing.T) { product(t, 1e-4, gemm.Run[dtype.Float16, float32]) })
	t.Run("bfloat16", func(t *testing.T) { product(t, 3e-2, gemm.Run[dtype.BFloat16, dtype.BFloat16]) })
	t.Run("float32", func(t *testing.T) { product(t, 1e-4, gemm.Run[float32, float32]) })
	t.Run("float8", func(t *testing.T) { product(t, 1e-4, gemm.Run[dtype.Float8E4M3FN, float32]) })
	t.Run("float64", func(t *testing.T) { product(t, 1e-12, gemm.RunFloat64) })
	t.Run("tf32", func(t *testing.T) { product(t, 2e-2, gemm.RunTF32) })
	t.Run("int8", func(t *testing.T) { product(t, 0, gemm.RunInt8) })
}

// TestForms runs the other ways to make the same product.
func TestForms(t *testing.T) {
	type half = dtype.Float16
	for _, blocks := range []int{0, 3} {
		t.Run(fmt.Sprintf("persistent %d", blocks), func(t *testing.T) {
			product(t, 1e-4, func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[half], c *cutile.Tensor[float32]) error {
				return gemm.RunPersistent(ctx, on, blocks, a, b, c)
			})
		})
	}
	for _, parts := range []int{0, 1, 5} {
		t.Run(fmt.Sprintf("split in %d", parts), func(t *testing.T) {
			product(t, 1e-4, func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[half], c *cutile.Tensor[float32]) error {
				return gemm.RunSplitK(ctx, on, parts, a, b, c)
			})
		})
	}
	t.Run("atomic", func(t *testing.T) {
		product(t, 1e-4, func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[half], c *cutile.Tensor[float32]) error {
			dev := on.(*cutile.Device)
			if err := c.Fill(ctx, 0); err != nil || c.Len() == 0 {
				return err
			}
			blocks := func(n int) int { return (n + 31) / 32 }
			return cutile.Launch(ctx, dev.Grid(blocks(a.Shape()[0]), blocks(b.Shape()[1]), 3), gemm.SplitKAtomic[half, tile.D32, tile.D32, tile.D32], a, b, c)
		})
	})
	t.Run("tiled", func(t *testing.T) {
		product(t, 1e-4, func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[half], c *cutile.Tensor[float32]) error {
			k := cutile.Sized(gemm.Tiled[half, float32, float32, tile.D1, tile.D1, tile.D1], 32, 64, 16)
			return cutile.Launch(ctx, on, k, a, b, c, gemm.Identity[tile.F32T2[tile.D1, tile.D1]])
		})
	})
	t.Run("transposed", func(t *testing.T) {
		product(t, 1e-4, func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[half], c *cutile.Tensor[float32]) error {
			turned, err := b.T().Contiguous()
			if err != nil {
				return err
			}
			return gemm.Run(ctx, on, a, turned.T(), c)
		})
	})
}

// TestSameBits: forms whose loop over k stands in another loop, or whose tiles have computed places, give the bits of the plain kernel, since
// all add the products in the order of k.
func TestSameBits(t *testing.T) {
	t.Run("float32", sameBits[float32])
	t.Run("float16", sameBits[dtype.Float16])
	t.Run("bfloat16", sameBits[dtype.BFloat16])
}

func sameBits[E interface {
	gemm.Float
	kerneltest.Num
}](t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, x := range extents {
		a, _ := kerneltest.Random[E](t, dev, r, x.m, x.k)
		b, _ := kerneltest.Random[E](t, dev, r, x.k, x.n)
		bounds, err := cutile.FromSlice(dev, []int32{0, int32(x.m / 3), int32(x.m / 3), int32(x.m)}, 4)
		kerneltest.Must(t, err)
		result := func(run func(c *cutile.Tensor[float32]) error) []uint32 {
			c := kerneltest.New[float32](t, dev, x.m, x.n)
			kerneltest.Must(t, run(c))
			list, err := c.Slice()
			kerneltest.Must(t, err)
			bits := make([]uint32, len(list))
			for i, f := range list {
				bits[i] = math.Float32bits(f)
			}
			return bits
		}
		want := result(func(c *cutile.Tensor[float32]) error { return gemm.Run(t.Context(), dev, a, b, c) })
		for name, run := range map[string]func(c *cutile.Tensor[float32]) error{
			"persistent": func(c *cutile.Tensor[float32]) error { return gemm.RunPersistent(t.Context(), dev, 2, a, b, c) },
			"ragged": func(c *cutile.Tensor[float32]) error {
				return gemm.RunRagged(t.Context(), dev, a, b.Broadcast(3, x.k, x.n), bounds, c)
			},
			"batched": func(c *cutile.Tensor[float32]) error {
				return gemm.RunBatched(t.Context(), dev, a.Reshape(1, x.m, x.k), b.Reshape(1, x.k, x.n), c.Reshape(1, x.m, x.n))
			},
		} {
			if got := result(run); !slices.Equal(got, want) {
				t.Errorf("%s, %v: the bits differ from those of the plain kernel", name, x)
			}
		}
	}
}

// TestManyTiles has more rows of tiles than a group, and a last group that is not whole.
func TestManyTiles(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const m, n, k = 200, 90, 3
	a, as := kerneltest.Random[float32](t, dev, r, m, k)
	b, bs := kerneltest.Random[float32](t, dev, r, k, n)
	for _, blocks := range []int{13 * 6, 7} {
		c := kerneltest.New[float32](t, dev, m, n)
		kernel := cutile.Sized(gemm.Grouped[float32, float32, float32, tile.D1, tile.D1, tile.D1], 16, 16, 16)
		if blocks == 7 {
			kernel = cutile.Sized(gemm.Persistent[float32, float32, float32, tile.D1, tile.D1, tile.D1], 16, 16, 16)
		}
		kerneltest.Must(t, cutile.Launch(t.Context(), dev.Grid(blocks), kernel, a, b, c, gemm.Identity[tile.F32T2[tile.D1, tile.D1]]))
		kerneltest.Near(t, "product", c, multiply(as, bs, m, n, k), 1e-5)
	}
}

func TestBatched(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const z, m, n, k = 3, 40, 70, 50
	a, as := kerneltest.Random[dtype.BFloat16](t, dev, r, z, m, k)
	b, bs := kerneltest.Random[dtype.BFloat16](t, dev, r, k, n)
	c := kerneltest.New[float32](t, dev, z, m, n)
	kerneltest.Must(t, gemm.RunBatched(t.Context(), dev, a, b.Broadcast(z, k, n), c))
	var want []float64
	for i := range z {
		want = append(want, multiply(as[i*m*k:][:m*k], bs, m, n, k)...)
	}
	kerneltest.Near(t, "product", c, want, 1e-4)
}

func TestLinear(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const m, n, k = 37, 90, 65
	x, xs := kerneltest.Random[dtype.Float16](t, dev, r, m, k)
	w, ws := kerneltest.Random[dtype.Float16](t, dev, r, n, k)
	bias, biases := kerneltest.Random[float32](t, dev, r, n)
	turned := make([]float64, k*n)
	for i := range n {
		for j := range k {
			turned[j*n+i] = ws[i*k+j]
		}
	}
	sums := multiply(xs, turned, m, n, k)
	type f = func(tile.F32T2[tile.D1, tile.D1]) tile.F32T2[tile.D1, tile.D1]
	for _, c := range []struct {
		name   string
		kernel f
		host   func(float64) float64
	}{
		{"identity", gemm.Identity[tile.F32T2[tile.D1, tile.D1]], func(x float64) float64 { return x }},
		{"nil, the identity", nil, func(x float64) float64 { return x }},
		{"ReLU", gemm.ReLU[tile.F32T2[tile.D1, tile.D1]], func(x float64) float64 { return max(x, 0) }},
		{"SiLU", gemm.SiLU[tile.F32T2[tile.D1, tile.D1]], func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
		{"GELU", gemm.GELU[tile.F32T2[tile.D1, tile.D1]], func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		{"GELU by tanh", gemm.GELUTanh[tile.F32T2[tile.D1, tile.D1]], func(x float64) float64 {
			return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
	} {
		y := kerneltest.New[float32](t, dev, m, n)
		kerneltest.Must(t, gemm.RunLinear(t.Context(), dev, x, w, bias, y, c.kernel))
		want := make([]float64, m*n)
		for i := range want {
			want[i] = c.host(sums[i] + biases[i%n])
		}
		kerneltest.Near(t, c.name, y, want, 5e-5)
		none := (*cutile.Tensor[float32])(nil)
		kerneltest.Must(t, gemm.RunLinear(t.Context(), dev, x, w, none, y, c.kernel))
		for i := range want {
			want[i] = c.host(sums[i])
		}
		kerneltest.Near(t, c.name+" without bias", y, want, 5e-5)
	}
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	ctx := t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, gemm.Run(ctx, dev, x(2, 3), x(4, 5), x(2, 6)),
		"gemm.Run: b has shape [4 5], expected [k n]: axis 0 is 4, but k is 3 along axis 1 of a")
	kerneltest.Mismatch(t, gemm.Run(ctx, dev, x(2, 3), x(3, 5), x(6, 7)),
		"gemm.Run: c has shape [6 7], expected [m n]: axis 0 is 6, but m is 2 along axis 0 of a")
	kerneltest.Mismatch(t, gemm.Run(ctx, dev, x(2), x(3, 5), (*cutile.Tensor[float32])(nil)),
		"gemm.Run: a has shape [2] of rank 1, expected rank 2: [m k]", "gemm.Run: c is nil, expected a tensor")
	kerneltest.Mismatch(t, gemm.Run(ctx, dev.Grid(3), x(2, 3), x(3, 5), x(2, 5)),
		"gemm.Run: the grid follows from the shapes: give a device or a stream without a grid")
	kerneltest.Mismatch(t, gemm.Run(ctx, nil, x(2, 3), x(3, 5), x(2, 5)),
		"gemm.Run: the target is nil: give a device or a stream")
	kerneltest.Mismatch(t, gemm.RunBatched(ctx, dev, x(2, 3), x(2, 3, 5), x(2, 2, 5)),
		"gemm.RunBatched: a has shape [2 3] of rank 2, expected rank 3: [batch m k]")
	kerneltest.Mismatch(t, gemm.RunSplitK(ctx, dev, -1, x(2, 3), x(3, 5), x(2, 5)),
		"gemm.RunSplitK: parts is -1, expected at least 1, or 0 for a number that fits")
	kerneltest.Mismatch(t, gemm.RunPersistent(ctx, dev, -1, x(2, 3), x(3, 5), x(2, 5)),
		"gemm.RunPersistent: blocks is -1, expected a number of blocks, or 0 for as many as the device runs at once")
	a := x(3, 3)
	kerneltest.Mismatch(t, gemm.Run(ctx, dev, a, x(3, 3), a),
		"kernel gemm.Grouped[float32, float32, float32, D16, D16, D16]: argument #3 (c) is written, but shares memory with argument #1 (a): pass a copy, or use one InOut for both")
}
