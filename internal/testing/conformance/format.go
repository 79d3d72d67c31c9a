package conformance

import (
	"math"
	"math/big"

	"github.com/cutile-go/cutile/dtype"
)

// format is a binary floating-point format: bits of precision and the exponents of its normal numbers.
type format struct{ prec, emin, emax int }

var formats = map[dtype.Type]format{
	dtype.F16:  {11, -14, 15},
	dtype.BF16: {8, -126, 127},
	dtype.F32:  {24, -126, 127},
	dtype.F64:  {53, -1022, 1023},
	dtype.TF32: {11, -126, 127},
}

// round gives the nearest number of the format, ties to even, as a float64, which holds it exactly.
func (f format) round(x *big.Float) float64 {
	if x.Sign() == 0 || x.IsInf() {
		v, _ := x.Float64()
		return v
	}
	e := x.MantExp(nil) - 1
	prec := f.prec
	if e < f.emin {
		prec -= f.emin - e
	}
	v := 0.0
	switch {
	case prec > 0:
		v, _ = new(big.Float).SetPrec(uint(prec)).SetMode(big.ToNearestEven).Set(x).Float64()
	case prec == 0: // between a half and one of the least number
		least := math.Ldexp(1, f.emin-f.prec+1)
		if new(big.Float).Abs(x).Cmp(new(big.Float).SetMantExp(big.NewFloat(least), -1)) > 0 {
			v = least
		}
	}
	if v = math.Abs(v); v/2 >= math.Ldexp(1, f.emax) {
		v = math.Inf(1)
	}
	return math.Copysign(v, float64(x.Sign()))
}

// ulp is the distance between neighbours at v.
func (f format) ulp(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return math.Ldexp(1, f.emin-f.prec+1)
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-1, f.emin)-f.prec+1)
}

// roundBig is the nearest E.
func roundBig[E dtype.Elem](x *big.Float) E {
	return fromF64[E](formats[dtype.Of[E]()].round(x))
}

// toF64 is the value of a number, exact but for large 64-bit integers.
func toF64[E dtype.Elem](v E) float64 {
	switch v := any(v).(type) {
	case dtype.Float16:
		return v.Float64()
	case dtype.BFloat16:
		return v.Float64()
	case float32:
		return float64(v)
	case float64:
		return v
	case int8:
		return float64(v)
	case int16:
		return float64(v)
	case int32:
		return float64(v)
	case int64:
		return float64(v)
	case uint8:
		return float64(v)
	case uint16:
		return float64(v)
	case uint32:
		return float64(v)
	case uint64:
		return float64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return dtype.Of[E]().FloatFromBits(bits(v))
}

// fromF64 is the nearest float, or the integer of that value.
func fromF64[E dtype.Elem](f float64) E {
	var e E
	switch p := any(&e).(type) {
	case *dtype.Float16:
		*p = dtype.Float16FromFloat64(f)
	case *dtype.BFloat16:
		*p = dtype.BFloat16FromFloat64(f)
	case *float32:
		*p = float32(f)
	case *float64:
		*p = f
	case *int8:
		*p = int8(f)
	case *int16:
		*p = int16(f)
	case *int32:
		*p = int32(f)
	case *int64:
		*p = int64(f)
	case *uint8:
		*p = uint8(f)
	case *uint16:
		*p = uint16(f)
	case *uint32:
		*p = uint32(f)
	case *uint64:
		*p = uint64(f)
	case *bool:
		*p = f != 0
	default:
		return fromBits[E](dtype.Of[E]().FloatBits(f))
	}
	return e
}

// toBig is the value of a finite number, exactly.
func toBig[E dtype.Elem](v E) *big.Float {
	switch v := any(v).(type) {
	case int64:
		return new(big.Float).SetInt64(v)
	case uint64:
		return new(big.Float).SetUint64(v)
	}
	return big.NewFloat(toF64(v))
}
