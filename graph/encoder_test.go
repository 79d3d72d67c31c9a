package graph_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// encoder is a transformer encoder of the shape of MiniLM-L6 with random weights.
type encoder struct {
	g    *graph.Graph
	rand *rand.Rand
}

func (e *encoder) weights(shape ...int) *graph.Value {
	n := 1
	for _, d := range shape {
		n *= d
	}
	w := make([]float32, n)
	for i := range w {
		w[i] = (e.rand.Float32() - 0.5) / 10
	}
	return graph.Constant(e.g, w, shape...)
}

func (e *encoder) linear(x *graph.Value, in, out int) *graph.Value {
	return graph.Add(graph.MatMul(x, e.weights(in, out)), e.weights(out))
}

func (e *encoder) layer(x, mask *graph.Value, batch, seq, hidden, heads int) *graph.Value {
	split := func(x *graph.Value) *graph.Value {
		return graph.Transpose(graph.Reshape(x, batch, seq, heads, hidden/heads), 0, 2, 1, 3)
	}
	q, k, v := split(e.linear(x, hidden, hidden)), split(e.linear(x, hidden, hidden)), split(e.linear(x, hidden, hidden))
	scores := graph.Div(graph.MatMul(q, graph.Transpose(k, 0, 1, 3, 2)), graph.Scalar(e.g, float32(5.656854)))
	p := graph.Softmax(graph.Add(scores, mask), -1)
	context := graph.Reshape(graph.Transpose(graph.MatMul(p, v), 0, 2, 1, 3), batch, seq, hidden)
	x = graph.LayerNorm(graph.Add(x, e.linear(context, hidden, hidden)), e.weights(hidden), e.weights(hidden), 1e-12)
	h := e.linear(graph.Gelu(e.linear(x, hidden, 4*hidden)), 4*hidden, hidden)
	return graph.LayerNorm(graph.Add(x, h), e.weights(hidden), e.weights(hidden), 1e-12)
}

func BenchmarkEncoder(b *testing.B) {
	for _, batch := range []int{1, 8} {
		b.Run(fmt.Sprint(batch), func(b *testing.B) {
			const seq, hidden, heads = 128, 384, 12
			dev, err := device.Open("cpu")
			if err != nil {
				b.Fatal(err)
			}
			defer dev.Close()
			g := graph.New()
			e := &encoder{g, rand.New(rand.NewPCG(1, 2))}
			x := g.Parameter("x", dtype.F32, batch, seq, hidden)
			mask := g.Parameter("mask", dtype.F32, batch, 1, 1, seq)
			y := x
			for range 6 {
				y = e.layer(y, mask, batch, seq, hidden, heads)
			}
			p, err := g.Compile(b.Context(), dev, y)
			if err != nil {
				b.Fatal(err)
			}
			if os.Getenv("GRAPH_DUMP") != "" {
				fmt.Println(p)
			}
			in, _ := device.FromSlice(dev, make([]float32, batch*seq*hidden), batch, seq, hidden)
			zero, _ := device.FromSlice(dev, make([]float32, batch*seq), batch, 1, 1, seq)
			run := func() {
				if _, err := p.Run(b.Context(), dev, in, zero); err != nil {
					b.Fatal(err)
				}
				if err := dev.Sync(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			run()
			for b.Loop() {
				run()
			}
		})
	}
}
