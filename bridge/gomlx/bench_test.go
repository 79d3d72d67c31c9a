package gomlx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/layers/activations"
)

// computations are what benchmarks measure.
var computations = []struct {
	name string
	f    any
	args func() []*tensors.Tensor
}{
	{"dense", func(x, w *graph.Node) *graph.Node { return graph.Dot(x, w) }, arrays([]int{256, 512}, []int{512, 512})},
	{"training", network, func() []*tensors.Tensor { return networkData(128, 256, 256, 10) }},
	{"softmax", func(x *graph.Node) *graph.Node { return graph.Softmax(x) }, arrays([]int{1024, 1024})},
	{"convolution", func(x, w *graph.Node) *graph.Node { return graph.Convolve(x, w).Strides(1).PadSame().Done() },
		arrays([]int{4, 32, 32, 16}, []int{3, 3, 16, 32})},
	{"encoder", encoder, arrays([]int{1, 128, 384}, []int{384, 3 * 384}, []int{384, 384}, []int{384, 1536}, []int{1536, 384})},
}

// arrays makes random arrays of shapes.
func arrays(shapes ...[]int) func() []*tensors.Tensor {
	return func() (list []*tensors.Tensor) {
		r := rand.New(rand.NewPCG(22, 23))
		for _, dims := range shapes {
			x := make([]float32, product(dims))
			for i := range x {
				x[i] = float32(r.NormFloat64() / math.Sqrt(float64(dims[0])))
			}
			list = append(list, tensors.FromFlatDataAndDimensions(x, dims...))
		}
		return list
	}
}

// steps gives a function that executes a computation and gives its results.
func steps(b backends.Backend, f any, args []*tensors.Tensor) func() [][]float32 {
	exec := graph.MustNewExecAny(b, f)
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	return func() (results [][]float32) {
		for _, out := range exec.MustExec(list...) {
			results = append(results, tensors.MustCopyFlatData[float32](out))
			out.MustFinalizeAll()
		}
		return results
	}
}

// TestComputations: what benchmarks measure gives on this back end what it gives on GoMLX's own one in Go.
func TestComputations(t *testing.T) {
	for _, c := range computations {
		t.Run(c.name, func(t *testing.T) {
			got, want := steps(open(t), c.f, c.args())(), steps(openGo(t), c.f, c.args())()
			for i := range want {
				near(t, fmt.Sprint("result ", i), of(got[i]), widen(want[i]), 1e-4)
			}
		})
	}
}

// BenchmarkBesideGo measures computations on this back end and on GoMLX's own one in Go, one after the other: the ratio of the times
// is what counts.
func BenchmarkBesideGo(b *testing.B) {
	for _, c := range computations {
		for _, config := range []string{"cutile:cpu", "go"} {
			b.Run(fmt.Sprint(c.name, "/", config), func(b *testing.B) {
				backend, err := backends.NewWithConfig(config)
				if err != nil {
					b.Fatal(err)
				}
				defer backend.Finalize()
				step := steps(backend, c.f, c.args())
				step() // compiles
				for b.Loop() {
					step()
				}
			})
		}
	}
}

// encoder is a layer of an encoder of text, of the size that MiniLM has six of.
func encoder(x, wQKV, wOut, w1, w2 *graph.Node) *graph.Node {
	const heads, width = 12, 32
	batch, length, model := x.Shape().Dim(0), x.Shape().Dim(1), heads*width
	qkv := graph.Reshape(graph.Einsum("bld,dh->blh", x, wQKV), batch, length, 3, heads, width)
	part := func(i int) *graph.Node {
		return graph.Squeeze(graph.Slice(qkv, graph.AxisRange(), graph.AxisRange(), graph.AxisElem(i)), 2)
	}
	scores := graph.DivScalar(graph.Einsum("bqhd,bkhd->bhqk", part(0), part(1)), math.Sqrt(width))
	y := graph.Reshape(graph.Einsum("bhqk,bkhd->bqhd", graph.Softmax(scores, -1), part(2)), batch, length, model)
	x = standardized(graph.Add(x, graph.Einsum("bld,dh->blh", y, wOut)))
	y = activations.Gelu(graph.Einsum("bld,dh->blh", x, w1))
	return standardized(graph.Add(x, graph.Einsum("bld,dh->blh", y, w2)))
}

// standardized is layer normalization without weights.
func standardized(x *graph.Node) *graph.Node {
	d := graph.Sub(x, graph.ReduceAndKeep(x, graph.ReduceMean, -1))
	return graph.Div(d, graph.Sqrt(graph.AddScalar(graph.ReduceAndKeep(graph.Square(d), graph.ReduceMean, -1), 1e-12)))
}
