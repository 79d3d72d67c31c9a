package dtype

import "math"

// floats are the conversions of the float types that Go lacks.
var floats = [numTypes]struct {
	encode func(f float64) uint64
	decode func(bits uint64) float64
}{
	F16:       {encoder(Float16FromFloat64), decoder(Float16.Float64)},
	BF16:      {encoder(BFloat16FromFloat64), decoder(BFloat16.Float64)},
	F8E4M3FN:  {encoder(Float8E4M3FNFromFloat64), decoder(Float8E4M3FN.Float64)},
	F8E5M2:    {encoder(Float8E5M2FromFloat64), decoder(Float8E5M2.Float64)},
	F8E8M0FNU: {encoder(Float8E8M0FNUFromFloat64), decoder(Float8E8M0FNU.Float64)},
	F8E5M3FNU: {encoder(Float8E5M3FNUFromFloat64), decoder(Float8E5M3FNU.Float64)},
	F4E2M1FN:  {encoder(Float4E2M1FNFromFloat64), decoder(Float4E2M1FN.Float64)},
	TF32:      {encoder(TensorFloat32FromFloat64), decoder(TensorFloat32.Float64)},
	F32: {func(f float64) uint64 { return uint64(math.Float32bits(float32(f))) },
		func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }},
	F64: {math.Float64bits, math.Float64frombits},
}

func encoder[E ~uint8 | ~uint16 | ~uint32](f func(float64) E) func(float64) uint64 {
	return func(x float64) uint64 { return uint64(f(x)) }
}

func decoder[E ~uint8 | ~uint16 | ~uint32](f func(E) float64) func(uint64) float64 {
	return func(bits uint64) float64 { return f(E(bits)) }
}

// FloatBits gives the bits of the number of a float type that is nearest to f. It panics where t is no float type.
func (t Type) FloatBits(f float64) uint64 { return floats[t].encode(f) }

// FloatFromBits gives the number of a float type that has these bits. It panics where t is no float type.
func (t Type) FloatFromBits(bits uint64) float64 { return floats[t].decode(bits) }

// Holds reports whether a float type has a number for f, rounded where need be: what is too large for it, an infinity
// or NaN that it lacks and a sign that it lacks do not fit.
func (t Type) Holds(f float64) bool {
	back := t.FloatFromBits(t.FloatBits(f))
	switch {
	case f != f:
		return back != back
	case math.IsInf(f, 0):
		return back == f
	case f < 0 && !t.IsSigned():
		return false
	}
	return !math.IsInf(back, 0) && (types[t].size > 1 || math.Abs(f) <= math.Abs(t.FloatFromBits(t.FloatBits(math.Copysign(math.MaxFloat64, f)))))
}
