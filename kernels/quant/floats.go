package quant

import (
	"context"
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// FP8 is a matrix [rows, k] in which High rows of 128 elements along k have a scale: element (i, j) is Values[i, j]·Scales[i/High, j/128]. The
// last blocks of rows and columns may be smaller. (DeepSeek-AI, DeepSeek-V3 technical report, 2024.)
type FP8 struct {
	Values *cutile.Tensor[dtype.Float8E4M3FN] // [rows, k]
	Scales *cutile.Tensor[float32]            // [rows/High, k/128], rounded up
	High   int                                // 1 or 128
}

// blockFP8 is how many elements along k have a scale, and how many rows of weights.
const blockFP8 = 128

// NewFP8 allocates a matrix [rows, k] with a scale for high rows of 128 elements: 1, as for the input of layers, or 128, as for weights.
func NewFP8(dev *cutile.Device, rows, k, high int) (*FP8, error) {
	const name = "quant.NewFP8"
	if rows < 0 || k < 0 {
		return nil, shape.Wrong(name, "the shape is [%d %d], expected no negative extents", rows, k)
	}
	if high != 1 && high != blockFP8 {
		return nil, shape.Wrong(name, "a scale is for %d rows, expected 1 or %d", high, blockFP8)
	}
	m := &FP8{High: high}
	var err error
	if m.Values, err = cutile.NewTensor[dtype.Float8E4M3FN](dev, rows, k); err != nil {
		return nil, err
	}
	if m.Scales, err = cutile.NewTensor[float32](dev, shape.Tiles(rows, high), shape.Tiles(k, blockFP8)); err != nil {
		m.Values.Close()
		return nil, err
	}
	return m, nil
}

// Close frees the memory when all queued work has run.
func (m *FP8) Close() error { return errors.Join(m.Values.Close(), m.Scales.Close()) }

// Slice waits for queued work and returns the elements in row-major order.
func (m *FP8) Slice() ([]float32, error) {
	values, err := m.Values.Slice()
	if err != nil {
		return nil, err
	}
	scales, err := m.Scales.Slice()
	if err != nil {
		return nil, err
	}
	out, k, blocks := make([]float32, len(values)), m.Values.Shape()[1], m.Scales.Shape()[1]
	for i, v := range values {
		out[i] = float32(v.Float64() * float64(scales[i/k/m.High*blocks+i%k/blockFP8]))
	}
	return out, nil
}

// check checks that a matrix has its scales; rows is the name of its first axis, among the extents.
func (m *FP8) check(function, name string, n shape.Extents, rows string, high int) error {
	if m.High != high {
		return shape.Wrong(function, "%s has a scale for %d rows, expected one for %d", name, m.High, high)
	}
	if got, want := m.Scales.Shape(), []int{shape.Tiles(n[rows], high), shape.Tiles(n["k"], blockFP8)}; got[0] != want[0] || got[1] != want[1] {
		return shape.Wrong(function, "%s.Scales has shape %v, expected %v for elements [%d %d]", name, got, want, n[rows], n["k"])
	}
	return nil
}

// RoundFP8Rows rounds x [m, k] to values [m, k], with scales [m, k/128]. A block rounds M rows of 128 elements.
//
//cutile:entry
func RoundFP8Rows[E tile.FloatElem, M tile.Dim](x tile.In[tile.FloatTile2[E, M, tile.D128]], values tile.Out[tile.F8E4M3T2[M, tile.D128]],
	scales tile.Out[tile.F32T2[M, tile.D1]]) {
	v := tile.F32T2[M, tile.D128](x.Load(values.Index(0), values.Index(1)))
	scale := tile.Abs(v).Max1() / mostE4M3
	values.Store(over(v, tile.F32T2[M, tile.D128](scale)))
	scales.Store(scale)
}

// RoundFP8Blocks is [RoundFP8Rows] with scales [m/128, k/128]. A block rounds 128 rows of 128 elements.
//
//cutile:entry
func RoundFP8Blocks[E tile.FloatElem](x tile.In[tile.FloatTile2[E, tile.D128, tile.D128]], values tile.Out[tile.F8E4M3T2[tile.D128, tile.D128]],
	scales tile.Out[tile.F32T2[tile.D1, tile.D1]]) {
	v := tile.F32T2[tile.D128, tile.D128](x.Load(values.Index(0), values.Index(1)))
	scale := tile.Abs(v).Max1().Max0() / mostE4M3
	values.Store(over(v, tile.F32T2[tile.D128, tile.D128](scale)))
	scales.Store(scale)
}

// over is v/unit, or 0 where the unit is: all elements are too small then.
func over[M, K tile.Dim](v, unit tile.F32T2[M, K]) tile.F8E4M3T2[M, K] {
	return tile.F8E4M3T2[M, K](tile.Where(unit == 0, 0, v/unit))
}

// ScaledFP8 computes y = x·wᵀ for x [m, k] and w [n, k], with scales sx [m, k/128] and sw [n/128, k/128]. N is at most 128. Products of 128
// elements along k are scaled before they are added up, in float32.
//
//cutile:entry
func ScaledFP8[C tile.FloatElem, M, N tile.Dim](x tile.In[tile.F8E4M3T2[M, tile.D128]], sx tile.In[tile.F32T2[M, tile.D1]],
	w tile.In[tile.F8E4M3T2[N, tile.D128]], sw tile.In[tile.F32T2[tile.D1, tile.D1]], y tile.Out[tile.FloatTile2[C, M, N]]) {
	tile.Require(tile.Extent[N]() <= blockFP8, "a tile has %d columns, expected at most %d, which share a scale", tile.Extent[N](), blockFP8)
	i, j := y.Index(0), y.Index(1)
	var sum tile.F32T2[M, N]
	for k := range x.Tiles(1) {
		scale := sx.Load(i, k) * tile.F32T2[M, tile.D1](sw.Load(j*tile.Extent[N]()/blockFP8, k))
		sum = tile.FMA(tile.Dot(x.Load(i, k), w.Load(j, k).T(), tile.F32T2[M, N](0)), tile.F32T2[M, N](scale), sum)
	}
	y.Store(tile.FloatTile2[C, M, N](sum))
}

// RunRoundFP8 queues the rounding of x [rows, k] to a matrix of the same shape: the scale of a block brings its greatest magnitude to 448,
// the greatest number of the format. Elements that share a scale with a NaN become NaN.
func RunRoundFP8[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], to *FP8) error {
	const name = "quant.RunRoundFP8"
	if to == nil {
		return shape.Wrong(name, "to is nil, expected a matrix")
	}
	n, err := shape.Check(name, shape.Of("x", x, "m k"), shape.Of("to.Values", to.Values, "m k"), shape.Of("to.Scales", to.Scales, "rows/high k/128"))
	if err == nil && to.High != 1 {
		err = to.check(name, "to", n, "m", blockFP8)
	} else if err == nil {
		err = to.check(name, "to", n, "m", 1)
	}
	if err != nil {
		return err
	}
	if to.High == 1 {
		return cutile.Launch(ctx, on, cutile.Sized(RoundFP8Rows[E, one], shape.Fit(n["m"], 1, high)), x, to.Values, to.Scales)
	}
	return cutile.Launch(ctx, on, RoundFP8Blocks[E], x, to.Values, to.Scales)
}

// RunLinearFP8 queues y = x·wᵀ for x [tokens, in] with a scale for each row of 128 elements, w [out, in] with one for each 128 rows, and y
// [tokens, out]. Sums are float32.
func RunLinearFP8[C Float](ctx context.Context, on cutile.Target, x, w *FP8, y *cutile.Tensor[C]) error {
	const name = "quant.RunLinearFP8"
	if x == nil || w == nil {
		return shape.Wrong(name, "x or w is nil, expected matrices")
	}
	n, err := shape.Check(name, shape.Of("x.Values", x.Values, "m k"), shape.Of("x.Scales", x.Scales, "m k/128"),
		shape.Of("w.Values", w.Values, "n k"), shape.Of("w.Scales", w.Scales, "n/128 k/128"), shape.Of("y", y, "m n"))
	if err == nil {
		err = errors.Join(x.check(name, "x", n, "m", 1), w.check(name, "w", n, "n", blockFP8))
	}
	if err != nil {
		return err
	}
	k := cutile.Sized(ScaledFP8[C, one, one], shape.Fit(n["m"], 16, wide), shape.Fit(n["n"], 16, blockFP8))
	return cutile.Launch(ctx, on, k, x.Values, x.Scales, w.Values, w.Scales, y)
}
