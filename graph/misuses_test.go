package graph_test

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// Parameters of some element types, for misuses.

func f32(g *graph.Graph, shape ...int) *graph.Value { return g.Parameter("x", dtype.F32, shape...) }
func f64(g *graph.Graph, shape ...int) *graph.Value { return g.Parameter("x", dtype.F64, shape...) }
func i32(g *graph.Graph, shape ...int) *graph.Value { return g.Parameter("x", dtype.I32, shape...) }
func u64(g *graph.Graph, shape ...int) *graph.Value { return g.Parameter("x", dtype.U64, shape...) }
func truths(g *graph.Graph, shape ...int) *graph.Value {
	return g.Parameter("x", dtype.Bool, shape...)
}
func c32(g *graph.Graph, shape ...int) graph.Complex {
	return graph.Complex{Re: f32(g, shape...), Im: f32(g, shape...)}
}

// large is a shape of more elements than an array may have.
const large = 1 << 16

func misuses() []misuse {
	return slices.Concat(unaryMisuses(), binaryMisuses(), reduceMisuses(), complexMisuses(), leafMisuses, pointMisuses, shapeMisuses, gatherMisuses,
		productMisuses, poolMisuses, normMisuses, transformMisuses, randomMisuses, recurrentMisuses, controlMisuses)
}

// The functions of one array, by the element types that they take.
var (
	ofFloats = map[string]func(*graph.Value) *graph.Value{
		"Exp": graph.Exp, "Exp2": graph.Exp2, "Expm1": graph.Expm1, "Log": graph.Log, "Log2": graph.Log2, "Log1p": graph.Log1p,
		"Sqrt": graph.Sqrt, "Rsqrt": graph.Rsqrt, "Sin": graph.Sin, "Cos": graph.Cos, "Tan": graph.Tan, "Asin": graph.Asin, "Acos": graph.Acos,
		"Atan": graph.Atan, "Sinh": graph.Sinh, "Cosh": graph.Cosh, "Tanh": graph.Tanh, "Asinh": graph.Asinh, "Acosh": graph.Acosh,
		"Atanh": graph.Atanh, "Erf": graph.Erf, "Sigmoid": graph.Sigmoid, "Floor": graph.Floor, "Ceil": graph.Ceil, "Trunc": graph.Trunc,
		"RoundToEven": graph.RoundToEven, "Round": graph.Round, "IsFinite": graph.IsFinite, "IsNaN": graph.IsNaN, "IsInf": graph.IsInf,
		"Silu": graph.Silu, "Gelu": graph.Gelu, "GeluTanh": graph.GeluTanh,
	}
	ofNumbers = map[string]func(*graph.Value) *graph.Value{
		"Neg": graph.Neg, "Abs": graph.Abs, "Sign": graph.Sign, "Square": graph.Square, "Reciprocal": graph.Reciprocal, "Relu": graph.Relu,
	}
	ofInts = map[string]func(*graph.Value) *graph.Value{
		"Not": graph.Not, "LeadingZeros": graph.LeadingZeros, "OnesCount": graph.OnesCount,
	}
)

func unaryMisuses() (all []misuse) {
	for _, of := range []struct {
		functions map[string]func(*graph.Value) *graph.Value
		array     func(g *graph.Graph, shape ...int) *graph.Value
		want      string
	}{{ofFloats, i32, "the array is int32[3 2], expected float16, bfloat16, float32 or float64"}, {ofFloats, truths, "the array is bool[3 2], expected float16"},
		{ofNumbers, truths, "the array is bool[3 2], expected integers, float16"}, {ofInts, f32, "the array is float32[3 2], expected integers"}} {
		for name, f := range of.functions {
			all = append(all, misuse{name, of.want, func(g *graph.Graph) { f(of.array(g, 3, 2)) }, nil})
		}
	}
	return all
}

// The functions of two arrays, by the element types that they do not take.
var notOf = []struct {
	array     func(g *graph.Graph, shape ...int) *graph.Value
	want      string
	functions map[string]func(x, y *graph.Value) *graph.Value
}{
	{truths, "bool[2 3]", map[string]func(x, y *graph.Value) *graph.Value{"Add": graph.Add, "Sub": graph.Sub, "Mul": graph.Mul, "Div": graph.Div,
		"Rem": graph.Rem, "Mod": graph.Mod, "Pow": graph.Pow, "Max": graph.Max, "Min": graph.Min, "Less": graph.Less, "LessEqual": graph.LessEqual,
		"Greater": graph.Greater, "GreaterEqual": graph.GreaterEqual, "MatMul": graph.MatMul}},
	{i32, "int32[2 3]", map[string]func(x, y *graph.Value) *graph.Value{"Atan2": graph.Atan2}},
	{f32, "float32[2 3]", map[string]func(x, y *graph.Value) *graph.Value{"And": graph.And, "Or": graph.Or, "Xor": graph.Xor,
		"ShiftLeft": graph.ShiftLeft, "ShiftRight": graph.ShiftRight, "ShiftRightArithmetic": graph.ShiftRightArithmetic, "MulHigh": graph.MulHigh}},
}

func binaryMisuses() (all []misuse) {
	pairs := map[string]func(x, y *graph.Value) *graph.Value{"Equal": graph.Equal, "NotEqual": graph.NotEqual}
	for _, of := range notOf {
		for name, f := range of.functions {
			pairs[name] = f
			all = append(all, misuse{name, of.want, func(g *graph.Graph) { f(of.array(g, 2, 3), of.array(g, 2, 3)) }, nil})
		}
	}
	for name, f := range pairs {
		all = append(all, misuse{name, "operand 2 is nil", func(g *graph.Graph) { f(f32(g, 2), nil) }, nil},
			misuse{name, "operand 2 belongs to another graph", func(g *graph.Graph) { f(f32(g, 2), f32(graph.New(), 2)) }, nil})
		if name != "MatMul" {
			all = append(all, misuse{name, "int64", func(g *graph.Graph) { f(i32(g, 2, 3), g.Parameter("y", dtype.I64, 3)) }, nil})
		}
	}
	for _, name := range []string{"Add", "Equal", "Less", "Pow"} {
		f := pairs[name]
		all = append(all, misuse{name, "[float32[2 3] float32[2]]", func(g *graph.Graph) { f(f32(g, 2, 3), f32(g, 2)) }, nil})
	}
	return all
}

func reduceMisuses() (all []misuse) {
	reductions := map[string]func(x *graph.Value, axes ...int) *graph.Value{"ReduceSum": graph.ReduceSum, "ReduceProd": graph.ReduceProd,
		"ReduceMax": graph.ReduceMax, "ReduceMin": graph.ReduceMin, "ReduceMean": graph.ReduceMean}
	for name, f := range reductions {
		all = append(all, misuse{name, "axis 2 of float32[3 4], expected -2 to 1", func(g *graph.Graph) { f(f32(g, 3, 4), 2) }, nil},
			misuse{name, "axis -1 of float32[3 4] is named twice in [1 -1]", func(g *graph.Graph) { f(f32(g, 3, 4), 1, -1) }, nil})
	}
	bits := map[string]func(x *graph.Value, axes ...int) *graph.Value{"ReduceAnd": graph.ReduceAnd, "ReduceOr": graph.ReduceOr, "ReduceXor": graph.ReduceXor}
	for name, f := range bits {
		all = append(all, misuse{name, "the array is float32[3], expected integers or bool", func(g *graph.Graph) { f(f32(g, 3)) }, nil},
			misuse{name, "axis -3 of int32[3 4], expected -2 to 1", func(g *graph.Graph) { f(i32(g, 3, 4), -3) }, nil})
	}
	scans := map[string]func(x *graph.Value, axis int, reverse bool) *graph.Value{"CumSum": graph.CumSum, "CumProd": graph.CumProd, "CumMax": graph.CumMax, "CumMin": graph.CumMin}
	for name, f := range scans {
		all = append(all, misuse{name, "axis 1 of float32[3], expected -1 to 0", func(g *graph.Graph) { f(f32(g, 3), 1, false) }, nil},
			misuse{name, "axis 0 of float32[], which has no axes", func(g *graph.Graph) { f(f32(g), 0, false) }, nil})
	}
	for name, f := range map[string]func(x *graph.Value, axis int, elem dtype.Type) *graph.Value{"ArgMax": graph.ArgMax, "ArgMin": graph.ArgMin} {
		all = append(all, misuse{name, "axis 1 of float32[3], expected -1 to 0", func(g *graph.Graph) { f(f32(g, 3), 1, dtype.I32) }, nil},
			misuse{name, "the indices are float32", func(g *graph.Graph) { f(f32(g, 3), 0, dtype.F32) }, nil},
			misuse{name, "axis 0 of float32[0 3] has no elements", func(g *graph.Graph) { f(f32(g, 0, 3), 0, dtype.I32) }, nil},
			misuse{name, "indices up to 299 do not fit uint8", func(g *graph.Graph) { f(f32(g, 300), 0, dtype.U8) }, nil})
	}
	for name, f := range map[string]func(x *graph.Value, axis int) *graph.Value{"Softmax": graph.Softmax, "LogSoftmax": graph.LogSoftmax} {
		all = append(all, misuse{name, "axis 2 of float32[3 4], expected -2 to 1", func(g *graph.Graph) { f(f32(g, 3, 4), 2) }, nil},
			misuse{name, "the array is int32[3], expected float16", func(g *graph.Graph) { f(i32(g, 3), 0) }, nil},
			misuse{name, "axis -1 of float32[], which has no axes", func(g *graph.Graph) { f(f32(g), -1) }, nil})
	}
	return all
}
