package graph_test

import (
	"regexp"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// run computes values of a graph without parameters.
func run(t *testing.T, g *graph.Graph, values ...*graph.Value) []device.AnyTensor {
	t.Helper()
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	p, err := g.Compile(t.Context(), dev, values...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(t.Context(), dev)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func floats(t *testing.T, x device.AnyTensor) []float32 {
	t.Helper()
	s, err := x.(*device.Tensor[float32]).Slice()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestConv compares convolutions with their definition.
func TestConv(t *testing.T) {
	for _, c := range []struct {
		name                 string
		batch, channels, out int
		size, window         [2]int
		o                    graph.ConvOptions
	}{
		{"plain", 2, 3, 5, [2]int{7, 9}, [2]int{3, 3}, graph.ConvOptions{}},
		{"one", 1, 8, 4, [2]int{5, 5}, [2]int{1, 1}, graph.ConvOptions{}},
		{"same", 2, 4, 6, [2]int{8, 8}, [2]int{3, 5}, graph.ConvOptions{Low: []int{1, 2}, High: []int{1, 2}}},
		{"stride", 1, 2, 3, [2]int{11, 10}, [2]int{3, 2}, graph.ConvOptions{Stride: []int{2, 3}, Low: []int{1, 0}, High: []int{0, 2}}},
		{"dilation", 1, 2, 3, [2]int{11, 10}, [2]int{3, 2}, graph.ConvOptions{Dilation: []int{2, 3}}},
		{"transposed", 1, 2, 3, [2]int{4, 5}, [2]int{3, 3}, graph.ConvOptions{BaseDilation: []int{2, 2}, Low: []int{2, 2}, High: []int{2, 2}}},
		{"groups", 2, 6, 4, [2]int{6, 6}, [2]int{3, 3}, graph.ConvOptions{Groups: 2}},
		{"depthwise", 1, 4, 4, [2]int{6, 7}, [2]int{3, 3}, graph.ConvOptions{Groups: 4, Low: []int{1, 1}, High: []int{1, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			groups := max(c.o.Groups, 1)
			x := counting(c.batch*c.channels*c.size[0]*c.size[1], 7)
			w := counting(c.out*c.channels/groups*c.window[0]*c.window[1], 5)
			g := graph.New()
			y := graph.Conv(graph.Constant(g, x, c.batch, c.channels, c.size[0], c.size[1]),
				graph.Constant(g, w, c.out, c.channels/groups, c.window[0], c.window[1]), c.o)
			got := floats(t, run(t, g, y)[0])
			shape := y.Shape()
			at := func(list []int, i, otherwise int) int {
				if list == nil {
					return otherwise
				}
				return list[i]
			}
			i := 0
			for b := range shape[0] {
				for o := range shape[1] {
					for p := range shape[2] {
						for q := range shape[3] {
							var sum float32
							for k := range c.channels / groups {
								ch := o/(c.out/groups)*(c.channels/groups) + k
								for u := range c.window[0] {
									for v := range c.window[1] {
										r := p*at(c.o.Stride, 0, 1) + u*at(c.o.Dilation, 0, 1) - at(c.o.Low, 0, 0)
										s := q*at(c.o.Stride, 1, 1) + v*at(c.o.Dilation, 1, 1) - at(c.o.Low, 1, 0)
										dr, ds := at(c.o.BaseDilation, 0, 1), at(c.o.BaseDilation, 1, 1)
										if r < 0 || s < 0 || r%dr != 0 || s%ds != 0 || r/dr >= c.size[0] || s/ds >= c.size[1] {
											continue
										}
										sum += x[((b*c.channels+ch)*c.size[0]+r/dr)*c.size[1]+s/ds] * w[((o*c.channels/groups+k)*c.window[0]+u)*c.window[1]+v]
									}
								}
							}
							if got[i] != sum {
								t.Fatalf("element [%d %d %d %d] of %v is %v, expected %v", b, o, p, q, shape, got[i], sum)
							}
							i++
						}
					}
				}
			}
		})
	}
}

// counting makes small whole numbers, whose sums are exact.
func counting(n, modulus int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%modulus - modulus/2)
	}
	return x
}

// TestPool compares pooling with numbers that were computed by hand.
func TestPool(t *testing.T) {
	g := graph.New()
	x := graph.Reshape(graph.Iota(g, dtype.F32, 0, 16), 1, 1, 4, 4)
	o := graph.PoolOptions{Size: []int{2, 2}, Stride: []int{2, 2}}
	padded := graph.PoolOptions{Size: []int{2, 2}, Stride: []int{3, 3}, Low: []int{1, 1}, High: []int{1, 1}}
	out := run(t, g, graph.MaxPool(x, o), graph.AveragePool(x, o, false), graph.AveragePool(x, padded, false), graph.AveragePool(x, padded, true))
	for i, want := range [][]float32{{5, 7, 13, 15}, {2.5, 4.5, 10.5, 12.5}, {0, 2.5, 10, 12.5}, {0, 1.25, 5, 12.5}} {
		got := floats(t, out[i])
		for j := range want {
			if len(got) != len(want) || got[j] != want[j] {
				t.Errorf("pooling %d is %v, expected %v", i, got, want)
				break
			}
		}
	}
}

// TestConvPlaces: the kernels of convolutions of batches find elements at multiples of positions, without quotients and remainders, which take ten
// times as long.
func TestConvPlaces(t *testing.T) {
	quotient := regexp.MustCompile(`a\d+\)?[/%]\d`)
	for batch := 1; batch <= 3; batch++ {
		for _, o := range []graph.ConvOptions{{}, {Low: []int{1, 1}, High: []int{1, 1}}, {Stride: []int{2, 2}, Low: []int{1, 1}, High: []int{1, 1}}} {
			g := graph.New()
			x, w := g.Parameter("x", dtype.F32, batch, 16, 24, 20), g.Parameter("w", dtype.F32, 24, 16, 3, 3)
			y := graph.Relu(graph.Conv(graph.Relu(graph.Conv(x, w, o)), g.Parameter("w2", dtype.F32, 8, 24, 3, 3), o))
			dev, err := device.Open("cpu")
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.Compile(t.Context(), dev, y)
			if err != nil {
				t.Fatal(err)
			}
			if plan := p.String(); quotient.MatchString(plan) {
				t.Errorf("batch %d, %+v:\n%s", batch, o, plan)
			}
		}
	}
}
