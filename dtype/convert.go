package dtype

import "math"

// Bits of the formats.
const (
	signBit32 = 1 << 31
	inf32     = 0x7f800000
	inf16     = 0x7c00
	infB16    = 0x7f80
	quiet16   = 0x7e00
	quietB16  = 0x7fc0

	least16    = 0x38800000 // 2^-14 as a float32: the least normal Float16
	overflow16 = 0x47800000 // 2^16 as a float32: everything from here on is an infinity
	half32     = 0x3f000000 // 0.5 as a float32
)

// Float16FromFloat32 rounds f to a Float16.
func Float16FromFloat32(f float32) Float16 {
	bits := math.Float32bits(f)
	sign := Float16(bits >> 16 & 0x8000)
	bits &^= signBit32
	if bits-least16 < overflow16-least16 { // a normal number, which may still round up to infinity
		return sign | Float16((bits-least16+1<<23+0xfff+bits>>13&1)>>13)
	}
	if bits < least16 {
		// The last bit of 0.5 weighs as much as the last bit of a subnormal Float16, so the adder rounds.
		return sign | Float16(math.Float32bits(math.Float32frombits(bits)+0.5)-half32)
	}
	if bits > inf32 {
		return sign | quiet16
	}
	return sign | inf16
}

// BFloat16FromFloat32 rounds f to a BFloat16.
func BFloat16FromFloat32(f float32) BFloat16 {
	bits := math.Float32bits(f)
	if bits&^signBit32 > inf32 {
		return BFloat16(bits>>16&0x8000) | quietB16
	}
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float16FromFloat64 rounds f once to a Float16.
func Float16FromFloat64(f float64) Float16 { return Float16FromFloat32(oddFloat32(f)) }

// BFloat16FromFloat64 rounds f once to a BFloat16.
func BFloat16FromFloat64(f float64) BFloat16 { return BFloat16FromFloat32(oddFloat32(f)) }

// oddFloat32 rounds to odd: toward zero, with the last bit set where anything was lost. A second rounding to at least
// two bits fewer then gives what one rounding of f would have given.
func oddFloat32(f float64) float32 {
	g := float32(f)
	back := float64(g)
	if back == f || f != f {
		return g
	}
	bits := math.Float32bits(g)
	if math.Abs(back) > math.Abs(f) {
		bits--
	}
	return math.Float32frombits(bits | 1)
}

// Float32 returns the exact value of h.
func (h Float16) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	bits := uint32(h&0x7fff) << 13
	switch {
	case bits >= inf16<<13:
		return math.Float32frombits(sign | bits | inf32)
	case bits >= 1<<23:
		return math.Float32frombits(sign | bits + (127-15)<<23)
	}
	return math.Float32frombits(sign | math.Float32bits(float32(int32(h&0x3ff))*0x1p-24))
}

// Float64 returns the exact value of h.
func (h Float16) Float64() float64 { return float64(h.Float32()) }

// Float32 returns the exact value of h.
func (h BFloat16) Float32() float32 { return math.Float32frombits(uint32(h) << 16) }

// Float64 returns the exact value of h.
func (h BFloat16) Float64() float64 { return float64(h.Float32()) }
