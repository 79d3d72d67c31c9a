package dtype

// Conversions of the floats of at most eight bits, by the formats of the table.

// Float8E4M3FNFromFloat32 rounds f to a Float8E4M3FN.
func Float8E4M3FNFromFloat32(f float32) Float8E4M3FN {
	return Float8E4M3FN(F8E4M3FN.FloatBits(float64(f)))
}

// Float8E4M3FNFromFloat64 rounds f once to a Float8E4M3FN.
func Float8E4M3FNFromFloat64(f float64) Float8E4M3FN { return Float8E4M3FN(F8E4M3FN.FloatBits(f)) }

// Float32 returns the exact value of h.
func (h Float8E4M3FN) Float32() float32 { return float32(F8E4M3FN.FloatFromBits(uint64(h))) }

// Float64 returns the exact value of h.
func (h Float8E4M3FN) Float64() float64 { return F8E4M3FN.FloatFromBits(uint64(h)) }

// Float8E5M2FromFloat32 rounds f to a Float8E5M2.
func Float8E5M2FromFloat32(f float32) Float8E5M2 { return Float8E5M2(F8E5M2.FloatBits(float64(f))) }

// Float8E5M2FromFloat64 rounds f once to a Float8E5M2.
func Float8E5M2FromFloat64(f float64) Float8E5M2 { return Float8E5M2(F8E5M2.FloatBits(f)) }

// Float32 returns the exact value of h.
func (h Float8E5M2) Float32() float32 { return float32(F8E5M2.FloatFromBits(uint64(h))) }

// Float64 returns the exact value of h.
func (h Float8E5M2) Float64() float64 { return F8E5M2.FloatFromBits(uint64(h)) }

// Float8E8M0FNUFromFloat32 rounds the magnitude of f to a power of two, ties up; zero becomes the least number.
func Float8E8M0FNUFromFloat32(f float32) Float8E8M0FNU {
	return Float8E8M0FNU(F8E8M0FNU.FloatBits(float64(f)))
}

// Float8E8M0FNUFromFloat64 rounds the magnitude of f once to a power of two, ties up; zero becomes the least number.
func Float8E8M0FNUFromFloat64(f float64) Float8E8M0FNU { return Float8E8M0FNU(F8E8M0FNU.FloatBits(f)) }

// Float32 returns the exact value of h.
func (h Float8E8M0FNU) Float32() float32 { return float32(F8E8M0FNU.FloatFromBits(uint64(h))) }

// Float64 returns the exact value of h.
func (h Float8E8M0FNU) Float64() float64 { return F8E8M0FNU.FloatFromBits(uint64(h)) }

// Float8E5M3FNUFromFloat32 rounds f to a Float8E5M3FNU.
func Float8E5M3FNUFromFloat32(f float32) Float8E5M3FNU {
	return Float8E5M3FNU(F8E5M3FNU.FloatBits(float64(f)))
}

// Float8E5M3FNUFromFloat64 rounds f once to a Float8E5M3FNU.
func Float8E5M3FNUFromFloat64(f float64) Float8E5M3FNU { return Float8E5M3FNU(F8E5M3FNU.FloatBits(f)) }

// Float32 returns the exact value of h.
func (h Float8E5M3FNU) Float32() float32 { return float32(F8E5M3FNU.FloatFromBits(uint64(h))) }

// Float64 returns the exact value of h.
func (h Float8E5M3FNU) Float64() float64 { return F8E5M3FNU.FloatFromBits(uint64(h)) }

// Float4E2M1FNFromFloat32 rounds f to a Float4E2M1FN.
func Float4E2M1FNFromFloat32(f float32) Float4E2M1FN {
	return Float4E2M1FN(F4E2M1FN.FloatBits(float64(f)))
}

// Float4E2M1FNFromFloat64 rounds f once to a Float4E2M1FN.
func Float4E2M1FNFromFloat64(f float64) Float4E2M1FN { return Float4E2M1FN(F4E2M1FN.FloatBits(f)) }

// Float32 returns the exact value of h.
func (h Float4E2M1FN) Float32() float32 { return float32(F4E2M1FN.FloatFromBits(uint64(h))) }

// Float64 returns the exact value of h.
func (h Float4E2M1FN) Float64() float64 { return F4E2M1FN.FloatFromBits(uint64(h)) }
