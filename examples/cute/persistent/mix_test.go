package persistent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/persistent"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// TestParameterMix shows how each kind of parameter of a kernel with asynchronous copies is compiled, by counting a
// text in the module.
func TestParameterMix(t *testing.T) {
	dev := simttest.Device(t)
	h := simttest.Tensor(t, dev, simttest.Float16s(make([]float64, 8*130)), 130, 8)
	even, odd := simttest.Tensor(t, dev, make([]float32, 64), 8, 8), simttest.Tensor(t, dev, make([]float32, 56), 8, 7)
	module := func(cfg persistent.Config, d, c *cutile.Tensor[float32], epi persistent.Epilogue) string {
		return simttest.Compile(t, persistent.RunFloat32, cfg, cfg.A(h), cfg.B(h), persistent.To[float32](cfg, d, c), 132, epi).Module().Text()
	}
	alone := paired
	alone.Cluster = 1
	all, few := module(paired, even, even, persistent.ReLU), module(alone, odd, nil, persistent.Identity)

	const load, store = "cp.async.bulk.tensor.2d.shared::cluster.global", "cp.async.bulk.tensor.2d.global.shared::cta"
	shared := func(bytes int) string { return fmt.Sprintf("dynamic_shared_memory_size %d args", bytes) }
	stages, barriers, buffers := 2*2*paired.BK*(paired.BM+paired.BN), 2*2*8, 2*4*paired.BM*32
	for _, part := range []struct {
		parameter, text string
		all, few        int
	}{
		{"tiled multiplication", "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", paired.BK / 16, paired.BK / 16},
		{"copies of A and B", load, 2, 2},
		{"optional copy of D", store, paired.BN / 32, 0},
		{"tile of the epilogue", "cp.async.bulk.commit_group", paired.BN / 32, 0},
		{"D without a copy", "st.global.b32", 0, paired.BN / 2},
		{"optional C", "ld.global.b32", paired.BN / 2, 0},
		{"cluster", ".multicast::cluster", 1, 0},
		{"layouts with that of D", shared(stages + 1024 + buffers), 1, 0}, // swizzled layouts begin at multiples of 1024
		{"layouts without it", shared(stages + barriers), 0, 1},
		{"epilogue", "max.NaN.f32", paired.BN / 2, 0},
	} {
		if a, f := strings.Count(all, part.text), strings.Count(few, part.text); a != part.all || f != part.few {
			t.Errorf("%s: %q is there %d and %d times, want %d and %d", part.parameter, part.text, a, f, part.all, part.few)
		}
	}
}

// TestMistakes checks that an invalid configuration is refused with the condition that it violates.
func TestMistakes(t *testing.T) {
	dev := simttest.Device(t)
	h, d := simttest.Tensor(t, dev, simttest.Float16s(make([]float64, 64)), 8, 8), simttest.Tensor(t, dev, make([]float32, 64), 8, 8)
	for want, change := range map[string]func(*persistent.Config){
		"Groups must be 1, 2 or 3":    func(g *persistent.Config) { g.Groups = 4 },
		"BM must be a multiple of 64": func(g *persistent.Config) { g.BM = 96 },
		"BN must be a multiple of":    func(g *persistent.Config) { g.BN = 40 },
		"BK must be 16, 32 or 64":     func(g *persistent.Config) { g.BK = 128 },
		"Stages must be at least 2":   func(g *persistent.Config) { g.Stages = 1 },
		"Cluster must be 1, 2 or 4":   func(g *persistent.Config) { g.Cluster = 3 },
	} {
		fine, cfg := small, small
		change(&cfg)
		err := persistent.RunFloat32(cute.C(cfg), fine.A(h), fine.B(h), persistent.To[float32](fine, d, nil), 1, cute.C(persistent.Identity))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %q", cfg, err, want)
		}
	}
}
