package tensorop_test

import (
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/examples/cute/tensorop"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// small is a configuration for the emulator.
var small = tensorop.Config{BM: 32, BN: 32, BK: 32, Stages: 3}

func TestRun(t *testing.T) {
	dev := simttest.Device(t)
	large := tensorop.Default
	for _, test := range []struct {
		cfg     tensorop.Config
		m, n, k int
		c       bool
		epi     tensorop.Epilogue
	}{
		{small, 1, 1, 8, false, tensorop.Identity},
		{small, 37, 50, 24, true, tensorop.ReLU},
		{small, 64, 32, 136, false, tensorop.ReLU},
		{large, 129, 65, 40, true, tensorop.Identity},
	} {
		for _, test.cfg.NMajor = range []bool{false, true} {
			m, n, k := test.m, test.n, test.k
			if test.cfg.NMajor {
				n = (n + 7) / 8 * 8
			}
			a, b, c := simttest.Numbers(m*k, 37), simttest.Numbers(n*k, 11), make([]float64, m*n)
			x := tensorop.Matrix(simttest.Tensor(t, dev, simttest.Float16s(a), m, k))
			y := tensorop.Matrix(simttest.Tensor(t, dev, simttest.Float16s(b), n, k))
			if test.cfg.NMajor {
				y = tensorop.Transposed(simttest.Tensor(t, dev, simttest.Float16s(transposed(b, n, k)), k, n))
			}
			var bias *cute.Tensor[float32]
			if test.c {
				c = simttest.Numbers(m*n, 5)
				of := cute.Of[float32](simttest.Tensor(t, dev, simttest.Float32s(c), m, n))
				bias = &of
			}
			d := simttest.Tensor(t, dev, make([]float32, m*n), m, n)
			got := simttest.Call(t, d, tensorop.Run, test.cfg, x, y, bias, cute.Of[float32](d), cute.C(test.epi))
			want := simttest.Product(a, b, m, n, k)
			for i := range want {
				want[i] = float64(test.epi(float32(want[i] + c[i])))
			}
			simttest.Near(t, got, want, 1e-5)
		}
	}
}

// transposed returns a matrix (n,k) as (k,n).
func transposed(b []float64, n, k int) []float64 {
	out := make([]float64, len(b))
	for i := range b {
		out[i%k*n+i/k] = b[i]
	}
	return out
}

func TestAssemble(t *testing.T) {
	dev := simttest.Device(t)
	h := simttest.Tensor(t, dev, make([]dtype.Float16, 64), 8, 8)
	x, d := tensorop.Matrix(h), cute.Of[float32](simttest.Tensor(t, dev, make([]float32, 64), 8, 8))
	cfg := tensorop.Default
	simttest.Assemble(t, simttest.Archs, tensorop.Run, cfg, x, x, nil, d, tensorop.Identity)
	cfg.NMajor = true
	simttest.Assemble(t, []string{"sm_80", "sm_120"}, tensorop.Run, cfg, x, tensorop.Transposed(h), &d, d, tensorop.ReLU)
}

// TestProfile: the model's cycles of the main loop are those that docs/profile.md computes by hand, and copies overlap with products.
func TestProfile(t *testing.T) {
	dev := simttest.Device(t)
	cfg, m, n, k := tensorop.Default, 128, 128, 128
	x := tensorop.Matrix(simttest.Tensor(t, dev, make([]dtype.Float16, m*k), m, k))
	y := tensorop.Matrix(simttest.Tensor(t, dev, make([]dtype.Float16, n*k), n, k))
	d := simttest.Tensor(t, dev, make([]float32, m*n), m, n)
	r := simttest.Profile(t, dev, "sm_80", func() error {
		return tensorop.Run(cfg, x, y, nil, cute.Of[float32](d), cute.C(tensorop.Identity))
	})
	loop := r.Loops[0]
	if loop.Turns != 4 || loop.Cycles("tensor") != 512 || loop.Cycles("l1") != 256+128 {
		t.Errorf("a turn of %v: %+v", loop.Turns, loop.Pipes)
	}
	for _, u := range r.Units {
		if c := u.Count; u.Name == "tensor mma m16n8k16 f32 f16 f16 f32" && (c.Overlapped != c.Executed || c.MultiplyAdds != int64(m*n*k)) {
			t.Errorf("%s: %+v", u.Name, c)
		}
	}
	if s := r.Total.Count.Shared; s.Wavefronts != s.Ideal {
		t.Errorf("swizzled tiles have conflicts: %+v", s)
	}
}
