package dtype

import "math"

// lost32 are the bits of a float32 that a TensorFloat32 lacks.
const lost32 = 1<<13 - 1

// TensorFloat32FromFloat32 rounds f to a TensorFloat32.
func TensorFloat32FromFloat32(f float32) TensorFloat32 {
	bits := math.Float32bits(f)
	if bits&^signBit32 > inf32 {
		return TensorFloat32(bits&signBit32 | inf32 | 1<<22)
	}
	return TensorFloat32((bits + lost32>>1 + bits>>13&1) &^ lost32)
}

// TensorFloat32FromFloat64 rounds f once to a TensorFloat32.
func TensorFloat32FromFloat64(f float64) TensorFloat32 {
	return TensorFloat32FromFloat32(oddFloat32(f))
}

// Float32 returns the exact value of h; it ignores the bits that a TensorFloat32 lacks.
func (h TensorFloat32) Float32() float32 { return math.Float32frombits(uint32(h) &^ lost32) }

// Float64 returns the exact value of h.
func (h TensorFloat32) Float64() float64 { return float64(h.Float32()) }
