package graph_test

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var productMisuses = []misuse{
	{"MatMul", "the arrays are float32[2 3] and float32[2 3], expected as many columns", func(g *graph.Graph) { graph.MatMul(f32(g, 2, 3), f32(g, 2, 3)) }, nil},
	{"MatMul", "the arrays are float32[3] and float32[2], expected as many columns", func(g *graph.Graph) { graph.MatMul(f32(g, 3), f32(g, 2)) }, nil},
	{"MatMul", "the arrays are float32[] and float32[2]", func(g *graph.Graph) { graph.MatMul(f32(g), f32(g, 2)) }, nil},
	{"MatMul", "the arrays are float32[3 3] and int32[3 3]", func(g *graph.Graph) { graph.MatMul(f32(g, 3, 3), i32(g, 3, 3)) }, nil},
	{"MatMul", "float32[2 3 3] and float32[4 3 3]", func(g *graph.Graph) { graph.MatMul(f32(g, 2, 3, 3), f32(g, 4, 3, 3)) }, nil},
	{"DotGeneral", "axis 0 of float32[2] has extent 2 and axis 0 of float32[3] 3", func(g *graph.Graph) {
		graph.DotGeneral(f32(g, 2), f32(g, 3), graph.DotAxes{LeftSum: []int{0}, RightSum: []int{0}}, dtype.F32)
	}, nil},
	{"DotGeneral", "a result of int32 for arrays of float32", func(g *graph.Graph) { graph.DotGeneral(f32(g, 2), f32(g, 2), graph.DotAxes{}, dtype.I32) }, nil},
	{"DotGeneral", "axis 1 of float32[2], expected -1 to 0", func(g *graph.Graph) {
		graph.DotGeneral(f32(g, 2), f32(g, 2), graph.DotAxes{LeftSum: []int{1}, RightSum: []int{0}}, dtype.F32)
	}, nil},
	{"Conv", "the arrays are float32[1 2 9] and float32[3 2], expected", func(g *graph.Graph) { graph.Conv(f32(g, 1, 2, 9), f32(g, 3, 2), graph.ConvOptions{}) }, nil},
	{"Conv", "float32[1 2 9] has 2 channels and float32[3 4 3] takes 4", func(g *graph.Graph) { graph.Conv(f32(g, 1, 2, 9), f32(g, 3, 4, 3), graph.ConvOptions{}) }, nil},
	{"Conv", "the array is bool[1 2 9]", func(g *graph.Graph) { graph.Conv(truths(g, 1, 2, 9), truths(g, 3, 2, 3), graph.ConvOptions{}) }, nil},
	{"Conv", "Stride [0] has a number below 1", func(g *graph.Graph) {
		graph.Conv(f32(g, 1, 2, 9), f32(g, 3, 2, 3), graph.ConvOptions{Stride: []int{0}})
	}, nil},
	{"ConvTranspose", "float32[1 2 9] has 2 channels and float32[4 3 3] takes 4", func(g *graph.Graph) {
		graph.ConvTranspose(f32(g, 1, 2, 9), f32(g, 4, 3, 3), graph.ConvTransposeOptions{})
	}, nil},
	{"ConvTranspose", "the array is bool[1 2 9]", func(g *graph.Graph) {
		graph.ConvTranspose(truths(g, 1, 2, 9), truths(g, 2, 3, 3), graph.ConvTransposeOptions{})
	}, nil},
	{"ConvTranspose", "OutputHigh [-1]", func(g *graph.Graph) {
		graph.ConvTranspose(f32(g, 1, 2, 9), f32(g, 2, 3, 3), graph.ConvTransposeOptions{OutputHigh: []int{-1}})
	}, nil},
	{"ConvTranspose", "would have -89 elements", func(g *graph.Graph) {
		graph.ConvTranspose(f32(g, 1, 2, 9), f32(g, 2, 3, 3), graph.ConvTransposeOptions{Low: []int{100}})
	}, nil},
}

var poolMisuses = []misuse{
	{"ReduceWindow", `unknown fold "mean"`, func(g *graph.Graph) { graph.ReduceWindow(f32(g, 4), "mean", graph.PoolOptions{Size: []int{2}}) }, nil},
	{"ReduceWindow", "the array is bool[4]", func(g *graph.Graph) {
		graph.ReduceWindow(truths(g, 4), graph.FoldSum, graph.PoolOptions{Size: []int{2}})
	}, nil},
	{"ReduceWindow", "Size [2 2] has 2 numbers", func(g *graph.Graph) {
		graph.ReduceWindow(f32(g, 4), graph.FoldSum, graph.PoolOptions{Size: []int{2, 2}})
	}, nil},
	{"MaxPool", "the array is float32[4]", func(g *graph.Graph) { graph.MaxPool(f32(g, 4), graph.PoolOptions{Size: []int{2}}) }, nil},
	{"MaxPool", "Size [] has 0 numbers", func(g *graph.Graph) { graph.MaxPool(f32(g, 1, 1, 4), graph.PoolOptions{}) }, nil},
	{"MaxPool", "Stride [0]", func(g *graph.Graph) {
		graph.MaxPool(f32(g, 1, 1, 4), graph.PoolOptions{Size: []int{2}, Stride: []int{0}})
	}, nil},
	{"AveragePool", "the array is bool[1 1 4]", func(g *graph.Graph) { graph.AveragePool(truths(g, 1, 1, 4), graph.PoolOptions{Size: []int{2}}, true) }, nil},
	{"AveragePool", "windows of 300 elements of uint8[1 1 400]", func(g *graph.Graph) {
		graph.AveragePool(g.Parameter("x", dtype.U8, 1, 1, 400), graph.PoolOptions{Size: []int{300}}, false)
	}, nil},
	{"Resize", "float32[3] has neither sizes nor scales", func(g *graph.Graph) { graph.Resize(f32(g, 3), graph.ResizeOptions{}) }, nil},
	{"Resize", "axis 1 of float32[3], expected", func(g *graph.Graph) { graph.Resize(f32(g, 3), graph.ResizeOptions{Axes: []int{1}, Sizes: []int{4}}) }, nil},
	{"Resize", "axis 0 of float32[3] from 3 to -4 elements", func(g *graph.Graph) { graph.Resize(f32(g, 3), graph.ResizeOptions{Sizes: []int{-4}}) }, nil},
	{"Resize", "bool[3] in the mode linear", func(g *graph.Graph) {
		graph.Resize(truths(g, 3), graph.ResizeOptions{Sizes: []int{4}, Mode: graph.ResizeLinear})
	}, nil},
}

var normMisuses = []misuse{
	{"LayerNorm", "scale is float32[3], expected elements of x, float32[2 4]", func(g *graph.Graph) { graph.LayerNorm(f32(g, 2, 4), f32(g, 3), nil, 0) }, nil},
	{"LayerNorm", "scale is float64[4]", func(g *graph.Graph) { graph.LayerNorm(f32(g, 2, 4), f64(g, 4), nil, 0) }, nil},
	{"LayerNorm", "bias is float32[3]", func(g *graph.Graph) { graph.LayerNorm(f32(g, 2, 4), f32(g, 4), f32(g, 3), 0) }, nil},
	{"LayerNorm", "scale is float32[1 2 4]", func(g *graph.Graph) { graph.LayerNorm(f32(g, 2, 4), f32(g, 1, 2, 4), nil, 0) }, nil},
	{"LayerNorm", "scale is nil", func(g *graph.Graph) { graph.LayerNorm(f32(g, 2, 4), nil, nil, 0) }, nil},
	{"LayerNorm", "the array is int32[2 4]", func(g *graph.Graph) { graph.LayerNorm(i32(g, 2, 4), i32(g, 4), nil, 0) }, nil},
	{"RMSNorm", "scale is float32[3], expected elements of x, float32[2 4]", func(g *graph.Graph) { graph.RMSNorm(f32(g, 2, 4), f32(g, 3), 0) }, nil},
	{"RMSNorm", "x is nil", func(g *graph.Graph) { graph.RMSNorm(nil, f32(g, 3), 0) }, nil},
	{"BatchNorm", "scale is float32[2], expected float32[3]: x is float32[1 3 4]", func(g *graph.Graph) { graph.BatchNorm(f32(g, 1, 3, 4), f32(g, 2), f32(g, 3), f32(g, 3), f32(g, 3), 0) }, nil},
	{"BatchNorm", "variance is float64[3]", func(g *graph.Graph) { graph.BatchNorm(f32(g, 1, 3, 4), f32(g, 3), f32(g, 3), f32(g, 3), f64(g, 3), 0) }, nil},
	{"BatchNorm", "mean is nil", func(g *graph.Graph) { graph.BatchNorm(f32(g, 1, 3, 4), f32(g, 3), f32(g, 3), nil, f32(g, 3), 0) }, nil},
	{"BatchNorm", "the array is int32[1 3]", func(g *graph.Graph) { graph.BatchNorm(i32(g, 1, 3), i32(g, 3), i32(g, 3), i32(g, 3), i32(g, 3), 0) }, nil},
	{"BatchNorm", "x is float32[], expected axes", func(g *graph.Graph) { graph.BatchNorm(f32(g), f32(g), f32(g), f32(g), f32(g), 0) }, nil},
	{"Attention", "k is float32[4 8], expected elements of q", func(g *graph.Graph) { graph.Attention(f32(g, 1, 2, 4, 8), f32(g, 4, 8), f32(g, 1, 2, 4, 8), nil, 0) }, nil},
	{"Attention", "float32[1 2 4 8], float32[1 2 4 9]", func(g *graph.Graph) {
		graph.Attention(f32(g, 1, 2, 4, 8), f32(g, 1, 2, 4, 9), f32(g, 1, 2, 4, 8), nil, 0)
	}, nil},
	{"Attention", "float32[1 3 4 8]", func(g *graph.Graph) {
		graph.Attention(f32(g, 1, 2, 4, 8), f32(g, 1, 3, 4, 8), f32(g, 1, 2, 4, 8), nil, 0)
	}, nil},
	{"Attention", "bias is float32[5], expected extents of [1 2 4 4]", func(g *graph.Graph) {
		graph.Attention(f32(g, 1, 2, 4, 8), f32(g, 1, 2, 4, 8), f32(g, 1, 2, 4, 8), f32(g, 5), 0)
	}, nil},
	{"Attention", "v is nil", func(g *graph.Graph) { graph.Attention(f32(g, 1, 2, 4, 8), f32(g, 1, 2, 4, 8), nil, nil, 0) }, nil},
}

var transformMisuses = []misuse{
	{"FFT", "axis 1 of float32[3], expected", func(g *graph.Graph) { graph.FFT(c32(g, 3), 1) }, nil},
	{"FFT", "there are no axes of float32[3]", func(g *graph.Graph) { graph.FFT(c32(g, 3)) }, nil},
	{"FFT", "the parts are float32[3] and float64[3]", func(g *graph.Graph) { graph.FFT(graph.Complex{Re: f32(g, 3), Im: f64(g, 3)}, 0) }, nil},
	{"InverseFFT", "axis 0 of float32[0] has extent 0", func(g *graph.Graph) { graph.InverseFFT(c32(g, 0), 0) }, nil},
	{"InverseFFT", "x.Im is nil", func(g *graph.Graph) { graph.InverseFFT(graph.Complex{Re: f32(g, 3)}, 0) }, nil},
	{"RealFFT", "int32[3]", func(g *graph.Graph) { graph.RealFFT(i32(g, 3), 0) }, nil},
	{"RealFFT", "axis 0 of float32[3] is named twice in [0 0]", func(g *graph.Graph) { graph.RealFFT(f32(g, 3), 0, 0) }, nil},
	{"InverseRealFFT", "axis 0 of float32[3] has extent 3, expected n/2+1 for n = 7", func(g *graph.Graph) { graph.InverseRealFFT(c32(g, 3), 7, 0) }, nil},
	{"InverseRealFFT", "axis 4 of float32[3], expected", func(g *graph.Graph) { graph.InverseRealFFT(c32(g, 3), 4, 4) }, nil},
}

var randomMisuses = []misuse{
	{"RandomBits", "elements of int32", func(g *graph.Graph) { graph.RandomBits(u64(g, 3), dtype.I32, 4) }, nil},
	{"RandomBits", "the state is uint64[2]", func(g *graph.Graph) { graph.RandomBits(u64(g, 2), dtype.U32, 4) }, nil},
	{"Uniform", "elements of int32", func(g *graph.Graph) { graph.Uniform(u64(g, 3), dtype.I32, 4) }, nil},
	{"Uniform", "the shape [-1]", func(g *graph.Graph) { graph.Uniform(u64(g, 3), dtype.F32, -1) }, nil},
	{"Normal", "the state is float32[3]", func(g *graph.Graph) { graph.Normal(f32(g, 3), dtype.F32, 4) }, nil},
	{"Normal", "the shape [65536 65536]", func(g *graph.Graph) { graph.Normal(u64(g, 3), dtype.F32, large, large) }, nil},
}

var recurrentMisuses = []misuse{
	{"RNN", "x, w and r are float32[3 4], float32[5 2] and float32[5 5]", func(g *graph.Graph) { graph.RNN(f32(g, 3, 4), f32(g, 5, 2), f32(g, 5, 5), graph.RecurrentOptions{}) }, nil},
	{"RNN", "w is float32[5 3], expected float32[5 2]", func(g *graph.Graph) { graph.RNN(f32(g, 3, 4, 2), f32(g, 5, 3), f32(g, 5, 5), graph.RecurrentOptions{}) }, nil},
	{"RNN", "activation 0 makes float32[4] of float32[4 5]", func(g *graph.Graph) {
		graph.RNN(f32(g, 1, 4, 2), f32(g, 5, 2), f32(g, 5, 5), graph.RecurrentOptions{Activations: first})
	}, nil},
	{"RNN", "activation 0 makes nil of float32[4 5]", func(g *graph.Graph) {
		graph.RNN(f32(g, 1, 4, 2), f32(g, 5, 2), f32(g, 5, 5), graph.RecurrentOptions{Activations: nothing})
	}, nil},
	{"LSTM", "r is float32[5 5], expected float32[20 5]", func(g *graph.Graph) {
		graph.LSTM(f32(g, 3, 4, 2), f32(g, 20, 2), f32(g, 5, 5), graph.RecurrentOptions{})
	}, nil},
	{"LSTM", "x is int32[3 4 2]", func(g *graph.Graph) {
		graph.LSTM(i32(g, 3, 4, 2), i32(g, 20, 2), i32(g, 20, 5), graph.RecurrentOptions{})
	}, nil},
	{"GRU", "Initial is float32[4 6], expected float32[4 5]", func(g *graph.Graph) {
		graph.GRU(f32(g, 3, 4, 2), f32(g, 15, 2), f32(g, 15, 5), graph.RecurrentOptions{Initial: f32(g, 4, 6)})
	}, nil},
	{"GRU", "r is nil", func(g *graph.Graph) { graph.GRU(f32(g, 3, 4, 2), f32(g, 15, 2), nil, graph.RecurrentOptions{}) }, nil},
}

var (
	first   = []func(x *graph.Value) *graph.Value{func(x *graph.Value) *graph.Value { return graph.Reshape(graph.Narrow(x, 1, 0, 1), 4) }}
	nothing = []func(x *graph.Value) *graph.Value{func(x *graph.Value) *graph.Value { return nil }}
)

func same(_ *graph.Graph, s []*graph.Value) []*graph.Value   { return s }
func never(g *graph.Graph, _ []*graph.Value) *graph.Value    { return graph.Scalar(g, false) }
func noTruth(_ *graph.Graph, s []*graph.Value) *graph.Value  { return s[0] }
func none(_ *graph.Graph, _ []*graph.Value) []*graph.Value   { return nil }
func absent(_ *graph.Graph, _ []*graph.Value) []*graph.Value { return []*graph.Value{nil} }
func one(g *graph.Graph) []*graph.Value                      { return []*graph.Value{graph.Scalar(g, float32(1))} }
func two(g *graph.Graph) []*graph.Value                      { return append(one(g), one(g)...) }

var controlMisuses = []misuse{
	{"While", "the condition is [float32[2]], expected a bool of rank 0", func(g *graph.Graph) { graph.While([]*graph.Value{f32(g, 2)}, noTruth, same) }, nil},
	{"While", "the body makes [] of the state [float32[2]]", func(g *graph.Graph) { graph.While([]*graph.Value{f32(g, 2)}, never, none) }, nil},
	{"While", "result 1 of the function body is nil", func(g *graph.Graph) { graph.While([]*graph.Value{f32(g, 2)}, never, absent) }, nil},
	{"While", "array 2 of the state is nil", func(g *graph.Graph) { graph.While([]*graph.Value{f32(g, 2), nil}, never, same) }, nil},
	{"While", "a function is nil", func(g *graph.Graph) { graph.While([]*graph.Value{f32(g, 2)}, never, nil) }, nil},
	{"If", "the condition is float32[2], expected a bool of rank 0", func(g *graph.Graph) { graph.If(f32(g, 2), one, one) }, nil},
	{"If", "one branch makes [float32[]] and the other [float32[] float32[]]", func(g *graph.Graph) { graph.If(truths(g), one, two) }, nil},
	{"If", "a function is nil", func(g *graph.Graph) { graph.If(truths(g), one, nil) }, nil},
}

func complexMisuses() (all []misuse) {
	apart := func(g *graph.Graph) graph.Complex { return graph.Complex{Re: f32(g, 2), Im: f32(g, 3)} }
	for name, f := range map[string]func(x graph.Complex){
		"Neg": func(x graph.Complex) { x.Neg() }, "Conj": func(x graph.Complex) { x.Conj() }, "Reciprocal": func(x graph.Complex) { x.Reciprocal() },
		"Abs": func(x graph.Complex) { x.Abs() }, "Phase": func(x graph.Complex) { x.Phase() }, "Sign": func(x graph.Complex) { x.Sign() },
		"Sqrt": func(x graph.Complex) { x.Sqrt() }, "Exp": func(x graph.Complex) { x.Exp() }, "Expm1": func(x graph.Complex) { x.Expm1() },
		"Log": func(x graph.Complex) { x.Log() }, "Log1p": func(x graph.Complex) { x.Log1p() }, "Sin": func(x graph.Complex) { x.Sin() },
		"Cos": func(x graph.Complex) { x.Cos() }, "Tanh": func(x graph.Complex) { x.Tanh() }, "Sigmoid": func(x graph.Complex) { x.Sigmoid() },
	} {
		all = append(all, misuse{"Complex." + name, "the parts of x are float32[2] and float32[3]", func(g *graph.Graph) { f(apart(g)) }, f},
			misuse{"Complex." + name, "x.Im is nil", func(g *graph.Graph) { f(graph.Complex{Re: f32(g, 2)}) }, f})
	}
	type pair = func(x, y graph.Complex)
	for name, f := range map[string]pair{
		"Add": func(x, y graph.Complex) { x.Add(y) }, "Sub": func(x, y graph.Complex) { x.Sub(y) }, "Mul": func(x, y graph.Complex) { x.Mul(y) },
		"Div": func(x, y graph.Complex) { x.Div(y) }, "Pow": func(x, y graph.Complex) { x.Pow(y) },
	} {
		all = append(all, misuse{"Complex." + name, "[float32[2] float32[3]]", func(g *graph.Graph) { f(c32(g, 2), c32(g, 3)) }, f},
			misuse{"Complex." + name, "y.Re is nil", func(g *graph.Graph) { f(c32(g, 2), graph.Complex{}) }, f},
			misuse{"Complex." + name, "the parts of y are int32[2] and int32[2]", func(g *graph.Graph) { f(c32(g, 2), graph.Complex{Re: i32(g, 2), Im: i32(g, 2)}) }, f},
			misuse{"Complex." + name, "the parts of x are float32[2] and those of y float64[2]", func(g *graph.Graph) { f(c32(g, 2), graph.Complex{Re: f64(g, 2), Im: f64(g, 2)}) }, f})
	}
	return append(all, complexOthers...)
}

var complexOthers = []misuse{
	{"FromReal", "the array is int32[2]", func(g *graph.Graph) { graph.FromReal(i32(g, 2)) }, nil},
	{"Rect", "r is float32[2] and angle float64[2]", func(g *graph.Graph) { graph.Rect(f32(g, 2), f64(g, 2)) }, nil},
	{"Rect", "[float32[2] float32[3]]", func(g *graph.Graph) { graph.Rect(f32(g, 2), f32(g, 3)) }, nil},
	{"Rect", "angle is nil", func(g *graph.Graph) { graph.Rect(f32(g, 2), nil) }, nil},
	{"Complex.Each", "the function is nil", func(g *graph.Graph) { c32(g, 2).Each(nil) }, nil},
	{"Complex.Each", "x.Im is nil", func(g *graph.Graph) { graph.Complex{Re: f32(g, 2)}.Each(graph.Neg) }, nil},
	{"Complex.Bilinear", "the product is nil", func(g *graph.Graph) { c32(g, 2).Bilinear(nil, c32(g, 2)) }, nil},
	{"Complex.Bilinear", "the parts of x are int32[2] and float32[2]", func(g *graph.Graph) { graph.Complex{Re: i32(g, 2), Im: f32(g, 2)}.Bilinear(graph.Mul, c32(g, 2)) }, nil},
	{"Complex.MatMul", "the arrays are float32[2] and float32[3]", func(g *graph.Graph) { c32(g, 2).MatMul(c32(g, 3)) }, nil},
}
