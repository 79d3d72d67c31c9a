package persistent_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/examples/cute/persistent"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// problem is a product and how it is cut.
type problem struct {
	cfg             persistent.Config
	m, n, k, blocks int
	c               bool
	epi             persistent.Epilogue
}

// small is a configuration for the emulator, wide one whose tiles are written in steps, paired and four are of clusters,
// three has three warp groups.
var (
	small  = persistent.Config{BM: 64, BN: 32, BK: 16, Stages: 3, Groups: 1, Cluster: 1}
	wide   = persistent.Config{BM: 128, BN: 128, BK: 32, Stages: 2, Groups: 1, Cluster: 1}
	paired = persistent.Config{BM: 128, BN: 64, BK: 64, Stages: 2, Groups: 2, Cluster: 2}
	four   = persistent.Config{BM: 64, BN: 32, BK: 32, Stages: 3, Groups: 1, Cluster: 4}
	three  = persistent.Config{BM: 192, BN: 32, BK: 64, Stages: 2, Groups: 3, Cluster: 1}
)

func TestFloat32(t *testing.T) {
	dev := simttest.Device(t)
	for _, p := range []problem{
		{small, 1, 4, 8, 3, false, persistent.Identity},        // one block of three
		{small, 130, 68, 136, 2, true, persistent.ReLU},        // 9 tiles, stages three times for each
		{small, 130, 67, 40, 4, true, persistent.Identity},     // rows that are no multiples of 16 bytes
		{wide, 200, 132, 72, 1, false, persistent.ReLU},        // one block for all
		{paired, 300, 100, 200, 2, true, persistent.ReLU},      // one cluster for all, half of its last tiles outside
		{paired, 257, 130, 264, 5, false, persistent.Identity}, // two clusters
		{four, 260, 36, 104, 6, true, persistent.Identity},     // one cluster of two
		{three, 193, 40, 152, 3, false, persistent.ReLU},
	} {
		test(t, dev, p, persistent.RunFloat32, simttest.Float32s, 1e-5)
	}
}

func TestFloat16(t *testing.T) {
	dev := simttest.Device(t)
	small, wide := small, wide
	small.BN, wide.Stages = 64, 4
	for _, p := range []problem{
		{small, 130, 72, 136, 2, true, persistent.ReLU},
		{small, 70, 67, 24, 1, true, persistent.Identity},
		{wide, 129, 136, 200, 2, false, persistent.ReLU},
		{paired, 200, 64, 72, 2, true, persistent.Identity},
	} {
		test(t, dev, p, persistent.RunFloat16, simttest.Float16s, 1e-3)
	}
}

// test holds a product against one in float64.
func test[E cute.Num, M float32 | dtype.Float16](t *testing.T, dev *cutile.Device, p problem, run func(cute.Constexpr[persistent.Config], persistent.Operand, persistent.Operand, persistent.Result[E], int, cute.Constexpr[persistent.Epilogue]) error, round func([]float64) []M, tolerance float64) {
	t.Helper()
	m, n, k := p.m, p.n, p.k
	a, b, c := simttest.Numbers(m*k, 37), simttest.Numbers(n*k, 11), make([]float64, m*n)
	x, y := simttest.Tensor(t, dev, simttest.Float16s(a), m, k), simttest.Tensor(t, dev, simttest.Float16s(b), n, k)
	d := simttest.Tensor(t, dev, make([]M, m*n), m, n)
	var plus *cutile.Tensor[M]
	if p.c {
		c = simttest.Numbers(m*n, 5)
		plus = simttest.Tensor(t, dev, round(c), m, n)
	}
	got := simttest.Call(t, d, run, cute.C(p.cfg), p.cfg.A(x), p.cfg.B(y), persistent.To[E](p.cfg, d, plus), p.blocks, cute.C(p.epi))
	want := simttest.Product(a, b, m, n, k)
	for i := range want {
		want[i] = float64(p.epi(float32(want[i] + c[i])))
	}
	simttest.Near(t, got, want, tolerance)
}

func TestAssemble(t *testing.T) {
	dev := simttest.Device(t)
	h, f := simttest.Tensor(t, dev, make([]dtype.Float16, 64), 8, 8), simttest.Tensor(t, dev, make([]float32, 64), 8, 8)
	odd := simttest.Tensor(t, dev, make([]float32, 24), 8, 3)
	assemble := func(cfg persistent.Config, run, result any) {
		simttest.Assemble(t, []string{"sm_90a"}, run, cfg, cfg.A(h), cfg.B(h), result, 132, persistent.ReLU)
	}
	full := persistent.Default
	assemble(full, persistent.RunFloat32, persistent.To[float32](full, f, f))
	assemble(full, persistent.RunFloat32, persistent.To[float32](full, odd, nil))
	assemble(full, persistent.RunFloat16, persistent.To[cute.Float16](full, h, h))
	assemble(three, persistent.RunFloat32, persistent.To[float32](three, f, nil))
	assemble(small, persistent.RunFloat32, persistent.To[float32](small, f, nil))
}

// TestProfile: the model's cycles of the loops that copy and multiply are those that docs/profile.md has, and they overlap.
func TestProfile(t *testing.T) {
	dev, cfg := simttest.Device(t), persistent.Config{BM: 128, BN: 128, BK: 64, Stages: 3, Groups: 2, Cluster: 1}
	m, n, k := 128, 128, 256
	a, b := simttest.Tensor(t, dev, make([]dtype.Float16, m*k), m, k), simttest.Tensor(t, dev, make([]dtype.Float16, n*k), n, k)
	d := simttest.Tensor(t, dev, make([]float32, m*n), m, n)
	r := simttest.Profile(t, dev, "sm_90a", func() error {
		return persistent.RunFloat32(cute.C(cfg), cfg.A(a), cfg.B(b), persistent.To[float32](cfg, d, nil), 1, cute.C(persistent.Identity))
	})
	found := 0
	for _, l := range r.Loops {
		switch {
		case l.Turns != 4: // not a loop over k
		case l.Warps == 8 && l.Cycles("tensor") == 512 && l.Cycles("l1") == 384, l.Warps == 1 && l.Cycles("tensor") == 0 && l.Cycles("l1") == 256:
			found++
		}
	}
	if found != 2 {
		t.Errorf("loops: %+v", r.Loops)
	}
	for _, u := range r.Units {
		if c := u.Count; u.Name == "tensor wgmma m64n128k16 f32 f16 f16" && (2*c.Overlapped < c.Executed || c.MultiplyAdds != int64(m*n*k)) {
			t.Errorf("%s: %+v", u.Name, c)
		}
	}
}

// TestRaces runs with a check of all reads and writes against each other.
func TestRaces(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	test(t, dev, problem{small, 130, 36, 72, 2, true, persistent.ReLU}, persistent.RunFloat32, simttest.Float32s, 1e-5)
	test(t, dev, problem{small, 130, 35, 72, 2, true, persistent.ReLU}, persistent.RunFloat32, simttest.Float32s, 1e-5)
	test(t, dev, problem{paired, 257, 64, 264, 2, false, persistent.ReLU}, persistent.RunFloat16, simttest.Float16s, 1e-3)
}
