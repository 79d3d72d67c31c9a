package eval

import (
	"go/token"
	"math"
)

// mathFuncs are the functions of package math that can be computed on static numbers.
var mathFuncs = map[string]func(x, y float64) float64{
	"Abs": one1(math.Abs), "Ceil": one1(math.Ceil), "Floor": one1(math.Floor), "Trunc": one1(math.Trunc), "Round": one1(math.Round),
	"Sqrt": one1(math.Sqrt), "Cbrt": one1(math.Cbrt), "Exp": one1(math.Exp), "Exp2": one1(math.Exp2), "Log": one1(math.Log), "Log2": one1(math.Log2),
	"Log10": one1(math.Log10), "Sin": one1(math.Sin), "Cos": one1(math.Cos), "Tan": one1(math.Tan), "Tanh": one1(math.Tanh), "Erf": one1(math.Erf),
	"Pow": math.Pow, "Mod": math.Mod, "Hypot": math.Hypot, "Max": math.Max, "Min": math.Min, "Atan2": math.Atan2,
}

func one1(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

// mathCall computes a function of package math.
func (ev *evaluator) mathCall(pos token.Pos, name string, args []value) []value {
	if name == "Inf" {
		return []value{nonFinite(math.Inf(ev.staticInt(pos, args[0], "the sign")))}
	}
	if name == "NaN" {
		return []value{nonFinite(math.NaN())}
	}
	f, ok := mathFuncs[name]
	ev.must(ok, pos, "math.%s cannot be compiled: package cute has the functions of the device", name)
	var in [2]float64
	for i, a := range args {
		ev.must(isStatic(a), pos, "math.%s takes numbers that are known when the function is compiled: for dynamic ones use the functions of package cute", name)
		in[i] = float(a)
	}
	return []value{ev.rounded(f(in[0], in[1]), f64Elem)}
}
