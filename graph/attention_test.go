package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestAttention compares attention, which is one kernel, with loops in float64: with keys that are hidden by -Inf, for some queries all of
// them or all but the last, and with a NaN among the scores. It is also written as frameworks do that transpose heads and multiply keys by queries.
func TestAttention(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	const heads, d = 3, 33
	for _, size := range [][3]int{{70, 150, 20}, {16, 64, 1}, {129, 65, 64}, {64, 128, 300}} {
		n, m, dv := size[0], size[1], size[2]
		r := rand.New(rand.NewPCG(uint64(n), 5))
		numbers := func(count int) []float32 {
			s := make([]float32, count)
			for i := range s {
				s[i] = float32(r.NormFloat64())
			}
			return s
		}
		q, k, v, bias := numbers(heads*n*d), numbers(heads*m*d), numbers(heads*m*dv), numbers(n*m)
		for i := range bias {
			hidden := r.IntN(3) == 0
			switch i / m {
			case 2:
				hidden = true
			case 3:
				hidden = i%m < m-1
			}
			if hidden {
				bias[i] = float32(math.Inf(-1))
			}
		}
		bias[5*m+1] = float32(math.NaN())
		want := attention(q, k, v, bias, heads, n, m, d, dv)
		for name, build := range map[string]func(q, k, v, bias *graph.Value) *graph.Value{
			"attention": func(q, k, v, bias *graph.Value) *graph.Value { return graph.Attention(q, k, v, bias, 0.25) },
			"keys by queries": func(q, k, v, bias *graph.Value) *graph.Value {
				scores := graph.Transpose(graph.MatMul(k, graph.Transpose(q, 0, 1, 3, 2)), 0, 1, 3, 2)
				y := graph.MatMul(graph.Softmax(graph.Add(graph.Div(scores, graph.Constant(q.Graph(), []float32{4})), bias), -1), v)
				return graph.Transpose(graph.Transpose(y, 0, 2, 1, 3), 0, 2, 1, 3)
			},
			"float16": func(q, k, v, bias *graph.Value) *graph.Value {
				half := func(x *graph.Value) *graph.Value { return graph.Convert(x, dtype.F16) }
				return graph.Convert(graph.Attention(half(q), half(k), half(v), half(bias), 0.25), dtype.F32)
			},
			"values by queries": func(q, k, v, bias *graph.Value) *graph.Value {
				return graph.Transpose(graph.Attention(q, k, v, bias, 0.25), 0, 1, 3, 2)
			},
		} {
			t.Run(fmt.Sprintf("%s/%v", name, size), func(t *testing.T) {
				g := graph.New()
				y := build(g.Parameter("q", dtype.F32, 1, heads, n, d), g.Parameter("k", dtype.F32, 1, heads, m, d),
					g.Parameter("v", dtype.F32, 1, heads, m, dv), g.Parameter("bias", dtype.F32, 1, 1, n, m))
				p, err := g.Compile(t.Context(), dev, y)
				if err != nil {
					t.Fatal(err)
				}
				var args []device.AnyTensor
				for i, s := range [][]float32{q, k, v, bias} {
					x, err := device.FromSlice(dev, s)
					if err != nil {
						t.Fatal(err)
					}
					shape := [][]int{{1, heads, n, d}, {1, heads, m, d}, {1, heads, m, dv}, {1, 1, n, m}}[i]
					args = append(args, x.Reshape(shape...))
				}
				out, err := p.Run(t.Context(), dev, args...)
				if err != nil {
					t.Fatal(err)
				}
				got, err := out[0].(*device.Tensor[float32]).Slice()
				if err != nil {
					t.Fatal(err)
				}
				tolerance, kernels := 1e-5, 1
				if name == "float16" {
					tolerance, kernels = 2e-2, 4 // three convert
				}
				for i, w := range want {
					if name == "values by queries" {
						w = want[i/(n*dv)*n*dv+i%n*dv+i/n%dv]
					}
					if g := float64(got[i]); math.IsNaN(w) != math.IsNaN(g) || math.Abs(g-w) > tolerance {
						t.Fatalf("element %d is %v, expected %v in\n%v", i, g, w, p)
					}
				}
				if profile, err := p.Profile(t.Context(), dev, args...); err != nil || len(profile) != kernels {
					t.Errorf("%d kernels, expected %d: %v\n%v", len(profile), kernels, err, p)
				}
			})
		}
	}
}

// attention computes the definition with scores divided by 4.
func attention(q, k, v, bias []float32, heads, n, m, d, dv int) []float64 {
	out := make([]float64, heads*n*dv)
	for h := range heads {
		for i := range n {
			scores := make([]float64, m)
			most, sum := math.Inf(-1), 0.0
			for j := range scores {
				for c := range d {
					scores[j] += float64(q[(h*n+i)*d+c]) * float64(k[(h*m+j)*d+c])
				}
				scores[j] = scores[j]/4 + float64(bias[i*m+j])
				most = math.Max(most, scores[j])
			}
			for j, s := range scores {
				scores[j] = math.Exp(s - most)
				sum += scores[j]
			}
			for j, s := range scores {
				for c := range dv {
					out[(h*n+i)*dv+c] += s / sum * float64(v[(h*m+j)*dv+c])
				}
			}
		}
	}
	return out
}
