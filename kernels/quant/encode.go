package quant

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// MXFP8FromSlice rounds a matrix [rows, k] of finite numbers in row-major order; k is a multiple of 32. A scale is the least
// power of two for which no element exceeds 448, the greatest number of the format. (The specification suggests a scale that
// may be half of it, and clamps elements that exceed 448.)
func MXFP8FromSlice(dev *cutile.Device, x []float32, rows, k int) (*MXFP8, error) {
	if err := checkSlice("quant.MXFP8FromSlice", x, rows, k, blockMXFP8); err != nil {
		return nil, err
	}
	m, err := NewMXFP8(dev, rows, k)
	if err != nil {
		return nil, err
	}
	values, scales := make([]dtype.Float8E4M3FN, len(x)), make([]dtype.Float8E8M0FNU, len(x)/blockMXFP8)
	for b := range scales {
		block := x[b*blockMXFP8:][:blockMXFP8]
		e := exponent(peak(block))
		scales[b] = dtype.Float8E8M0FNUFromFloat64(math.Ldexp(1, e))
		for i, v := range block {
			values[b*blockMXFP8+i] = dtype.Float8E4M3FNFromFloat64(math.Ldexp(float64(v), -e))
		}
	}
	if err := write(m.Values, values, m.Scales, scales); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// exponent is the least e from -127 on for which 448·2^e is at least x.
func exponent(x float32) int {
	const least = -127
	if x == 0 {
		return least
	}
	f, e := math.Frexp(float64(x)) // x is f·2^e, f being at least 1/2 and less than 1
	if e -= 9; f > mostE4M3/512.0 {
		e++
	}
	return max(e, least)
}

// NVFP4FromSlice rounds a matrix [rows, k] of finite numbers in row-major order; k is a multiple of 16. The factor scales the
// greatest element to 6·448, the greatest number of the format; a scale brings the greatest of its 16 elements as close to 6 as
// its format can.
func NVFP4FromSlice(dev *cutile.Device, x []float32, rows, k int) (*NVFP4, error) {
	if err := checkSlice("quant.NVFP4FromSlice", x, rows, k, blockNVFP4); err != nil {
		return nil, err
	}
	most := peak(x)
	if most == 0 {
		most = mostE2M1 * mostE4M3 // any
	}
	m, err := NewNVFP4(dev, rows, k, most)
	if err != nil {
		return nil, err
	}
	values, scales := make([]dtype.Float4E2M1FN, len(x)), make([]dtype.Float8E4M3FN, len(x)/blockNVFP4)
	for b := range scales {
		block := x[b*blockNVFP4:][:blockNVFP4]
		scales[b] = dtype.Float8E4M3FNFromFloat32(peak(block) / mostE2M1 / m.Factor)
		unit := scales[b].Float32() * m.Factor
		for i, v := range block {
			if unit > 0 { // else all are too small, and 0
				values[b*blockNVFP4+i] = dtype.Float4E2M1FNFromFloat32(v / unit)
			}
		}
	}
	if err := write(m.Values, dtype.PackHalves(values), m.Scales, scales); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// peak is the greatest magnitude.
func peak(x []float32) float32 {
	var most float32
	for _, v := range x {
		most = max(most, v, -v)
	}
	return most
}

// write fills the two parts of a matrix.
func write[V, S dtype.Elem](v *cutile.Tensor[V], values []V, s *cutile.Tensor[S], scales []S) error {
	if err := v.Write(context.Background(), values); err != nil {
		return err
	}
	return s.Write(context.Background(), scales)
}

// checkSlice checks that x is a matrix [rows, k] of finite numbers in whole blocks.
func checkSlice(function string, x []float32, rows, k, block int) error {
	if err := checkShape(function, rows, k, block); err != nil {
		return err
	}
	if len(x) != rows*k {
		return shape.Wrong(function, "there are %d elements for shape [%d %d], expected %d", len(x), rows, k, rows*k)
	}
	for i, v := range x {
		if math.IsInf(float64(v), 0) || v != v {
			return shape.Wrong(function, "element [%d %d] is %v, expected finite numbers", i/k, i%k, v)
		}
	}
	return nil
}
