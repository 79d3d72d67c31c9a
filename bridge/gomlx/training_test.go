package gomlx_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/gomlx/pkg/ml/context/initializers"
	"github.com/gomlx/gomlx/pkg/ml/layers"
	"github.com/gomlx/gomlx/pkg/ml/layers/activations"
	"github.com/gomlx/gomlx/pkg/ml/layers/batchnorm"
	"github.com/gomlx/gomlx/pkg/ml/train"
	"github.com/gomlx/gomlx/pkg/ml/train/losses"
	"github.com/gomlx/gomlx/pkg/ml/train/optimizers"
)

// TestLinear learns the coefficients of a linear function by gradient descent, through GoMLX's package graph.
func TestLinear(t *testing.T) {
	b := open(t)
	r := rand.New(rand.NewPCG(13, 14))
	want := []float64{3, -2, 0.5}
	x, y := normal(r, 64*3), make([]float64, 64)
	for i := range y {
		y[i] = 7
		for j, w := range want {
			y[i] += w * x[3*i+j]
		}
	}
	step := graph.MustNewExec(b, func(w, bias, x, y *graph.Node) (loss, newW, newBias *graph.Node) {
		d := graph.Sub(graph.Add(graph.Squeeze(graph.Dot(x, graph.InsertAxes(w, -1)), -1), bias), y)
		loss = graph.ReduceAllMean(graph.Mul(d, d))
		g := graph.Gradient(loss, w, bias)
		return loss, graph.Sub(w, graph.MulScalar(g[0], 0.1)), graph.Sub(bias, graph.MulScalar(g[1], 0.1))
	})
	w, bias := tensors.FromValue([]float64{0, 0, 0}), tensors.FromValue(0.0)
	xs, ys := tensors.FromFlatDataAndDimensions(x, 64, 3), tensors.FromValue(y)
	var loss float64
	for range 100 {
		out := step.MustExec(w, bias, xs, ys)
		loss, w, bias = out[0].Value().(float64), out[1], out[2]
	}
	for i, got := range w.Value().([]float64) {
		if math.Abs(got-want[i]) > 1e-3 {
			t.Errorf("coefficient %d is %v, want %v", i, got, want[i])
		}
	}
	if got := bias.Value().(float64); math.Abs(got-7) > 1e-3 || loss > 1e-5 {
		t.Errorf("bias %v, want 7; loss %v", got, loss)
	}
}

// network is a step of training of two layers with a softmax.
func network(w1, w2, x, labels *graph.Node) (loss, newW1, newW2 *graph.Node) {
	logits := graph.Dot(graph.Tanh(graph.Dot(x, w1)), w2)
	loss = graph.Neg(graph.ReduceAllMean(graph.Mul(graph.LogSoftmax(logits), labels)))
	g := graph.Gradient(loss, w1, w2)
	return loss, graph.Sub(w1, graph.MulScalar(g[0], 0.5)), graph.Sub(w2, graph.MulScalar(g[1], 0.5))
}

// networkData makes weights, a batch and labels.
func networkData(batch, in, hidden, out int) []*tensors.Tensor {
	r := rand.New(rand.NewPCG(15, 16))
	random := func(rows, columns int) *tensors.Tensor {
		x := make([]float32, rows*columns)
		for i := range x {
			x[i] = float32(r.NormFloat64() / math.Sqrt(float64(rows)))
		}
		return tensors.FromFlatDataAndDimensions(x, rows, columns)
	}
	labels := make([]float32, batch*out)
	for i := range batch {
		labels[i*out+r.IntN(out)] = 1
	}
	return []*tensors.Tensor{random(in, hidden), random(hidden, out), random(batch, in), tensors.FromFlatDataAndDimensions(labels, batch, out)}
}

// TestBesideGo trains models of GoMLX's layers with its optimizers: each step has the loss that GoMLX's own back end has.
func TestBesideGo(t *testing.T) {
	const steps = 20
	for _, c := range []struct {
		name      string
		model     train.ModelFn
		loss      train.LossFn
		optimizer func() optimizers.Interface
		data      func() (inputs, labels *tensors.Tensor)
		tolerance float64 // relative
	}{
		{"linear", linearModel, losses.MeanSquaredError, func() optimizers.Interface { return optimizers.StochasticGradientDescent().Done() },
			linearData, 1e-12},
		{"two layers with Adam", denseModel, losses.SparseCategoricalCrossEntropyLogits,
			func() optimizers.Interface { return optimizers.Adam().LearningRate(0.01).Done() }, classes[float64](32, 6), 1e-9},
		{"convolutions with batch normalization", convModel, losses.SparseCategoricalCrossEntropyLogits,
			func() optimizers.Interface { return optimizers.Adam().LearningRate(0.01).Done() }, classes[float32](8, 8, 8, 2), 2e-4},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all [2][]float64
			for i, b := range []backends.Backend{open(t), openGo(t)} {
				ctx := context.New().WithInitializer(weights)
				trainer := train.NewTrainer(b, ctx, c.model, c.loss, c.optimizer(), nil, nil)
				inputs, labels := c.data()
				for range steps {
					metrics, err := trainer.TrainStep(nil, []*tensors.Tensor{inputs}, []*tensors.Tensor{labels})
					if err != nil {
						t.Fatal(err)
					}
					all[i] = append(all[i], number(metrics[0]))
				}
			}
			for i, got := range all[0] {
				if want := all[1][i]; !(math.Abs(got-want) <= c.tolerance*want) {
					t.Errorf("step %d: the loss is %v, want %v", i+1, got, want)
				}
			}
			if first, last := all[0][0], all[0][steps-1]; !(last < first/2) {
				t.Errorf("the loss went from %v to %v: expected less than half of it", first, last)
			}
		})
	}
}

// weights initializes variables with the same random numbers on every back end.
func weights(g *graph.Graph, shape shapes.Shape) *graph.Node {
	fan := 1
	for _, d := range shape.Dimensions[:max(0, shape.Rank()-1)] {
		fan *= d
	}
	x := normal(rand.New(rand.NewPCG(17, uint64(shape.Size()))), shape.Size())
	for i := range x {
		x[i] /= math.Sqrt(float64(fan))
	}
	return graph.ConvertDType(graph.Const(g, tensors.FromFlatDataAndDimensions(x, shape.Dimensions...)), shape.DType)
}

func linearModel(ctx *context.Context, _ any, x []*graph.Node) []*graph.Node {
	return []*graph.Node{layers.Dense(ctx, x[0], true, 1)}
}

func denseModel(ctx *context.Context, _ any, x []*graph.Node) []*graph.Node {
	y := activations.Gelu(layers.Dense(ctx.In("hidden"), x[0], true, 24))
	return []*graph.Node{layers.Dense(ctx.In("out"), y, true, 3)}
}

func convModel(ctx *context.Context, _ any, x []*graph.Node) []*graph.Node {
	y := activations.Relu(normalized(ctx.In("first"), convolved(ctx.In("first"), x[0], 6, 1)))
	y = activations.Relu(normalized(ctx.In("second"), convolved(ctx.In("second"), y, 8, 2)))
	return []*graph.Node{layers.Dense(ctx.In("out"), graph.ReduceMean(y, 1, 2), true, 3)}
}

// has reports whether the back end of a graph has an operation.
func has(g *graph.Graph, t backends.OpType) bool { return g.Backend().Capabilities().Operations[t] }

// convolved convolves x with kernels of 3 by 3. GoMLX's back end in Go lacks what the gradient needs: there it is a product of
// the elements under the kernel, gathered, with the kernel.
func convolved(ctx *context.Context, x *graph.Node, channels, stride int) *graph.Node {
	g, dims := x.Graph(), x.Shape().Dimensions
	batch, side, in := dims[0], dims[1], dims[3]
	w := ctx.VariableWithShape("weights", shapes.Make(x.DType(), 3, 3, in, channels)).ValueGraph(g)
	if has(g, backends.OpTypeReverse) {
		return graph.Convolve(x, w).Strides(stride).NoPadding().Done()
	}
	out := (side-3)/stride + 1
	at := make([]int32, 0, out*out*9)
	places([]int{out, out, 3, 3}, func(p []int) {
		at = append(at, int32((p[0]*stride+p[2])*side+p[1]*stride+p[3]))
	})
	rows := graph.Transpose(graph.Reshape(x, batch, side*side, in), 0, 1)
	under := graph.Gather(rows, graph.Const(g, tensors.FromFlatDataAndDimensions(at, len(at), 1)))
	y := graph.Einsum("pkbi,kio->bpo", graph.Reshape(under, out*out, 9, batch, in), graph.Reshape(w, 9, in, channels))
	return graph.Reshape(y, batch, out, out, channels)
}

// normalized is GoMLX's layer for batch normalization, whose operation and gradient its back end in Go lacks: there it is the
// formula, of which GoMLX derives the gradient.
func normalized(ctx *context.Context, x *graph.Node) *graph.Node {
	g := x.Graph()
	if has(g, backends.OpTypeBatchNormForTraining) {
		return batchnorm.New(ctx, x, -1).Done()
	}
	features := shapes.Make(x.DType(), x.Shape().Dim(-1))
	scale := ctx.WithInitializer(initializers.One).VariableWithShape("scale", features).ValueGraph(g)
	offset := ctx.WithInitializer(initializers.Zero).VariableWithShape("offset", features).ValueGraph(g)
	along := func(v *graph.Node) *graph.Node { return graph.ExpandLeftToRank(v, x.Rank()) }
	d := graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, 0, 1, 2))
	variance := graph.ReduceAndKeep(graph.Square(d), graph.ReduceMean, 0, 1, 2)
	d = graph.Div(d, graph.Sqrt(graph.AddScalar(variance, 1e-3)))
	return graph.Add(graph.Mul(d, along(scale)), along(offset))
}

// linearData makes values of a linear function with noise.
func linearData() (inputs, labels *tensors.Tensor) {
	r := rand.New(rand.NewPCG(18, 19))
	x, y := normal(r, 64*3), normal(r, 64)
	for i := range y {
		y[i] = 7 + 3*x[3*i] - 2*x[3*i+1] + x[3*i+2]/2 + y[i]/10
	}
	return tensors.FromFlatDataAndDimensions(x, 64, 3), tensors.FromFlatDataAndDimensions(y, 64, 1)
}

// classes makes data of three classes, which differ in their means.
func classes[E float32 | float64](dims ...int) func() (inputs, labels *tensors.Tensor) {
	return func() (inputs, labels *tensors.Tensor) {
		r := rand.New(rand.NewPCG(20, 21))
		x, class := make([]E, product(dims)), make([]int32, dims[0])
		for i := range class {
			class[i] = int32(r.IntN(3))
			row := x[i*len(x)/dims[0]:][:len(x)/dims[0]]
			for j := range row {
				row[j] = E(r.NormFloat64()/2 + float64(class[i]-1)*float64(j%2*2-1))
			}
		}
		return tensors.FromFlatDataAndDimensions(x, dims...), tensors.FromFlatDataAndDimensions(class, dims[0], 1)
	}
}

// number gives the element of a scalar.
func number(x *tensors.Tensor) float64 {
	return reflect.ValueOf(x.Value()).Float()
}
