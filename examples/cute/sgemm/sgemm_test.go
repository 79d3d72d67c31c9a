package sgemm_test

import (
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/sgemm"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// small is a configuration for the emulator: 64 threads.
var small = sgemm.Config{BM: 32, BN: 32, BK: 8, TM: 8, TN: 8, Stages: 3}

func TestRun(t *testing.T) {
	dev := simttest.Device(t)
	for _, c := range []struct {
		cfg     sgemm.Config
		m, n, k int
	}{{small, 1, 1, 1}, {small, 37, 50, 19}, {small, 32, 64, 40}, {sgemm.Default, 129, 65, 17}} {
		a, b := simttest.Numbers(c.m*c.k, 37), simttest.Numbers(c.n*c.k, 11)
		x, y := simttest.Tensor(t, dev, simttest.Float32s(a), c.m, c.k), simttest.Tensor(t, dev, simttest.Float32s(b), c.n, c.k)
		z := simttest.Tensor(t, dev, make([]float32, c.m*c.n), c.m, c.n)
		epi := sgemm.Epilogue(sgemm.Identity)
		got := simttest.Call(t, z, sgemm.Run, c.cfg, cute.Of[float32](x), cute.Of[float32](y), cute.Of[float32](z), cute.C(epi))
		simttest.Near(t, got, simttest.Product(a, b, c.m, c.n, c.k), 1e-5)
	}
}

func TestAssemble(t *testing.T) {
	x := simttest.Tensor(t, simttest.Device(t), make([]float32, 64), 8, 8)
	simttest.Assemble(t, simttest.Archs, sgemm.Run, sgemm.Default, x, x, x, sgemm.Identity)
}
