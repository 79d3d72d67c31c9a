package quant

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// high and long are how many rows, and elements of each, a block rounds at a time.
const high, long = 16, 128

// RunRoundMXFP8 queues the rounding of x [rows, k] to a matrix of the same shape, like [MXFP8FromSlice]. Elements that share a
// scale with a NaN become NaN.
func RunRoundMXFP8[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], to *MXFP8) error {
	const name = "quant.RunRoundMXFP8"
	if to == nil {
		return shape.Wrong(name, "to is nil, expected a matrix")
	}
	n, err := shape.Check(name, shape.Of("x", x, "m k"), shape.Of("to.Values", to.Values, "m k"), shape.Of("to.Scales", to.Scales, "m k/32"))
	if err == nil {
		err = checkScales(name, n["k"], n["k/32"], blockMXFP8)
	}
	if err != nil {
		return err
	}
	k := cutile.Sized(RoundMXFP8[E, one, one], shape.Fit(n["m"], 1, high), long)
	return cutile.Launch(ctx, on, k, x, to.Values, to.Scales)
}

// RunRoundNVFP4 queues the rounding of x [rows, k] to a matrix of the same shape, like [NVFP4FromSlice] but with the factor of
// the matrix. Numbers beyond the magnitude of the matrix become the greatest ones. Elements that share a scale with a NaN
// become NaN.
func RunRoundNVFP4[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], to *NVFP4) error {
	const name = "quant.RunRoundNVFP4"
	if to == nil {
		return shape.Wrong(name, "to is nil, expected a matrix")
	}
	n, err := shape.Check(name, shape.Of("x", x, "m k"), shape.Of("to.Values", to.Values, "m k/2"), shape.Of("to.Scales", to.Scales, "m k/16"))
	if err == nil && n["k"] != 2*n["k/2"] {
		err = shape.Wrong(name, "rows have %d elements, but there are %d bytes, expected two elements in each", n["k"], n["k/2"])
	}
	if err == nil {
		err = checkScales(name, n["k"], n["k/16"], blockNVFP4)
	}
	if err != nil {
		return err
	}
	rows := shape.Fit(n["m"], 1, high)
	k := cutile.Sized(RoundNVFP4[E, one, one], rows, long)
	return cutile.Launch(ctx, on, k, x, to.Values, to.Scales, to.Factor)
}
