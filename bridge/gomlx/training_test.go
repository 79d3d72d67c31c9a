package gomlx_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/backends"
	_ "github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
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

// TestBesideGo: steps of training give what GoMLX's own back end gives.
func TestBesideGo(t *testing.T) {
	other, err := backends.NewWithConfig("go")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Finalize()
	var results [2][][]float32
	for i, b := range []backends.Backend{open(t), other} {
		step := graph.MustNewExec(b, network)
		data := networkData(16, 8, 12, 4)
		for range 5 {
			out := step.MustExec(data[0], data[1], data[2], data[3])
			data[0], data[1] = out[1], out[2]
		}
		results[i] = [][]float32{tensors.MustCopyFlatData[float32](data[0]), tensors.MustCopyFlatData[float32](data[1])}
	}
	for i, got := range results[0] {
		near(t, "weights", of(got), widen(results[1][i]), 1e-4)
	}
}
