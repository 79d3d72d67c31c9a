package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestKnownFactor multiplies a factor that is known when the program is compiled by few and by many rows, from the left and from the
// right, with what follows. The numbers are small integers, so that float32 has them all.
func TestKnownFactor(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, many := range []int{3, 40, 258} {
		for _, sum := range []int{1, 7, 64, 131} {
			for _, few := range []int{1, 2, 4, 5, 31, 32, 33} {
				for _, batch := range []int{1, 3} {
					knownFactor(t, dev, many, sum, few, batch)
				}
			}
		}
	}
}

func knownFactor(t *testing.T, dev *device.Device, many, sum, few, batch int) {
	w, x, bias := small(many*sum, 5), small(batch*sum*few, 7), small(many, 3)
	want := make([]float32, batch*many*few)
	for b := range batch {
		for i := range many {
			for j := range few {
				s := bias[i]
				for k := range sum {
					s += w[i*sum+k] * x[(b*sum+k)*few+j]
				}
				want[(b*many+i)*few+j] = max(s, 0)
			}
		}
	}
	in, err := device.FromSlice(dev, x, batch, sum, few)
	if err != nil {
		t.Fatal(err)
	}
	for _, right := range []bool{false, true} {
		g := graph.New()
		known, given := graph.Constant(g, w, many, sum), g.Parameter("x", dtype.F32, batch, sum, few)
		var y *graph.Value
		if right {
			y = graph.Transpose(graph.MatMul(graph.Transpose(given, 0, 2, 1), graph.Transpose(known, 1, 0)), 0, 2, 1)
		} else {
			y = graph.MatMul(known, given)
		}
		y = graph.Relu(graph.Add(y, graph.Reshape(graph.Constant(g, bias), many, 1)))
		p, err := g.Compile(t.Context(), dev, y)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(t.Context(), dev, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := floats(t, out[0]); !slices.Equal(got, want) {
			t.Errorf("%s: the results are %v…, expected %v…", fmt.Sprint(many, sum, few, batch, right), got[:min(8, len(got))], want[:min(8, len(want))])
		}
	}
}

// small makes n integers from -most to most.
func small(n, most int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(i*7919%(2*most+1) - most)
	}
	return out
}
