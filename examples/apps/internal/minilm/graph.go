package minilm

import (
	"context"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// shape is what a program takes: a number of sequences, and the length to which they are padded.
type shape struct{ rows, length int }

// A builder builds the graph of an encoder for one shape.
type builder struct {
	config
	shape
	g       *graph.Graph
	weights map[string]*graph.Value
	bias    *graph.Value // added to the scores of keys: nothing, or so little that padding gets no attention
}

// compile makes the program that takes ids [rows, length], lengths [rows] and the weights, and gives embeddings [rows, hidden].
func compile(ctx context.Context, dev *device.Device, c config, s shape) (*graph.Program, error) {
	b := &builder{config: c, shape: s, g: graph.New(), weights: map[string]*graph.Value{}}
	ids := b.g.Parameter("ids", dtype.I32, s.rows, s.length)
	lengths := b.g.Parameter("lengths", dtype.I32, s.rows)
	for _, w := range weightsOf(c) {
		b.weights[w.name] = b.g.Parameter(w.name, dtype.F32, w.shape...)
	}
	place := graph.Iota(b.g, dtype.I32, 1, s.rows, s.length)
	present := graph.Convert(graph.Less(place, graph.Reshape(lengths, s.rows, 1)), dtype.F32)
	const never = 1e9 // e^-1e9 is 0
	b.bias = graph.Reshape(graph.Mul(graph.Sub(present, b.scalar(1)), b.scalar(never)), s.rows, 1, 1, s.length)

	x := b.embed(ids)
	for i := range c.Layers {
		x = b.layer(x, layerName(i))
	}
	return b.g.Compile(ctx, dev, b.pool(x, present))
}

func (b *builder) scalar(x float32) *graph.Value { return graph.Scalar(b.g, x) }

// linear multiplies by a matrix and adds a bias.
func (b *builder) linear(x *graph.Value, name string) *graph.Value {
	return graph.Add(graph.MatMul(x, b.weights[name]), b.weights[name+".bias"])
}

func (b *builder) norm(x *graph.Value, name string) *graph.Value {
	return graph.LayerNorm(x, b.weights[name+".scale"], b.weights[name+".bias"], b.Epsilon)
}

// embed adds the embeddings of words, places and the first type of text.
func (b *builder) embed(ids *graph.Value) *graph.Value {
	x := graph.Gather(b.weights["words"], ids, 0)
	x = graph.Add(x, graph.Narrow(b.weights["types"], 0, 0, 1))
	x = graph.Add(x, graph.Narrow(b.weights["positions"], 0, 0, b.length))
	return b.norm(x, "embedded")
}

// layer is a layer of a transformer: attention, then a network of two products, each added to what it was given and normalised.
func (b *builder) layer(x *graph.Value, name string) *graph.Value {
	parts := graph.Split(b.linear(x, name+"qkv"), -1, b.Hidden, b.Hidden, b.Hidden)
	for i, p := range parts {
		parts[i] = graph.Transpose(graph.Reshape(p, b.rows, b.length, b.Heads, b.Hidden/b.Heads), 0, 2, 1, 3)
	}
	seen := graph.Attention(parts[0], parts[1], parts[2], b.bias, 0)
	seen = graph.Reshape(graph.Transpose(seen, 0, 2, 1, 3), b.rows, b.length, b.Hidden)
	x = b.norm(graph.Add(x, b.linear(seen, name+"joined")), name+"attended")
	inner := graph.Gelu(b.linear(x, name+"inner"))
	return b.norm(graph.Add(x, b.linear(inner, name+"outer")), name+"done")
}

// pool takes the mean over the tokens that are present, and scales it to length 1.
func (b *builder) pool(x, present *graph.Value) *graph.Value {
	weights := graph.Reshape(present, b.rows, b.length, 1)
	sum := graph.ReduceSum(graph.Mul(x, weights), 1)
	mean := graph.Div(sum, graph.ReduceSum(weights, 1))
	length := graph.Sqrt(graph.ReduceSum(graph.Square(mean), 1))
	return graph.Div(mean, graph.Reshape(graph.Max(length, b.scalar(1e-12)), b.rows, 1))
}
