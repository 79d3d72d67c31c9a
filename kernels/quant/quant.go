// Package quant multiplies quantised matrices: MXFP8, floats of 8 bits with a power of two for each 32 of them, and NVFP4,
// floats of 4 bits with a float of 8 bits for each 16. It runs on GPUs from sm_100 on and on the CPU.
//
// [MXFP8FromSlice] and [NVFP4FromSlice] round weights on the host, [RunRoundMXFP8] and [RunRoundNVFP4] round a layer's input on
// the device; [RunLinearMXFP8] and [RunLinearNVFP4] are linear layers.
//
// [FP8] are floats of 8 bits with a float32 scale for 128 elements of a row or for 128 by 128, which GPUs from sm_90 on multiply: see
// [RunRoundFP8] and [RunLinearFP8].
//
// [Int8] and [Int4] are weights alone, integers with a scale for each group, for layers whose input stays in floats: [RunLinearInt8]
// and [RunLinearInt4] run on every device.
package quant

import (
	"embed"
	"errors"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed encode.go floats.go integers.go integers_kernels.go kernels.go linear.go quant.go round.go
var source embed.FS
var _ = cutile.Module(source)

type one = tile.D1

// How many elements along k have a scale.
const (
	blockMXFP8 = 32
	blockNVFP4 = 16
)

// The greatest numbers of the formats.
const (
	mostE4M3 = 448
	mostE2M1 = 6
)

// checkShape checks that rows of k elements are whole blocks.
func checkShape(function string, rows, k, block int) error {
	if rows < 0 || k < 0 || k%block != 0 {
		return shape.Wrong(function, "the shape is [%d %d], expected rows of a multiple of %d elements", rows, k, block)
	}
	return nil
}

// factorFor is the factor of NVFP4 for numbers up to a magnitude.
func factorFor(most float32) float32 {
	return max(most/(mostE2M1*mostE4M3), math.SmallestNonzeroFloat32)
}

// MXFP8 is a matrix [rows, k] in which every 32 elements along k have a scale: element (i, j) is Values[i, j]·Scales[i, j/32].
// (Open Compute Project, OCP Microscaling Formats Specification, 2023.)
type MXFP8 struct {
	Values *cutile.Tensor[dtype.Float8E4M3FN]  // [rows, k]
	Scales *cutile.Tensor[dtype.Float8E8M0FNU] // [rows, k/32]
}

// NVFP4 is a matrix [rows, k] in which every 16 elements along k have a scale, and all elements share a factor: element (i, j)
// is Values[i, j]·Scales[i, j/16]·Factor.
type NVFP4 struct {
	Values *cutile.Tensor[uint8]              // [rows, k/2]: bytes that hold two dtype.Float4E2M1FN each, the first in the lower half
	Scales *cutile.Tensor[dtype.Float8E4M3FN] // [rows, k/16]
	Factor float32
}

// NewMXFP8 allocates a matrix [rows, k]; k is a multiple of 32.
func NewMXFP8(dev *cutile.Device, rows, k int) (*MXFP8, error) {
	if err := checkShape("quant.NewMXFP8", rows, k, blockMXFP8); err != nil {
		return nil, err
	}
	m := &MXFP8{}
	var err error
	if m.Values, err = cutile.NewTensor[dtype.Float8E4M3FN](dev, rows, k); err != nil {
		return nil, err
	}
	if m.Scales, err = cutile.NewTensor[dtype.Float8E8M0FNU](dev, rows, k/blockMXFP8); err != nil {
		m.Values.Close()
		return nil, err
	}
	return m, nil
}

// NewNVFP4 allocates a matrix [rows, k] of numbers up to a magnitude, which determines the factor; k is a multiple of 16.
func NewNVFP4(dev *cutile.Device, rows, k int, most float32) (*NVFP4, error) {
	const name = "quant.NewNVFP4"
	if err := checkShape(name, rows, k, blockNVFP4); err != nil {
		return nil, err
	}
	if !(most > 0) || math.IsInf(float64(most), 0) {
		return nil, shape.Wrong(name, "the greatest magnitude is %v, expected a positive number", most)
	}
	m := &NVFP4{Factor: factorFor(most)}
	var err error
	if m.Values, err = cutile.NewTensor[uint8](dev, rows, k/2); err != nil {
		return nil, err
	}
	if m.Scales, err = cutile.NewTensor[dtype.Float8E4M3FN](dev, rows, k/blockNVFP4); err != nil {
		m.Values.Close()
		return nil, err
	}
	return m, nil
}

// Close frees the memory when all queued work has run.
func (m *MXFP8) Close() error { return errors.Join(m.Values.Close(), m.Scales.Close()) }

// Close frees the memory when all queued work has run.
func (m *NVFP4) Close() error { return errors.Join(m.Values.Close(), m.Scales.Close()) }

// Slice waits for queued work and returns the elements in row-major order.
func (m *MXFP8) Slice() ([]float32, error) {
	values, err := m.Values.Slice()
	if err != nil {
		return nil, err
	}
	scales, err := m.Scales.Slice()
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v.Float64() * scales[i/blockMXFP8].Float64())
	}
	return out, nil
}

// Slice waits for queued work and returns the elements in row-major order.
func (m *NVFP4) Slice() ([]float32, error) {
	bytes, err := m.Values.Slice()
	if err != nil {
		return nil, err
	}
	scales, err := m.Scales.Slice()
	if err != nil {
		return nil, err
	}
	out := make([]float32, 2*len(bytes))
	for i, v := range dtype.UnpackHalves[dtype.Float4E2M1FN](bytes, len(out)) {
		out[i] = float32(v.Float64() * scales[i/blockNVFP4].Float64() * float64(m.Factor))
	}
	return out, nil
}
