package exec_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestOnceParts makes arrays of parts of one constant, and of the same part at other places, by the same kernels: in one program, and in
// programs that share what is equal.
func TestOnceParts(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const n, size = 40, 16
	weights := make([]float32, n)
	for i := range weights {
		weights[i] = float32(i + 1)
	}
	// At first it takes the size-4 elements of w behind from, negative, and puts them behind before zeros.
	made := func(w *graph.Value, from, before int) *graph.Value {
		part := graph.Neg(graph.Narrow(w, 0, from, from+size-4))
		zero := graph.Constant(w.Graph(), []float32{0})
		return graph.Pad(part, graph.Reshape(zero), []int{before}, []int{4 - before}, nil)
	}
	want := func(from, before int) []float32 {
		all := make([]float32, size)
		for i, w := range weights[from : from+size-4] {
			all[before+i] = -w
		}
		return all
	}
	parts := [][2]int{{0, 0}, {20, 0}, {0, 3}, {7, 1}, {20, 4}}
	check := func(p *graph.Program, parts [][2]int) {
		t.Helper()
		x, err := device.Full[float32](dev, 0, size)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(t.Context(), dev, x)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range parts {
			got, err := out[i].(*device.Tensor[float32]).Slice()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want(part[0], part[1])) {
				t.Errorf("the part behind %d, with %d zeros before it, is %v, expected %v", part[0], part[1], got, want(part[0], part[1]))
			}
		}
	}
	compile := func(parts [][2]int) *graph.Program {
		t.Helper()
		g := graph.New()
		x, w := g.Parameter("x", dtype.F32, size), graph.Constant(g, weights, n)
		var results []*graph.Value
		for _, part := range parts {
			results = append(results, graph.Add(x, made(w, part[0], part[1])))
		}
		p, err := g.Compile(t.Context(), dev, results...)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	before := dev.Stats().Launches
	one := compile(parts)
	defer one.Close()
	if once := dev.Stats().Launches - before; once != int64(2*len(parts)) {
		t.Errorf("%d kernels ran when the program was compiled, expected zeros and a part of the constant for each of %d arrays", once, len(parts))
	}
	check(one, parts)
	for _, part := range parts {
		p := compile([][2]int{part})
		defer p.Close()
		check(p, [][2]int{part})
	}
	if all := dev.Stats().Launches - before; all != int64(3*len(parts)+len(parts)) {
		t.Errorf("%d kernels ran in all: the programs that came later have not taken the arrays of the first one", all)
	}
}
