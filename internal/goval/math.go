package goval

import (
	"go/constant"
	"math"
)

// The functions of package math of one and of two floats, by name.
var (
	math1 = map[string]func(float64) float64{
		"Abs": math.Abs, "Acos": math.Acos, "Acosh": math.Acosh, "Asin": math.Asin, "Asinh": math.Asinh, "Atan": math.Atan,
		"Atanh": math.Atanh, "Cbrt": math.Cbrt, "Ceil": math.Ceil, "Cos": math.Cos, "Cosh": math.Cosh, "Erf": math.Erf,
		"Erfc": math.Erfc, "Erfinv": math.Erfinv, "Erfcinv": math.Erfcinv, "Exp": math.Exp, "Exp2": math.Exp2, "Expm1": math.Expm1,
		"Floor": math.Floor, "Gamma": math.Gamma, "J0": math.J0, "J1": math.J1, "Log": math.Log, "Log10": math.Log10,
		"Log1p": math.Log1p, "Log2": math.Log2, "Logb": math.Logb, "Round": math.Round, "RoundToEven": math.RoundToEven, "Sin": math.Sin,
		"Sinh": math.Sinh, "Sqrt": math.Sqrt, "Tan": math.Tan, "Tanh": math.Tanh, "Trunc": math.Trunc, "Y0": math.Y0, "Y1": math.Y1,
	}
	math2 = map[string]func(x, y float64) float64{
		"Atan2": math.Atan2, "Copysign": math.Copysign, "Dim": math.Dim, "Hypot": math.Hypot, "Max": math.Max, "Min": math.Min,
		"Mod": math.Mod, "Nextafter": math.Nextafter, "Pow": math.Pow, "Remainder": math.Remainder,
	}
)

// Math computes a function of package math by its name; false for one that is not known.
func Math(name string, xs []float64) (Value, bool) {
	if f, ok := math1[name]; ok && len(xs) == 1 {
		return FromFloat(f(xs[0])), true
	}
	if f, ok := math2[name]; ok && len(xs) == 2 {
		return FromFloat(f(xs[0], xs[1])), true
	}
	switch name {
	case "Inf":
		return NonFinite(math.Inf(int(math.Copysign(1, xs[0])))), true
	case "NaN":
		return NonFinite(math.NaN()), true
	case "IsNaN":
		return constant.MakeBool(math.IsNaN(xs[0])), true
	case "IsInf":
		return constant.MakeBool(math.IsInf(xs[0], int(max(-1, min(xs[1], 1))))), true
	case "Signbit":
		return constant.MakeBool(math.Signbit(xs[0])), true
	case "FMA":
		return FromFloat(math.FMA(xs[0], xs[1], xs[2])), true
	case "Pow10":
		return FromFloat(math.Pow10(int(max(-400, min(xs[0], 400))))), true
	case "Ldexp":
		return FromFloat(math.Ldexp(xs[0], int(max(-5000, min(xs[1], 5000))))), true
	case "Float32bits":
		return constant.MakeUint64(uint64(math.Float32bits(float32(xs[0])))), true
	case "Float64bits":
		return constant.MakeUint64(math.Float64bits(xs[0])), true
	case "Float32frombits":
		return FromFloat(float64(math.Float32frombits(uint32(xs[0])))), true
	}
	return nil, false
}
