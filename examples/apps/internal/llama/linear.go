package llama

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/quant"
	"github.com/cutile-go/cutile/tile"
)

// Format says in what form weights are kept.
type Format string

// The formats. In BF16 what is computed between layers is bfloat16 as well; in the others it is float32.
const (
	F32  Format = "f32"
	BF16 Format = "bf16"
	Int8 Format = "int8" // integers with a scale for each group of at most 64 weights; norms, biases and the token table stay float32
	Int4 Format = "int4"
)

// Formats are all formats.
var Formats = []Format{F32, BF16, Int8, Int4}

// float lists the element types of what is computed between layers.
type float interface{ dtype.BFloat16 | float32 }

// linear is y = x·wᵀ + bias with the weights in one of the formats.
type linear[E float] struct {
	dense *cutile.Tensor[E]
	int8s *quant.Int8
	int4s *quant.Int4
	bias  *cutile.Tensor[float32] // or nil
}

// newLinear makes a layer of weights [rows, cols] in row-major order.
func newLinear[E float](dev *cutile.Device, f Format, w []float32, rows, cols int, bias []float32) (l linear[E], err error) {
	switch f {
	case Int8:
		l.int8s, err = quant.Int8FromSlice(dev, w, rows, cols, group(cols))
	case Int4:
		l.int4s, err = quant.Int4FromSlice(dev, w, rows, cols, group(cols))
	default:
		l.dense, err = upload[E](dev, w, rows, cols)
	}
	if err == nil && bias != nil {
		l.bias, err = cutile.FromSlice(dev, bias)
	}
	return l, err
}

// group is how many weights of a row share a scale: at most 64, a power of two that divides the row.
func group(cols int) int { return min(64, cols&-cols) }

// checkFormat refuses rows that have no groups.
func (c Config) checkFormat(f Format) error {
	if !slices.Contains(Formats, f) {
		return fmt.Errorf("the format %q of weights is unknown: there are %v", f, Formats)
	}
	for _, cols := range []int{c.Dim, c.Heads * c.HeadDim, c.Hidden} {
		if (f == Int8 || f == Int4) && group(cols) < 16 {
			return fmt.Errorf("weights in rows of %d cannot be %s: the length must be a multiple of 16; use -weights f32 or bf16", cols, f)
		}
	}
	return nil
}

// upload makes a tensor of numbers, rounded to E.
func upload[E float](dev *cutile.Device, x []float32, shape ...int) (*cutile.Tensor[E], error) {
	if same, ok := any(x).([]E); ok {
		return cutile.FromSlice(dev, same, shape...)
	}
	return cutile.FromSlice(dev, dtype.Floats[E](x), shape...)
}

// apply queues y = x·wᵀ + bias.
func apply[E, C float](ctx context.Context, on cutile.Target, l linear[E], x *cutile.Tensor[E], y *cutile.Tensor[C]) error {
	var err error
	switch {
	case l.int8s != nil:
		err = quant.RunLinearInt8(ctx, on, x, l.int8s, y)
	case l.int4s != nil:
		err = quant.RunLinearInt4(ctx, on, x, l.int4s, y)
	default:
		return gemm.RunLinear(ctx, on, x, l.dense, l.bias, y, gemm.Identity[tile.F32T2[tile.D1, tile.D1]])
	}
	if err == nil && l.bias != nil {
		err = addRow(ctx, on, l.bias, y)
	}
	return err
}

// finite refuses weights that are no numbers: quantising them would hide that.
func finite(name string, x []float32) error {
	for i, v := range x {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("element %d of the tensor %s is %g", i, name, v)
		}
	}
	return nil
}

// close passes on what holds memory.
func (l linear[E]) close(free func(...interface{ Close() error })) {
	if l.dense != nil {
		free(l.dense)
	}
	if l.int8s != nil {
		free(l.int8s)
	}
	if l.int4s != nil {
		free(l.int4s)
	}
	if l.bias != nil {
		free(l.bias)
	}
}
