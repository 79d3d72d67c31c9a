package attention_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/examples/cute/attention"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// reference computes the attention of one head in float64.
func reference(q, k, v []float64, d int, causal bool) []float64 {
	queries, keys := len(q)/d, len(k)/d
	o := make([]float64, len(q))
	for i := range queries {
		last := keys
		if causal {
			last = max(i+1+keys-queries, 0)
		}
		weights, sum := make([]float64, last), 0.0
		for j := range weights {
			for c := range d {
				weights[j] += q[i*d+c] * k[j*d+c]
			}
			weights[j] = math.Exp(weights[j] / math.Sqrt(float64(d)))
			sum += weights[j]
		}
		for j, w := range weights {
			for c := range d {
				o[i*d+c] += w / sum * v[j*d+c]
			}
		}
	}
	return o
}

func TestRun(t *testing.T) {
	dev := simttest.Device(t)
	for _, c := range []struct {
		heads, queries, keys int
		cfg                  attention.Config
	}{
		{1, 1, 1, attention.Config{D: 32, BM: 16, BN: 16}},
		{2, 37, 50, attention.Config{D: 32, BM: 32, BN: 16}},
		{2, 37, 50, attention.Config{D: 32, BM: 32, BN: 16, Causal: true}},
		{1, 40, 20, attention.Config{D: 32, BM: 16, BN: 32, Causal: true}},
		{1, 70, 130, attention.Config{D: 64, BM: 64, BN: 64}},
		{1, 130, 130, attention.Config{D: 64, BM: 64, BN: 64, Causal: true}},
	} {
		d := c.cfg.D
		q, k, v := simttest.Numbers(c.heads*c.queries*d, 37), simttest.Numbers(c.heads*c.keys*d, 11), simttest.Numbers(c.heads*c.keys*d, 23)
		half := func(x []float64, n int) attention.Half {
			return attention.Heads(simttest.Tensor(t, dev, simttest.Float16s(x), c.heads, n, d))
		}
		o := simttest.Tensor(t, dev, make([]dtype.Float16, len(q)), c.heads, c.queries, d)
		got := simttest.Call(t, o, attention.Run, c.cfg, half(q, c.queries), half(k, c.keys), half(v, c.keys), attention.Heads(o))
		for h := range c.heads {
			from, to, kfrom, kto := h*c.queries*d, (h+1)*c.queries*d, h*c.keys*d, (h+1)*c.keys*d
			simttest.Near(t, got[from:to], reference(q[from:to], k[kfrom:kto], v[kfrom:kto], d, c.cfg.Causal), 2e-3)
		}
	}
}

func TestAssemble(t *testing.T) {
	x := attention.Heads(simttest.Tensor(t, simttest.Device(t), make([]dtype.Float16, 64), 1, 1, 64))
	for _, causal := range []bool{false, true} {
		simttest.Assemble(t, simttest.Archs, attention.Run, attention.Config{D: 64, BM: 64, BN: 64, Causal: causal}, x, x, x, x)
	}
}
