package lower

import (
	"go/ast"
	"go/constant"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// The functions of package math on constants, by name.
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

// mathCall computes a function of package math, whose arguments must be known.
func (l *lowerer) mathCall(fr *frame, e *ast.CallExpr, f *types.Func) value {
	for _, a := range e.Args {
		if c, ok := ast.Unparen(a).(*ast.CallExpr); ok && fr.pkg.Info.Types[c.Fun].IsType() && len(c.Args) == 1 {
			if d := l.tileDesc(l.typeOf(fr, c.Args[0])); d != nil && len(d.Shape) > 0 { // float64(tile), as Go's types allow
				l.notOnTiles(e, f.Name())
			}
		}
	}
	args := l.evalList(fr, e.Args, f.Type().(*types.Signature).Params().Len())
	xs := make([]float64, len(args))
	for i, a := range args {
		if poisoned(a) {
			panic(bailout{})
		}
		if !isConst(a) {
			l.notOnTiles(e, f.Name())
		}
		xs[i] = float(a)
	}
	if r, ok := mathOf(f.Name(), xs); ok {
		return r
	}
	l.fail(e.Pos(), "math.%s cannot be used in a kernel", f.Name())
	return nil
}

func (l *lowerer) notOnTiles(e *ast.CallExpr, name string) {
	l.wanted = true
	advice := ""
	if l.w.Declares(describe.TilePath, name) {
		advice = ": tile." + name + " computes on tiles, and on numbers as tile.F32 and tile.F64"
	}
	l.fail(e.Pos(), "math.%s needs arguments that are known when the kernel is compiled%s", name, advice)
}

func mathOf(name string, xs []float64) (value, bool) {
	if f, ok := math1[name]; ok && len(xs) == 1 {
		return floatValue(f(xs[0])), true
	}
	if f, ok := math2[name]; ok && len(xs) == 2 {
		return floatValue(f(xs[0], xs[1])), true
	}
	switch name {
	case "Inf":
		return nonFinite(math.Inf(int(math.Copysign(1, xs[0])))), true
	case "NaN":
		return nonFinite(math.NaN()), true
	case "IsNaN":
		return truth(math.IsNaN(xs[0])), true
	case "IsInf":
		return truth(math.IsInf(xs[0], int(max(-1, min(xs[1], 1))))), true
	case "Signbit":
		return truth(math.Signbit(xs[0])), true
	case "FMA":
		return floatValue(math.FMA(xs[0], xs[1], xs[2])), true
	case "Pow10":
		return floatValue(math.Pow10(int(max(-400, min(xs[0], 400))))), true
	case "Ldexp":
		return floatValue(math.Ldexp(xs[0], int(max(-5000, min(xs[1], 5000))))), true
	case "Float32bits":
		return constant.MakeUint64(uint64(math.Float32bits(float32(xs[0])))), true
	case "Float64bits":
		return constant.MakeUint64(math.Float64bits(xs[0])), true
	case "Float32frombits":
		return floatValue(float64(math.Float32frombits(uint32(xs[0])))), true
	}
	return nil, false
}

// floatValue is a float as a constant, or what no constant can be.
func floatValue(f float64) value {
	if math.IsInf(f, 0) || math.IsNaN(f) || f == 0 && math.Signbit(f) {
		return nonFinite(f)
	}
	return constant.MakeFloat64(f)
}
