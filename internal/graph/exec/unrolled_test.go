package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// network builds an unrolled recurrent network whose weights are parameters.
type network struct {
	name  string
	gates int
	build func(x, w, r *graph.Value, o graph.RecurrentOptions) *graph.Value
}

var networks = []network{
	{"lstm", 4, func(x, w, r *graph.Value, o graph.RecurrentOptions) *graph.Value {
		y, _, _ := graph.LSTM(x, w, r, o)
		return y
	}},
	{"gru", 3, func(x, w, r *graph.Value, o graph.RecurrentOptions) *graph.Value {
		y, _ := graph.GRU(x, w, r, o)
		return y
	}},
}

// graph gives the states of a network after each of a number of steps.
func (n network) graph(steps, batch, hidden int) (*graph.Graph, *graph.Value) {
	const input = 24
	g := graph.New()
	x := g.Parameter("x", dtype.F32, steps, batch, input)
	w := g.Parameter("w", dtype.F32, n.gates*hidden, input)
	r := g.Parameter("r", dtype.F32, n.gates*hidden, hidden)
	bias := g.Parameter("bias", dtype.F32, 2*n.gates*hidden)
	return g, n.build(x, w, r, graph.RecurrentOptions{Bias: bias})
}

// TestUnrolled compiles networks of 40 steps, whose steps, but for those at the ends, are the same few kernels. Those of another network
// of the same sizes are the same, too.
func TestUnrolled(t *testing.T) {
	for _, n := range networks {
		for _, batch := range []int{1, 4} {
			dev, err := device.Open("cpu")
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			var code strings.Builder
			compile := func() (kernels int, loaded int64) {
				g, y := n.graph(40, batch, 64)
				p, err := g.Compile(t.Context(), dev, y)
				if err != nil {
					t.Fatal(err)
				}
				code.Reset()
				if err := p.Dump(&code, graph.StageTileIR); err != nil {
					t.Fatal(err)
				}
				return strings.Count(p.String(), "kernel "), dev.Stats().Loaded
			}
			kernels, loaded := compile()
			if kernels < 80 || loaded < 4 || loaded > 10 {
				t.Errorf("%s, batch %d: %d kernels were compiled for %d that run, expected 4 to 10, and at least twice a step", n.name, batch, loaded, kernels)
			}
			if shown := strings.Count(code.String(), "entry @"); int64(shown) != loaded {
				t.Errorf("%s, batch %d: the dump shows %d kernels, and %d were compiled", n.name, batch, shown, loaded)
			}
			if _, again := compile(); again != loaded {
				t.Errorf("%s, batch %d: %d kernels were compiled for another network of the same sizes", n.name, batch, again-loaded)
			}
		}
	}
}

// BenchmarkCompile measures how long a device that has no kernels yet takes for an unrolled network, also for each step of it.
func BenchmarkCompile(b *testing.B) {
	for _, n := range networks {
		for _, hidden := range []int{64, 256} {
			for _, steps := range []int{10, 40, 160} {
				b.Run(fmt.Sprintf("%s/%d/steps=%d", n.name, hidden, steps), func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						dev, err := device.Open("cpu")
						if err != nil {
							b.Fatal(err)
						}
						b.StartTimer()
						g, y := n.graph(steps, 4, hidden)
						p, err := g.Compile(b.Context(), dev, y)
						if err != nil {
							b.Fatal(err)
						}
						b.StopTimer()
						p.Close()
						dev.Close()
						b.StartTimer()
					}
					perStep := b.Elapsed().Seconds() * 1e6 / float64(b.N) / float64(steps)
					b.ReportMetric(perStep, "µs/step")
				})
			}
		}
	}
}
