package quant

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Float lists the element types of results.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

// wide and deep are how many elements of the result a block makes along an axis, at most, and how many bytes it takes along k
// at a time.
const wide, deep = 128, 128

// RunLinearMXFP8 queues y = x·wᵀ for x [tokens, in], w [out, in] and y [tokens, out]. Sums are float32.
func RunLinearMXFP8[C Float](ctx context.Context, on cutile.Target, x, w *MXFP8, y *cutile.Tensor[C]) error {
	const name = "quant.RunLinearMXFP8"
	if x == nil || w == nil {
		return shape.Wrong(name, "x or w is nil, expected matrices")
	}
	n, err := shape.Check(name, shape.Of("x.Values", x.Values, "m k"), shape.Of("x.Scales", x.Scales, "m k/32"),
		shape.Of("w.Values", w.Values, "n k"), shape.Of("w.Scales", w.Scales, "n k/32"), shape.Of("y", y, "m n"))
	if err == nil {
		err = checkScales(name, n["k"], n["k/32"], blockMXFP8)
	}
	if err != nil {
		return err
	}
	rows, cols := shape.Fit(n["m"], 16, wide), shape.Fit(n["n"], 16, wide)
	k := cutile.Sized(Scaled[dtype.Float8E4M3FN, dtype.Float8E8M0FNU, C, one, one, one, one], rows, cols, deep, deep/blockMXFP8)
	return cutile.Launch(ctx, on, k, x.Values, x.Scales, w.Values.T(), w.Scales.T(), y)
}

// RunLinearNVFP4 queues y = x·wᵀ for x [tokens, in], w [out, in] and y [tokens, out]. Sums are float32.
func RunLinearNVFP4[C Float](ctx context.Context, on cutile.Target, x, w *NVFP4, y *cutile.Tensor[C]) error {
	const name = "quant.RunLinearNVFP4"
	if x == nil || w == nil {
		return shape.Wrong(name, "x or w is nil, expected matrices")
	}
	n, err := shape.Check(name, shape.Of("x.Values", x.Values, "m k/2"), shape.Of("x.Scales", x.Scales, "m k/16"),
		shape.Of("w.Values", w.Values, "n k/2"), shape.Of("w.Scales", w.Scales, "n k/16"), shape.Of("y", y, "m n"))
	if err == nil {
		err = checkScales(name, 2*n["k/2"], n["k/16"], blockNVFP4)
	}
	if err != nil {
		return err
	}
	rows, cols, k := shape.Fit(n["m"], 16, wide), shape.Fit(n["n"], 16, wide), 2*deep
	kernel := cutile.Sized(ScaledFours[dtype.Float8E4M3FN, C, one, one, one, one], rows, cols, k, k/blockNVFP4)
	return cutile.Launch(ctx, on, kernel, x.Values, x.Scales, w.Values, w.Scales.T(), y, x.Factor, w.Factor)
}

// checkScales checks that rows of k elements are whole blocks, each with its scale.
func checkScales(function string, k, scales, block int) error {
	if k != scales*block {
		return shape.Wrong(function, "rows have %d elements and %d scales, expected a scale for each %d", k, scales, block)
	}
	return nil
}
