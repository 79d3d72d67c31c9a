// Package gemm multiplies matrices on tensor cores: single products, batches, with bias and activation, split along the inner
// dimension, by persistent blocks, with factors, of several sizes, of groups of rows with a matrix each, and of integers.
//
// The functions choose the kernel and its tiles. The kernels are exported for programs that make these choices with
// cutile.Launch, cutile.Sized or cutile.Export. Matrices may be views: b.T() is a transposed matrix without a copy.
package gemm

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed gemm.go kernels.go ragged.go scaled.go splitk.go tuning.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the element types whose products are summed in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32 | dtype.Float8E4M3FN | dtype.Float8E5M2
}

// one stands for the extents of kernels that get others from cutile.Sized.
type one = tile.D1

// block is the work of a block: m by n elements, k at a time.
type block struct{ m, n, k int }

// blockFor chooses tiles for matrices of E: rows of 128 bytes along k, as the tensor memory accelerator likes them, and as
// large a product as keeps the device busy.
func blockFor[E dtype.Elem](x shape.Extents) block {
	bytes := dtype.Of[E]().Size()
	t := block{128, 128, max(16, 128/bytes)}
	if t.blocks(x) < wanted || bytes > 4 {
		t.m, t.n = 64, 64
	}
	return block{shape.Fit(x["m"], 16, t.m), shape.Fit(x["n"], 16, t.n), shape.Fit(x["k"], 16, t.k)}
}

// blocks is how many blocks make a product.
func (t block) blocks(x shape.Extents) int {
	return shape.Tiles(x["m"], t.m) * shape.Tiles(x["n"], t.n)
}

// Run queues c = a·b for a [m, k], b [k, n] and c [m, n]. Sums are float32. Products of float32 are exact and slow: see
// [RunTF32].
func Run[E, C Float](ctx context.Context, on cutile.Target, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) error {
	x, err := shape.Check("gemm.Run", shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil || x["m"]*x["n"] == 0 {
		return err
	}
	w, err := work(on, tunedBlock(ctx, on, x, a, b, c), x, a, b, c)
	if err != nil {
		return err
	}
	return cutile.Launch(ctx, w.On, w.Kernel, w.Args...)
}

// RunPersistent computes the same as [Run], with blocks that each compute several tiles. blocks is their number, which should be a
// multiple of the number of the GPU's multiprocessors, or 0 for as many as the device runs at once.
func RunPersistent[E, C Float](ctx context.Context, on cutile.Target, blocks int, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) error {
	const name = "gemm.RunPersistent"
	x, err := shape.Check(name, shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil || x["m"]*x["n"] == 0 {
		return err
	}
	if blocks < 0 {
		return shape.Wrong(name, "blocks is %d, expected a number of blocks, or 0 for as many as the device runs at once", blocks)
	}
	t := blockFor[E](x)
	if blocks > 0 {
		if on, err = shape.Grid(name, on, min(blocks, t.blocks(x))); err != nil {
			return err
		}
	}
	k := cutile.Sized(Persistent[E, float32, C, one, one, one], t.m, t.n, t.k)
	return cutile.Launch(ctx, on, k, a, b, c, Identity[tile.F32T2[one, one]])
}

// RunBatched queues c = a·b for a [batch, m, k], b [batch, k, n] and c [batch, m, n]. To use one matrix for the whole batch,
// pass a.Broadcast(batch, m, k).
func RunBatched[E, C Float](ctx context.Context, on cutile.Target, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) error {
	x, err := shape.Check("gemm.RunBatched", shape.Of("a", a, "batch m k"), shape.Of("b", b, "batch k n"), shape.Of("c", c, "batch m n"))
	if err != nil {
		return err
	}
	t := blockFor[E](x)
	k := cutile.Sized(Batched[E, float32, C, one, one, one], t.m, t.n, t.k)
	return cutile.Launch(ctx, on, k, a, b, c, Identity[tile.F32T2[one, one]])
}

// RunLinear queues y = f(x·wᵀ + bias) for x [tokens, in], w [out, in], bias [out] and y [tokens, out], the usual form of layers
// of neural networks. bias may be nil, for a layer without one. f, such as [ReLU], becomes part of the kernel; nil is [Identity].
func RunLinear[E, B, C Float](ctx context.Context, on cutile.Target, x, w *cutile.Tensor[E], bias *cutile.Tensor[B],
	y *cutile.Tensor[C], f func(tile.F32T2[tile.D1, tile.D1]) tile.F32T2[tile.D1, tile.D1]) error {
	args := []shape.Arg{shape.Of("x", x, "m k"), shape.Of("w", w, "n k"), shape.Of("y", y, "m n")}
	if bias != nil {
		args = append(args, shape.Of("bias", bias, "n"))
	}
	n, err := shape.Check("gemm.RunLinear", args...)
	if err != nil {
		return err
	}
	if f == nil {
		f = Identity[tile.F32T2[one, one]]
	}
	t := blockFor[E](n)
	if bias == nil {
		k := cutile.Sized(Tiled[E, float32, C, one, one, one], t.m, t.n, t.k)
		return cutile.Launch(ctx, on, k, x, w.T(), y, f)
	}
	k := cutile.Sized(Linear[E, B, C, one, one, one], t.m, t.n, t.k)
	return cutile.Launch(ctx, on, k, x, w.T(), bias, y, f)
}

// RunTF32 queues c = a·b, with factors rounded to 11 significant bits so that tensor cores can multiply them.
func RunTF32(ctx context.Context, on cutile.Target, a, b, c *cutile.Tensor[float32]) error {
	x, err := shape.Check("gemm.RunTF32", shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil {
		return err
	}
	t := blockFor[float32](x)
	k := cutile.Sized(TF32[one, one, one], t.m, t.n, t.k)
	return cutile.Launch(ctx, on, k, a, b, c, Identity[tile.F32T2[one, one]])
}

// RunFloat64 queues c = a·b, computed in float64.
func RunFloat64(ctx context.Context, on cutile.Target, a, b, c *cutile.Tensor[float64]) error {
	x, err := shape.Check("gemm.RunFloat64", shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil {
		return err
	}
	t := blockFor[float64](x)
	k := cutile.Sized(Tiled[float64, float64, float64, one, one, one], t.m, t.n, t.k)
	return cutile.Launch(ctx, on, k, a, b, c, Identity[tile.F64T2[one, one]])
}

// RunInt8 queues c = a·b, which is exact as long as the sums fit 32 bits.
func RunInt8(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[int8], c *cutile.Tensor[int32]) error {
	x, err := shape.Check("gemm.RunInt8", shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil {
		return err
	}
	t := blockFor[int8](x)
	return cutile.Launch(ctx, on, cutile.Sized(Int8[one, one, one], t.m, t.n, t.k), a, b, c)
}
