package persistent_test

import (
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/persistent"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

func TestSmall(t *testing.T) {
	dev := simttest.Device(t)
	cfg := persistent.Config{BM: 64, BN: 32, BK: 16, Stages: 3, Groups: 1, Cluster: 1}
	m, n, k := 64, 32, 16
	a, b := simttest.Numbers(m*k, 37), simttest.Numbers(n*k, 11)
	x := cfg.A(simttest.Tensor(t, dev, simttest.Float16s(a), m, k))
	y := cfg.B(simttest.Tensor(t, dev, simttest.Float16s(b), n, k))
	d := simttest.Tensor(t, dev, make([]float32, m*n), m, n)
	got := simttest.Call(t, d, persistent.RunFloat32, cute.C(cfg), x, y, persistent.To[float32](cfg, d, nil), 2, cute.C[persistent.Epilogue](persistent.Identity))
	want := simttest.Product(a, b, m, n, k)
	simttest.Near(t, got, want, 1e-5)
}
